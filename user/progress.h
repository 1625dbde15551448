/* SPDX-License-Identifier: GPL-2.0 */
/* One line on stderr while points are measured; nothing where stderr is no terminal. */
#ifndef MPROBE_PROGRESS_H
#define MPROBE_PROGRESS_H

#include "plan.h"

struct progress {
	bool on, shown;
	const struct plan *plan;
	double planned_s; /* by the points' upper limits */
	double start_s;
};

void progress_begin(struct progress *p, const struct plan *plan, bool quiet);
/* point nth; share: 0..1 of it is done; doing: "building the order", "measuring" */
void progress_show(struct progress *p, size_t nth, double share, const char *doing);
void progress_clear(struct progress *p); /* before anything else goes to stderr, and at the end */
/* "about 1 min 20 s left", from what was planned, done of it, and took so long; "" not known yet */
void progress_left(char *buf, size_t len, double planned_s, double done_s, double took_s);

#endif
