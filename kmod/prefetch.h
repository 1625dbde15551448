/* SPDX-License-Identifier: GPL-2.0 */
/* The CPUs' hardware prefetchers for the time of a job: switched, read back, put back. */
#ifndef _MPROBE_PREFETCH_H
#define _MPROBE_PREFETCH_H

#include <linux/types.h>

struct mprobe_job;
struct mprobe_refusal;
struct mprobe_worker;

void mprobe_prefetch_init(void);
u32 mprobe_prefetch_control(void); /* enum mprobe_prefetch_control; the same from init on */

/* Once the job's workers are known. -EOPNOTSUPP: nothing here can be switched. */
int mprobe_prefetch_check(u32 wanted, struct mprobe_job *job, struct mprobe_refusal *no);

/*
 * Under the lock of `busy` (by CPU, the job there) and cpus_read_lock(). -EBUSY: of this worker's job and of
 * another one that measures on the same core, one switches what both share.
 */
int mprobe_prefetch_conflict(const struct mprobe_worker *w, struct mprobe_job *const *busy,
			     const char **why);

/*
 * By each of the job's threads, in this order. _look() before the barrier that ends the preparing: threads
 * of one core share the switch, so all have seen the original before any writes. _put_back() after the last
 * window; it waits for the others' and returns with the original in place.
 */
void mprobe_prefetch_look(struct mprobe_worker *w);
void mprobe_prefetch_set(struct mprobe_worker *w);
void mprobe_prefetch_put_back(struct mprobe_worker *w);

#endif
