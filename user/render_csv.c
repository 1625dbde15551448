// SPDX-License-Identifier: GPL-2.0
#include "render_csv.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "names.h"
#include "prefetchers.h"
#include "render.h"
#include "report.h"

/* Fields of a line, or of the header where p is NULL: the same calls make both. */
struct line {
	FILE *f;
	const struct point_result *p;
	bool begun;
};

static bool begin(struct line *l, const char *name)
{
	if (l->begun)
		fputc(',', l->f);
	l->begun = true;
	if (!l->p)
		fputs(name, l->f);
	return l->p;
}

static void text(struct line *l, const char *name, const char *s)
{
	if (!begin(l, name) || !s)
		return;
	if (!strpbrk(s, ",\"\n\r")) {
		fputs(s, l->f);
		return;
	}
	fputc('"', l->f);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', l->f);
		fputc(*s, l->f);
	}
	fputc('"', l->f);
}

static void integer(struct line *l, const char *name, bool known, uint64_t v)
{
	if (begin(l, name) && known)
		fprintf(l->f, "%llu", (unsigned long long)v);
}

static void real(struct line *l, const char *name, double v)
{
	if (begin(l, name) && isfinite(v))
		fprintf(l->f, "%.12g", v);
}

static void summary(struct line *l, const char *what, const char *unit, const struct summary *s,
		    bool measured)
{
	const double v[] = { s->median, s->ci_lo, s->ci_hi, s->min, s->p1, s->p99, s->max, s->mean };
	static const char *const name[] = { "median", "ci95_lo", "ci95_hi", "min",
					    "p1",     "p99",	 "max",	    "mean" };
	char head[64];
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(*v); i++) {
		snprintf(head, sizeof(head), "%s_%s_%s", what, name[i], unit);
		real(l, head, measured ? v[i] : NAN);
	}
	snprintf(head, sizeof(head), "%s_cv", what);
	real(l, head, measured ? s->cv : NAN);
}

static void cpus(struct line *l, const struct point *p)
{
	uint32_t i;

	if (!begin(l, "cpus"))
		return;
	for (i = 0; p->cpus && i < p->workers; i++)
		fprintf(l->f, "%s%u", i ? " " : "", p->cpus[i]);
}

static void taints(struct line *l, uint32_t bits)
{
	const char *separator = "";
	int t;

	if (!begin(l, "taints"))
		return;
	for (t = 0; t < TAINT_COUNT; t++) {
		if (bits >> t & 1) {
			fprintf(l->f, "%s%s", separator, result_taint_code(1u << t));
			separator = " ";
		}
	}
}

static void asked(struct line *l, const struct point_result *p)
{
	const struct point *q = &p->point;
	bool mapped = p->range.mapped_4k || p->range.mapped_2m || p->range.mapped_1g;

	text(l, "target", q->target);
	text(l, "target_kind", q->target_kind);
	integer(l, "node", p->range.node >= 0, (uint64_t)p->range.node);
	text(l, "engine", p->engine);
	text(l, "loop", names_loop(q->loop));
	text(l, "variant", names_variant(q->variant));
	text(l, "isa", p->isa);
	integer(l, "working_set_bytes", true, q->working_set_bytes);
	integer(l, "stride_bytes", q->stride_bytes, q->stride_bytes);
	integer(l, "block_bytes", q->block_bytes, q->block_bytes);
	integer(l, "window_bytes", q->window_bytes, q->window_bytes);
	integer(l, "chains", q->chains, q->chains);
	integer(l, "workers", true, q->workers);
	cpus(l, q);
	integer(l, "seed", true, q->seed);
	integer(l, "page_asked_bytes", q->page_bytes, q->page_bytes);
	integer(l, "mapped_4k_bytes", mapped, p->range.mapped_4k);
	integer(l, "mapped_2m_bytes", mapped, p->range.mapped_2m);
	integer(l, "mapped_1g_bytes", mapped, p->range.mapped_1g);
}

/* "on", "off: l2-stream ..."; "mixed" where workers differ */
static void prefetchers(struct line *l, const struct point_result *p)
{
	char words[PREFETCHERS];

	text(l, "prefetchers", prefetchers_of_point(p, words));
}

/* As in the JSON document: events, from the gap on windows. */
static void disturbances(struct line *l, const struct point_result *p)
{
	for (int i = 0; i < DISTURBED_LATE; i++)
		integer(l, names_disturbance(i), p->known >> i & 1,
			i < DISTURBED_COUNTED ? p->events[i] : p->disturbed_by[i]);
}

static void counted(struct line *l, const struct point_result *p)
{
	char head[64];

	real(l, "latency_median_cycles", p->has_latency ? p->latency_cycles.median : NAN);
	real(l, "core_hz", p->counted.core_hz);
	real(l, "aperf_mperf", p->counted.aperf_mperf);
	for (int i = 1; i <= MPROBE_COUNTERS; i++) {
		snprintf(head, sizeof(head), "%s_per_unit", names_counter(i));
		real(l, head, p->counted.per_unit[i - 1]);
	}
	text(l, "prefetch_asked",
	     names_prefetch(p->point.prefetch ? p->point.prefetch : MPROBE_PREFETCH_ASIS));
	prefetchers(l, p);
}

static void line(FILE *f, const struct point_result *p, bool header)
{
	struct line l = { .f = f, .p = header ? NULL : p };

	asked(&l, p);
	summary(&l, "latency", "ns", &p->latency_ns, p->has_latency);
	real(&l, "latency_all_windows_ns", p->has_latency ? p->latency_all_ns : NAN);
	integer(&l, "loaded", true, p->point.loaded);
	summary(&l, "bandwidth", "Bps", &p->bandwidth_Bps, p->has_bandwidth);
	real(&l, "bus_bytes_per_payload_byte", p->bus_bytes_per_payload_byte);
	real(&l, "passes", p->passes);
	integer(&l, "windows_clean", true, p->windows_clean);
	integer(&l, "windows_disturbed", true, p->windows_disturbed);
	integer(&l, "windows_repeated", true, p->windows_repeated);
	disturbances(&l, p);
	counted(&l, p);
	real(&l, "overlap", p->overlap);
	text(&l, "clock", names_clock(p->clock));
	real(&l, "clock_overhead_ns", p->clock_overhead_ns);
	real(&l, "clock_agreement_ppm", p->clock_agreement_ppm);
	real(&l, "precision_asked", p->precision_asked);
	real(&l, "precision_reached", p->precision_reached);
	text(&l, "stopped_by", names_stopped_by(p->stopped_by));
	real(&l, "measured_s", p->measured_s);
	taints(&l, p->taints);
	fputc('\n', f);
}

int render_csv(const struct result *r, FILE *f)
{
	static const struct point_result none;
	size_t i;

	errno = 0;
	fputs("# mprobe-csv/1\n", f);
	if (*report_caption(r))
		fprintf(f, "# %s\n", report_caption(r));
	line(f, &none, true);
	for (i = 0; i < r->nr_points; i++)
		line(f, &r->points[i], false);
	return render_flush(f, false);
}
