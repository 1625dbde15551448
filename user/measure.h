/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A plan through its engines: claim, start, poll, statistics, stop at the
 * precision asked for, forget, release.
 */
#ifndef MPROBE_MEASURE_H
#define MPROBE_MEASURE_H

#include "engine.h"
#include "progress.h"
#include "result.h"

struct measure_source { /* a target with the engine that reaches it */
	const struct target *target;
	struct engine *engine; /* open */
	uint64_t claim_bytes;  /* enough for every point on it; 0: the whole target */
	const uint32_t *cpus;  /* those that its points' workers leave free help to build orders */
	size_t nr_cpus;
	uint32_t max_workers;	 /* of a job, helpers included */
	struct range_info range; /* measure_plan's own */
	bool claimed;
};

struct measure {
	const struct plan *plan;
	struct measure_source *sources; /* found by their target's name */
	size_t nr_sources;
	struct result *result; /* points are added, complete is set */
	struct progress *progress;
	bool (*stop_asked)(void);
	/* sees each job's samples with what came of them; 0, or -errno and a sentence in m->error. NULL: nobody */
	int (*on_samples)(struct measure *m, const struct sample_set *s, const struct job_state *j,
			  const struct point_result *p);
	void *arg; /* of on_samples */
	char error[768];
};

/* One point, the nth of those that progress shows; claims what is not. As measure_plan, but releases nothing. */
int measure_point(struct measure *m, struct measure_source *s, const struct point *p, size_t nth);
void measure_release(struct measure *m); /* all that its sources have claimed */

/*
 * 0; -ECANCELED: stop_asked(), what was measured is in the result; else -errno
 * and a sentence in error, and what was measured before is in the result. All
 * that was claimed is released in any case.
 */
int measure_plan(struct measure *m);

#endif
