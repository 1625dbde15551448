// SPDX-License-Identifier: GPL-2.0
#include "crew_member.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include "crew.h"

#define SLICE_OBJECTS 16384ull
#define SPINS	      2000 /* at the gate before the CPU is offered to others */

static bool stopped(const struct crew *c)
{
	return __atomic_load_n(&c->reason, __ATOMIC_RELAXED);
}

static long switches(void)
{
	struct rusage u;

	return getrusage(RUSAGE_THREAD, &u) ? -1 : u.ru_nivcsw;
}

static void build_slice(struct crew *c, u64 nth)
{
	struct crew_member *m = c->members;
	u64 first, count, n;

	while (nth >= m->slices)
		nth -= (m++)->slices;
	n = m->cursor.order.n;
	first = nth * SLICE_OBJECTS;
	count = n - first < SLICE_OBJECTS ? n - first : SLICE_OBJECTS;
	mprobe_order_slice(c->builder, &m->cursor, first, count);
	__atomic_fetch_add(&c->built_bytes, count * m->cursor.object_bytes, __ATOMIC_RELAXED);
}

static void build(struct crew *c)
{
	u64 nth;

	while (!stopped(c) &&
	       (nth = __atomic_fetch_add(&c->next_slice, 1, __ATOMIC_RELAXED)) < c->slices)
		build_slice(c, nth);
	pthread_barrier_wait(&c->built);
}

static u64 gate(struct crew *c)
{
	u64 ticket = mprobe_gate_arrive(&c->gate), start;

	for (unsigned int i = 0; !(start = mprobe_gate_poll(&c->gate, ticket)); i++) {
		if (i < SPINS)
			port_relax();
		else
			sched_yield();
	}
	return start;
}

/* True: this was the last one of all its passes. */
static bool window(struct crew *c, struct crew_member *m, u64 start, u64 round)
{
	struct mprobe_window w = { .clock = c->clock,
				   .start = start,
				   .length = c->window_ticks,
				   .overhead = c->overhead,
				   .max_units = mprobe_passes_most(&m->passes, &m->cursor) };
	const bool warm = mprobe_passes_warming(&m->passes, &m->cursor);
	struct sample *s = &m->samples[m->nr_samples];
	/* before the wait: a system call after it would make the start late */
	const long switched = switches();

	mprobe_window_wait(&w, c->ticks_per_us);
	mprobe_window_run(m->loop, &m->cursor, &w, c->ticks_per_us);
	*s = sample_unknown();
	s->round = round;
	s->worker = m->index;
	s->reads = w.reads;
	s->start = w.t0;
	s->ticks = w.t1 - w.t0;
	s->work = w.work;
	s->gap = w.gap;
	s->flags = (warm ? MPROBE_SAMPLE_F_WARMUP : 0) | (w.late ? MPROBE_SAMPLE_F_LATE : 0) |
		   (switches() != switched ? MPROBE_SAMPLE_F_PREEMPTED : 0) |
		   (sched_getcpu() != (int)m->cpu ? MPROBE_SAMPLE_F_MIGRATED : 0) |
		   (s->ticks > 2 * c->window_ticks ? MPROBE_SAMPLE_F_OVERRUN : 0);
	__atomic_store_n(&m->nr_samples, m->nr_samples + 1, __ATOMIC_RELEASE);
	return mprobe_passes_add(&m->passes, &m->cursor, w.work);
}

/* The leader, before it arrives at the gate of this round: so a round is run by all or by none. */
static void decide(struct crew *c, u64 round)
{
	struct crew_member *lead = &c->members[c->lead];
	const u64 elapsed = mprobe_clock_read(c->clock) - c->ticks[0];

	/* its time begins when the leader is warm; warming up may take three times as long */
	if (mprobe_passes_warming(&lead->passes, &lead->cursor) && elapsed < 3 * c->time_ticks)
		c->warm_ticks = elapsed;
	__atomic_store_n(&c->windows, round, __ATOMIC_RELAXED);
	if (c->passes && __atomic_load_n(&c->finished, __ATOMIC_ACQUIRE) == c->measuring)
		crew_stop(c, MPROBE_REASON_PASSES);
	else if (c->max_windows && round >= c->max_windows)
		crew_stop(c, MPROBE_REASON_WINDOWS);
	else if (elapsed - c->warm_ticks >= c->time_ticks)
		crew_stop(c, MPROBE_REASON_TIME);
	else if (round >= c->cap)
		crew_stop(c, MPROBE_REASON_SAMPLES);
	if (!stopped(c))
		return;
	mprobe_clock_pair(c->clock, &c->ticks[1], &c->raw_ns[1]);
	/* seen by all: arriving orders it before the round's start */
	__atomic_store_n(&c->end_round, round, __ATOMIC_RELAXED);
}

/* Whoever has done all its passes goes on meeting the others at the gate. */
static void measure(struct crew *c, struct crew_member *m)
{
	bool finished = false;
	u64 start, round;

	for (round = 0;; round++) {
		if (m->index == c->lead)
			decide(c, round);
		start = gate(c);
		if (__atomic_load_n(&c->end_round, __ATOMIC_RELAXED) <= round)
			return;
		if (finished)
			continue;
		finished = window(c, m, start, round);
		if (finished)
			__atomic_fetch_add(&c->finished, 1, __ATOMIC_RELEASE);
	}
}

static void begin(struct crew *c)
{
	c->prepare_ns = port_raw_ns() - c->prepare_start_ns;
	mprobe_clock_pair(c->clock, &c->ticks[0], &c->raw_ns[0]);
	pthread_mutex_lock(&c->lock);
	c->state = MPROBE_STATE_RUN;
	pthread_mutex_unlock(&c->lock);
}

static void leave(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	if (!--c->live) {
		c->state = MPROBE_STATE_DONE;
		pthread_cond_broadcast(&c->changed);
	}
	pthread_mutex_unlock(&c->lock);
}

void *member_main(void *arg)
{
	struct crew_member *m = arg;
	struct crew *c = m->crew;
	int go;

	pthread_mutex_lock(&c->lock);
	while (!c->go)
		pthread_cond_wait(&c->changed, &c->lock);
	go = c->go;
	pthread_mutex_unlock(&c->lock);
	if (go < 0)
		return NULL;
	build(c);
	if (m->loop) {
		if (m->index == c->lead)
			begin(c);
		measure(c, m);
	}
	leave(c);
	return NULL;
}
