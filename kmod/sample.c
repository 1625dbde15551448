// SPDX-License-Identifier: GPL-2.0
#include "sample.h"

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

int mprobe_sample_init(struct mprobe_samples *s, u64 capacity, u32 columns)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOWARN;

	s->v = kvcalloc(capacity, sizeof(*s->v), gfp);
	if (s->v && columns)
		s->counts = kvcalloc(capacity, columns * sizeof(*s->counts), gfp);
	if (!s->v || (columns && !s->counts)) {
		mprobe_sample_free(s);
		return -ENOBUFS;
	}
	s->columns = columns;
	s->capacity = capacity;
	return 0;
}

void mprobe_sample_free(struct mprobe_samples *s)
{
	kvfree(s->v);
	kvfree(s->counts);
	s->v = NULL;
	s->counts = NULL;
}

bool mprobe_sample_room(const struct mprobe_samples *s, u64 count)
{
	return (u64)atomic64_read(&s->next) + count <= s->capacity;
}

void mprobe_sample_append(struct mprobe_samples *s, const struct mprobe_sample *one,
			  const u64 *counts, u32 nr)
{
	u64 at = atomic64_fetch_inc(&s->next);
	struct mprobe_sample *slot;

	if (at >= s->capacity) {
		atomic64_inc(&s->lost);
		return;
	}
	slot = &s->v[at];
	*slot = *one; /* not sealed yet */
	if (nr)
		memcpy(s->counts + at * s->columns, counts, nr * sizeof(*counts));
	/* Pairs with the acquire of is_sealed(): who sees the bit sees the sample. */
	smp_store_release(&slot->flags, one->flags | MPROBE_SAMPLE_SEALED);
}

static bool is_sealed(const struct mprobe_samples *s, u64 at)
{
	return smp_load_acquire(&s->v[at].flags) & MPROBE_SAMPLE_SEALED;
}

u64 mprobe_sample_sealed(struct mprobe_samples *s)
{
	u64 n = READ_ONCE(s->sealed);

	while (n < s->capacity && is_sealed(s, n))
		n++;
	WRITE_ONCE(s->sealed, n);
	return n;
}
