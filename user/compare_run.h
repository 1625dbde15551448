/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measures what a comparison (compare.h) needs, in turns. The memory is claimed once: by the module,
 * which maps it anew between its ways, and by the user engine through /dev/mprobe once for each
 * size of page; without a module, anonymous memory once for each. All of it is let go of in any case.
 */
#ifndef MPROBE_COMPARE_RUN_H
#define MPROBE_COMPARE_RUN_H

#include "compare.h"
#include "measure.h"

struct compare_run {
	struct compare *c;  /* its cases are there; figures and what is available are filled in */
	struct point point; /* what all turns share: its size, pages and order are set here */
	struct target part; /* of the target, where it is physical; else the target */
	uint64_t bytes;	    /* to claim; whole pages of 4K */
	struct engine *kernel; /* open; NULL: anonymous memory */
	struct engine *user;   /* open */
	const uint32_t *cpus;  /* the first one measures */
	size_t nr_cpus;
	uint32_t max_workers;
	struct result *result; /* takes a point a turn */
	struct progress *progress;
	struct plan *plan; /* of all turns, for the progress; filled in here */
	bool quiet;
	bool (*stop_asked)(void);
	char error[768];
	struct measure_source sources[WAYS]; /* own; the kernel's ways share the first */
};

/*
 * 0; -ECANCELED: what was measured is kept; else -errno and a sentence in error. A way that the
 * memory can't have is no failure.
 */
int compare_run(struct compare_run *r);

#endif
