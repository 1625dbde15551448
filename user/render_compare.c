// SPDX-License-Identifier: GPL-2.0
#include "render_compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "figure.h"
#include "notes.h"
#include "orders.h"
#include "report.h"

#define ACROSS 3 /* sizes in one table */
#define TITLE  200
#define LABEL  64

struct sheet {
	struct display *d;
	const struct result
		*r; /* without the loaded points, whose windows are meant to be disturbed */
	const struct compare *c;
	const char *caption;
	struct notes notes;
	char marks[NOTES_MARK];
};

/* Cases first .. end are of one order and stand beside each other. */
struct block {
	size_t first, end;
};

/* Digits such that those of all parts of a figure line up. */
static int places(double whole)
{
	return whole < 10 ? 3 : whole < 100 ? 2 : 1;
}

static const char *page_name(uint64_t bytes)
{
	return bytes == 4096 ? "4K" : bytes == 2u << 20 ? "2M" : "1G";
}

static const char *engine_name(const struct compare_way *w)
{
	return w->kernel ? "kernel" : "user";
}

/* Without a sign where nothing is left of it. */
static double rounded(double v, int digits)
{
	return fabs(v) * pow(10, digits) < 0.5 ? 0 : v;
}

static void put_median(struct display *d, size_t column, const struct summary *s, int digits)
{
	double half = fmax(s->ci_hi - s->median, s->median - s->ci_lo);
	const double step = pow(10, -digits);

	if (!isfinite(s->median)) {
		display_cell(d, column, "-");
		return;
	}
	display_cell(d, column, "%.*f", digits, rounded(s->median, digits));
	if (isfinite(half))
		display_cell(d, column + 1, "+-%.*f", digits,
			     fabs(ceil(half / step - 1e-6)) * step);
}

static uint32_t taints_of(const struct sheet *s, const struct compare_case *k, int way)
{
	const struct compare_way *w = &s->c->ways[way];
	uint32_t taints = 0;

	for (size_t i = 0; i < s->r->nr_points; i++) {
		const struct point_result *p = &s->r->points[i];

		if (p->point.working_set_bytes == k->bytes &&
		    p->point.window_bytes == k->window_bytes &&
		    p->point.page_bytes == w->page_bytes && p->point.loaded == w->loaded &&
		    !strcmp(p->engine, engine_name(w)))
			taints |= p->taints;
	}
	return taints;
}

static const char *mark(struct sheet *s, size_t nth, int way)
{
	const struct point_result all = { .taints = taints_of(s, &s->c->cases[nth], way) };

	return notes_mark(&s->notes, &all, s->marks);
}

static const char *title_of(const struct sheet *s, const struct block *b, const char *what,
			    char *title)
{
	const struct compare *c = s->c;
	char order[ORDERS_NAME];

	snprintf(title, TITLE, "%s: %s (chase %s, CPU %u, order %s, %u of %u rounds)", what,
		 c->target, c->variant, c->cpu, orders_name(order, c->cases[b->first].window_bytes),
		 c->done, c->rounds);
	return title;
}

static void size_columns(struct sheet *s, const struct block *b)
{
	char size[FIGURE];

	for (size_t n = b->first; n < b->end; n++) {
		display_column(s->d, figure_size(size, s->c->cases[n].bytes), "ns", true, false);
		display_column(s->d, "", "", true, true); /* interval */
		display_column(s->d, "", "", true, true); /* share */
	}
}

static bool any_walks(const struct compare *c, const struct block *b)
{
	for (size_t n = b->first; n < b->end; n++)
		for (int w = 0; w < WAYS; w++)
			if (isfinite(compare_way_walks(c, n, w)))
				return true;
	return false;
}

