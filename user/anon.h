/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of this process in pages of exactly one size on one NUMA node,
 * touched, and verified to be so. What can't be had is refused with a sentence
 * that says how to get it; nothing is left to the kernel's choice.
 */
#ifndef MPROBE_ANON_H
#define MPROBE_ANON_H

#include "engine.h"

struct anon_spec {
	uint64_t bytes;
	uint64_t page_bytes;	  /* 4096, 2M, 1G */
	bool thp;		  /* 2M by MADV_HUGEPAGE in place of reserved pages */
	int node;		  /* -1: any */
	bool (*stop_asked)(void); /* as claim_spec's; from several threads */
};

struct anon {
	void *addr; /* bytes from here on are usable */
	uint64_t bytes;
	uint64_t mapped_4k, mapped_2m, mapped_1g;
	int node; /* of every page; -1: not known, or several */
	uint32_t nr_segments, segments_total;
	struct segment *segments; /* physical, where root may see it; owned */
	void *hold;		  /* the reservation, with a guard on either side */
	uint64_t hold_bytes;
};

int anon_map(struct anon *a, const struct anon_spec *s, char *error, size_t len); /* 0 or -errno */
void anon_unmap(struct anon *a);
uint64_t anon_room(int node, uint64_t page_bytes, bool thp); /* bytes to be had now; estimate */

#endif
