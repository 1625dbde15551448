/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory to measure, by name. Found through hwloc, libndctl, libdaxctl, sysfs
 * and /proc/iomem.
 *   dramN, anon, anon:N  memory of NUMA node N, the tool's own (of node N)
 *   pmemN	persistent memory region N, all of it: the region in which the kernel
 *		names block devices pmemN, pmemN.1, ... Also called regionN. Persistent memory
 *		of which libnvdimm knows nothing (its drivers are not loaded) takes the
 *		numbers behind the last region's, by address.
 *   namespaceN.M, daxN.M, cxl-regionN  as the kernel names them
 *   softN	the N-th soft-reserved range by address, from 0
 *   phys:BASE+SIZE  by address; also what the module's allow= names
 */
#ifndef MPROBE_TARGET_H
#define MPROBE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

enum target_kind {
	TARGET_ANON,
	TARGET_DRAM,
	TARGET_PMEM,
	TARGET_DAX,
	TARGET_CXL,
	TARGET_RESERVED,
	TARGET_PHYS
};

struct target {
	char name[64];
	enum target_kind kind;
	int node; /* -1: unknown, or any (anon) */
	uint64_t base,
		bytes; /* physical, base 0 unknown; DRAM and anon: bytes = the node's memory */
	uint32_t interleave_ways; /* 0: unknown */
	bool holds_data;	  /* writing needs --overwrite */
	char holder[64];	  /* driver or claim that has it now; "" free */
	char free_command[192];	  /* what would free it; "" nothing to do */
	uint64_t badblocks;	  /* 512-byte sectors known bad */
	uint64_t free_bytes;	  /* DRAM and anon: not in use now */
	bool alias;		  /* another name for what is in the list already */
};

struct target_list {
	struct target *v; /* owned */
	unsigned int n;
	bool addresses_hidden; /* not root: bases and holders are unknown */
};

/* 0 or -errno; sources that are absent on this machine are no error. Aliases are left out. */
int target_list_all(struct target_list *out, char *error, unsigned int len);
void target_list_free(struct target_list *l);
/* by name; phys:BASE+SIZE is parsed here. -ENOENT names what there is. */
int target_find(const char *name, struct target *out, char *error, unsigned int len);
const char *target_kind_name(enum target_kind kind); /* "dram", "pmem", ... */

#endif