static void way_row(struct sheet *s, const struct block *b, int way, bool walks)
{
	const struct compare_way *w = &s->c->ways[way];
	struct summary ns;
	size_t column = 3;
	char walk[FIGURE];

	display_row(s->d);
	display_cell(s->d, 0, "%s", engine_name(w));
	display_cell(s->d, 1, "%s", page_name(w->page_bytes));
	display_cell(s->d, 2, "%s", w->loaded ? "loaded" : "quiet");
	for (size_t n = b->first; n < b->end; n++, column += walks ? 4 : 3) {
		compare_way_figure(s->c, n, way, &ns);
		put_median(s->d, column, &ns, places(ns.median));
		if (!w->available)
			display_cell(s->d, column, "n/a");
		else
			display_cell(s->d, column + 2, "%s", w->loaded ? "" : mark(s, n, way));
		if (walks)
			display_cell(s->d, column + 3, "%s",
				     figure_value(walk, compare_way_walks(s->c, n, way)));
	}
}

static void ways_table(struct sheet *s, const struct block *b)
{
	const bool walks = any_walks(s->c, b);
	char title[TITLE], size[FIGURE];

	display_table(s->d, title_of(s, b, "Latency of a hop", title), s->caption);
	display_column(s->d, "engine", "", false, false);
	display_column(s->d, "pages", "", true, false);
	display_column(s->d, "CPU", "", false, false);
	for (size_t n = b->first; n < b->end; n++) {
		display_column(s->d, figure_size(size, s->c->cases[n].bytes), "ns", true, false);
		display_column(s->d, "", "", false, true);
		display_column(s->d, "", "", false, true);
		if (walks)
			display_column(s->d, "walks", "a hop", true, false);
	}
	for (int w = 0; w < WAYS; w++)
		if (s->c->ways[w].planned)
			way_row(s, b, w, walks);
}

static bool base_is_kernel(const struct compare *c)
{
	for (int w = WAY_KERNEL_1G; w <= WAY_KERNEL_4K; w++)
		if (c->parts[0].sign[w])
			return true;
	return false;
}

static const char *part_name(const struct compare *c, const struct compare_part *p, char *buf)
{
	const char *page = page_name(p->page_bytes), *was = page_name(p->was_bytes);

	switch (p->kind) {
	case PART_BASE:
		snprintf(buf, LABEL, "%s, %s pages", base_is_kernel(c) ? "kernel" : "user", page);
		break;
	case PART_PAGES:
		snprintf(buf, LABEL, "+ pages of %s, not %s", page, was);
		break;
	case PART_USER:
		snprintf(buf, LABEL, "+ userspace, not kernel (%s)", page);
		break;
	case PART_LOAD:
		snprintf(buf, LABEL, "+ scheduler, interrupts");
		break;
	default:
		snprintf(buf, LABEL, "+ rest");
	}
	return buf;
}

static void part_row(struct sheet *s, const struct block *b, size_t part,
		     const struct compare_sum *sums)
{
	struct summary ns;
	size_t column = 1;
	char name[LABEL];

	display_row(s->d);
	display_cell(s->d, 0, "%s", part_name(s->c, &s->c->parts[part], name));
	for (size_t n = b->first; n < b->end; n++, column += 3) {
		const struct compare_sum *sum = &sums[n - b->first];
		double share;

		compare_part_figure(s->c, n, part, &ns);
		put_median(s->d, column, &ns, places(isfinite(sum->total) ? sum->total : 100));
		share = ns.median / sum->total * 100;
		if (isfinite(share))
			display_cell(s->d, column + 2, "%4.0f %%", rounded(share, 0));
	}
}

static void total_rows(struct sheet *s, const struct block *b, const struct compare_sum *sums)
{
	struct summary ns;
	size_t column = 1;

	display_row(s->d);
	display_cell(s->d, 0, "= userspace, 4K, loaded CPU");
	for (size_t n = b->first; n < b->end; n++, column += 3) {
		compare_way_figure(s->c, n, WAY_LOADED, &ns);
		put_median(s->d, column, &ns, places(ns.median));
		if (isfinite(ns.median))
			display_cell(s->d, column + 2, " 100 %%");
	}
	display_row(s->d);
	display_cell(s->d, 0, "sum of the parts");
	column = 1;
	for (size_t n = b->first; n < b->end; n++, column += 3) {
		const struct compare_sum *sum = &sums[n - b->first];
		const int digits = places(sum->total);

		if (!isfinite(sum->parts))
			continue;
		display_cell(s->d, column, "%.*f", digits, sum->parts);
		if (isfinite(sum->within))
			display_cell(s->d, column + 1, "+-%.*f", digits, sum->within);
		display_cell(s->d, column + 2, "%s",
			     sum->adds_up < 0 ? "?" :
			     sum->adds_up     ? "ok" :
						"DIFFERS");
	}
}

