// SPDX-License-Identifier: GPL-2.0
#include "render_status.h"

#include <errno.h>

#include <jansson.h>

#include "display.h"
#include "figure.h"
#include "names.h"
#include "render.h"
#include "render_table.h"
#include <mprobe/version.h>

static const char *state(enum mprobe_state s)
{
	switch (s) {
	case MPROBE_STATE_PREPARE:
		return "prepare";
	case MPROBE_STATE_RUN:
		return "run";
	case MPROBE_STATE_DONE:
		return "done";
	}
	return "unknown";
}

static const char *class_name(enum mprobe_range_class c)
{
	static const char *const names[] = {
		[MPROBE_CLASS_DRAM] = "dram",
		[MPROBE_CLASS_PMEM] = "pmem",
		[MPROBE_CLASS_PMEM_LEGACY] = "pmem-legacy",
		[MPROBE_CLASS_SOFT_RESERVED] = "soft-reserved",
		[MPROBE_CLASS_CXL] = "cxl",
		[MPROBE_CLASS_ALLOWED] = "allowed",
	};

	return c < sizeof(names) / sizeof(names[0]) && names[c] ? names[c] : "unknown";
}

static void columns(struct display *d, const char *title, const char *const *heads,
		    unsigned int right)
{
	display_table(d, title, "");
	for (unsigned int i = 0; heads[i]; i++)
		display_column(d, heads[i], "", right & 1u << i, false);
}

static void put_owner(struct display *d, size_t column, const struct status_owner *o)
{
	display_cell(d, column, "%u%s%s", o->port, o->process[0] ? " " : "", o->process);
}

static void add_jobs(struct display *d, const struct status *s)
{
	static const char *const heads[] = { "job",  "owner",	"state",   "ended by",
					     "time", "windows", "samples", NULL };

	columns(d, "Jobs", heads, 1 << 0 | 1 << 4 | 1 << 5 | 1 << 6);
	for (size_t i = 0; i < s->nr_jobs; i++) {
		const struct job_state *j = &s->jobs[i];
		const char *reason = names_reason(j->reason);

		display_row(d);
		display_cell(d, 0, "%u", j->id);
		put_owner(d, 1, &s->job_owners[i]);
		if (j->state == MPROBE_STATE_PREPARE && j->prepare_total)
			display_cell(d, 2, "prepare %.0f%%",
				     100.0 * j->prepare_done / j->prepare_total);
		else
			display_cell(d, 2, "%s", state(j->state));
		display_cell(d, 3, "%s", j->reason ? (reason ? reason : "unknown") : "-");
		display_cell(d, 4, "%.1f of %.1f s", j->elapsed_ns / 1e9, j->time_ns / 1e9);
		display_cell(d, 5, "%llu", (unsigned long long)j->windows);
		display_cell(d, 6, "%llu", (unsigned long long)j->samples);
	}
}

static void add_ranges(struct display *d, const struct status *s)
{
	static const char *const heads[] = { "range",	      "owner",	  "class", "node", "size",
					     "first address", "writable", "jobs",  NULL };
	char size[FIGURE];

	columns(d, "Ranges", heads, 1 << 0 | 1 << 3 | 1 << 4 | 1 << 7);
	for (size_t i = 0; i < s->nr_ranges; i++) {
		const struct range_info *r = &s->ranges[i];

		display_row(d);
		display_cell(d, 0, "%u", r->id);
		put_owner(d, 1, &s->range_owners[i]);
		display_cell(d, 2, "%s", class_name(r->class));
		if (r->node >= 0)
			display_cell(d, 3, "%d", r->node);
		else
			display_cell(d, 3, "-");
		display_cell(d, 4, "%s", figure_size(size, r->bytes));
		if (r->nr_segments)
			display_cell(d, 5, "0x%llx", (unsigned long long)r->segments[0].base);
		else
			display_cell(d, 5, "-");
		display_cell(d, 6, "%s",
			     r->flags & MPROBE_RANGE_F_OVERWRITE || r->kind == MPROBE_RANGE_NODE ?
				     "yes" :
				     "no");
		display_cell(d, 7, "%u", r->users);
	}
}

int render_status_table(const struct status *s, FILE *f)
{
	struct display d = { 0 };
	int err;

	errno = 0;
	if (s->nr_jobs)
		add_jobs(&d, s);
	else
		display_note(&d, "There are no jobs.");
	if (s->nr_ranges)
		add_ranges(&d, s);
	else
		display_note(&d, "No memory is claimed.");
	err = d.failed ? -ENOMEM : render_table(&d, f);
	display_free(&d);
	return err;
}

static json_t *number(uint64_t v)
{
	return json_integer((json_int_t)v);
}

static json_t *text(const char *s)
{
	json_t *v = s && *s ? json_string(s) : NULL;

	return v ? v : json_null();
}

static json_t *job(const struct job_state *j, const struct status_owner *o)
{
	return json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "id",
			 number(j->id), "owner", number(o->port), "process", text(o->process),
			 "state", state(j->state), "reason", text(names_reason(j->reason)),
			 "elapsed_ns", number(j->elapsed_ns), "time_ns", number(j->time_ns),
			 "prepared_bytes", number(j->prepare_done), "prepare_bytes",
			 number(j->prepare_total), "windows", number(j->windows), "samples",
			 number(j->samples), "samples_lost", number(j->samples_lost));
}

static json_t *range(const struct range_info *r, const struct status_owner *o)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < r->nr_segments; i++)
		json_array_append_new(list,
				      json_pack("{s:o, s:o}", "base", number(r->segments[i].base),
						"bytes", number(r->segments[i].bytes)));
	return json_pack(
		"{s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:{s:o, s:o, s:o}, s:b, s:o, s:o, s:o}", "id",
		number(r->id), "owner", number(o->port), "process", text(o->process), "kind",
		r->kind == MPROBE_RANGE_NODE ? "node" : "phys", "class", class_name(r->class),
		"node", r->node < 0 ? json_null() : number(r->node), "bytes", number(r->bytes),
		"page_size_bytes", "4096", number(r->mapped_4k), "2097152", number(r->mapped_2m),
		"1073741824", number(r->mapped_1g), "overwrite",
		!!(r->flags & MPROBE_RANGE_F_OVERWRITE), "jobs", number(r->users), "segments",
		number(r->segments_total), "physical_ranges", list);
}

int render_status_json(const struct status *s, FILE *f)
{
	json_t *jobs = json_array(), *ranges = json_array(), *o;
	bool bad;

	for (size_t i = 0; i < s->nr_jobs; i++)
		json_array_append_new(jobs, job(&s->jobs[i], &s->job_owners[i]));
	for (size_t i = 0; i < s->nr_ranges; i++)
		json_array_append_new(ranges, range(&s->ranges[i], &s->range_owners[i]));
	o = json_pack("{s:s, s:s, s:o, s:o, s:o}", "schema", "mprobe-status/1", "tool",
		      MPROBE_VERSION, "module", text(s->module), "jobs", jobs, "ranges", ranges);
	if (!o)
		return -ENOMEM;
	errno = 0;
	bad = json_dumpf(o, f, JSON_INDENT(2)) || fputc('\n', f) < 0;
	json_decref(o);
	return render_flush(f, bad);
}
