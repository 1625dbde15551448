/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hardware counters of a job: each worker has events of its own on its CPU, from before the barrier that ends the
 * preparing to its thread's end. A job has those that all its measuring workers have.
 */
#ifndef _MPROBE_COUNTERS_H
#define _MPROBE_COUNTERS_H

#include <linux/types.h>

struct mprobe_job;
struct mprobe_worker;

void mprobe_counters_init(void);
u32 mprobe_counters_most(void); /* of one job; 0: this machine has none. The same from init on */

/* By each of the job's threads; they sleep. */
void mprobe_counters_open(struct mprobe_worker *w);
void mprobe_counters_close(struct mprobe_worker *w);

/* By one thread, once all have opened theirs: job->counters, job->nr_counters. */
void mprobe_counters_agree(struct mprobe_job *job);

/*
 * In a window: job->nr_counters values in the order of job->counters; U64_MAX: does not count. They stand in
 * no relation to those of another CPU; what counts is the difference of two.
 */
void mprobe_counters_read(const struct mprobe_worker *w, u64 *out);

#endif
