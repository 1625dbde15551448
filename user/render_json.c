// SPDX-License-Identifier: GPL-2.0
#include "render_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "names.h"
#include "render.h"
#include "render_compare.h"
#include "report.h"

#define DIGITS 12 /* of real numbers */

static json_t *real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

/* Signed: no count or address is beyond that, nor a seed (options.c). */
static json_t *integer(uint64_t v)
{
	return json_integer((json_int_t)v);
}

static json_t *known(uint64_t v, bool is_known)
{
	return is_known ? integer(v) : json_null();
}

static json_t *at_least_0(int v)
{
	return known((uint64_t)v, v >= 0);
}

static json_t *truth(int v)
{
	return v < 0 ? json_null() : json_boolean(v);
}

/* What is not UTF-8 (a kernel's command line may hold anything) is unknown. */
static json_t *text(const char *s)
{
	json_t *v = s && *s ? json_string(s) : NULL;

	return v ? v : json_null();
}

static json_t *summary(const struct summary *s)
{
	json_t *ci = isfinite(s->ci_lo) ? json_pack("[o, o]", real(s->ci_lo), real(s->ci_hi)) :
					  json_null();

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "median", real(s->median),
			 "ci95", ci, "min", real(s->min), "p1", real(s->p1), "p99", real(s->p99),
			 "max", real(s->max), "mean", real(s->mean), "cv", real(s->cv));
}

static json_t *physical_ranges(const struct range_info *r)
{
	json_t *list = r->nr_segments ? json_array() : json_null();
	uint32_t i;

	for (i = 0; i < r->nr_segments; i++)
		json_array_append_new(list,
				      json_pack("{s:o, s:o}", "base", integer(r->segments[i].base),
						"bytes", integer(r->segments[i].bytes)));
	return list;
}

static json_t *page_sizes(const struct range_info *r)
{
	if (!r->mapped_4k && !r->mapped_2m && !r->mapped_1g)
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "4096", integer(r->mapped_4k), "2097152",
			 integer(r->mapped_2m), "1073741824", integer(r->mapped_1g));
}

static json_t *cpus(const struct point *p)
{
	json_t *list = json_array();
	uint32_t i;

	for (i = 0; p->cpus && i < p->workers; i++)
		json_array_append_new(list, integer(p->cpus[i]));
	return list;
}

static json_t *taints(const struct point_result *p)
{
	json_t *list = json_array();
	int t;

	for (t = 0; t < TAINT_COUNT; t++)
		if (p->taints >> t & 1)
			json_array_append_new(list, json_string(result_taint_code(1u << t)));
	return list;
}

static void put(json_t *o, const char *name, json_t *value)
{
	json_object_set_new(o, name, value);
}

static void put_asked(json_t *o, const struct point_result *p)
{
	const struct point *q = &p->point;

	put(o, "target", text(q->target));
	put(o, "target_kind", text(q->target_kind));
	put(o, "node", at_least_0(p->range.node));
	put(o, "physical_ranges", physical_ranges(&p->range));
	put(o, "physical_ranges_total", known(p->range.segments_total, p->range.segments_total));
	put(o, "page_size_bytes", page_sizes(&p->range));
	put(o, "page_size_asked_bytes", known(q->page_bytes, q->page_bytes));
	put(o, "thp", json_boolean(q->thp));
	put(o, "engine", text(p->engine));
	put(o, "loop", text(names_loop(q->loop)));
	put(o, "variant", text(names_variant(q->variant)));
	put(o, "isa", text(p->isa));
	put(o, "working_set_bytes", integer(q->working_set_bytes));
	put(o, "stride_bytes", known(q->stride_bytes, q->stride_bytes));
	put(o, "block_bytes", known(q->block_bytes, q->block_bytes));
	put(o, "window_bytes", known(q->window_bytes, q->window_bytes));
	put(o, "chains", known(q->chains, q->chains));
	put(o, "workers", integer(q->workers));
	put(o, "cpus", cpus(q));
	put(o, "seed", integer(q->seed));
	put(o, "passes", real(p->passes));
	put(o, "warmup_bytes", known(q->warmup_bytes, q->warmup_bytes));
	put(o, "closed", known(p->closed, q->loop == MPROBE_LOOP_CHASE));
	put(o, "irqs_off", json_boolean(q->irqs_off));
	put(o, "loaded", json_boolean(q->loaded));
}

