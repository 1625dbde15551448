/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a range holds, shared by the files that range_make.c calls one after the other: range_node.c or
 * range_phys.c take the memory, range_map.c gives it addresses. Each undoes its own part.
 */
#ifndef _MPROBE_RANGE_HOLD_H
#define _MPROBE_RANGE_HOLD_H

#include "range.h"

#include <linux/sizes.h>

struct mprobe_piece {
	u64 base, bytes;  /* physical, contiguous */
	unsigned long va; /* 0: not mapped */
};

struct mprobe_hold {
	struct mprobe_piece *piece; /* in the order of the view */
	u32 nr;
	void *alias;	 /* vmap() of all pieces; NULL: none */
	u64 *granule;	 /* the view's */
	u64 base, bytes; /* of the claim in the resource tree (bytes 0: none) or from `node` */
	int node;
};

/* range_make.c: one range outside of the table. A failing make is undone by the caller. */
int mprobe_range_make_page_size(u64 page_bytes, const char **why);
int mprobe_range_make_check(const struct mprobe_claim *c, const char **why);
int mprobe_range_make(struct mprobe_range *r, const struct mprobe_claim *c, const char **why);
void mprobe_range_make_undo(struct mprobe_range *r);
/* The memory of r mapped a second time, in *fresh; swapped with r's mapping; what fresh has then is undone. */
int mprobe_range_make_mapping(const struct mprobe_range *r, u64 page_bytes,
			      struct mprobe_range *fresh, const char **why);
void mprobe_range_make_swap(struct mprobe_range *r, struct mprobe_range *fresh);
void mprobe_range_make_undo_mapping(struct mprobe_range *fresh);

/* range_node.c: pages of one node; the 1 GiB pieces first where gigabytes is set. */
int mprobe_range_node_init(void);
int mprobe_range_node_take(struct mprobe_hold *h, bool gigabytes, const char **why);
void mprobe_range_node_give(struct mprobe_hold *h);

/* range_phys.c: a claim in the resource tree; probe: do writes reach memory? Contents are put back. */
int mprobe_range_phys_take(struct mprobe_hold *h, u32 *class, const char **why);
void mprobe_range_phys_give(struct mprobe_hold *h);
int mprobe_range_phys_probe(const struct mprobe_view *v, const char **why);

/* range_map.c */
struct mprobe_mapped {
	u64 by_4k, by_2m, by_1g; /* bytes */
};

int mprobe_range_map_node(struct mprobe_hold *h, u64 page_bytes, const char **why);
int mprobe_range_map_phys(struct mprobe_hold *h, u64 page_bytes, const char **why);
void mprobe_range_map_undo(struct mprobe_hold *h);
/* Every page: mapped where it should be, cached, no larger than page_bytes (0: any). */
int mprobe_range_map_walk(const struct mprobe_hold *h, u64 page_bytes, struct mprobe_mapped *m,
			  const char **why);
int mprobe_range_map_view(struct mprobe_hold *h, struct mprobe_view *v);
#endif
