// SPDX-License-Identifier: GPL-2.0
#include "result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prefetchers.h"
#include <mprobe/loop.h>

#define MIN_WINDOWS    6	/* below that there is no interval */
#define LONG_ENOUGH_NS 50000000 /* a pair of readings errs by less than 1 us: 20 ppm */
#define AGREE_PPM      200.0
#define OVERLAP	       0.95

/* The rounds of a job, and room for one value of each. */
struct job {
	struct rounds rounds;
	double *values;
	bool all; /* disturbed rounds are used too */
	double khz;
	const struct job_state *state;
};

static void set_clock(const struct job_state *j, struct point_result *out, struct job *job)
{
	double ticks = (double)(j->clock_ticks[1] - j->clock_ticks[0]);
	double ns = (double)(j->clock_raw_ns[1] - j->clock_raw_ns[0]);
	double nominal = j->clock_khz ? (double)j->clock_khz : NAN, khz = nominal;
	bool both = j->clock_raw_ns[1] > j->clock_raw_ns[0] &&
		    j->clock_ticks[1] > j->clock_ticks[0];

	out->clock = j->clock;
	out->clock_agreement_ppm = NAN;
	if (j->clock == MPROBE_CLOCK_RAW) {
		khz = 1e6;
	} else if (both && ns >= LONG_ENOUGH_NS) {
		khz = ticks / ns * 1e6;
		out->clock_agreement_ppm = (khz / nominal - 1) * 1e6;
	}
	if (j->clock != MPROBE_CLOCK_TSC)
		out->taints |= TAINT_CLOCK_NOT_INVARIANT;
	if (fabs(out->clock_agreement_ppm) > AGREE_PPM)
		out->taints |= TAINT_CLOCKS_DISAGREE;
	job->khz = khz;
	job->rounds.tick_ns = 1e6 / khz;
	job->rounds.overhead = j->clock_overhead;
	out->clock_khz = khz;
	out->clock_overhead_ns = (double)j->clock_overhead * job->rounds.tick_ns;
}

/* What a round comes to. NAN: this one does not say. */
typedef double (*value_fn)(const struct job *job, const struct round *r, int which);

static double latency_of(const struct job *job, const struct round *r, int which)
{
	double sum = 0;

	(void)which;
	for (size_t i = 0; i < r->n; i++)
		sum += rounds_ns(&job->rounds, &r->v[i]) / (double)r->v[i].work;
	return sum / (double)r->n;
}

static double bandwidth_of(const struct job *job, const struct round *r, int which)
{
	double sum = 0;

	(void)which;
	for (size_t i = 0; i < r->n; i++)
		sum += (double)r->v[i].work * MPROBE_LINE / rounds_ns(&job->rounds, &r->v[i]) * 1e9;
	return sum;
}

static double overlap_of(const struct job *job, const struct round *r, int which)
{
	uint64_t first = r->v[0].start, last = first, first_end = first + r->v[0].ticks,
		 last_end = first_end;
	size_t i;

	(void)job, (void)which;
	for (i = 1; i < r->n; i++) {
		uint64_t start = r->v[i].start, end = start + r->v[i].ticks;

		first = start < first ? start : first;
		last = start > last ? start : last;
		first_end = end < first_end ? end : first_end;
		last_end = end > last_end ? end : last_end;
	}
	return first_end > last ? (double)(first_end - last) / (double)(last_end - first) : 0;
}

static double ratio_of(const struct job *job, const struct round *r, int which)
{
	double sum = 0;

	(void)job, (void)which;
	for (size_t i = 0; i < r->n; i++)
		sum += rounds_ratio(&r->v[i]);
	return sum / (double)r->n;
}

/* Of the core. MPERF runs at the TSC's rate, which no other clock knows. */
static double core_hz(const struct job *job, const struct sample *s)
{
	uint64_t cycles = s->counts[MPROBE_COUNTER_CYCLES - 1];

	if (cycles != SAMPLE_UNKNOWN64)
		return (double)cycles / (double)s->ticks * job->khz * 1e3;
	return job->state->clock == MPROBE_CLOCK_TSC ? rounds_ratio(s) * job->khz * 1e3 : NAN;
}