static bool tells(const struct point_result *p, enum disturbance one)
{
	return p->known >> one & 1;
}

static json_t *disturbances(const struct point_result *p)
{
	json_t *o = json_object();
	char name[32];
	int i;

	for (i = 0; i < DISTURBED_COUNTED; i++)
		put(o, names_disturbance(i), known(p->events[i], tells(p, i)));
	for (; i < DISTURBED_LATE; i++)
		put(o, names_disturbance(i), known(p->disturbed_by[i], tells(p, i)));
	for (; i < DISTURBANCES; i++) {
		snprintf(name, sizeof(name), "%s_windows", names_disturbance(i));
		put(o, name, known(p->disturbed_by[i], tells(p, i)));
	}
	return o;
}

static json_t *windows(const struct point_result *p)
{
	json_t *by = json_object(), *o = json_object();
	int i;

	for (i = 0; i < DISTURBANCES; i++)
		put(by, names_disturbance(i), known(p->disturbed_by[i], tells(p, i)));
	put(o, "clean", integer(p->windows_clean));
	put(o, "disturbed", integer(p->windows_disturbed));
	put(o, "repeated", integer(p->windows_repeated));
	put(o, "impossible", integer(p->windows_impossible));
	put(o, "incomplete", integer(p->windows_incomplete));
	put(o, "by_cause", by);
	return o;
}

static json_t *counters(const struct point_result *p)
{
	json_t *o = json_object();
	char name[64];

	for (int i = 1; i <= MPROBE_COUNTERS; i++) {
		snprintf(name, sizeof(name), "%s_per_unit", names_counter(i));
		put(o, name, real(p->counted.per_unit[i - 1]));
	}
	return o;
}

static json_t *prefetchers_off(uint32_t off)
{
	json_t *list = off == SAMPLE_UNKNOWN ? json_null() : json_array();
	const char *name;

	for (unsigned int bit = 0; (name = names_prefetcher(bit)); bit++)
		if (off >> bit & 1)
			json_array_append_new(list, json_string(name));
	return list;
}

static json_t *prefetch(const struct result *r, const struct point_result *p)
{
	json_t *o = json_object(), *off = p->prefetch_off ? json_array() : json_null();
	const bool kernel = p->engine && !strcmp(p->engine, "kernel");

	for (uint32_t w = 0; p->prefetch_off && w < p->point.workers; w++)
		json_array_append_new(off, prefetchers_off(p->prefetch_off[w]));
	put(o, "asked",
	    text(names_prefetch(p->point.prefetch ? p->point.prefetch : MPROBE_PREFETCH_ASIS)));
	put(o, "control", kernel ? text(names_prefetch_control(r->prefetch_control)) : json_null());
	put(o, "disabled", off);
	return o;
}

static json_t *frequency(const struct result *r, const struct point_result *p)
{
	json_t *o = json_object();

	put(o, "core_hz", real(p->counted.core_hz));
	put(o, "aperf_mperf", real(p->counted.aperf_mperf));
	put(o, "governor", text(r->machine.governor));
	put(o, "turbo", text(r->machine.turbo));
	return o;
}

static json_t *point(const struct result *r, const struct point_result *p)
{
	json_t *o = json_object();

	put_asked(o, p);
	put(o, "latency_ns", p->has_latency ? summary(&p->latency_ns) : json_null());
	put(o, "latency_all_windows_ns", real(p->latency_all_ns));
	put(o, "latency_cycles",
	    p->has_latency && isfinite(p->latency_cycles.median) ? summary(&p->latency_cycles) :
								   json_null());
	put(o, "bandwidth_Bps", p->has_bandwidth ? summary(&p->bandwidth_Bps) : json_null());
	put(o, "bus_bytes_per_payload_byte", real(p->bus_bytes_per_payload_byte));
	put(o, "windows", windows(p));
	put(o, "disturbances", disturbances(p));
	put(o, "counters", counters(p));
	put(o, "frequency", frequency(r, p));
	put(o, "prefetch", prefetch(r, p));
	put(o, "overlap", real(p->overlap));
	put(o, "clock",
	    json_pack("{s:o, s:o, s:o, s:o}", "source", text(names_clock(p->clock)), "overhead_ns",
		      real(p->clock_overhead_ns), "agreement_ppm", real(p->clock_agreement_ppm),
		      "khz", real(p->clock_khz)));
	put(o, "precision",
	    json_pack("{s:o, s:o, s:o, s:o, s:o}", "asked", real(p->precision_asked), "reached",
		      real(p->precision_reached), "independent_windows",
		      integer((p->has_latency ? p->latency_ns : p->bandwidth_Bps).independent),
		      "stopped_by", text(names_stopped_by(p->stopped_by)), "reason",
		      text(names_reason(p->reason))));
	put(o, "prepare_ns", integer(p->prepare_ns));
	put(o, "measured_s", real(p->measured_s));
	put(o, "taints", taints(p));
	return o;
}

