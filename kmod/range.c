// SPDX-License-Identifier: GPL-2.0
/* The table of ranges: who holds what, until when; and the order in which a range is made and undone. */
#include "range.h"
#include "range_allow.h"
#include "range_hold.h"
#include "mapping.h"

#include <linux/ioport.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pfn.h>
#include <linux/slab.h>
#include <linux/sort.h>

#define MAX_RANGES_LIMIT 1024

static uint max_ranges = 16;
module_param(max_ranges, uint, 0444);
MODULE_PARM_DESC(max_ranges, "how many ranges may be claimed at a time, 1 to 1024 (default 16)");

static DEFINE_MUTEX(lock); /* ranges, nr_ranges, generation, last_id, users of each range */
static LIST_HEAD(ranges);
static u32 nr_ranges; /* claims under way included */
static u32 generation = 1;
static u32 last_id;

static int check(const struct mprobe_claim *c, const char **why)
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
	if (c->page_bytes && c->page_bytes != SZ_4K && c->page_bytes != SZ_2M &&
	    c->page_bytes != SZ_1G) {
		*why = "no such page size: give 4096, 2097152 or 1073741824, or none for the largest";
		return -EINVAL;
	}
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

static void undo(struct mprobe_range *r)
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

static void last_put(struct kref *ref)
{
	undo(container_of(ref, struct mprobe_range, ref));

	mutex_lock(&lock);
	nr_ranges--;
	mutex_unlock(&lock);
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
	struct mprobe_hold *h = r->hold;
	int ret;

	if (c->kind == MPROBE_RANGE_NODE) {
		/* a 1 GiB piece is mapped by one page as a rule: of no use where 2 MiB is the most */
		r->class = MPROBE_CLASS_DRAM;
		ret = mprobe_range_node_take(h, c->page_bytes != SZ_2M, why);
		return ret ?: mprobe_range_map_node(h, c->page_bytes, why);
	}
	ret = mprobe_range_phys_take(h, &r->class, why);
	return ret ?: mprobe_range_map_phys(h, c->page_bytes, why);
}

static int make(struct mprobe_range *r, const struct mprobe_claim *c, const char **why)
{
	struct mprobe_mapped m;
	int ret;

	*why = "no memory for the range's tables: free some, or claim a smaller or better aligned range";
	r->hold = kzalloc(sizeof(*r->hold), GFP_KERNEL);
	if (!r->hold)
		return -ENOMEM;
	r->hold->node = c->node;
	r->hold->base = c->base;
	r->hold->bytes = c->bytes;
	ret = take(r, c, why);
	if (ret)
		return ret;
	ret = mprobe_range_map_walk(r->hold, c->page_bytes, &m, why);
	if (ret)
		return ret;
	r->mapped_4k = m.by_4k;
	r->mapped_2m = m.by_2m;
	r->mapped_1g = m.by_1g;
	r->bytes = c->bytes;
	r->node = c->kind == MPROBE_RANGE_NODE ? c->node : mprobe_mapping_node(c->base);

	*why = "no memory for the range's tables: free some, or claim a smaller or better aligned range";
	ret = mprobe_range_map_view(r->hold, &r->view) ?: list_segments(r);
	if (ret)
		return ret;
	if (c->kind == MPROBE_RANGE_PHYS && c->flags & MPROBE_RANGE_F_OVERWRITE)
		return mprobe_range_phys_probe(&r->view, why);
	return 0;
}

int mprobe_range_claim(const struct mprobe_claim *c, struct mprobe_range **out, const char **why)
{
	struct mprobe_range *r;
	bool full;
	int ret = check(c, why);

	if (ret)
		return ret;
	mutex_lock(&lock);
	full = nr_ranges >= max_ranges;
	if (!full)
		nr_ranges++;
	mutex_unlock(&lock);
	if (full) {
		*why = "too many ranges are claimed: release one, or load the module with a larger max_ranges=";
		return -ENFILE;
	}

	*why = "no memory for the range's description";
	ret = -ENOMEM;
	r = kzalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		goto uncount;
	kref_init(&r->ref);
	r->kind = c->kind;
	r->flags = c->flags;
	r->owner = c->owner;
	ret = make(r, c, why);
	if (ret) {
		undo(r);
		goto uncount;
	}
	kref_get(&r->ref); /* the caller's; the first is the table's */
	mutex_lock(&lock);
	r->id = ++last_id;
	list_add_tail(&r->list, &ranges);
	generation += 2; /* odd, so never 0 */
	mutex_unlock(&lock);
	*out = r;
	*why = NULL;
	return 0;

uncount:
	mutex_lock(&lock);
	nr_ranges--;
	mutex_unlock(&lock);
	return ret;
}

