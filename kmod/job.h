/* SPDX-License-Identifier: GPL-2.0 */
/* A job: id, state, owner, first stop reason, deadline; the table of jobs and of busy CPUs. */
#ifndef _MPROBE_JOB_H
#define _MPROBE_JOB_H

#include "sample.h"
#include "ticks.h"
#include "worker.h"

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/workqueue.h>

struct mprobe_worker_spec {
	u32 cpu, loop, variant, isa, range_id, object_bytes; /* isa, object_bytes 0: default */
	u64 offset, bytes, seed, order_window;		     /* order_window 0: none */
};

struct mprobe_job_spec {
	u32 owner, flags, prefetch;
	u64 time_ns, window_ns;	 /* 0: default */
	u64 max_windows, passes; /* 0: no limit */
	u64 warmup_bytes;	 /* 0: not given */
	u32 nr_workers;
	const struct mprobe_worker_spec *workers;
};

struct mprobe_refusal {
	const char *why; /* static */
	int worker;	 /* index of the one at fault, or -1 */
};

struct mprobe_job {
	struct kref ref;	  /* the table's, the work's and each reader's */
	struct delayed_work work; /* progress events; the end */
	u32 id, owner, flags, prefetch;
	u64 time_ns, window_ns, max_windows, passes, warmup_bytes;
	struct mprobe_ticks clock;
	u64 time_ticks, window_ticks, ticks_per_us;

	u32 state;	 /* enum mprobe_state; DONE: threads, CPUs and ranges are free */
	atomic_t reason; /* enum mprobe_reason; the first one stays */
	bool forget;	 /* under the table's lock: leave the table when done */

	atomic64_t slice_next, prepare_done; /* slices handed out; bytes written */
	const struct mprobe_loop *builder;   /* of the orders */
	u64 slices, prepare_total, created_ns, prepare_ns;
	atomic_t preparing; /* threads before the barrier */
	struct completion prepared;
	atomic_t measuring; /* workers before their last window's end */
	struct completion measured;

	atomic_t running;	  /* threads that may still touch the job */
	atomic_t finished;	  /* workers that have done all their passes */
	u64 rounds;		  /* begun and, but for the last, done; the leader's */
	u64 end_round;		  /* the first round that is not run; U64_MAX: not decided */
	u64 warm_ns;		  /* the leader's: of the measuring, up to where it was warm */
	u64 began_ns, elapsed_ns; /* elapsed_ns 0: not ended */
	u64 ticks[2], raw_ns[2];
	bool remapped; /* DONE: its pages were no longer those that were claimed */
	struct mprobe_samples samples;
	u32 nr_counters, counters[MPROBE_COUNTERS]; /* enum mprobe_counter; constant from RUN on */

	u32 nr_ranges, nr_workers, nr_measuring;
	struct mprobe_range **ranges; /* each once, in use by this job */
	struct mprobe_worker *leader; /* decides for all when to end */
	struct mprobe_gate gate ____cacheline_aligned_in_smp;
	struct mprobe_worker workers[];
};

/* event() is called from a work: about ten times a second, and once with done set. */
int mprobe_job_init(void (*event)(struct mprobe_job *job, bool done));
void mprobe_job_uninit(void); /* after mprobe_job_close(); no reader may be left */

int mprobe_job_start(const struct mprobe_job_spec *spec, u32 *id, struct mprobe_refusal *no);
int mprobe_job_cancel(u32 id, enum mprobe_reason reason, bool forget); /* -ESRCH */
void mprobe_job_drop_owner(u32 owner); /* cancels and forgets all of this owner's */

struct mprobe_job *mprobe_job_get(u32 id);
struct mprobe_job *mprobe_job_next(u32 *id); /* the first with this id or above; sets *id */
void mprobe_job_put(struct mprobe_job *job);
u32 mprobe_job_generation(void);		      /* changes with the table; never 0 */
u64 mprobe_job_elapsed(const struct mprobe_job *job); /* ns of measuring */

/* Refuse new jobs, end the others; those not gone after timeout jiffies: -EBUSY. */
int mprobe_job_close(enum mprobe_reason reason, long timeout);
void mprobe_job_open(enum mprobe_reason reason); /* if it was closed for this */
/*
 * End the jobs on a CPU and wait until their threads are gone, or those on memory of these page
 * frames and wait until they have given their ranges back: 0 or -EBUSY.
 */
int mprobe_job_stop_cpu(u32 cpu, long timeout);
int mprobe_job_stop_pfns(unsigned long pfn, unsigned long nr, long timeout);

/* For worker.c. */
static inline bool mprobe_job_stopping(const struct mprobe_job *job)
{
	return atomic_read(&job->reason) != 0;
}

void mprobe_job_stop(struct mprobe_job *job, enum mprobe_reason reason);
void mprobe_job_threads_gone(struct mprobe_job *job);

#endif
