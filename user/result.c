// SPDX-License-Identifier: GPL-2.0
#include "result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mprobe/loop.h>

#define MIN_WINDOWS    6	/* below that there is no interval */
#define LONG_ENOUGH_NS 50000000 /* a pair of readings errs by less than 1 us: 20 ppm */
#define AGREE_PPM      200.0
#define OVERLAP	       0.95

struct round {
	const struct sample *v; /* of `n` workers, sorted */
	size_t n;
	bool disturbed;
	double value, overlap;
};

struct job {
	struct sample *samples; /* sorted by round, then worker */
	struct round *rounds;	/* neither incomplete, warm-up nor impossible */
	double *values;
	size_t nr_samples, nr_rounds;
	uint64_t overhead;
	double tick_ns;
};

static int by_round(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	return x->worker < y->worker ? -1 : x->worker > y->worker;
}

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
	job->tick_ns = 1e6 / khz;
	job->overhead = j->clock_overhead;
	out->clock_khz = khz;
	out->clock_overhead_ns = (double)j->clock_overhead * job->tick_ns;
}

static bool possible(const struct job *job, const struct sample *s)
{
	return s->work && s->ticks > s->reads * job->overhead;
}

static bool known(uint32_t count)
{
	return count != SAMPLE_UNKNOWN;
}

/* Bits 1 << enum disturbance. */
static unsigned int disturbances(const struct sample *s)
{
	unsigned int bits = 0;

	if (known(s->irqs) && s->irqs)
		bits |= 1u << DISTURBED_IRQ;
	if (known(s->nmis) && s->nmis)
		bits |= 1u << DISTURBED_NMI;
	if (s->flags & MPROBE_SAMPLE_F_LATE)
		bits |= 1u << DISTURBED_LATE;
	if (s->flags & MPROBE_SAMPLE_F_PREEMPTED)
		bits |= 1u << DISTURBED_PREEMPTED;
	if (s->flags & MPROBE_SAMPLE_F_MIGRATED)
		bits |= 1u << DISTURBED_MIGRATED;
	if (s->flags & MPROBE_SAMPLE_F_OVERRUN)
		bits |= 1u << DISTURBED_OVERRUN;
	return bits;
}

static double value_of(const struct job *job, const struct round *r, bool latency)
{
	double sum = 0, ns;
	size_t i;

	for (i = 0; i < r->n; i++) {
		ns = (double)(r->v[i].ticks - r->v[i].reads * job->overhead) * job->tick_ns;
		sum += latency ? ns / (double)r->v[i].work :
				 (double)r->v[i].work * MPROBE_LINE / ns * 1e9;
	}
	return latency ? sum / (double)r->n : sum;
}

static double overlap_of(const struct round *r)
{
	uint64_t first = r->v[0].start, last = first, first_end = first + r->v[0].ticks,
		 last_end = first_end;
	size_t i;

	for (i = 1; i < r->n; i++) {
		uint64_t start = r->v[i].start, end = start + r->v[i].ticks;

		first = start < first ? start : first;
		last = start > last ? start : last;
		first_end = end < first_end ? end : first_end;
		last_end = end > last_end ? end : last_end;
	}
	return first_end > last ? (double)(first_end - last) / (double)(last_end - first) : 0;
}

static void count_disturbances(const struct round *r, unsigned int bits, struct point_result *out)
{
	size_t i;

	out->windows_disturbed++;
	for (i = 0; i < DISTURBANCES; i++)
		if (bits & 1u << i)
			out->disturbed_by[i]++;
	for (i = 0; i < r->n; i++) {
		out->irq += known(r->v[i].irqs) ? r->v[i].irqs : 0;
		out->nmi += known(r->v[i].nmis) ? r->v[i].nmis : 0;
	}
}

static bool complete(const struct round *r, uint32_t workers)
{
	size_t i;

	for (i = 1; i < r->n; i++)
		if (r->v[i].worker == r->v[i - 1].worker)
			return false;
	return r->n == workers;
}

/* Sorts one round in; true where it may enter the figures. */
static bool judge(const struct job *job, struct round *r, struct point_result *out)
{
	unsigned int bits = 0;
	bool good = true;
	size_t i;

	if (!complete(r, out->point.workers)) {
		out->windows_incomplete++;
		return false;
	}
	for (i = 0; i < r->n; i++)
		if (r->v[i].flags & MPROBE_SAMPLE_F_WARMUP)
			return false;
	for (i = 0; i < r->n; i++) {
		good &= possible(job, &r->v[i]);
		bits |= disturbances(&r->v[i]);
		out->irq_known &= known(r->v[i].irqs);
		out->nmi_known &= known(r->v[i].nmis);
	}
	if (!good) {
		out->windows_impossible++;
		out->taints |= TAINT_IMPOSSIBLE;
		return false;
	}
	r->disturbed = bits;
	if (bits)
		count_disturbances(r, bits, out);
	else
		out->windows_clean++;
	r->value = value_of(job, r, out->has_latency);
	r->overlap = r->n > 1 ? overlap_of(r) : NAN;
	return true;
}

