// SPDX-License-Identifier: GPL-2.0
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "grid.h"
#include "names.h"
#include "notes.h"
#include "report_frequency.h"
#include <mprobe/loop.h>

#define TITLE 160

static const enum mprobe_loop_id loops[] = {
	MPROBE_LOOP_CHASE,
	MPROBE_LOOP_STREAM,
	MPROBE_LOOP_ORDER,
};
#define NR_LOOPS (sizeof(loops) / sizeof(*loops))

struct report {
	struct display *d;
	const struct result *r;
	struct notes notes;
	const char *caption;
	struct grid grids[NR_LOOPS];
};

/* The part of a grid that one table shows: operations, and subjects beside the first. */
struct part {
	const struct grid *g;
	size_t op, end_op, subject, end_subject;
};

struct unit {
	const char *name;
	double scale;
};

const char *report_caption(const struct result *r)
{
	return r->machine.emulated == 1 ? result_taint_sentence(TAINT_EMULATED) : "";
}

static struct unit unit_of(const struct grid *g)
{
	double largest = 0;
	size_t row, i;

	if (g->loop == MPROBE_LOOP_CHASE)
		return (struct unit){ "ns", 1 };
	for (row = 0; row < g->nr_rows; row++)
		for (i = 0; i < g->nr_subjects * g->nr_ops; i++)
			if (g->rows[row].cell[i])
				largest = fmax(largest, g->rows[row].cell[i]->bandwidth_Bps.median);
	return largest >= 1e9 ? (struct unit){ "GB/s", 1e9 } : (struct unit){ "MB/s", 1e6 };
}

static bool one_size(const struct grid *g)
{
	size_t i;

	for (i = 1; i < g->nr_rows; i++)
		if (g->rows[i].bytes != g->rows[0].bytes)
			return false;
	return true;
}

static bool one_worker_count(const struct grid *g)
{
	size_t i;

	for (i = 1; i < g->nr_rows; i++)
		if (g->rows[i].workers != g->rows[0].workers)
			return false;
	return true;
}

/* " avx2", or ", ro avx2, wb avx512"; "" where the columns say it. */
static void isas_of(const struct grid *g, char *isas, size_t len)
{
	const char *first = g->ops[0].one->isa;
	bool same = true;
	size_t i, used = 0;

	isas[0] = 0;
	for (i = 1; i < g->nr_ops; i++)
		same &= !strcmp(first, g->ops[i].one->isa);
	if (same && *first)
		snprintf(isas, len, " %s", first);
	for (i = 0; i < g->nr_ops && !same && !g->isas && used < len; i++)
		used += (size_t)snprintf(isas + used, len - used, ", %s %s", g->ops[i].name,
					 g->ops[i].one->isa);
}

/* What all of the table has in common. */
static void title_of(const struct grid *g, char *title)
{
	static const char *const what[] = {
		[MPROBE_LOOP_CHASE] = "Latency of a hop by working set",
		[MPROBE_LOOP_STREAM] = "Bandwidth by workers",
		[MPROBE_LOOP_ORDER] = "Bandwidth of writing a chase's order by workers",
	};
	const char *engine = g->subjects[0].one->engine;
	const struct point *p = &g->subjects[0].one->point;
	char size[FIGURE], each[FIGURE + 16] = "", workers[48] = "", object[FIGURE + 16] = "";
	char isas[80];
	size_t i;

	for (i = 1; i < g->nr_subjects; i++)
		if (strcmp(engine, g->subjects[i].one->engine))
			engine = "each";
	isas_of(g, isas, sizeof(isas));
	if (g->loop == MPROBE_LOOP_CHASE && one_worker_count(g))
		snprintf(workers, sizeof(workers), ", %u worker%s", g->rows[0].workers,
			 g->rows[0].workers == 1 ? "" : "s");
	if (g->loop != MPROBE_LOOP_CHASE && one_size(g))
		snprintf(each, sizeof(each), ", %s each", figure_size(size, g->rows[0].bytes));
	if (g->loop != MPROBE_LOOP_STREAM && p->block_bytes > MPROBE_LINE)
		snprintf(object, sizeof(object), ", objects of %s",
			 figure_size(size, p->block_bytes));
	snprintf(title, TITLE, "%s (%s%s%s%s%s%s, %s engine)", what[g->loop], names_loop(g->loop),
		 isas, workers, each, object, p->irqs_off ? ", interrupts off" : "", engine);
}

static void figure_columns(struct report *b, const char *head, const char *unit)
{
	display_column(b->d, head, unit, true, false);
	display_column(b->d, "", "", false, true); /* interval */
	display_column(b->d, "", "", false, true); /* mark */
}

static void put_figure(struct report *b, size_t column, const struct point_result *p,
		       struct unit unit)
{
	const struct summary *s = grid_figure(p);
	char buf[FIGURE], mark[NOTES_MARK];

	display_cell(b->d, column, "%s", figure_value(buf, s ? s->median / unit.scale : NAN));
	if (!s)
		return;
	display_cell(b->d, column + 1, "%s", figure_interval(buf, s, unit.scale));
	display_cell(b->d, column + 2, "%s", notes_mark(&b->notes, p, mark));
}

