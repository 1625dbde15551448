// SPDX-License-Identifier: GPL-2.0
#include "taint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "result.h"
#include <mprobe/loop.h>

#define LEAST_HOP_NS  0.5
#define LEAST_CYCLES  3.0
#define MONOTONIC     0.95
#define CHANNEL_BYTES 8 /* of a DIMM's transfer */

static const struct {
	const char *code, *sentence;
} taints[TAINT_COUNT] = {
	{ "clock-not-invariant",
	  "no invariant TSC that the kernel trusts: the monotonic clock was read instead" },
	{ "clocks-disagree",
	  "TSC and CLOCK_MONOTONIC_RAW differ by more than 200 ppm over the job" },
	{ "disturbed", "fewer than 6 windows were clean: disturbed ones are in the figure" },
	{ "few-windows",
	  "fewer than 6 independent windows, so no confidence interval: give more --time or "
	  "--passes" },
	{ "overlap", "the workers ran together for less than 95 % of the time" },
	{ "cancelled", "the job was ended before its time" },
	{ "emulated", "emulated machine: these figures prove the plumbing, not the memory" },
	{ "virtualised",
	  "a hypervisor is present: the host's pages and its other guests are not seen" },
	{ "fits-llc",
	  "what is touched fits the last-level cache: this is not the memory's figure" },
	{ "pages-smaller",
	  "some of the working set is mapped by smaller pages than were asked for" },
	{ "samples-lost", "the store of samples was full: some windows are missing" },
	{ "not-single-cycle",
	  "a pass of the chase did not end at its first object: its order is broken" },
	{ "precision", "the time was up before the interval was as narrow as asked for" },
	{ "migrated", "a worker ended a window on another CPU than it began on" },
	{ "not-monotonic", "lower than the latency of a smaller working set" },
	{ "above-peak", "more than all DIMMs together can deliver" },
	{ "impossible", "readings that cannot be: no time or no work" },
	{ "remapped",
	  "at the end the memory was no longer mapped by the pages that were verified: run again" },
	{ "mostly-disturbed", "more windows were disturbed than clean" },
	{ "below-l1", "faster than a load from the L1 cache can be" },
};

static unsigned int index_of(enum taint one)
{
	return (unsigned int)__builtin_ctz(one);
}

const char *result_taint_code(enum taint one)
{
	return taints[index_of(one)].code;
}

const char *result_taint_sentence(enum taint one)
{
	return taints[index_of(one)].sentence;
}

void result_disturbed_by(const struct point_result *p, char *buf, size_t len)
{
	unsigned long long windows = p->windows_clean + p->windows_disturbed;
	size_t used = 0;
	int i;

	buf[0] = 0;
	for (i = 0; i < DISTURBANCES; i++)
		if (p->disturbed_by[i] && used < len)
			used += (size_t)snprintf(buf + used, len - used, "%s%s in %llu",
						 used ? ", " : "", names_disturbance(i),
						 (unsigned long long)p->disturbed_by[i]);
	if (used && used < len)
		snprintf(buf + used, len - used, " of %llu windows", windows);
}

/* All the last-level cache that so many workers can reach; 0 unknown. */
static uint64_t reachable_cache(const struct machine *m, uint32_t workers)
{
	uint64_t caches = 1;
	int i;

	for (i = 0; i < m->nr_caches; i++)
		if (m->caches[i].bytes == m->llc_bytes && m->caches[i].shared_by_cpus > 0 &&
		    m->cpus > m->caches[i].shared_by_cpus)
			caches = (uint64_t)(m->cpus / m->caches[i].shared_by_cpus);
	return m->llc_bytes * (workers < caches ? workers : caches);
}

/* Bytes of all lines that it touches: of an object larger than a line, its first one only. */
static uint64_t touched(const struct point *p)
{
	if (p->loop == MPROBE_LOOP_STREAM || !p->block_bytes)
		return p->working_set_bytes;
	return p->working_set_bytes / p->block_bytes * MPROBE_LINE;
}

