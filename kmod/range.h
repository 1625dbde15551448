/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What may be touched: claim, allocation, mapping, verification, release.
 * Knows neither netlink nor jobs. Every failing call sets *why to a sentence
 * with static lifetime that says what to do. All of it may sleep.
 */
#ifndef _MPROBE_RANGE_H
#define _MPROBE_RANGE_H

#include <mprobe/loop.h>

#include <linux/atomic.h>
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
	struct kref ref;       /* the table's, each job's, each user mapping's */
	u32 id, owner, kind, class, flags;
	u32 users;	/* jobs; under the table's lock, as the next four */
	u32 maps;	/* live mappings of /dev/mprobe */
	bool remapping; /* hold, view and mapped_* are about to change */
	bool left;	/* its owner has gone: it goes with its last user mapping */
	u64 mapped_4k, mapped_2m, mapped_1g;
	atomic64_t
		user_bytes[3]; /* that live user mappings have entered into page tables: 4K, 2M, 1G */
	int node;	       /* -1: unknown */
	u64 bytes;
	struct mprobe_view view; /* all of it */
	u32 nr_segments;
	struct mprobe_segment *segments; /* ascending, adjacent ones merged */
	struct mprobe_hold *hold;	 /* the range files' own */
};

struct mprobe_range_state { /* of what changes, at one moment */
	u32 users, maps;
	u64 mapped[3], user[3]; /* bytes by 4K, 2M and 1G pages */
};

struct mprobe_extent {	     /* a stretch of a range that is physically contiguous */
	u64 at, base, bytes; /* at: offset in the range */
};

int mprobe_range_init(void);
void mprobe_range_uninit(void); /* releases all that is left */

/* 0 and *out (with a reference that the caller puts), or -errno of the uapi header's list. */
int mprobe_range_claim(const struct mprobe_claim *c, struct mprobe_range **out, const char **why);
/* -EBADF, -ETXTBSY */
int mprobe_range_release(u32 id, u32 owner, const char **why);
/* Those in use go with their last job, those mapped by a user with the last such mapping. */
void mprobe_range_release_owner(u32 owner);
/* The same memory by other pages; offsets in the range keep their meaning. *out as of a claim. */
int mprobe_range_remap(u32 id, u32 owner, u64 page_bytes, struct mprobe_range **out,
		       const char **why);
struct mprobe_range *mprobe_range_get(u32 id, u32 owner); /* NULL: none of this owner */
void mprobe_range_put(struct mprobe_range *r);
/* A job takes the range for itself: -ETXTBSY when another has it, -EBADF when it is released. */
int mprobe_range_use(struct mprobe_range *r, const char **why);
void mprobe_range_unuse(struct mprobe_range *r);
/* A user mapping: whoever owns the range; NULL: no such range. It stays claimed until unmap, which puts it. */
struct mprobe_range *mprobe_range_user_map(u32 id);
void mprobe_range_user_unmap(struct mprobe_range *r);
/* Those that make up [at, at + bytes) of a range, in its order; *list is the caller's to kvfree(). */
int mprobe_range_extents(struct mprobe_range *r, u64 at, u64 bytes, struct mprobe_extent **list,
			 u32 *nr);
void mprobe_range_look(struct mprobe_range *r, struct mprobe_range_state *s);
/* The n-th range with a reference, for dumps; *generation (never 0) changes when the table does. */
struct mprobe_range *mprobe_range_nth(u32 n, u32 *generation);
/* Does it hold data that its owner gave no leave to destroy (RANGE_F_OVERWRITE)? */
bool mprobe_range_holds_data(const struct mprobe_range *r);
/* Walk the page tables again: are all pages still what mapped_* says? No after a split of the direct map. */
bool mprobe_range_verify(const struct mprobe_range *r);
bool mprobe_range_on_pfns(const struct mprobe_range *r, unsigned long start_pfn, unsigned long nr);
bool mprobe_range_user_on_pfns(unsigned long start_pfn, unsigned long nr); /* user mappings */
u64 mprobe_range_max_bytes(void); /* of one node range: a share of memory, module parameter */
u32 mprobe_range_max(void);
#endif