static json_t *caches(const struct machine *m)
{
	json_t *list = m->nr_caches ? json_array() : json_null();
	int i;

	for (i = 0; i < m->nr_caches; i++) {
		const struct machine_cache *c = &m->caches[i];

		json_array_append_new(
			list, json_pack("{s:i, s:o, s:o, s:o}", "level", c->level, "type",
					text(c->type), "bytes", integer(c->bytes), "shared_by_cpus",
					known((uint64_t)c->shared_by_cpus, c->shared_by_cpus > 0)));
	}
	return list;
}

static json_t *nodes(const struct machine *m)
{
	json_t *list = m->nr_nodes ? json_array() : json_null();
	int i;

	for (i = 0; i < m->nr_nodes; i++)
		json_array_append_new(list, json_pack("{s:i, s:o, s:s}", "node", m->nodes[i].node,
						      "bytes", integer(m->nodes[i].bytes), "cpus",
						      m->nodes[i].cpus));
	return list;
}

static json_t *dimms(const struct machine *m)
{
	json_t *list = m->nr_dimms ? json_array() : json_null();
	int i;

	for (i = 0; i < m->nr_dimms; i++) {
		const struct machine_dimm *d = &m->dimms[i];

		json_array_append_new(list,
				      json_pack("{s:o, s:o, s:o, s:o}", "locator", text(d->locator),
						"type", text(d->type), "speed", text(d->speed),
						"bytes", known(d->bytes, d->bytes)));
	}
	return list;
}

json_t *render_json_machine(const struct machine *m)
{
	json_t *o = json_object();

	put(o, "cpu_model", text(m->cpu_model));
	put(o, "sockets", at_least_0(m->sockets));
	put(o, "cores", at_least_0(m->cores));
	put(o, "cpus", at_least_0(m->cpus));
	put(o, "smt", at_least_0(m->smt));
	put(o, "caches", caches(m));
	put(o, "llc_bytes", known(m->llc_bytes, m->llc_bytes));
	put(o, "numa_nodes", nodes(m));
	put(o, "dimms", dimms(m));
	put(o, "kernel_release", text(m->kernel_release));
	put(o, "kernel_cmdline", text(m->kernel_cmdline));
	put(o, "mitigations", text(m->mitigations));
	put(o, "thp", text(m->thp));
	put(o, "governor", text(m->governor));
	put(o, "turbo", text(m->turbo));
	put(o, "prefetchers", text(m->prefetchers));
	put(o, "hypervisor", text(m->hypervisor));
	put(o, "virtualised", truth(m->virtualised));
	put(o, "emulated", truth(m->emulated));
	return o;
}

static json_t *document(const struct result *r)
{
	json_t *o = json_object(), *list = json_array();
	size_t i;
	int arg;

	put(o, "schema", json_string("mprobe-result/1"));
	put(o, "tool", text(r->tool_version));
	put(o, "module", text(r->module_version));
	put(o, "machine", render_json_machine(&r->machine));
	for (arg = 0; arg < r->argc; arg++)
		json_array_append_new(list, *r->argv[arg] ? text(r->argv[arg]) : json_string(""));
	put(o, "command", list);
	put(o, "complete", json_boolean(r->complete));
	put(o, "caption", text(report_caption(r)));
	list = json_array();
	for (i = 0; i < r->nr_points; i++)
		json_array_append_new(list, point(r, &r->points[i]));
	put(o, "points", list);
	if (r->compare)
		put(o, "compare", render_compare_json(r->compare));
	return o;
}

int render_json(const struct result *r, FILE *f)
{
	json_t *o = document(r);
	bool failed;

	if (!o)
		return -ENOMEM;
	errno = 0;
	failed = json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) ||
		 fputc('\n', f) < 0;
	json_decref(o);
	return render_flush(f, failed);
}
