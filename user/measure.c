// SPDX-License-Identifier: GPL-2.0
#include "measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mprobe/loop.h>

#define POLL_FIRST_MS  25 /* doubled up to */
#define POLL_MS	       100
#define ENOUGH_WINDOWS 30u	     /* clean ones, before an interval may end a point */
#define HELP_BYTES     (64ull << 20) /* of an order that one CPU builds alone */
#define MAX_HELPERS    15u

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int fail(struct measure *m, const struct measure_source *s, int err)
{
	snprintf(m->error, sizeof(m->error), "%s",
		 s->engine->error[0] ? s->engine->error : strerror(-err));
	return err;
}

static struct measure_source *source_of(const struct measure *m, const struct point *p)
{
	for (size_t i = 0; i < m->nr_sources; i++)
		if (!strcmp(m->sources[i].target->name, p->target))
			return &m->sources[i];
	return NULL;
}

static int claim(struct measure *m, struct measure_source *s, const struct point *p)
{
	const struct claim_spec c = { .bytes = s->claim_bytes,
				      .page_bytes = p->page_bytes,
				      .overwrite = p->overwrite,
				      .stop_asked = m->stop_asked,
				      .thp = p->thp };
	int ret;

	if (s->claimed)
		return 0;
	ret = s->engine->ops->claim(s->engine, s->target, &c, &s->range);
	if (ret)
		return fail(m, s, ret);
	s->claimed = true;
	return 0;
}

void measure_release(struct measure *m)
{
	for (size_t i = 0; i < m->nr_sources; i++) {
		struct measure_source *s = &m->sources[i];

		if (!s->claimed)
			continue;
		s->engine->ops->release(s->engine, s->range.id); /* what fails goes at close */
		range_info_free(&s->range);
		s->claimed = false;
	}
}

static bool needs_order(const struct point *p)
{
	enum mprobe_loop_missing why;
	const struct mprobe_loop *l = mprobe_loop_find(p->loop, p->variant, p->isa, &why);

	return l && l->flags & MPROBE_LOOP_F_ORDER;
}

static uint32_t helpers(const struct measure_source *s, const struct point *p)
{
	uint32_t n = s->nr_cpus > p->workers ? s->nr_cpus - p->workers : 0;

	if (!needs_order(p) || p->working_set_bytes < HELP_BYTES || s->max_workers <= p->workers)
		return 0;
	if (n > MAX_HELPERS)
		n = MAX_HELPERS;
	return n > s->max_workers - p->workers ? s->max_workers - p->workers : n;
}

static int start(struct measure *m, struct measure_source *s, const struct point *p, uint32_t *id)
{
	const uint64_t bytes = p->working_set_bytes / p->workers;
	uint32_t help = helpers(s, p), n = p->workers + help;
	struct worker_spec *w = calloc(n, sizeof(*w));
	const struct job_spec j = { .time_ns = p->time_ns,
				    .window_ns = p->measure_window_ns,
				    .passes = p->passes,
				    .warmup_bytes = p->warmup_bytes,
				    .irqs_off = p->irqs_off,
				    .prefetch = p->prefetch,
				    .nr_workers = n,
				    .workers = w };
	int ret;

	if (!w) {
		snprintf(m->error, sizeof(m->error), "out of memory");
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < p->workers; i++)
		w[i] = (struct worker_spec){ .cpu = p->cpus[i],
					     .range_id = s->range.id,
					     .loop = p->loop,
					     .variant = p->variant,
					     .isa = p->isa,
					     .offset = i * bytes,
					     .bytes = bytes,
					     .seed = p->seed,
					     .object_bytes = p->block_bytes,
					     .order_window_bytes = p->window_bytes };
	for (uint32_t i = 0; i < help; i++)
		w[p->workers + i] = (struct worker_spec){ .cpu = s->cpus[p->workers + i],
							  .loop = MPROBE_LOOP_BUILD };
	ret = s->engine->ops->start(s->engine, &j, id);
	free(w);
	return ret ? fail(m, s, ret) : 0;
}

/* The interval is computed anew from all samples each time: polls are rare, and it stays one truth. */
static bool precise(const struct sample_set *set, const struct job_state *j,
		    const struct point_result *out)
{
	uint64_t clean;

	if (!(out->point.precision > 0) || set->n < (size_t)ENOUGH_WINDOWS * out->point.workers)
		return false;
	return result_precision(set, j, out, &clean) <= out->point.precision &&
	       clean >= ENOUGH_WINDOWS;
}

static void show(struct measure *m, size_t nth, const struct job_state *j)
{
	if (j->state == MPROBE_STATE_PREPARE)
		progress_show(m->progress, nth, 0, "writing the order");
	else
		progress_show(
			m->progress, nth,
			j->elapsed_ns < j->time_ns ? (double)j->elapsed_ns / (double)j->time_ns : 1,
			"measuring"); /* with the warm-up it may take longer */
}

