/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user engine's pinned threads: build the orders together, meet at the
 * gate, run one window each, until passes, windows, time or a stop. They are the module's
 * worker.c with threads for kthreads; here preemption can be seen, not prevented.
 */
#ifndef MPROBE_CREW_H
#define MPROBE_CREW_H

#include "crew_member.h"

/* What the engine knows that the job does not say. */
struct crew_clock {
	enum mprobe_clock clock;
	uint64_t khz, overhead;
};

/*
 * addr[i] is the first byte of worker i's part, NULL for LOOP_BUILD; it must stay mapped until
 * crew_free(). Everything else is copied. 0, or -errno and a sentence.
 */
int crew_start(struct crew **out, const struct job_spec *j, void *const *addr,
	       const struct crew_clock *clock, char *error, size_t len);
/* As engine_ops.poll. */
int crew_poll(struct crew *c, int timeout_ms, struct sample_set *s, struct job_state *out);
void crew_stop(struct crew *c, enum mprobe_reason why); /* the first reason counts */
bool crew_done(struct crew *c);
void crew_free(struct crew *c); /* stops and joins */

#endif
