// SPDX-License-Identifier: GPL-2.0
#include "sample.h"

#include <linux/mm.h>
#include <linux/slab.h>

int mprobe_sample_init(struct mprobe_samples *s, u64 capacity)
{
	s->v = kvcalloc(capacity, sizeof(*s->v), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!s->v)
		return -ENOBUFS;
	s->capacity = capacity;
	return 0;
}

void mprobe_sample_free(struct mprobe_samples *s)
{
	kvfree(s->v);
	s->v = NULL;
}

bool mprobe_sample_room(const struct mprobe_samples *s, u64 count)
{
	return (u64)atomic64_read(&s->next) + count <= s->capacity;
}

void mprobe_sample_append(struct mprobe_samples *s, const struct mprobe_sample *one)
{
	u64 at = atomic64_fetch_inc(&s->next);
	struct mprobe_sample *slot;

	if (at >= s->capacity) {
		atomic64_inc(&s->lost);
		return;
	}
	slot = &s->v[at];
	slot->round = one->round;
	slot->worker = one->worker;
	slot->irqs = one->irqs;
	slot->nmis = one->nmis;
	slot->reads = one->reads;
	slot->start = one->start;
	slot->ticks = one->ticks;
	slot->work = one->work;
	/* Pairs with the acquire of mprobe_sample_sealed(): who sees the bit sees the sample. */
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