/* The subject of a part's n-th column of subjects: the first of all, then the part's. */
static size_t nth_subject(const struct part *t, size_t n)
{
	return n ? t->subject + n - 1 : 0;
}

static size_t nr_subjects(const struct part *t)
{
	return 1 + t->end_subject - t->subject;
}

static void part_columns(struct report *b, const struct part *t, struct unit unit)
{
	const struct grid *g = t->g;
	char head[2 * GRID_NAME + 8];
	size_t n, op;

	if (g->loop == MPROBE_LOOP_CHASE || !one_size(g))
		display_column(b->d, "size", "", true, false);
	if (g->loop != MPROBE_LOOP_CHASE || !one_worker_count(g))
		display_column(b->d, "workers", "", true, false);
	for (n = 0; n < nr_subjects(t); n++) {
		for (op = t->op; op < t->end_op; op++) {
			snprintf(head, sizeof(head), "%s %s", g->subjects[nth_subject(t, n)].name,
				 g->ops[op].name);
			figure_columns(b, head, unit.name);
		}
	}
	for (n = 1; n < nr_subjects(t); n++) {
		for (op = t->op; op < t->end_op; op++) {
			if (nr_subjects(t) == 2)
				snprintf(head, sizeof(head), "%s", g->ops[op].name);
			else
				snprintf(head, sizeof(head), "%s",
					 g->subjects[nth_subject(t, n)].name);
			display_column(b->d, head, "ratio", true, false);
		}
	}
}

static void part_row(struct report *b, const struct part *t, size_t row, struct unit unit)
{
	const struct grid *g = t->g;
	char buf[FIGURE];
	size_t column = 0, n, op;

	display_row(b->d);
	if (g->loop == MPROBE_LOOP_CHASE || !one_size(g))
		display_cell(b->d, column++, "%s", figure_size(buf, g->rows[row].bytes));
	if (g->loop != MPROBE_LOOP_CHASE || !one_worker_count(g))
		display_cell(b->d, column++, "%u", g->rows[row].workers);
	for (n = 0; n < nr_subjects(t); n++)
		for (op = t->op; op < t->end_op; op++, column += 3)
			put_figure(b, column, grid_at(g, row, nth_subject(t, n), op), unit);
	for (n = 1; n < nr_subjects(t); n++) {
		for (op = t->op; op < t->end_op; op++) {
			size_t s = nth_subject(t, n);
			double a = grid_has(g, row, s, op) ?
					   grid_figure(grid_at(g, row, s, op))->median :
					   NAN;
			double base = grid_has(g, row, 0, op) ?
					      grid_figure(grid_at(g, row, 0, op))->median :
					      NAN;

			display_cell(b->d, column++, "%s", figure_ratio(buf, a, base));
		}
	}
}

static bool too_wide(const struct display *d)
{
	const struct display_table *t = d->nr_tables ? &d->tables[d->nr_tables - 1] : NULL;
	size_t *room = t ? calloc(2 * t->nr_columns + 1, sizeof(*room)) : NULL, wide = 0;

	if (room)
		wide = display_measure(t, room, room + t->nr_columns);
	free(room);
	return wide > REPORT_WIDTH;
}

/* Where nothing can be compared, there is no summary. */
static bool drop_empty(struct display *d)
{
	if (!d->nr_tables || d->tables[d->nr_tables - 1].nr_rows)
		return false;
	display_drop(d);
	return true;
}

typedef void (*emit_fn)(struct report *b, const struct part *t);

/* A table too wide is made again in halves: by operations, then by the subjects beside the first. */
static void emit(struct report *b, const struct part *t, emit_fn table, bool split_ops)
{
	struct part low = *t, high = *t;

	table(b, t);
	if (drop_empty(b->d) || !too_wide(b->d))
		return;
	if (split_ops && t->end_op - t->op > 1)
		low.end_op = high.op = t->op + (t->end_op - t->op) / 2;
	else if (t->end_subject - t->subject > 1)
		low.end_subject = high.subject = t->subject + (t->end_subject - t->subject) / 2;
	else
		return;
	display_drop(b->d);
	emit(b, &low, table, split_ops);
	emit(b, &high, table, split_ops);
}

static void figures_table(struct report *b, const struct part *t)
{
	struct unit unit = unit_of(t->g);
	char title[TITLE];
	size_t row;

	title_of(t->g, title);
	display_table(b->d, title, b->caption);
	part_columns(b, t, unit);
	for (row = 0; row < t->g->nr_rows; row++)
		part_row(b, t, row, unit);
}

/* The row of a latency in the summary: the largest size that all the part's subjects have. */
static size_t latency_row(const struct part *t, size_t op)
{
	size_t best = t->g->nr_rows, row, n;

	for (row = 0; row < t->g->nr_rows; row++) {
		for (n = 0; n < nr_subjects(t); n++)
			if (!grid_has(t->g, row, nth_subject(t, n), op))
				break;
		if (n == nr_subjects(t) &&
		    (best == t->g->nr_rows || t->g->rows[row].bytes > t->g->rows[best].bytes))
			best = row;
	}
	return best;
}