/* Under the lock. The caller puts the table's reference once the lock is free. */
static void unlist(struct mprobe_range *r)
{
	list_del_init(&r->list);
	generation += 2;
}

static struct mprobe_range *find(u32 id, u32 owner)
{
	struct mprobe_range *r;

	list_for_each_entry(r, &ranges, list)
		if (r->id == id && r->owner == owner)
			return r;
	return NULL;
}

int mprobe_range_release(u32 id, u32 owner, const char **why)
{
	struct mprobe_range *r;
	int ret = 0;

	mutex_lock(&lock);
	r = find(id, owner);
	if (!r) {
		*why = "this client has no range of that id";
		ret = -EBADF;
	} else if (r->users) {
		*why = "a job uses the range: cancel the job or wait for its end";
		ret = -ETXTBSY;
	} else {
		unlist(r);
	}
	mutex_unlock(&lock);
	if (!ret)
		mprobe_range_put(r);
	return ret;
}

/* One after the other: giving memory back takes long, and the table stays usable meanwhile. */
static void release_all(bool (*of)(const struct mprobe_range *r, u32 owner), u32 owner)
{
	struct mprobe_range *r;
	bool found;

	do {
		found = false;
		mutex_lock(&lock);
		list_for_each_entry(r, &ranges, list) {
			found = of(r, owner);
			if (found)
				break;
		}
		if (found)
			unlist(r);
		mutex_unlock(&lock);
		if (found)
			mprobe_range_put(r);
	} while (found);
}

static bool owned(const struct mprobe_range *r, u32 owner)
{
	return r->owner == owner;
}

static bool any(const struct mprobe_range *r, u32 owner)
{
	return true;
}

void mprobe_range_release_owner(u32 owner)
{
	release_all(owned, owner);
}

struct mprobe_range *mprobe_range_get(u32 id, u32 owner)
{
	struct mprobe_range *r;

	mutex_lock(&lock);
	r = find(id, owner);
	if (r)
		kref_get(&r->ref);
	mutex_unlock(&lock);
	return r;
}

void mprobe_range_put(struct mprobe_range *r)
{
	kref_put(&r->ref, last_put);
}

int mprobe_range_use(struct mprobe_range *r, const char **why)
{
	int ret = 0;

	mutex_lock(&lock);
	if (list_empty(&r->list)) {
		*why = "the range was released meanwhile: claim it again";
		ret = -EBADF;
	} else if (r->users) {
		*why = "another job uses the range: wait for its end or cancel it";
		ret = -ETXTBSY;
	} else {
		r->users = 1;
	}
	mutex_unlock(&lock);
	return ret;
}

void mprobe_range_unuse(struct mprobe_range *r)
{
	mutex_lock(&lock);
	r->users = 0;
	mutex_unlock(&lock);
}

struct mprobe_range *mprobe_range_nth(u32 n, u32 *gen)
{
	struct mprobe_range *r, *found = NULL;

	mutex_lock(&lock);
	*gen = generation;
	list_for_each_entry(r, &ranges, list) {
		if (n--)
			continue;
		found = r;
		kref_get(&r->ref);
		break;
	}
	mutex_unlock(&lock);
	return found;
}

bool mprobe_range_holds_data(const struct mprobe_range *r)
{
	return r->kind == MPROBE_RANGE_PHYS && !(r->flags & MPROBE_RANGE_F_OVERWRITE);
}

bool mprobe_range_verify(const struct mprobe_range *r)
{
	struct mprobe_mapped m;
	const char *why;

	return !mprobe_range_map_walk(r->hold, 0, &m, &why) && m.by_4k == r->mapped_4k &&
	       m.by_2m == r->mapped_2m && m.by_1g == r->mapped_1g;
}

bool mprobe_range_on_pfns(const struct mprobe_range *r, unsigned long start_pfn, unsigned long nr)
{
	u64 start = PFN_PHYS(start_pfn), end = PFN_PHYS(start_pfn + nr);
	u32 i;

	for (i = 0; i < r->nr_segments; i++)
		if (r->segments[i].base < end && start < r->segments[i].base + r->segments[i].bytes)
			return true;
	return false;
}

u32 mprobe_range_max(void)
{
	return max_ranges;
}

int mprobe_range_init(void)
{
	int ret;

	if (!max_ranges || max_ranges > MAX_RANGES_LIMIT) {
		pr_err("mprobe: max_ranges=%u is not within 1 to %u\n", max_ranges,
		       MAX_RANGES_LIMIT);
		return -EINVAL;
	}
	ret = mprobe_range_allow_init();
	return ret ?: mprobe_range_node_init();
}

void mprobe_range_uninit(void)
{
	release_all(any, 0);
}
