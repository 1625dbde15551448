// SPDX-License-Identifier: GPL-2.0
/* Memory of one node: whole gigabytes where they can be had, then blocks of 4 MiB, the last one cut to size. */
#include "range_hold.h"

#include <linux/gfp.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/sched/signal.h>
#include <linux/sort.h>
#include <linux/vmstat.h>

#define BLOCK_ORDER 10
#define BLOCK_BYTES ((u64)PAGE_SIZE << BLOCK_ORDER)
#define GIG_PAGES   (SZ_1G >> PAGE_SHIFT)
#define LOOK_EVERY  64 /* blocks between two looks at the machine's free memory */

static uint node_max_percent = 50;
module_param(node_max_percent, uint, 0444);
MODULE_PARM_DESC(node_max_percent,
		 "share of a node's memory that its ranges may take together, 1 to 90 (default 50)");

static DEFINE_MUTEX(lock);
static u64 taken[MAX_NUMNODES]; /* bytes, claims under way included */

static bool has_memory(int node)
{
	return node >= 0 && node < MAX_NUMNODES && node_state(node, N_MEMORY);
}

static u64 share(int node)
{
	return (u64)node_present_pages(node) * node_max_percent / 100 << PAGE_SHIFT;
}

u64 mprobe_range_max_bytes(void)
{
	u64 most = 0;
	int node;

	for_each_node_state(node, N_MEMORY)
		most = max(most, share(node));
	return most;
}

/* What must stay free or reclaimable in the machine, whatever is asked for. */
static u64 reserve(void)
{
	return max_t(u64, SZ_64M, ((u64)totalram_pages() << PAGE_SHIFT) / 20);
}

static bool would_starve(u64 bytes)
{
	return (u64)max(si_mem_available(), 0L) << PAGE_SHIFT < bytes + reserve();
}

static int book(const struct mprobe_hold *h, const char **why)
{
	u64 most;
	int ret = 0;

	if (!has_memory(h->node)) {
		*why = "no such node, or a node without memory: mprobectl list names those that have some";
		return -ENOENT;
	}
	most = share(h->node);
	if (h->bytes > most) {
		*why = "larger than the share of the node's memory that may be taken: ask for less, or load the module with a larger node_max_percent=";
		return -EFBIG;
	}
	mutex_lock(&lock);
	if (taken[h->node] + h->bytes > most) {
		*why = "other ranges hold the share of this node's memory that may be taken: release them first";
		ret = -ENOMEM;
	} else if (would_starve(h->bytes)) {
		*why = "the machine would be left without free memory: ask for less, or stop what uses it";
		ret = -ENOMEM;
	} else {
		taken[h->node] += h->bytes;
	}
	mutex_unlock(&lock);
	return ret;
}

static void unbook(const struct mprobe_hold *h)
{
	mutex_lock(&lock);
	taken[h->node] -= h->bytes;
	mutex_unlock(&lock);
}

/* Worth a try: all of it online pages of this zone that can be moved away or are free. */
static bool may_move(const struct zone *zone, unsigned long pfn)
{
	unsigned long end = pfn + GIG_PAGES, i;
	struct page *page;

	for (; pfn < end; pfn += pageblock_nr_pages) {
		page = pfn_to_online_page(pfn);
		if (!page)
			return false;
		for (i = 0; i < pageblock_nr_pages; i++)
			if (page_zone(page + i) != zone || PageReserved(page + i) ||
			    PageHuge(page + i))
				return false;
		cond_resched();
	}
	return true;
}

static void add(struct mprobe_hold *h, unsigned long pfn, u64 bytes)
{
	h->piece[h->nr++] = (struct mprobe_piece){ .base = PFN_PHYS(pfn), .bytes = bytes };
}

/* Leaves *left as it is where none can be had: the blocks follow. */
static int take_gigabytes(struct mprobe_hold *h, u64 *left, const char **why)
{
	struct zone *zones = NODE_DATA(h->node)->node_zones, *zone;
	unsigned long pfn;

	for (zone = zones + MAX_NR_ZONES - 1; zone >= zones; zone--) {
		for (pfn = ALIGN(zone->zone_start_pfn, GIG_PAGES);
		     *left >= SZ_1G && populated_zone(zone) &&
		     pfn + GIG_PAGES <= zone_end_pfn(zone);
		     pfn += GIG_PAGES) {
			if (signal_pending(current)) {
				*why = "interrupted by a signal";
				return -EINTR;
			}
			if (zone_page_state(zone, NR_FREE_PAGES) <
			    GIG_PAGES + zone_managed_pages(zone) / 16)
				break;
			if (!may_move(zone, pfn) ||
			    alloc_contig_range(pfn, pfn + GIG_PAGES, ACR_FLAGS_NONE,
					       GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL))
				continue;
			add(h, pfn, SZ_1G);
			*left -= SZ_1G;
		}
	}
	return 0;
}