static void split_rounds(struct job *job, struct point_result *out)
{
	uint64_t owed = 0;
	size_t i, end;

	for (i = 0; i < job->nr_samples; i = end) {
		struct round *r = &job->rounds[job->nr_rounds];

		for (end = i; end < job->nr_samples; end++)
			if (job->samples[end].round != job->samples[i].round)
				break;
		*r = (struct round){ .v = &job->samples[i], .n = end - i };
		if (!judge(job, r, out))
			continue;
		job->nr_rounds++;
		if (r->disturbed) {
			owed++;
		} else if (owed) {
			owed--;
			out->windows_repeated++;
		}
	}
	out->irq_known &= job->nr_rounds > 0;
	out->nmi_known &= job->nr_rounds > 0;
}

static void summarise(struct job *job, struct point_result *out)
{
	bool all = out->windows_clean < MIN_WINDOWS;
	struct summary overlap, *figure = out->has_latency ? &out->latency_ns : &out->bandwidth_Bps;
	size_t i, n = 0;

	for (i = 0; i < job->nr_rounds; i++)
		if (all || !job->rounds[i].disturbed)
			job->values[n++] = job->rounds[i].value;
	if (out->has_latency || out->has_bandwidth)
		stats_summarise(job->values, n, figure);
	if (all && out->windows_disturbed)
		out->taints |= TAINT_DISTURBED;
	if (n < MIN_WINDOWS)
		out->taints |= TAINT_FEW_WINDOWS;
	out->precision_reached = stats_precision(figure);

	n = 0;
	for (i = 0; i < job->nr_rounds; i++)
		if (all || !job->rounds[i].disturbed)
			job->values[n++] = job->rounds[i].overlap;
	if (out->point.workers < 2)
		n = 0;
	stats_summarise(job->values, n, &overlap);
	out->overlap = overlap.median;
	if (out->overlap < OVERLAP)
		out->taints |= TAINT_OVERLAP;
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
	for (i = 0; i < job->nr_samples; i++)
		if (job->samples[i].worker < p->workers)
			work[job->samples[i].worker] += job->samples[i].work;
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

static int load(const struct sample_set *s, struct job *job)
{
	job->nr_samples = s->n;
	job->samples = calloc(s->n + 1, sizeof(*job->samples));
	job->rounds = calloc(s->n + 1, sizeof(*job->rounds));
	job->values = calloc(s->n + 1, sizeof(*job->values));
	if (!job->samples || !job->rounds || !job->values)
		return -ENOMEM;
	if (s->n)
		memcpy(job->samples, s->v, s->n * sizeof(*s->v));
	qsort(job->samples, s->n, sizeof(*job->samples), by_round);
	return 0;
}

void result_from_samples(const struct sample_set *s, const struct job_state *j,
			 struct point_result *out)
{
	struct job job = {};

	out->taints = 0;
	out->windows_clean = out->windows_disturbed = out->windows_repeated = 0;
	out->windows_impossible = out->windows_incomplete = 0;
	out->irq = out->nmi = out->closed = 0;
	out->irq_known = out->nmi_known = true;
	memset(out->disturbed_by, 0, sizeof(out->disturbed_by));
	stats_summarise(NULL, 0, &out->latency_ns);
	stats_summarise(NULL, 0, &out->bandwidth_Bps);
	set_loop(out);
	set_clock(j, out, &job);
	if (load(s, &job)) /* no memory: no figures, and a taint that says so */
		job.nr_samples = 0;
	split_rounds(&job, out);
	summarise(&job, out);
	count_passes(&job, j, out);
	set_end(j, out);
	free(job.samples);
	free(job.rounds);
	free(job.values);
}

int result_add(struct result *r, const struct point_result *p)
{
	struct point_result *v = reallocarray(r->points, r->nr_points + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	r->points = v;
	v[r->nr_points++] = *p;
	return 0;
}

void result_free(struct result *r)
{
	size_t i;

	for (i = 0; i < r->nr_points; i++)
		range_info_free(&r->points[i].range);
	free(r->points);
	r->points = NULL;
	r->nr_points = 0;
}
