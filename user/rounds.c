// SPDX-License-Identifier: GPL-2.0
#include "rounds.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

static int by_round(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	return x->worker < y->worker ? -1 : x->worker > y->worker;
}

static int load(struct rounds *r, const struct sample_set *s)
{
	r->nr_samples = s->n;
	r->samples = calloc(s->n + 1, sizeof(*r->samples));
	r->v = calloc(s->n + 1, sizeof(*r->v));
	if (!r->samples || !r->v) {
		rounds_free(r);
		return -ENOMEM;
	}
	if (s->n)
		memcpy(r->samples, s->v, s->n * sizeof(*s->v));
	qsort(r->samples, s->n, sizeof(*r->samples), by_round);
	return 0;
}

double rounds_ns(const struct rounds *r, const struct sample *s)
{
	return (double)(s->ticks - s->reads * r->overhead) * r->tick_ns;
}

double rounds_ratio(const struct sample *s)
{
	if (s->aperf == SAMPLE_UNKNOWN64 || s->mperf == SAMPLE_UNKNOWN64 || !s->mperf)
		return NAN;
	return (double)s->aperf / (double)s->mperf;
}

uint32_t rounds_events(const struct sample *s, enum disturbance kind)
{
	switch (kind) {
	case DISTURBED_IRQ:
		return s->irqs;
	case DISTURBED_NMI:
		return s->nmis;
	case DISTURBED_MCE:
		return s->mces;
	case DISTURBED_SMI:
		return s->smis;
	default:
		return SAMPLE_UNKNOWN;
	}
}

bool rounds_used(enum verdict v, bool all)
{
	return v == ROUND_CLEAN || (all && v == ROUND_DISTURBED);
}

static bool possible(const struct rounds *r, const struct sample *s)
{
	return s->work && s->ticks > s->reads * r->overhead;
}

/* Memory's own unevenness is no gap: to drop a stream's stretch that is 2 % slow would keep the fast ones. */
static double gap_allowed(const struct rounds *r, const struct sample *s)
{
	double stretch = (double)s->ticks / s->reads * r->tick_ns;

	return fmax(ROUNDS_GAP_NS, stretch * ROUNDS_GAP_SHARE);
}

/* What a sample says by itself. */
static uint32_t disturbances(const struct rounds *r, const struct sample *s)
{
	static const struct {
		uint32_t flag;
		enum disturbance is;
	} flags[] = {
		{ MPROBE_SAMPLE_F_LATE, DISTURBED_LATE },
		{ MPROBE_SAMPLE_F_PREEMPTED, DISTURBED_PREEMPTED },
		{ MPROBE_SAMPLE_F_MIGRATED, DISTURBED_MIGRATED },
		{ MPROBE_SAMPLE_F_OVERRUN, DISTURBED_OVERRUN },
	};
	uint32_t bits = 0, count;

	for (int i = 0; i < DISTURBED_COUNTED; i++) {
		count = rounds_events(s, i);
		if (count && count != SAMPLE_UNKNOWN)
			bits |= 1u << i;
	}
	if (s->gap != SAMPLE_UNKNOWN64 && (double)s->gap * r->tick_ns > gap_allowed(r, s))
		bits |= 1u << DISTURBED_GAP;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (s->flags & flags[i].flag)
			bits |= 1u << flags[i].is;
	return bits;
}

static bool complete(const struct round *one, uint32_t workers)
{
	for (size_t i = 1; i < one->n; i++)
		if (one->v[i].worker == one->v[i - 1].worker)
			return false;
	return one->n == workers;
}

static void judge(const struct rounds *r, struct round *one)
{
	bool warm = false, good = true;

	one->verdict = ROUND_INCOMPLETE;
	if (!complete(one, r->workers))
		return;
	for (size_t i = 0; i < one->n; i++) {
		warm |= one->v[i].flags & MPROBE_SAMPLE_F_WARMUP;
		good &= possible(r, &one->v[i]);
		one->by |= disturbances(r, &one->v[i]);
	}
	one->verdict = warm    ? ROUND_WARMUP :
		       !good   ? ROUND_IMPOSSIBLE :
		       one->by ? ROUND_DISTURBED :
				 ROUND_CLEAN;
}

/* Of one worker, by its place in its round. */
static void judge_frequency(struct rounds *r, uint32_t worker, double *ratios)
{
	size_t n = 0, i;
	double median;

	for (i = 0; i < r->n; i++)
		if (rounds_used(r->v[i].verdict, true))
			ratios[n++] = rounds_ratio(&r->v[i].v[worker]);
	median = stats_median(ratios, n);
	for (i = 0; i < r->n; i++) {
		struct round *one = &r->v[i];

		if (!rounds_used(one->verdict, true) ||
		    !(fabs(rounds_ratio(&one->v[worker]) / median - 1) > ROUNDS_FREQUENCY))
			continue;
		one->by |= 1u << DISTURBED_FREQUENCY;
		one->verdict = ROUND_DISTURBED;
	}
}

int rounds_judge(struct rounds *r, const struct sample_set *s)
{
	double *ratios;
	size_t i, end;

	r->n = 0;
	if (load(r, s))
		return -ENOMEM;
	for (i = 0; i < r->nr_samples; i = end) {
		struct round *one = &r->v[r->n++];

		for (end = i; end < r->nr_samples; end++)
			if (r->samples[end].round != r->samples[i].round)
				break;
		*one = (struct round){ .v = &r->samples[i], .n = end - i };
		judge(r, one);
	}
	ratios = calloc(r->n + 1, sizeof(*ratios));
	if (!ratios) {
		rounds_free(r);
		return -ENOMEM;
	}
	for (uint32_t w = 0; w < r->workers; w++)
		judge_frequency(r, w, ratios);
	free(ratios);
	return 0;
}

void rounds_free(struct rounds *r)
{
	free(r->samples);
	free(r->v);
	r->samples = NULL;
	r->v = NULL;
	r->nr_samples = r->n = 0;
}
