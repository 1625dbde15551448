// SPDX-License-Identifier: GPL-2.0
#include "grid.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "names.h"

static bool same_subject(const struct point_result *a, const struct point_result *b)
{
	return !strcmp(a->point.target, b->point.target) && !strcmp(a->engine, b->engine) &&
	       a->point.page_bytes == b->point.page_bytes && a->point.thp == b->point.thp;
}

static bool same_op(const struct point_result *a, const struct point_result *b)
{
	return a->point.variant == b->point.variant && !strcmp(a->isa, b->isa);
}

static size_t subject_of(const struct grid *g, const struct point_result *p)
{
	size_t i;

	for (i = 0; i < g->nr_subjects; i++)
		if (same_subject(g->subjects[i].one, p))
			break;
	return i;
}

static size_t op_of(const struct grid *g, const struct point_result *p)
{
	size_t i;

	for (i = 0; i < g->nr_ops; i++)
		if (same_op(g->ops[i].one, p))
			break;
	return i;
}

static void append(char *name, const char *word)
{
	size_t used = strlen(name);

	snprintf(name + used, GRID_NAME - used, "%s%s", used ? " " : "", word);
}

static const char *page_name(const struct point *p, char *buf)
{
	if (p->thp)
		return "thp";
	return p->page_bytes ? figure_size(buf, p->page_bytes) : "any page";
}

/* What tells subjects and operations apart goes into their names, and nothing else. */
static void name_all(struct grid *g)
{
	bool engines = false, pages = false;
	char size[FIGURE];
	size_t i, j;

	for (i = 0; i < g->nr_subjects; i++) {
		for (j = 0; j < i; j++) {
			const struct point_result *a = g->subjects[i].one, *b = g->subjects[j].one;

			engines |= strcmp(a->engine, b->engine) != 0;
			pages |= !strcmp(a->point.target, b->point.target) &&
				 (a->point.page_bytes != b->point.page_bytes ||
				  a->point.thp != b->point.thp);
		}
	}
	for (i = 0; i < g->nr_ops; i++)
		for (j = 0; j < i; j++)
			g->isas |= g->ops[i].one->point.variant == g->ops[j].one->point.variant;
	for (i = 0; i < g->nr_subjects; i++) {
		const struct point_result *p = g->subjects[i].one;

		append(g->subjects[i].name, p->point.target);
		if (engines)
			append(g->subjects[i].name, p->engine);
		if (pages)
			append(g->subjects[i].name, page_name(&p->point, size));
	}
	for (i = 0; i < g->nr_ops; i++) {
		const char *variant = names_variant(g->ops[i].one->point.variant);

		append(g->ops[i].name, variant ? variant : "?");
		if (g->isas)
			append(g->ops[i].name, g->ops[i].one->isa);
	}
}

static int add_heads(struct grid *g, const struct point_result *p)
{
	size_t s = subject_of(g, p), o = op_of(g, p);

	if (s == g->nr_subjects) {
		struct grid_subject *v = reallocarray(g->subjects, s + 1, sizeof(*v));

		if (!v)
			return -ENOMEM;
		g->subjects = v;
		v[g->nr_subjects++] = (struct grid_subject){ .one = p };
	}
	if (o == g->nr_ops) {
		struct grid_op *v = reallocarray(g->ops, o + 1, sizeof(*v));

		if (!v)
			return -ENOMEM;
		g->ops = v;
		v[g->nr_ops++] = (struct grid_op){ .one = p };
	}
	return 0;
}

/* A point that was measured twice gets a second row: none is lost. */
static int add_point(struct grid *g, const struct point_result *p)
{
	uint32_t workers = p->point.workers ? p->point.workers : 1;
	uint64_t bytes = p->point.working_set_bytes;
	size_t column = subject_of(g, p) * g->nr_ops + op_of(g, p), i;
	struct grid_row *v;

	if (!p->has_latency)
		bytes /= workers;
	for (i = 0; i < g->nr_rows; i++) {
		v = &g->rows[i];
		if (v->bytes == bytes && v->workers == workers && !v->cell[column]) {
			v->cell[column] = p;
			return 0;
		}
	}
	v = reallocarray(g->rows, g->nr_rows + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	g->rows = v;
	v += g->nr_rows;
	*v = (struct grid_row){ .bytes = bytes, .workers = workers };
	v->cell = calloc(g->nr_subjects * g->nr_ops, sizeof(const struct point_result *));
	if (!v->cell)
		return -ENOMEM;
	g->nr_rows++;
	v->cell[column] = p;
	return 0;
}

int grid_build(struct grid *g, const struct result *r, enum mprobe_loop_id loop)
{
	size_t i;
	int ret = 0;

	*g = (struct grid){ .loop = loop };
	for (i = 0; i < r->nr_points && !ret; i++)
		if (r->points[i].point.loop == loop)
			ret = add_heads(g, &r->points[i]);
	for (i = 0; i < r->nr_points && !ret; i++)
		if (r->points[i].point.loop == loop)
			ret = add_point(g, &r->points[i]);
	if (!ret)
		name_all(g);
	return ret;
}

void grid_free(struct grid *g)
{
	size_t i;

	for (i = 0; i < g->nr_rows; i++)
		free(g->rows[i].cell);
	free(g->rows);
	free(g->subjects);
	free(g->ops);
	*g = (struct grid){};
}

const struct point_result *grid_at(const struct grid *g, size_t row, size_t subject, size_t op)
{
	return g->rows[row].cell[subject * g->nr_ops + op];
}

const struct summary *grid_figure(const struct point_result *p)
{
	if (!p)
		return NULL;
	return p->has_latency ? &p->latency_ns : &p->bandwidth_Bps;
}

bool grid_same_subjects(const struct grid *a, const struct grid *b)
{
	size_t i;

	for (i = 0; i < a->nr_subjects && i < b->nr_subjects; i++)
		if (!same_subject(a->subjects[i].one, b->subjects[i].one))
			return false;
	return a->nr_subjects == b->nr_subjects;
}

bool grid_has(const struct grid *g, size_t row, size_t subject, size_t op)
{
	const struct summary *s = grid_figure(grid_at(g, row, subject, op));

	return s && isfinite(s->median);
}
