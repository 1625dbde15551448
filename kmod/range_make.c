// SPDX-License-Identifier: GPL-2.0
/* The order in which a range is made, mapped anew and undone. */
#include "range_hold.h"
#include "mapping.h"

#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/slab.h>
#include <linux/sort.h>

static const char no_tables[] =
	"no memory for the range's tables: free some, or claim a smaller or better aligned range";

int mprobe_range_make_page_size(u64 page_bytes, const char **why)
{
	if (!page_bytes || page_bytes == SZ_4K || page_bytes == SZ_2M || page_bytes == SZ_1G)
		return 0;
	*why = "no such page size: give 4096, 2097152 or 1073741824, or none for the largest";
	return -EINVAL;
}

int mprobe_range_make_check(const struct mprobe_claim *c, const char **why)
{
	u64 base = c->kind == MPROBE_RANGE_PHYS ? c->base : 0;

	if (c->kind != MPROBE_RANGE_NODE && c->kind != MPROBE_RANGE_PHYS) {
		*why = "unknown kind of range: use RANGE_NODE or RANGE_PHYS";
		return -EINVAL;
	}
	if (c->flags & ~MPROBE_RANGE_F_ALL) {
		*why = "unknown range flag: this module knows RANGE_F_OVERWRITE only";
		return -EINVAL;
	}
	if (mprobe_range_make_page_size(c->page_bytes, why))
		return -EINVAL;
	if (!c->bytes) {
		*why = "size 0: give the number of bytes to claim, a multiple of 4096";
		return -ERANGE;
	}
	if ((base | c->bytes) & (PAGE_SIZE - 1)) {
		*why = "base or size is not a multiple of 4096: round them to whole pages";
		return -EADDRNOTAVAIL;
	}
	if (base + c->bytes < base || base + c->bytes - 1 > iomem_resource.end) {
		*why = "the range ends beyond this machine's physical address space: lower base or size";
		return -EOVERFLOW;
	}
	return 0;
}

static int by_base(const void *a, const void *b)
{
	const struct mprobe_segment *x = a, *y = b;

	return x->base < y->base ? -1 : x->base > y->base;
}

static int list_segments(struct mprobe_range *r)
{
	const struct mprobe_hold *h = r->hold;
	struct mprobe_segment *s;
	u32 i, n = 0;

	s = kvmalloc_array(h->nr, sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	for (i = 0; i < h->nr; i++)
		s[i] = (struct mprobe_segment){ h->piece[i].base, h->piece[i].bytes };
	sort(s, h->nr, sizeof(*s), by_base, NULL);
	for (i = 1; i < h->nr; i++) {
		if (s[n].base + s[n].bytes == s[i].base)
			s[n].bytes += s[i].bytes;
		else
			s[++n] = s[i];
	}
	r->segments = s;
	r->nr_segments = n + 1;
	return 0;
}

static int take(struct mprobe_range *r, const struct mprobe_claim *c, const char **why)
{
	/* a 1 GiB piece is mapped by one page as a rule: of no use where 2 MiB is the most */
	if (c->kind == MPROBE_RANGE_NODE) {
		r->class = MPROBE_CLASS_DRAM;
		return mprobe_range_node_take(r->hold, c->page_bytes != SZ_2M, why);
	}
	return mprobe_range_phys_take(r->hold, &r->class, why);
}

/* Addresses, each page verified, and the view. */
static int map(struct mprobe_range *r, u64 page_bytes, const char **why)
{
	struct mprobe_mapped m;
	int ret;

	if (r->kind == MPROBE_RANGE_NODE)
		ret = mprobe_range_map_node(r->hold, page_bytes, why);
	else
		ret = mprobe_range_map_phys(r->hold, page_bytes, why);
	if (!ret)
		ret = mprobe_range_map_walk(r->hold, page_bytes, &m, why);
	if (ret)
		return ret;
	r->mapped_4k = m.by_4k;
	r->mapped_2m = m.by_2m;
	r->mapped_1g = m.by_1g;
	*why = no_tables;
	return mprobe_range_map_view(r->hold, &r->view);
}

int mprobe_range_make(struct mprobe_range *r, const struct mprobe_claim *c, const char **why)
{
	int ret;

	*why = no_tables;
	r->hold = kzalloc(sizeof(*r->hold), GFP_KERNEL);
	if (!r->hold)
		return -ENOMEM;
	r->hold->node = c->node;
	r->hold->base = c->base;
	r->hold->bytes = c->bytes;
	ret = take(r, c, why);
	if (!ret)
		ret = map(r, c->page_bytes, why);
	if (ret)
		return ret;
	r->bytes = c->bytes;
	r->node = c->kind == MPROBE_RANGE_NODE ? c->node : mprobe_mapping_node(c->base);
	ret = list_segments(r);
	if (ret)
		return ret;
	if (c->kind == MPROBE_RANGE_PHYS && c->flags & MPROBE_RANGE_F_OVERWRITE)
		return mprobe_range_phys_probe(&r->view, why);
	return 0;
}

void mprobe_range_make_undo(struct mprobe_range *r)
{
	if (r->hold) {
		mprobe_range_map_undo(r->hold);
		if (r->kind == MPROBE_RANGE_NODE)
			mprobe_range_node_give(r->hold);
		else
			mprobe_range_phys_give(r->hold);
		kvfree(r->hold->piece);
		kfree(r->hold);
	}
	kvfree(r->segments);
	kfree(r);
}

/* A hold of the same memory that has no addresses yet. */
static struct mprobe_hold *same_memory(const struct mprobe_range *r)
{
	const struct mprobe_hold *old = r->hold;
	struct mprobe_hold *h = kzalloc(sizeof(*h), GFP_KERNEL);
	u32 k;

	if (!h)
		return NULL;
	h->node = old->node;
	h->base = old->base;
	h->bytes = old->bytes;
	if (r->kind == MPROBE_RANGE_PHYS) /* the mapping cuts it into pieces */
		return h;
	h->piece = kvmalloc_array(old->nr, sizeof(*h->piece), GFP_KERNEL);
	if (!h->piece) {
		kfree(h);
		return NULL;
	}
	h->nr = old->nr;
	for (k = 0; k < h->nr; k++)
		h->piece[k] = (struct mprobe_piece){ old->piece[k].base, old->piece[k].bytes };
	return h;
}

int mprobe_range_make_mapping(const struct mprobe_range *r, u64 page_bytes,
			      struct mprobe_range *fresh, const char **why)
{
	int ret;

	*fresh = (struct mprobe_range){ .kind = r->kind, .hold = same_memory(r) };
	*why = no_tables;
	if (!fresh->hold)
		return -ENOMEM;
	ret = map(fresh, page_bytes, why);
	if (ret)
		mprobe_range_make_undo_mapping(fresh);
	return ret;
}

void mprobe_range_make_swap(struct mprobe_range *r, struct mprobe_range *fresh)
{
	swap(r->hold, fresh->hold);
	swap(r->view, fresh->view);
	swap(r->mapped_4k, fresh->mapped_4k);
	swap(r->mapped_2m, fresh->mapped_2m);
	swap(r->mapped_1g, fresh->mapped_1g);
}

void mprobe_range_make_undo_mapping(struct mprobe_range *fresh)
{
	mprobe_range_map_undo(fresh->hold);
	kvfree(fresh->hold->piece);
	kfree(fresh->hold);
}
