/* SPDX-License-Identifier: GPL-2.0 */
/* The pinned threads of a job: preparing, barrier, rounds of windows. */
#ifndef _MPROBE_WORKER_H
#define _MPROBE_WORKER_H

#include <mprobe/loop.h>

#include <linux/cache.h>

struct mprobe_job;
struct mprobe_range;
struct perf_event;
struct task_struct;

struct mprobe_worker {
	struct mprobe_job *job;
	struct task_struct *task;	/* with a reference, from create to join */
	const struct mprobe_loop *loop; /* NULL: LOOP_BUILD */
	struct mprobe_range *range;	/* the job holds it */
	u32 index, cpu;
	u64 offset, bytes, seed; /* the part of the range */
	u64 order_window;	 /* bytes; 0: none */
	u32 object_bytes;

	/* The order this worker's chase needs; 0 slices where another worker's entry covers it. */
	u64 first_slice, slices;

	/* The thread's own from here on. */
	struct mprobe_cursor cursor ____cacheline_aligned_in_smp;
	struct mprobe_passes passes;
	bool finished;
	struct perf_event *counters[MPROBE_COUNTERS]; /* at enum mprobe_counter - 1; NULL: none */

	u64 prefetch_before; /* the switch as found, where prefetch_seen */
	u32 prefetch_state; /* MPROBE_PREFETCH_F_* that are off; U32_MAX: unknown; others may look */
	bool prefetch_seen;
} ____cacheline_aligned_in_smp;

/* View, cursor and order of each worker, and the slices of order to build. */
void mprobe_worker_setup(struct mprobe_job *job);

/* All threads, bound and asleep; -errno and none. The caller holds cpus_read_lock(). */
int mprobe_worker_create(struct mprobe_job *job);
void mprobe_worker_wake(struct mprobe_job *job);
/* Wait until no thread is in our code any more; they must be on their way out, or never woken. */
void mprobe_worker_join(struct mprobe_job *job);

#endif
