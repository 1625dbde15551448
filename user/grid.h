/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A result's points side by side: subjects (a target as one engine measures it
 * with one page size) across, operations (a variant as one instruction set does it)
 * within, rows by size and workers in the order in which they were measured.
 */
#ifndef MPROBE_GRID_H
#define MPROBE_GRID_H

#include "result.h"

#define GRID_NAME 96

struct grid_subject {
	const struct point_result *one;
	char name[GRID_NAME]; /* what tells it from the others: "pmem0", "anon user 2M" */
};

struct grid_op {
	const struct point_result *one;
	char name[GRID_NAME]; /* "ro", "ro avx2" */
};

struct grid_row {
	uint64_t bytes; /* latency: the working set; bandwidth: one worker's part */
	uint32_t workers;
	const struct point_result **cell; /* nr_subjects x nr_ops; NULL: not measured */
};

struct grid {
	enum mprobe_loop_id loop;
	struct grid_subject *subjects;
	struct grid_op *ops;
	struct grid_row *rows;
	size_t nr_subjects, nr_ops, nr_rows;
	bool isas; /* a variant was measured with several: operations' names carry them */
};

/* Of r's points of one loop, which it refers to; 0 or -ENOMEM, to be freed either way. */
int grid_build(struct grid *g, const struct result *r, enum mprobe_loop_id loop);
void grid_free(struct grid *g);
const struct point_result *grid_at(const struct grid *g, size_t row, size_t subject, size_t op);
const struct summary *
grid_figure(const struct point_result *p); /* latency or bandwidth; NULL for NULL */
bool grid_same_subjects(const struct grid *a, const struct grid *b); /* in the same order */
/* Whether (subject, op) has a finite figure in the row. */
bool grid_has(const struct grid *g, size_t row, size_t subject, size_t op);

#endif
