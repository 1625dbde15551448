// SPDX-License-Identifier: GPL-2.0
/* Virtual addresses of a range: the largest pages there are up to a limit, each verified. */
#include "range_hold.h"
#include "mapping.h"

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

/* 4 KiB pages are had by mapping the node's pages a second time; others are the direct map's. */
static int map_again(struct mprobe_hold *h, const char **why)
{
	unsigned long nr = h->bytes >> PAGE_SHIFT, n = 0, i;
	struct page **pages, *first;
	u32 k;

	*why = "no memory to map the range by 4 KiB pages: ask for less";
	pages = kvmalloc_array(nr, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (k = 0; k < h->nr; k++) {
		first = pfn_to_page(PHYS_PFN(h->piece[k].base));
		for (i = 0; i < h->piece[k].bytes >> PAGE_SHIFT; i++)
			pages[n++] = first + i;
	}
	h->alias = vmap(pages, nr, VM_MAP, PAGE_KERNEL);
	kvfree(pages);
	return h->alias ? 0 : -ENOMEM;
}

int mprobe_range_map_node(struct mprobe_hold *h, u64 page_bytes, const char **why)
{
	unsigned long va;
	u32 k;
	int ret;

	if (page_bytes == SZ_4K) {
		ret = map_again(h, why);
		if (ret)
			return ret;
	}
	va = (unsigned long)h->alias;
	for (k = 0; k < h->nr; k++) {
		if (!h->alias)
			va = (unsigned long)page_address(pfn_to_page(PHYS_PFN(h->piece[k].base)));
		h->piece[k].va = va;
		va += h->piece[k].bytes;
	}
	return 0;
}

static void cut(struct mprobe_hold *h, u64 *at, u64 *left, u64 bytes)
{
	bytes = min(bytes, *left);
	if (!bytes)
		return;
	h->piece[h->nr++] = (struct mprobe_piece){ .base = *at, .bytes = bytes };
	*at += bytes;
	*left -= bytes;
}

/*
 * The kernel aligns a mapping to its size, at most 1 GiB, and uses a large page where virtual and
 * physical address allow it. So pieces begin where pages of the largest size wanted can begin, and to
 * keep larger ones out, half a step beside where those can.
 */
static void cut_pieces(struct mprobe_hold *h, u64 page_bytes)
{
	u64 at = h->base, left = h->bytes;

	if (page_bytes != SZ_4K)
		cut(h, &at, &left, -at & (SZ_2M - 1));
	if (!page_bytes || page_bytes == SZ_1G)
		cut(h, &at, &left, -at & (SZ_1G - 1));
	else if (IS_ALIGNED(at, page_bytes == SZ_2M ? SZ_1G : SZ_2M))
		cut(h, &at, &left, (page_bytes == SZ_2M ? SZ_1G : SZ_2M) / 2);
	cut(h, &at, &left, left);
}

int mprobe_range_map_phys(struct mprobe_hold *h, u64 page_bytes, const char **why)
{
	u32 k;

	*why = "no memory or address space to map the range: ask for less";
	h->piece = kvcalloc(3, sizeof(*h->piece), GFP_KERNEL);
	if (!h->piece)
		return -ENOMEM;
	cut_pieces(h, page_bytes);
	for (k = 0; k < h->nr; k++) {
		h->piece[k].va = mprobe_mapping_map(h->piece[k].base, h->piece[k].bytes);
		if (!h->piece[k].va)
			return -ENOMEM;
	}
	return 0;
}

void mprobe_range_map_undo(struct mprobe_hold *h)
{
	u32 k;

	kvfree(h->granule);
	if (h->alias) {
		vunmap(h->alias);
		return;
	}
	/* the direct map's addresses are not ours */
	for (k = 0; k < h->nr; k++)
		if (h->piece[k].va && is_vmalloc_addr((void *)h->piece[k].va))
			mprobe_mapping_unmap(h->piece[k].va);
}

static int walk_piece(const struct mprobe_piece *p, u64 page_bytes, struct mprobe_mapped *m,
		      const char **why)
{
	struct mprobe_mapping page;
	u64 at, step;

	for (at = 0; at < p->bytes; at += step) {
		if (!mprobe_mapping_look(p->va + at, &page) || page.phys != p->base + at) {
			*why = "a page of the mapping leads elsewhere: report this machine's kernel";
			return -EMEDIUMTYPE;
		}
		if (!page.cached) {
			*why = "the memory is mapped uncached (MTRR or another mapping): it cannot be measured";
			return -EMEDIUMTYPE;
		}
		if (page_bytes && page.bytes > page_bytes) {
			*why = "the kernel maps that memory by larger pages: ask for 4096, or boot with nogbpages";
			return -EMEDIUMTYPE;
		}
		step = min(page.bytes - ((p->va + at) & (page.bytes - 1)), p->bytes - at);
		if (page.bytes >= SZ_1G)
			m->by_1g += step;
		else if (page.bytes >= SZ_2M)
			m->by_2m += step;
		else
			m->by_4k += step;
		if (at % SZ_2M == 0)
			cond_resched();
	}
	return 0;
}

int mprobe_range_map_walk(const struct mprobe_hold *h, u64 page_bytes, struct mprobe_mapped *m,
			  const char **why)
{
	int ret = 0;
	u32 k;

	memset(m, 0, sizeof(*m));
	for (k = 0; k < h->nr && !ret; k++)
		ret = walk_piece(&h->piece[k], page_bytes, m, why);
	return ret;
}

/* A run: pieces with consecutive addresses. This one begins with piece k; the piece after it and its bytes. */
static u32 run_end(const struct mprobe_hold *h, u32 k, u64 *bytes)
{
	*bytes = h->piece[k].bytes;
	while (++k < h->nr && h->piece[k].va == h->piece[k - 1].va + h->piece[k - 1].bytes)
		*bytes += h->piece[k].bytes;
	return k;
}

/*
 * The first run ends with a granule, the last begins with one, those between are multiples of it. It is as
 * large as that allows, because a loop looks at the table once a granule. So the first
 * and the last granule may reach beyond the view.
 */
static u32 granule_shift(const struct mprobe_hold *h)
{
	u64 first, bytes, bits = 0;
	u32 k = run_end(h, 0, &first);

	bytes = first;
	while (k < h->nr) {
		k = run_end(h, k, &bytes);
		if (k < h->nr)
			bits |= bytes;
	}
	return bits ? __ffs64(bits) : order_base_2(max(first, bytes));
}

int mprobe_range_map_view(struct mprobe_hold *h, struct mprobe_view *v)
{
	const u32 shift = granule_shift(h);
	const u64 size = 1ull << shift;
	u64 n = 0, at, bytes, before;
	u32 k, end;

	run_end(h, 0, &bytes);
	before = -bytes & (size - 1);
	h->granule =
		kvmalloc_array(DIV_ROUND_UP_ULL(before + h->bytes, size), sizeof(u64), GFP_KERNEL);
	if (!h->granule)
		return -ENOMEM;
	*v = (struct mprobe_view){
		.granule = h->granule, .shift = shift, .base = before, .bytes = h->bytes
	};
	for (k = 0; k < h->nr; k = end, before = 0) {
		end = run_end(h, k, &bytes);
		for (at = 0; at < before + bytes; at += size)
			h->granule[n++] = h->piece[k].va - before + at;
	}
	return 0;
}
