/* SPDX-License-Identifier: GPL-2.0 */
/* What stands below the tables: how to read them, windows, clock, pages, caches, counters, taints. */
#ifndef MPROBE_NOTES_H
#define MPROBE_NOTES_H

#include "display.h"
#include "result.h"

#define NOTES_MARK (TAINT_COUNT + 1)

/* A taint that all points have is noted once; another has a letter that marks its figures. */
struct notes {
	char letter[TAINT_COUNT]; /* 0: on no figure, or on all */
	uint64_t count[TAINT_COUNT];
};

void notes_count(struct notes *n, const struct result *r);
const char *notes_mark(const struct notes *n, const struct point_result *p,
		       char *buf); /* NOTES_MARK bytes; "ab" */
/* captioned: taints that stand above every table already */
void notes_write(const struct notes *n, const struct result *r, uint32_t captioned,
		 struct display *d);

#endif
