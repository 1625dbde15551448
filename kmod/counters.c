// SPDX-License-Identifier: GPL-2.0
#include "counters.h"
#include "job.h"
#include <counter.h>

#include <linux/smp.h>

static u32 bits; /* of a counter */
static u32 most;

void mprobe_counters_init(void)
{
	struct perf_event *c = NULL;

	bits = mprobe_counter_bits();
	if (bits)
		c = mprobe_counter_open(MPROBE_COUNTER_CYCLES, raw_smp_processor_id());
	if (!c)
		return;
	mprobe_counter_close(c);
	most = MPROBE_COUNTERS;
}

u32 mprobe_counters_most(void)
{
	return most;
}

void mprobe_counters_open(struct mprobe_worker *w)
{
	struct perf_event *c;
	u32 i;

	if (!most || !w->loop)
		return;
	for (i = 0; i < MPROBE_COUNTERS; i++) {
		c = mprobe_counter_open(i + 1, w->cpu);
		if (c && !mprobe_counter_runs(c)) {
			mprobe_counter_close(c);
			c = NULL;
		}
		w->counters[i] = c;
	}
}

void mprobe_counters_close(struct mprobe_worker *w)
{
	u32 i;

	for (i = 0; i < MPROBE_COUNTERS; i++) {
		if (w->counters[i])
			mprobe_counter_close(w->counters[i]);
		w->counters[i] = NULL;
	}
}

static bool all_have(const struct mprobe_job *job, u32 i)
{
	const struct mprobe_worker *w;

	for (w = job->workers; w < job->workers + job->nr_workers; w++) {
		if (w->loop && !w->counters[i])
			return false;
	}
	return true;
}

void mprobe_counters_agree(struct mprobe_job *job)
{
	u32 i;

	for (i = 0; i < MPROBE_COUNTERS; i++) {
		if (all_have(job, i))
			job->counters[job->nr_counters++] = i + 1;
	}
}

void mprobe_counters_read(const struct mprobe_worker *w, u64 *out)
{
	const struct mprobe_job *job = w->job;
	u32 i;

	for (i = 0; i < job->nr_counters; i++)
		out[i] = mprobe_counter_read(w->counters[job->counters[i] - 1], bits);
}