static void parts_table(struct sheet *s, const struct block *b)
{
	struct compare_sum sums[ACROSS];
	char title[TITLE];

	for (size_t n = b->first; n < b->end; n++)
		compare_add_up(s->c, n, &sums[n - b->first]);
	display_table(s->d, title_of(s, b, "Where a hop's time goes", title), s->caption);
	display_column(s->d, "part", "", false, false);
	size_columns(s, b);
	for (size_t p = 0; p < s->c->nr_parts; p++)
		part_row(s, b, p, sums);
	if (s->c->whole)
		total_rows(s, b, sums);
}

/* What the letter of 2020 left open: how much of an order's latency is its pages'. */
static void orders_table(struct sheet *s)
{
	const struct compare *c = s->c;
	const int side = base_is_kernel(c) ? WAY_KERNEL_1G : WAY_USER_1G;
	char buf[ORDERS_NAME + FIGURE];
	struct summary ns, first = { .median = NAN };

	display_table(s->d,
		      side == WAY_KERNEL_1G ? "Orders and pages, kernel engine" :
					      "Orders and pages, user engine",
		      s->caption);
	display_column(s->d, "size", "", true, false);
	display_column(s->d, "order", "", false, false);
	for (int w = side + 2; w >= side; w--) {
		display_column(s->d, page_name(c->ways[w].page_bytes), "ns", true, false);
		display_column(s->d, "", "", false, true);
		if (w < side + 2)
			display_column(s->d, "to 4K", "ratio", true, false);
	}
	for (size_t n = 0; n < c->nr_cases; n++) {
		size_t column = 2;

		display_row(s->d);
		display_cell(s->d, 0, "%s", figure_size(buf, c->cases[n].bytes));
		display_cell(s->d, 1, "%s", orders_name(buf, c->cases[n].window_bytes));
		for (int w = side + 2; w >= side; w--, column += w < side + 1 ? 3 : 2) {
			compare_way_figure(c, n, w, &ns);
			put_median(s->d, column, &ns, places(ns.median));
			if (w == side + 2)
				first = ns;
			else
				display_cell(s->d, column + 2, "%s",
					     figure_ratio(buf, ns.median, first.median));
		}
	}
}

static void note_lacks(struct sheet *s)
{
	for (int w = 0; w < WAYS; w++) {
		const struct compare_way *one = &s->c->ways[w];

		if (one->planned && !one->available && !one->loaded)
			display_note(s->d, "n/a: %s, %s pages: not available: %s", engine_name(one),
				     page_name(one->page_bytes), one->why);
	}
}

/* "22.1 ns (4 %)", or "an unknown part" */
static const char *share(char *out, size_t len, double ns, double total)
{
	if (isfinite(ns))
		snprintf(out, len, "%.*f ns (%.0f %%)", places(total), rounded(ns, places(total)),
			 rounded(ns / total * 100, 0));
	else
		snprintf(out, len, "an unknown part");
	return out;
}

/* The answer in words. Where only one size of page could be had, nothing tells what pages cost. */
static void note_answer(struct sheet *s, size_t nth)
{
	const struct compare *c = s->c;
	double pages = 0, load = NAN;
	bool any = false;
	char size[FIGURE], order[ORDERS_NAME], by_pages[64], by_load[64];
	struct compare_sum sum;
	struct summary ns;

	compare_add_up(c, nth, &sum);
	if (!isfinite(sum.total))
		return;
	for (size_t p = 0; p < c->nr_parts; p++) {
		compare_part_figure(c, nth, p, &ns);
		if (c->parts[p].kind == PART_PAGES) {
			pages += ns.median; /* of which one that is unknown makes all so */
			any = true;
		}
		if (c->parts[p].kind == PART_LOAD)
			load = ns.median;
	}
	display_note(s->d,
		     "%s %s: of %.*f ns that a hop takes in a program with 4K pages on a CPU that "
		     "it shares, %s are page walks and the TLB, %s the scheduler and interrupts",
		     figure_size(size, c->cases[nth].bytes),
		     orders_name(order, c->cases[nth].window_bytes), places(sum.total), sum.total,
		     share(by_pages, sizeof(by_pages), any ? pages : NAN, sum.total),
		     share(by_load, sizeof(by_load), load, sum.total));
}