static double hz_of(const struct job *job, const struct round *r, int which)
{
	double sum = 0;

	(void)which;
	for (size_t i = 0; i < r->n; i++)
		sum += core_hz(job, &r->v[i]);
	return sum / (double)r->n;
}

static double cycles_of(const struct job *job, const struct round *r, int which)
{
	double sum = 0;

	(void)which;
	for (size_t i = 0; i < r->n; i++)
		sum += rounds_ns(&job->rounds, &r->v[i]) * core_hz(job, &r->v[i]) / 1e9 /
		       (double)r->v[i].work;
	return sum / (double)r->n;
}

/* A unit's share of what all workers counted; which: enum mprobe_counter - 1. */
static double counted_of(const struct job *job, const struct round *r, int which)
{
	double sum = 0, work = 0;

	(void)job;
	for (size_t i = 0; i < r->n; i++) {
		if (r->v[i].counts[which] == SAMPLE_UNKNOWN64)
			return NAN;
		sum += (double)r->v[i].counts[which];
		work += (double)r->v[i].work;
	}
	return sum / work;
}

/* Into job->values, in the order of time; how many. */
static size_t collect(const struct job *job, value_fn value, int which)
{
	size_t n = 0;

	for (size_t i = 0; i < job->rounds.n; i++) {
		double v = rounds_used(job->rounds.v[i].verdict, job->all) ?
				   value(job, &job->rounds.v[i], which) :
				   NAN;

		if (!isnan(v))
			job->values[n++] = v;
	}
	return n;
}

static void summarise(const struct job *job, value_fn value, struct summary *out)
{
	stats_summarise(job->values, collect(job, value, 0), out);
}

static double median(const struct job *job, value_fn value, int which)
{
	return stats_median(job->values, collect(job, value, which));
}

static void count_disturbances(const struct round *r, struct point_result *out)
{
	size_t i, w;
	uint32_t events;

	out->windows_disturbed++;
	for (i = 0; i < DISTURBANCES; i++)
		if (r->by & 1u << i)
			out->disturbed_by[i]++;
	for (i = 0; i < DISTURBED_COUNTED; i++)
		for (w = 0; w < r->n; w++) {
			events = rounds_events(&r->v[w], i);
			out->events[i] += events == SAMPLE_UNKNOWN ? 0 : events;
		}
}

/* Bits of what this round cannot tell. */
static uint32_t untold(const struct round *r)
{
	uint32_t bits = 0;

	for (size_t w = 0; w < r->n; w++) {
		for (int i = 0; i < DISTURBED_COUNTED; i++)
			if (rounds_events(&r->v[w], i) == SAMPLE_UNKNOWN)
				bits |= 1u << i;
		if (r->v[w].gap == SAMPLE_UNKNOWN64)
			bits |= 1u << DISTURBED_GAP;
		if (isnan(rounds_ratio(&r->v[w])))
			bits |= 1u << DISTURBED_FREQUENCY;
	}
	return bits;
}

/*
 * An event is counted where all rounds tell of it. Windows with a gap or at another frequency are those
 * among the windows that can tell: one of less than three stretches, as before the end of a pass, can't.
 */
static uint32_t known(const struct rounds *r)
{
	const uint32_t all = (1u << DISTURBANCES) - 1, counted = (1u << DISTURBED_COUNTED) - 1;
	uint32_t lacking = 0, told = 0, here;

	for (size_t i = 0; i < r->n; i++) {
		if (!rounds_used(r->v[i].verdict, true))
			continue;
		here = untold(&r->v[i]);
		told |= all & ~here;
		lacking |= here & counted;
	}
	return told & ~lacking;
}

static void count_rounds(const struct rounds *r, struct point_result *out)
{
	uint64_t owed = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct round *one = &r->v[i];

		out->windows_impossible += one->verdict == ROUND_IMPOSSIBLE;
		out->windows_incomplete += one->verdict == ROUND_INCOMPLETE;
		if (!rounds_used(one->verdict, true))
			continue;
		if (one->verdict == ROUND_DISTURBED) {
			count_disturbances(one, out);
			owed++;
			continue;
		}
		out->windows_clean++;
		if (owed) {
			owed--;
			out->windows_repeated++;
		}
	}
	out->known = known(r);
}

