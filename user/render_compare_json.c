// SPDX-License-Identifier: GPL-2.0
#include "render_compare.h"

#include <math.h>

#include <jansson.h>

#include "compare.h"

static json_t *real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *bytes_or_null(uint64_t v)
{
	return v ? json_integer((json_int_t)v) : json_null();
}

static void put(json_t *o, const char *name, json_t *value)
{
	json_object_set_new(o, name, value);
}

static json_t *figure(const struct summary *s)
{
	json_t *o = json_object();

	put(o, "median", real(s->median));
	put(o, "ci95",
	    isfinite(s->ci_lo) ? json_pack("[o, o]", real(s->ci_lo), real(s->ci_hi)) : json_null());
	return o;
}

static void put_way(json_t *o, const struct compare_way *w)
{
	put(o, "engine", json_string(w->kernel ? "kernel" : "user"));
	put(o, "page_size_bytes", json_integer((json_int_t)w->page_bytes));
	put(o, "loaded", json_boolean(w->loaded));
}

static json_t *ways(const struct compare *c)
{
	json_t *list = json_array();

	for (int w = 0; w < WAYS; w++) {
		const struct compare_way *one = &c->ways[w];
		json_t *o = json_object();

		put_way(o, one);
		put(o, "available", json_boolean(one->available));
		put(o, "reason",
		    one->available ?
			    json_null() :
		    !one->planned ?
			    json_string("memory of mprobectl itself has no kernel mapping") :
			    json_string(one->why));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *case_ways(const struct compare *c, size_t nth)
{
	json_t *list = json_array();
	struct summary s;

	for (int w = 0; w < WAYS; w++) {
		json_t *o = json_object();

		put_way(o, &c->ways[w]);
		compare_way_figure(c, nth, w, &s);
		put(o, "latency_ns", figure(&s));
		put(o, "page_walks_per_hop", real(compare_way_walks(c, nth, w)));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *case_parts(const struct compare *c, size_t nth, double total)
{
	static const char *const names[] = {
		[PART_BASE] = "base",	   [PART_PAGES] = "pages",
		[PART_USER] = "userspace", [PART_LOAD] = "scheduler-and-interrupts",
		[PART_REST] = "rest",
	};
	json_t *list = json_array();
	struct summary s;

	for (size_t p = 0; p < c->nr_parts; p++) {
		const struct compare_part *one = &c->parts[p];
		json_t *o = json_object();

		compare_part_figure(c, nth, p, &s);
		put(o, "part", json_string(names[one->kind]));
		put(o, "page_size_bytes", bytes_or_null(one->page_bytes));
		put(o, "instead_of_bytes",
		    bytes_or_null(one->kind == PART_PAGES ? one->was_bytes : 0));
		put(o, "ns", figure(&s));
		put(o, "share", real(s.median / total));
		put(o, "page_walks_per_hop", real(compare_part_walks(c, nth, p)));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *one_case(const struct compare *c, size_t nth)
{
	json_t *o = json_object();
	struct compare_sum sum;

	compare_add_up(c, nth, &sum);
	put(o, "working_set_bytes", json_integer((json_int_t)c->cases[nth].bytes));
	put(o, "window_bytes", bytes_or_null(c->cases[nth].window_bytes));
	put(o, "ways", case_ways(c, nth));
	put(o, "parts", case_parts(c, nth, sum.total));
	put(o, "total_ns", real(sum.total));
	put(o, "sum_of_parts_ns", real(sum.parts));
	put(o, "within_ns", real(sum.within));
	put(o, "adds_up", sum.adds_up < 0 ? json_null() : json_boolean(sum.adds_up));
	return o;
}

json_t *render_compare_json(const struct compare *c)
{
	json_t *o = json_object(), *list = json_array();

	put(o, "target", json_string(c->target));
	put(o, "cpu", json_integer(c->cpu));
	put(o, "seed", json_integer((json_int_t)c->seed));
	put(o, "rounds",
	    json_pack("{s:I, s:I}", "asked", (json_int_t)c->rounds, "done", (json_int_t)c->done));
	put(o, "ways", ways(c));
	for (size_t n = 0; n < c->nr_cases; n++)
		json_array_append_new(list, one_case(c, n));
	put(o, "cases", list);
	return o;
}
