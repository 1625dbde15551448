/* SPDX-License-Identifier: GPL-2.0 */
/* Samples, and the job they come from, with round numbers. */
#ifndef MPROBE_SAMPLES_FIXTURE_H
#define MPROBE_SAMPLES_FIXTURE_H

#include "result.h"

#define FIXTURE_KHZ	 2000000 /* half a nanosecond a tick */
#define FIXTURE_OVERHEAD 20	 /* ticks */

/* One second long, ended by time; its two pairs of readings agree to the tick. */
struct job_state fixture_job(void);
/* Read-only, scalar, in 64,000 bytes a worker: a thousand lines. */
struct point_result fixture_asked(enum mprobe_loop_id loop, uint32_t workers);
/* A window of `work` units that took `ns` each, the cost of three readings on top. */
struct sample fixture_sample(uint32_t round, uint32_t worker, uint64_t work, double ns);
void fixture_add(struct sample_set *s, struct sample one);
void fixture_add_clean(struct sample_set *s, uint32_t n, double ns); /* windows of one worker */
/* result_from_samples() and an empty set again */
void fixture_figure(struct sample_set *s, struct job_state *j, struct point_result *out);

#endif