static struct summary *figure_of(struct point_result *out)
{
	return out->has_latency ? &out->latency_ns : &out->bandwidth_Bps;
}

static void set_figure(struct job *job, struct point_result *out)
{
	job->all = out->windows_clean < MIN_WINDOWS;
	if (out->has_latency || out->has_bandwidth)
		summarise(job, out->has_latency ? latency_of : bandwidth_of, figure_of(out));
	out->precision_reached = stats_precision(figure_of(out));
}

static void set_quality(const struct job *job, struct point_result *out)
{
	const uint64_t bad = out->windows_disturbed, good = out->windows_clean;
	struct summary overlap;

	if (out->windows_impossible)
		out->taints |= TAINT_IMPOSSIBLE;
	if (job->all && bad)
		out->taints |= TAINT_DISTURBED;
	if (bad > good)
		out->taints |= TAINT_MOSTLY_DISTURBED;
	if (figure_of(out)->independent < MIN_WINDOWS)
		out->taints |= TAINT_FEW_WINDOWS;
	out->overlap = NAN;
	if (out->point.workers < 2)
		return;
	summarise(job, overlap_of, &overlap);
	out->overlap = overlap.median;
	if (out->overlap < OVERLAP)
		out->taints |= TAINT_OVERLAP;
}

static void set_counted(const struct job *job, struct point_result *out)
{
	for (int i = 0; i < MPROBE_COUNTERS; i++)
		out->counted.per_unit[i] = median(job, counted_of, i);
	out->counted.aperf_mperf = median(job, ratio_of, 0);
	out->counted.core_hz = median(job, hz_of, 0);
	if (out->has_latency)
		summarise(job, cycles_of, &out->latency_cycles);
}

/* What a program sees that keeps no window apart. */
static double latency_all(const struct job *job)
{
	double ns = 0, work = 0;

	for (size_t i = 0; i < job->rounds.n; i++) {
		const struct round *r = &job->rounds.v[i];

		for (size_t w = 0; w < r->n && rounds_used(r->verdict, true); w++) {
			ns += rounds_ns(&job->rounds, &r->v[w]);
			work += (double)r->v[w].work;
		}
	}
	return work > 0 ? ns / work : NAN;
}

/* Least passes of the workers that have samples; and of those that were seen to close the cycle. */
static void count_passes(const struct job *job, const struct job_state *j, struct point_result *out)
{
	const struct point *p = &out->point;
	uint64_t object = p->loop != MPROBE_LOOP_STREAM && p->block_bytes ? p->block_bytes :
									    MPROBE_LINE;
	uint64_t units = p->workers ? p->working_set_bytes / p->workers / object : 0;
	uint64_t *work = calloc((size_t)p->workers + 1, sizeof(*work)), seen = UINT64_MAX;
	uint32_t w;
	size_t i;

	out->passes = NAN;
	if (!work || !units)
		goto out;
	for (i = 0; i < job->rounds.nr_samples; i++) {
		const struct sample *one = &job->rounds.samples[i];

		if (one->worker < p->workers)
			work[one->worker] += one->work;
	}
	for (w = 0; w < p->workers; w++) {
		uint64_t closed = w < j->nr_closed ? j->closed[w] : 0;

		out->passes = fmin(out->passes, (double)work[w] / (double)units);
		seen = closed < seen ? closed : seen;
		if (w < j->nr_closed && j->broken[w])
			out->taints |= TAINT_NOT_SINGLE_CYCLE;
	}
	out->closed = p->loop == MPROBE_LOOP_CHASE ? seen : 0;
out:
	free(work);
}