static void note_walks(struct sheet *s)
{
	const struct compare *c = s->c;
	const struct block all = { .end = c->nr_cases };
	char name[LABEL], size[FIGURE], order[ORDERS_NAME];
	struct summary ns;

	for (size_t n = 0; n < c->nr_cases; n++)
		for (size_t p = 0; p < c->nr_parts; p++) {
			double walks = compare_part_walks(c, n, p);

			if (c->parts[p].kind != PART_PAGES || !isfinite(walks))
				continue;
			compare_part_figure(c, n, p, &ns);
			if (walks > 0.01 && ns.median > 0)
				display_note(
					s->d,
					"%s %s: %s: %.3f more page walks a hop (counted), %.1f ns each",
					figure_size(size, c->cases[n].bytes),
					orders_name(order, c->cases[n].window_bytes),
					part_name(c, &c->parts[p], name) + 2, walks,
					ns.median / walks);
		}
	if (!any_walks(c, &all))
		display_note(
			s->d,
			"page walks are not counted here: what pages cost is the difference between "
			"the sizes of pages alone");
}

static void write_notes(struct sheet *s)
{
	const struct compare *c = s->c;

	for (size_t n = 0; n < c->nr_cases; n++)
		note_answer(s, n);
	note_lacks(s);
	if (!c->ways[WAY_KERNEL_4K].planned)
		display_note(
			s->d,
			"no kernel rows: this memory is mprobectl's own; each size of pages has "
			"other physical lines, in the same order");
	if (c->whole)
		display_note(
			s->d,
			"loaded: a second thread wants CPU %u all the time, and all windows count "
			"(time by hops); elsewhere medians of clean windows",
			c->cpu);
	note_walks(s);
	display_note(
		s->d,
		"every figure: the median over the rounds, a part's of the differences within each; "
		"ok: the sum is the total within the root of the sum of the squared intervals");
	notes_write(&s->notes, s->r, *s->caption ? TAINT_EMULATED : 0, s->d);
}

/* The cases of one order, at most ACROSS of them. */
static size_t block_end(const struct compare *c, size_t first)
{
	size_t n = first;

	while (n < c->nr_cases && n < first + ACROSS &&
	       c->cases[n].window_bytes == c->cases[first].window_bytes)
		n++;
	return n;
}

int render_compare(const struct result *r, struct display *out)
{
	struct result quiet = *r;
	struct sheet s = { .d = out, .r = &quiet, .c = r->compare, .caption = report_caption(r) };
	struct block b = { 0 };

	*out = (struct display){};
	quiet.points = calloc(r->nr_points + 1, sizeof(*quiet.points));
	if (!quiet.points)
		return -ENOMEM;
	quiet.nr_points = 0;
	for (size_t i = 0; i < r->nr_points; i++)
		if (!r->points[i].point.loaded)
			quiet.points[quiet.nr_points++] = r->points[i];
	notes_count(&s.notes, &quiet);
	if (!r->complete)
		display_note(out,
			     "NOT COMPLETE: this run ended before all of its rounds were measured");
	for (; b.first < s.c->nr_cases; b.first = b.end) {
		b.end = block_end(s.c, b.first);
		ways_table(&s, &b);
		parts_table(&s, &b);
	}
	if (s.c->nr_cases &&
	    s.c->cases[0].window_bytes != s.c->cases[s.c->nr_cases - 1].window_bytes)
		orders_table(&s);
	write_notes(&s);
	free(quiet.points);
	return out->failed ? -ENOMEM : 0;
}