/* Differ in size only. */
static bool same_series(const struct point_result *a, const struct point_result *b)
{
	const struct point *p = &a->point, *q = &b->point;

	return !strcmp(p->target, q->target) && !strcmp(a->engine, b->engine) &&
	       !strcmp(a->isa, b->isa) && p->loop == q->loop && p->variant == q->variant &&
	       p->stride_bytes == q->stride_bytes && p->block_bytes == q->block_bytes &&
	       p->window_bytes == q->window_bytes && p->chains == q->chains &&
	       p->workers == q->workers && p->page_bytes == q->page_bytes && p->thp == q->thp &&
	       p->irqs_off == q->irqs_off && p->prefetch == q->prefetch && p->loaded == q->loaded;
}

static bool largest_of_series(const struct result *r, const struct point_result *p)
{
	size_t i;

	for (i = 0; i < r->nr_points; i++)
		if (same_series(&r->points[i], p) &&
		    r->points[i].point.working_set_bytes > p->point.working_set_bytes)
			return false;
	return true;
}

/* Than a smaller size that touches at most so much. */
static bool below_smaller(const struct result *r, const struct point_result *p, uint64_t most)
{
	size_t i;

	for (i = 0; i < r->nr_points; i++)
		if (same_series(&r->points[i], p) &&
		    r->points[i].point.working_set_bytes < p->point.working_set_bytes &&
		    touched(&r->points[i].point) <= most &&
		    p->latency_ns.ci_hi <= MONOTONIC * r->points[i].latency_ns.ci_lo)
			return true;
	return false;
}

static bool below_l1(const struct result *r, const struct point_result *p)
{
	const uint64_t l1 = r->machine.l1d_bytes * p->point.workers;

	if (isfinite(p->latency_cycles.median) ? p->latency_cycles.median < LEAST_CYCLES :
						 p->latency_ns.median < LEAST_HOP_NS)
		return true;
	return touched(&p->point) > l1 && below_smaller(r, p, l1);
}

/* Of all DIMMs, as if each had a channel of its own; NAN where one cannot be read. */
static double peak(const struct machine *m)
{
	double sum = 0, transfers; /* millions a second */
	int i;

	for (i = 0; i < m->nr_dimms; i++) {
		if (sscanf(m->dimms[i].speed, "%lf", &transfers) != 1 || !(transfers > 0))
			return NAN;
		sum += transfers * 1e6 * CHANNEL_BYTES;
	}
	return sum > 0 ? sum : NAN;
}

static bool is_dram(const struct point *p)
{
	return !strcmp(p->target_kind, "dram") || !strcmp(p->target_kind, "anon");
}

static uint32_t check_point(const struct result *r, struct point_result *p)
{
	const struct machine *m = &r->machine;
	bool fits = touched(&p->point) <= reachable_cache(m, p->point.workers);
	uint32_t found = 0;

	if (m->emulated == 1)
		found |= TAINT_EMULATED;
	else if (m->virtualised == 1)
		found |= TAINT_VIRTUALISED;
	if (fits) {
		p->bus_bytes_per_payload_byte = NAN;
		if (p->has_bandwidth || (p->has_latency && largest_of_series(r, p)))
			found |= TAINT_FITS_LLC;
	}
	if (p->has_latency && below_smaller(r, p, UINT64_MAX))
		found |= TAINT_NOT_MONOTONIC;
	if (p->has_latency && below_l1(r, p))
		found |= TAINT_BELOW_L1;
	if (p->has_bandwidth && !fits && is_dram(&p->point) && p->bandwidth_Bps.median > peak(m))
		found |= TAINT_ABOVE_PEAK;
	return found;
}

void result_cross_check(struct result *r)
{
	size_t i;

	for (i = 0; i < r->nr_points; i++)
		r->points[i].taints |= check_point(r, &r->points[i]);
}