static void set_end(const struct job_state *j, struct point_result *out)
{
	const struct point *p = &out->point;
	const struct range_info *r = &out->range;

	out->reason = j->reason;
	switch (j->reason) {
	case MPROBE_REASON_PRECISION:
		out->stopped_by = STOP_PRECISION;
		break;
	case MPROBE_REASON_TIME:
		out->stopped_by = STOP_TIME;
		break;
	case MPROBE_REASON_PASSES:
		out->stopped_by = STOP_PASSES;
		break;
	case MPROBE_REASON_WINDOWS:
	case MPROBE_REASON_SAMPLES:
		out->stopped_by = STOP_WINDOWS;
		break;
	default:
		out->stopped_by = STOP_CANCEL;
		out->taints |= TAINT_CANCELLED;
	}
	out->precision_asked = p->precision > 0 ? p->precision : NAN;
	if ((out->stopped_by == STOP_TIME || out->stopped_by == STOP_WINDOWS) && p->precision > 0 &&
	    !(out->precision_reached <= p->precision))
		out->taints |= TAINT_PRECISION;
	if (j->samples_lost)
		out->taints |= TAINT_SAMPLES_LOST;
	if ((p->page_bytes > 1u << 12 && r->mapped_4k) ||
	    (p->page_bytes > 1u << 21 && r->mapped_2m))
		out->taints |= TAINT_PAGES_SMALLER;
	if (j->remapped)
		out->taints |= TAINT_REMAPPED;
	if (out->disturbed_by[DISTURBED_MIGRATED])
		out->taints |= TAINT_MIGRATED;
	out->prepare_ns = j->prepare_ns;
	if (!(out->measured_s > 0))
		out->measured_s = (double)(j->prepare_ns + j->elapsed_ns) / 1e9;
}

static void set_loop(struct point_result *out)
{
	const struct point *p = &out->point;
	enum mprobe_loop_missing why;
	const struct mprobe_loop *l = mprobe_loop_find(p->loop, p->variant, p->isa, &why);

	out->has_latency = p->loop == MPROBE_LOOP_CHASE;
	out->has_bandwidth = p->loop == MPROBE_LOOP_STREAM || p->loop == MPROBE_LOOP_ORDER;
	out->bus_bytes_per_payload_byte = l ? l->bus_per_100 / 100.0 : NAN;
	if (l && !out->isa[0])
		strncpy(out->isa, l->isa, sizeof(out->isa) - 1);
}

static void clear(struct point_result *out)
{
	out->taints = 0;
	out->windows_clean = out->windows_disturbed = out->windows_repeated = 0;
	out->windows_impossible = out->windows_incomplete = 0;
	out->closed = 0;
	out->known = 0;
	out->precision_reached = NAN;
	memset(out->events, 0, sizeof(out->events));
	memset(out->disturbed_by, 0, sizeof(out->disturbed_by));
	stats_summarise(NULL, 0, &out->latency_ns);
	stats_summarise(NULL, 0, &out->latency_cycles);
	stats_summarise(NULL, 0, &out->bandwidth_Bps);
}

/* No memory: no rounds, hence no figures, and a taint that says so. */
static void begin(struct job *job, const struct sample_set *s, const struct job_state *j,
		  struct point_result *out)
{
	*job = (struct job){ .state = j, .rounds.workers = out->point.workers };
	clear(out);
	set_loop(out);
	set_clock(j, out, job);
	job->values = calloc(s->n + 1, sizeof(*job->values));
	if (!job->values)
		return;
	rounds_judge(&job->rounds, s);
	count_rounds(&job->rounds, out);
	set_figure(job, out);
}

static void end(struct job *job)
{
	rounds_free(&job->rounds);
	free(job->values);
}

void result_from_samples(const struct sample_set *s, const struct job_state *j,
			 struct point_result *out)
{
	struct job job;

	begin(&job, s, j, out);
	set_quality(&job, out);
	set_counted(&job, out);
	out->latency_all_ns = out->has_latency ? latency_all(&job) : NAN;
	count_passes(&job, j, out);
	set_end(j, out);
	end(&job);
}

double result_precision(const struct sample_set *s, const struct job_state *j,
			const struct point_result *asked, uint64_t *clean)
{
	struct point_result now = *asked;
	struct job job;

	begin(&job, s, j, &now);
	end(&job);
	*clean = now.windows_clean;
	return now.precision_reached;
}

int result_add(struct result *r, const struct point_result *p)
{
	struct point_result *v = reallocarray(r->points, r->nr_points + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	r->points = v;
	prefetchers_note(&r->machine, p);
	v[r->nr_points++] = *p;
	return 0;
}

void result_free(struct result *r)
{
	size_t i;

	for (i = 0; i < r->nr_points; i++) {
		range_info_free(&r->points[i].range);
		free(r->points[i].prefetch_off);
	}
	free(r->points);
	r->points = NULL;
	r->nr_points = 0;
}