/* The row of a bandwidth in the summary: where the subject is at its best. */
static size_t bandwidth_row(const struct grid *g, size_t subject, size_t op)
{
	size_t best = g->nr_rows, row;

	for (row = 0; row < g->nr_rows; row++)
		if (grid_has(g, row, subject, op) &&
		    (best == g->nr_rows ||
		     grid_at(g, row, subject, op)->bandwidth_Bps.median >
			     grid_at(g, best, subject, op)->bandwidth_Bps.median))
			best = row;
	return best;
}

static void summary_row(struct report *b, const struct part *t, size_t op)
{
	const struct grid *g = t->g;
	bool latency = g->loop == MPROBE_LOOP_CHASE;
	const char *operation = names_operation(g->ops[op].one->point.variant);
	size_t row = latency ? latency_row(t, op) : g->nr_rows, n, column = 2;
	struct unit unit = unit_of(g);
	double base = NAN;
	char buf[FIGURE], mark[NOTES_MARK];

	if (latency && row == g->nr_rows)
		return;
	display_row(b->d);
	if (latency)
		display_cell(b->d, 0, "latency, %s", figure_size(buf, g->rows[row].bytes));
	else
		display_cell(b->d, 0,
			     g->loop == MPROBE_LOOP_ORDER ? "order bandwidth" : "bandwidth");
	display_cell(b->d, 1, "%s%s%s", operation ? operation : "?", g->isas ? " " : "",
		     g->isas ? g->ops[op].one->isa : "");
	for (n = 0; n<nr_subjects(t); n++, column += n> 1 ? 4 : 3) {
		size_t s = nth_subject(t, n), at = latency ? row : bandwidth_row(g, s, op);
		const struct point_result *p = at < g->nr_rows ? grid_at(g, at, s, op) : NULL;
		double median = p ? grid_figure(p)->median : NAN;

		display_cell(b->d, column, "%s", figure_value(buf, median / unit.scale));
		if (p && latency)
			display_cell(b->d, column + 1, "%s", unit.name);
		else if (p)
			display_cell(b->d, column + 1, "%s (%u)", unit.name, g->rows[at].workers);
		if (p)
			display_cell(b->d, column + 2, "%s", notes_mark(&b->notes, p, mark));
		if (n)
			display_cell(b->d, column + 3, "%s times", figure_ratio(buf, median, base));
		else
			base = median;
	}
}

static void summary_table(struct report *b, const struct part *t)
{
	size_t n, op, i;

	display_table(b->d, "Summary", b->caption);
	display_column(b->d, "quantity", "", false, false);
	display_column(b->d, "operation", "", false, false);
	for (n = 0; n < nr_subjects(t); n++) {
		figure_columns(b, t->g->subjects[nth_subject(t, n)].name, "");
		if (n)
			display_column(b->d, "ratio", "", true, false);
	}
	for (i = 0; i < NR_LOOPS && !b->d->failed; i++) {
		struct part same = *t;

		same.g = &b->grids[i];
		if (!grid_same_subjects(same.g, t->g))
			continue;
		for (op = 0; op < same.g->nr_ops; op++)
			summary_row(b, &same, op);
	}
}

static void summarise(struct report *b)
{
	bool bandwidths = false;
	size_t i, j;

	for (i = 0; i < NR_LOOPS; i++)
		bandwidths |= loops[i] != MPROBE_LOOP_CHASE && b->grids[i].nr_rows;

	for (i = 0; i < NR_LOOPS; i++) {
		const struct grid *g = &b->grids[i];
		struct part all = { g, 0, g->nr_ops, 1, g->nr_subjects };

		for (j = 0; j < i; j++)
			if (grid_same_subjects(&b->grids[j], g))
				break;
		if (j < i || g->nr_subjects < 2)
			continue;
		emit(b, &all, summary_table, false);
		display_note(b->d, "ratio, times: to the figure of %s%s", g->subjects[0].name,
			     bandwidths ? "; (n): with n workers" : "");
	}
}

int report_build(const struct result *r, struct display *out)
{
	struct report b = { .d = out, .r = r, .caption = report_caption(r) };
	size_t i;

	*out = (struct display){};
	notes_count(&b.notes, r);
	if (!r->complete)
		display_note(out,
			     "NOT COMPLETE: this run ended before all of its points were measured");
	for (i = 0; i < NR_LOOPS; i++) {
		struct grid *g = &b.grids[i];
		struct part all;

		if (grid_build(g, r, loops[i]))
			out->failed = true;
		all = (struct part){ g, 0, g->nr_ops, 1, g->nr_subjects };
		if (!out->failed && g->nr_rows)
			emit(&b, &all, figures_table, true);
	}
	if (!out->failed)
		summarise(&b);
	if (!out->failed && r->show_frequency)
		report_frequency(r, b.caption, out);
	notes_write(&b.notes, r, *b.caption ? TAINT_EMULATED : 0, out);
	for (i = 0; i < NR_LOOPS; i++)
		grid_free(&b.grids[i]);
	return out->failed ? -ENOMEM : 0;
}
