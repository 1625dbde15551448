// SPDX-License-Identifier: GPL-2.0
#include "render_samples.h"

#include <inttypes.h>
#include <math.h>

#include "names.h"

static const struct {
	uint32_t bit;
	const char *name;
} flags[] = {
	{ MPROBE_SAMPLE_F_WARMUP, "warm-up" },	  { MPROBE_SAMPLE_F_LATE, "late" },
	{ MPROBE_SAMPLE_F_MIGRATED, "migrated" }, { MPROBE_SAMPLE_F_PREEMPTED, "preempted" },
	{ MPROBE_SAMPLE_F_OVERRUN, "overrun" },
};

void render_samples_head(FILE *f)
{
	fputs("point,target,engine,loop,variant,working_set_bytes,workers,round,verdict,"
	      "disturbed_by,worker,cpu,flags,start_ticks,ticks,reads,overhead_ticks,work,ns,"
	      "ns_per_unit,irqs,nmis,mces,smis,gap_ns,aperf,mperf",
	      f);
	for (int i = 1; i <= MPROBE_COUNTERS; i++)
		fprintf(f, ",%s", names_counter(i));
	fputc('\n', f);
}

static void put_u64(FILE *f, bool known, uint64_t v)
{
	fputc(',', f);
	if (known)
		fprintf(f, "%" PRIu64, v);
}

static void put_real(FILE *f, double v)
{
	fputc(',', f);
	if (isfinite(v))
		fprintf(f, "%.12g", v);
}

/* Words of a set, separated by blanks. */
static void put_causes(FILE *f, uint32_t by)
{
	const char *separator = ",";

	for (int i = 0; i < DISTURBANCES; i++)
		if (by >> i & 1) {
			fprintf(f, "%s%s", separator, names_disturbance(i));
			separator = " ";
		}
	if (!by)
		fputc(',', f);
}

static void put_flags(FILE *f, uint32_t set)
{
	const char *separator = "";

	fputc(',', f);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (set & flags[i].bit) {
			fprintf(f, "%s%s", separator, flags[i].name);
			separator = " ";
		}
}

static void put_time(FILE *f, const struct rounds *r, const struct sample *s)
{
	const bool possible = s->ticks > s->reads * r->overhead;
	const double ns = possible ? rounds_ns(r, s) : NAN;

	put_u64(f, true, s->start);
	put_u64(f, true, s->ticks);
	put_u64(f, true, s->reads);
	put_u64(f, true, r->overhead);
	put_u64(f, true, s->work);
	put_real(f, ns);
	put_real(f, s->work ? ns / (double)s->work : NAN);
}

static void put_counted(FILE *f, const struct rounds *r, const struct sample *s)
{
	for (int i = 0; i < DISTURBED_COUNTED; i++)
		put_u64(f, rounds_events(s, i) != SAMPLE_UNKNOWN, rounds_events(s, i));
	put_real(f, s->gap == SAMPLE_UNKNOWN64 ? NAN : (double)s->gap * r->tick_ns);
	put_u64(f, s->aperf != SAMPLE_UNKNOWN64, s->aperf);
	put_u64(f, s->mperf != SAMPLE_UNKNOWN64, s->mperf);
	for (int i = 0; i < MPROBE_COUNTERS; i++)
		put_u64(f, s->counts[i] != SAMPLE_UNKNOWN64, s->counts[i]);
}

/* Targets, engines, loops and variants have no commas or quotes in their names. */
void render_samples(FILE *f, size_t nth, const struct rounds *r, const struct point_result *p)
{
	const struct point *q = &p->point;

	for (size_t i = 0; i < r->n; i++) {
		const struct round *one = &r->v[i];

		for (size_t w = 0; w < one->n; w++) {
			const struct sample *s = &one->v[w];

			fprintf(f, "%zu,%s,%s,%s,%s,%" PRIu64 ",%u,%u,%s", nth, q->target,
				p->engine, names_loop(q->loop), names_variant(q->variant),
				q->working_set_bytes, q->workers, s->round,
				names_verdict(one->verdict));
			put_causes(f, one->by);
			put_u64(f, true, s->worker);
			put_u64(f, q->cpus && s->worker < q->workers,
				q->cpus && s->worker < q->workers ? q->cpus[s->worker] : 0);
			put_flags(f, s->flags);
			put_time(f, r, s);
			put_counted(f, r, s);
			fputc('\n', f);
		}
	}
}
