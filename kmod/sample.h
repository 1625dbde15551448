/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The samples of one job: a preallocated array. Workers append without a lock, an
 * allocation or a wait; readers see the sealed ones, a prefix that only grows.
 */
#ifndef _MPROBE_SAMPLE_H
#define _MPROBE_SAMPLE_H

#include <linux/atomic.h>
#include <linux/types.h>

struct mprobe_sample {
	u32 round, worker;
	u32 flags;		    /* MPROBE_SAMPLE_F_*; in the store also MPROBE_SAMPLE_SEALED */
	u32 irqs, nmis, mces, smis; /* U32_MAX: can't be counted here */
	u32 reads;
	u64 start, ticks, work;
	u64 gap, aperf, mperf; /* U64_MAX: unknown */
};

#define MPROBE_SAMPLE_SEALED (1u << 31)

struct mprobe_samples {
	struct mprobe_sample *v;
	u64 *counts; /* of each sample `columns` of them; NULL without columns */
	u64 capacity;
	u32 columns;
	u64 sealed; /* as far as a reader has looked; a hint */
	atomic64_t next, lost;
};

int mprobe_sample_init(struct mprobe_samples *s, u64 capacity, u32 columns); /* -ENOBUFS */
void mprobe_sample_free(struct mprobe_samples *s);
bool mprobe_sample_room(const struct mprobe_samples *s, u64 count);
/* With the first `nr` of its counts, at most `columns`. */
void mprobe_sample_append(struct mprobe_samples *s, const struct mprobe_sample *one,
			  const u64 *counts, u32 nr);
static inline const u64 *mprobe_sample_counts(const struct mprobe_samples *s, u64 at)
{
	return s->counts + at * s->columns;
}

/* How many can be read, from index 0; safe at any time. */
u64 mprobe_sample_sealed(struct mprobe_samples *s);

#endif
