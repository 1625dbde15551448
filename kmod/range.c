// SPDX-License-Identifier: GPL-2.0
/* The table of ranges: who holds what, until when. */
#include "range.h"
#include "range_allow.h"
#include "range_hold.h"

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pfn.h>
#include <linux/slab.h>

#define MAX_RANGES_LIMIT 1024
#define LAST_ID		 32767u /* what an offset of /dev/mprobe has room for */

static uint max_ranges = 16;
module_param(max_ranges, uint, 0444);
MODULE_PARM_DESC(max_ranges, "how many ranges may be claimed at a time, 1 to 1024 (default 16)");

static DEFINE_MUTEX(
	lock); /* ranges, nr_ranges, generation, last_id; what range.h says of each range */
static LIST_HEAD(ranges);
static u32 nr_ranges; /* claims under way included */
static u32 generation = 1;
static u32 last_id;

static void last_put(struct kref *ref)
{
	mprobe_range_make_undo(container_of(ref, struct mprobe_range, ref));

	mutex_lock(&lock);
	nr_ranges--;
	mutex_unlock(&lock);
}

/* Under the lock. Fewer ranges than ids, so one is free. */
static u32 new_id(void)
{
	struct mprobe_range *r;
	bool taken;

	do {
		last_id = last_id % LAST_ID + 1;
		taken = false;
		list_for_each_entry(r, &ranges, list)
			taken |= r->id == last_id;
	} while (taken);
	return last_id;
}

int mprobe_range_claim(const struct mprobe_claim *c, struct mprobe_range **out, const char **why)
{
	struct mprobe_range *r;
	bool full;
	int ret = mprobe_range_make_check(c, why);

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
	ret = mprobe_range_make(r, c, why);
	if (ret) {
		mprobe_range_make_undo(r);
		goto uncount;
	}
	kref_get(&r->ref); /* the caller's; the first is the table's */
	mutex_lock(&lock);
	r->id = new_id();
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

/* Under the lock. */
static int find_idle(u32 id, u32 owner, struct mprobe_range **out, const char **why)
{
	struct mprobe_range *r = find(id, owner);

	*out = r;
	if (!r) {
		*why = "this client has no range of that id";
		return -EBADF;
	}
	if (r->users) {
		*why = "a job uses the range: cancel the job or wait for its end";
		return -ETXTBSY;
	}
	if (r->remapping) {
		*why = "the range is just being mapped anew: ask again when that has been answered";
		return -ETXTBSY;
	}
	return 0;
}

int mprobe_range_release(u32 id, u32 owner, const char **why)
{
	struct mprobe_range *r;
	int ret;

	mutex_lock(&lock);
	ret = find_idle(id, owner, &r, why);
	if (!ret && r->maps) {
		*why = "the range is mapped through /dev/mprobe: unmap it first";
		ret = -ETXTBSY;
	}
	if (!ret)
		unlist(r);
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

static bool owned_unmapped(const struct mprobe_range *r, u32 owner)
{
	return r->owner == owner && !r->maps;
}

static bool any(const struct mprobe_range *r, u32 owner)
{
	return true;
}

void mprobe_range_release_owner(u32 owner)
{
	struct mprobe_range *r;

	mutex_lock(&lock);
	list_for_each_entry(r, &ranges, list)
		if (r->owner == owner)
			r->left = true;
	mutex_unlock(&lock);
	release_all(owned_unmapped, owner);
}

int mprobe_range_remap(u32 id, u32 owner, u64 page_bytes, struct mprobe_range **out,
		       const char **why)
{
	struct mprobe_range *r, fresh;
	int ret = mprobe_range_make_page_size(page_bytes, why);

	if (ret)
		return ret;
	mutex_lock(&lock);
	ret = find_idle(id, owner, &r, why);
	if (!ret) {
		r->remapping = true;
		kref_get(&r->ref);
	}
	mutex_unlock(&lock);
	if (ret)
		return ret;

	ret = mprobe_range_make_mapping(r, page_bytes, &fresh, why);
	mutex_lock(&lock);
	if (!ret) {
		mprobe_range_make_swap(r, &fresh);
		generation += 2;
	}
	r->remapping = false;
	mutex_unlock(&lock);
	if (ret) {
		mprobe_range_put(r);
		return ret;
	}
	mprobe_range_make_undo_mapping(&fresh);
	*out = r;
	*why = NULL;
	return 0;
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
	} else if (r->remapping) {
		*why = "the range is just being mapped anew: ask again when that has been answered";
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

struct mprobe_range *mprobe_range_user_map(u32 id)
{
	struct mprobe_range *r, *found = NULL;

	mutex_lock(&lock);
	list_for_each_entry(r, &ranges, list) {
		if (r->id != id || r->left)
			continue;
		found = r;
		r->maps++;
		kref_get(&r->ref);
		break;
	}
	mutex_unlock(&lock);
	return found;
}

void mprobe_range_user_unmap(struct mprobe_range *r)
{
	bool last;

	mutex_lock(&lock);
	last = !--r->maps && r->left && !list_empty(&r->list);
	if (last)
		unlist(r);
	mutex_unlock(&lock);
	if (last)
		mprobe_range_put(r);
	mprobe_range_put(r);
}

void mprobe_range_look(struct mprobe_range *r, struct mprobe_range_state *s)
{
	u32 i;

	mutex_lock(&lock);
	*s = (struct mprobe_range_state){
		.users = r->users,
		.maps = r->maps,
		.mapped = { r->mapped_4k, r->mapped_2m, r->mapped_1g },
	};
	for (i = 0; i < ARRAY_SIZE(s->user); i++)
		s->user[i] = atomic64_read(&r->user_bytes[i]);
	mutex_unlock(&lock);
}

/* Into list, which may be NULL, as far as it has room; the number that there are. */
static u32 list_extents(const struct mprobe_hold *h, u64 at, u64 bytes, struct mprobe_extent *list,
			u32 room)
{
	const u64 end = at + bytes;
	struct mprobe_extent last = {};
	u64 piece_at = 0, from, to;
	u32 k, n = 0;

	for (k = 0; k < h->nr && piece_at < end; piece_at += h->piece[k++].bytes) {
		from = max(at, piece_at);
		to = min(end, piece_at + h->piece[k].bytes);
		if (from >= to)
			continue;
		if (n && last.base + last.bytes == h->piece[k].base + (from - piece_at)) {
			last.bytes += to - from;
		} else {
			last = (struct mprobe_extent){ from, h->piece[k].base + (from - piece_at),
						       to - from };
			n++;
		}
		if (list && n <= room)
			list[n - 1] = last;
	}
	return n;
}

int mprobe_range_extents(struct mprobe_range *r, u64 at, u64 bytes, struct mprobe_extent **list,
			 u32 *nr)
{
	struct mprobe_extent *v;
	u32 n;

	mutex_lock(&lock); /* a remap replaces the pieces, though not the memory they are of */
	n = list_extents(r->hold, at, bytes, NULL, 0);
	v = kvmalloc_array(n, sizeof(*v), GFP_KERNEL_ACCOUNT);
	if (v)
		list_extents(r->hold, at, bytes, v, n);
	mutex_unlock(&lock);
	*list = v;
	*nr = n;
	return v ? 0 : -ENOMEM;
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

bool mprobe_range_user_on_pfns(unsigned long start_pfn, unsigned long nr)
{
	struct mprobe_range *r;
	bool found = false;

	mutex_lock(&lock);
	list_for_each_entry(r, &ranges, list)
		found |= r->maps && mprobe_range_on_pfns(r, start_pfn, nr);
	mutex_unlock(&lock);
	return found;
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
