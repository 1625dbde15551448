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
	char error[768];
};

/*
 * 0; -ECANCELED: stop_asked(), what was measured is in the result; else -errno
 * and a sentence in error, and what was measured before is in the result. All
 * that was claimed is released in any case.
 */
int measure_plan(struct measure *m);

#endif
