/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What may be touched: claim, allocation, mapping, verification, release.
 * Knows neither netlink nor jobs. Every failing call sets *why to a sentence
 * with static lifetime that says what to do. All of it may sleep.
 */
#ifndef _MPROBE_RANGE_H
#define _MPROBE_RANGE_H

#include <mprobe/loop.h>

#include <linux/kref.h>
#include <linux/list.h>

struct mprobe_hold;

struct mprobe_claim {
	u32 kind;	 /* enum mprobe_range_kind */
	u32 flags;	 /* MPROBE_RANGE_F_* */
	int node;	 /* RANGE_NODE */
	u64 base, bytes; /* base: RANGE_PHYS */
	u64 page_bytes;	 /* largest page to map with; 0: any */
	u32 owner;	 /* the client's number, 0: none */
};

struct mprobe_segment {
	u64 base, bytes; /* physical */
};

struct mprobe_range {
	struct list_head list; /* under the table's lock; empty once released */
	struct kref ref;       /* the table's and each job's */
	u32 id, owner, kind, class, flags, users;
	int node; /* -1: unknown */
	u64 bytes, mapped_4k, mapped_2m, mapped_1g;
	struct mprobe_view view; /* all of it */
	u32 nr_segments;
	struct mprobe_segment *segments; /* ascending, adjacent ones merged */
	struct mprobe_hold *hold;	 /* range.c's own */
};

int mprobe_range_init(void);
void mprobe_range_uninit(void); /* releases all that is left */

/* 0 and *out (with a reference that the caller puts), or -errno of the uapi header's list. */
int mprobe_range_claim(const struct mprobe_claim *c, struct mprobe_range **out, const char **why);
/* -EBADF, -ETXTBSY */
int mprobe_range_release(u32 id, u32 owner, const char **why);
void mprobe_range_release_owner(u32 owner);		  /* those in use go with their last job */
struct mprobe_range *mprobe_range_get(u32 id, u32 owner); /* NULL: none of this owner */
void mprobe_range_put(struct mprobe_range *r);
/* A job takes the range for itself: -ETXTBSY when another has it, -EBADF when it is released. */
int mprobe_range_use(struct mprobe_range *r, const char **why);
void mprobe_range_unuse(struct mprobe_range *r);
/* The n-th range with a reference, for dumps; *generation (never 0) changes when the table does. */
struct mprobe_range *mprobe_range_nth(u32 n, u32 *generation);
/* Does it hold data that its owner gave no leave to destroy (RANGE_F_OVERWRITE)? */
bool mprobe_range_holds_data(const struct mprobe_range *r);
/* Walk the page tables again: are all pages still what mapped_* says? No after a split of the direct map. */
bool mprobe_range_verify(const struct mprobe_range *r);
bool mprobe_range_on_pfns(const struct mprobe_range *r, unsigned long start_pfn, unsigned long nr);
u64 mprobe_range_max_bytes(void); /* of one node range: a share of memory, module parameter */
u32 mprobe_range_max(void);
#endif