/* Until the job is done; *state is then its last, to be freed. */
static int follow(struct measure *m, struct measure_source *s, size_t nth, uint32_t id,
		  struct sample_set *set, struct job_state *state, const struct point_result *out)
{
	const struct engine_ops *ops = s->engine->ops;
	int wait_ms = POLL_FIRST_MS, ret;
	bool stopping = false;

	for (;;) {
		job_state_free(state);
		*state = (struct job_state){ 0 };
		ret = ops->poll(s->engine, id, wait_ms, set, state);
		if (ret)
			return fail(m, s, ret);
		if (state->state == MPROBE_STATE_DONE)
			return 0;
		show(m, nth, state);
		wait_ms = wait_ms * 2 > POLL_MS ? POLL_MS : wait_ms * 2;
		if (stopping)
			continue;
		if (m->stop_asked())
			ret = ops->stop(s->engine, id, MPROBE_REASON_CANCEL);
		else if (precise(set, state, out))
			ret = ops->stop(s->engine, id, MPROBE_REASON_PRECISION);
		else
			continue;
		if (ret)
			return fail(m, s, ret);
		stopping = true;
	}
}

static int copy_range(struct range_info *out, const struct range_info *in)
{
	*out = *in;
	out->segments = NULL;
	if (!in->nr_segments)
		return 0;
	out->segments = malloc(in->nr_segments * sizeof(*out->segments));
	if (!out->segments)
		return -ENOMEM;
	memcpy(out->segments, in->segments, in->nr_segments * sizeof(*out->segments));
	return 0;
}

/* The job ended, and neither it nor we wanted that. NULL: all is well. */
static const char *why_broken(enum mprobe_reason reason)
{
	switch (reason) {
	case MPROBE_REASON_OWNER:
		return "the module lost its connection to mprobectl; run it again";
	case MPROBE_REASON_CPU:
		return "a CPU went offline; choose others by --cpus";
	case MPROBE_REASON_SUSPEND:
		return "the machine was suspended; run it again";
	case MPROBE_REASON_UNLOAD:
		return "the module is being unloaded; load it and run again";
	case MPROBE_REASON_MEMORY:
		return "the memory is being taken offline; choose another target";
	case MPROBE_REASON_PREFETCH:
		return "a CPU did not keep what was written to its prefetchers' switch, as under a "
		       "hypervisor or by firmware's lock; leave --prefetch out";
	default:
		return NULL;
	}
}

/* By worker; those that only built an order come last and are left out. */
static void take_prefetchers(struct job_state *state, struct point_result *out)
{
	if (state->nr_prefetch < out->point.workers)
		return;
	out->prefetch_off = state->prefetch_state;
	state->prefetch_state = NULL;
	state->nr_prefetch = 0;
}

static int finish(struct measure *m, const struct sample_set *set, struct job_state *state,
		  struct measure_source *s, struct point_result *out)
{
	const char *broken = why_broken(state->reason);
	int ret;

	if (copy_range(&out->range, &s->range)) {
		snprintf(m->error, sizeof(m->error), "out of memory");
		return -ENOMEM;
	}
	result_from_samples(set, state, out);
	take_prefetchers(state, out);
	if (result_add(m->result, out)) {
		range_info_free(&out->range);
		free(out->prefetch_off);
		snprintf(m->error, sizeof(m->error), "out of memory");
		return -ENOMEM;
	}
	ret = m->on_samples ? m->on_samples(m, set, state, out) : 0;
	if (ret)
		return ret;
	if (broken) {
		snprintf(m->error, sizeof(m->error), "%s: %s", out->point.target, broken);
		return -EIO;
	}
	return state->reason == MPROBE_REASON_CANCEL ? -ECANCELED : 0;
}

int measure_point(struct measure *m, struct measure_source *s, const struct point *p, size_t nth)
{
	struct sample_set set = { 0 };
	struct job_state state = { 0 };
	struct point_result out = { .point = *p };
	const double begin = now_s();
	uint32_t id;
	int ret;

	if (!s->claimed)
		progress_show(m->progress, nth, 0, "claiming memory");
	ret = claim(m, s, p);
	if (!ret)
		ret = start(m, s, p, &id);
	if (ret)
		return ret;
	out.engine = s->engine->ops->name;
	out.range = s->range; /* borrowed until finish() copies it */
	ret = follow(m, s, nth, id, &set, &state, &out);
	out.measured_s = now_s() - begin;
	if (!ret)
		ret = finish(m, &set, &state, s, &out);
	s->engine->ops->forget(s->engine, id); /* what fails goes at close */
	sample_free(&set);
	job_state_free(&state);
	return ret;
}

int measure_plan(struct measure *m)
{
	int ret = 0;

	m->result->complete = false;
	for (size_t i = 0; !ret && i < m->plan->n; i++) {
		const struct point *p = &m->plan->v[i];

		ret = m->stop_asked() ? -ECANCELED : measure_point(m, source_of(m, p), p, i);
	}
	progress_clear(m->progress);
	measure_release(m);
	m->result->complete = !ret;
	return ret;
}