static struct page *block(int node, unsigned int order)
{
	const gfp_t gfp = __GFP_THISNODE | __GFP_NOWARN | __GFP_RETRY_MAYFAIL | __GFP_NOMEMALLOC;
	struct page *page = alloc_pages_node(node, GFP_KERNEL | gfp, order);

	/* a node onlined as movable (CXL, kmem) has no other memory */
	if (!page && populated_zone(&NODE_DATA(node)->node_zones[ZONE_MOVABLE]))
		page = alloc_pages_node(node, GFP_HIGHUSER_MOVABLE | gfp, order);
	if (page && page_to_nid(page) != node) {
		__free_pages(page, order);
		page = NULL;
	}
	return page;
}

static int take_blocks(struct mprobe_hold *h, u64 left, const char **why)
{
	unsigned long pfn, spare;
	unsigned int order;
	struct page *page;
	u64 bytes;

	for (; left; left -= bytes) {
		if (signal_pending(current)) {
			*why = "interrupted by a signal";
			return -EINTR;
		}
		if (h->nr % LOOK_EVERY == 0 && would_starve(0)) {
			*why = "the machine runs out of free memory: ask for less, or stop what uses it";
			return -ENOMEM;
		}
		bytes = min(left, BLOCK_BYTES);
		order = get_order(bytes);
		page = block(h->node, order);
		if (!page) {
			*why = "the node has no free blocks of 4 MiB left: ask for less, or free memory (echo 3 > /proc/sys/vm/drop_caches; echo 1 > /proc/sys/vm/compact_memory)";
			return -ENOMEM;
		}
		pfn = page_to_pfn(page);
		if (bytes < BLOCK_BYTES) {
			split_page(page, order);
			for (spare = bytes >> PAGE_SHIFT; spare < 1ul << order; spare++)
				__free_page(page + spare);
		}
		add(h, pfn, bytes);
		cond_resched();
	}
	return 0;
}

static int by_base(const void *a, const void *b)
{
	const struct mprobe_piece *x = a, *y = b;

	return x->base < y->base ? -1 : x->base > y->base;
}

int mprobe_range_node_take(struct mprobe_hold *h, bool gigabytes, const char **why)
{
	u64 left = h->bytes;
	int ret = book(h, why);

	if (ret) {
		h->bytes = 0;
		return ret;
	}
	*why = "no memory for the range's tables: ask for less";
	h->piece = kvcalloc(DIV_ROUND_UP(left, BLOCK_BYTES), sizeof(*h->piece), GFP_KERNEL);
	if (!h->piece)
		return -ENOMEM;
	if (gigabytes)
		ret = take_gigabytes(h, &left, why);
	if (!ret)
		ret = take_blocks(h, left, why);
	if (ret)
		return ret;
	/* in address order, but the piece that is cut comes last: the view's granule stays large */
	sort(h->piece, h->nr - !!(h->bytes % BLOCK_BYTES), sizeof(*h->piece), by_base, NULL);
	return 0;
}

void mprobe_range_node_give(struct mprobe_hold *h)
{
	struct page *page;
	unsigned long i;
	u32 k;

	for (k = 0; k < h->nr; k++) {
		page = pfn_to_page(PHYS_PFN(h->piece[k].base));
		if (h->piece[k].bytes == BLOCK_BYTES) {
			__free_pages(page, BLOCK_ORDER);
			continue;
		}
		/* a gigabyte and a block that was cut are single pages */
		for (i = 0; i < h->piece[k].bytes >> PAGE_SHIFT; i++) {
			__free_page(page + i);
			if (i % 1024 == 0)
				cond_resched();
		}
	}
	if (h->bytes)
		unbook(h);
}

int mprobe_range_node_init(void)
{
	if (node_max_percent >= 1 && node_max_percent <= 90)
		return 0;
	pr_err("mprobe: node_max_percent=%u is not within 1 to 90\n", node_max_percent);
	return -EINVAL;
}
