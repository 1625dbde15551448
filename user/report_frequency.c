// SPDX-License-Identifier: GPL-2.0
#include "report_frequency.h"

#include <math.h>

#include "figure.h"
#include "names.h"

static const char *or_unknown(const char *s)
{
	return *s ? s : "unknown";
}

static void point(const struct point_result *p, struct display *d)
{
	const struct point *q = &p->point;
	const char *operation = names_operation(q->variant);
	char buf[FIGURE];

	display_row(d);
	display_cell(d, 0, "%s", q->target);
	display_cell(d, 1, "%s %s", names_loop(q->loop), operation ? operation : "?");
	display_cell(d, 2, "%s", figure_size(buf, q->working_set_bytes));
	display_cell(d, 3, "%u", q->workers);
	display_cell(d, 4, "%s", figure_value(buf, p->has_latency ? p->latency_ns.median : NAN));
	display_cell(d, 5, "%s",
		     figure_value(buf, p->has_latency ? p->latency_cycles.median : NAN));
	display_cell(d, 6, "%s", figure_value(buf, p->counted.aperf_mperf));
	display_cell(d, 7, "%s", figure_value(buf, p->counted.core_hz / 1e9));
}

void report_frequency(const struct result *r, const char *caption, struct display *d)
{
	static const struct {
		const char *head, *unit;
		bool right;
	} columns[] = {
		{ "target", "", false },     { "operation", "", false },
		{ "size", "", true },	     { "workers", "", true },
		{ "latency", "ns", true },   { "latency", "cycles", true },
		{ "aperf/mperf", "", true }, { "core", "GHz", true },
	};
	bool unknown = false;

	display_table(d, "Frequency of the cores while they measured", caption);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		display_column(d, columns[i].head, columns[i].unit, columns[i].right, false);
	for (size_t i = 0; i < r->nr_points; i++) {
		point(&r->points[i], d);
		unknown |= isnan(r->points[i].counted.core_hz);
	}
	display_note(d, "frequency: governor %s, turbo %s", or_unknown(r->machine.governor),
		     or_unknown(r->machine.turbo));
	if (unknown)
		display_note(d,
			     "core cycles unknown (-): neither a counter of cycles nor APERF and "
			     "MPERF could be read; the user engine reads none, and a hypervisor "
			     "may hide them");
}
