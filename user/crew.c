// SPDX-License-Identifier: GPL-2.0
#include "crew.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLICE_OBJECTS 16384ull
#define MAX_SAMPLES   (1ull << 20) /* of all members */
#define LEAD_ALONE_US 2
#define LEAD_US	      20
#define SPARE_WINDOWS 64

static int refuse(char *error, size_t len, int err, const char *sentence)
{
	snprintf(error, len, "%s", sentence);
	return err;
}

static int set_loop(struct crew_member *m, const struct worker_spec *w, void *addr, char *error,
		    size_t len)
{
	enum mprobe_loop_missing why;
	struct mprobe_view v = { .granule = &m->granule, .bytes = w->bytes, .shift = 12 };

	m->loop = mprobe_loop_find(w->loop, w->variant, w->isa, &why);
	if (!m->loop && why == MPROBE_NO_LOOP)
		return refuse(error, len, -EBADRQC,
			      "there is no such loop: chase, stream or order");
	if (!m->loop && why == MPROBE_NO_VARIANT)
		return refuse(error, len, -EBADSLT,
			      "the loop has no such variant: chase has ro and wb, stream ro, wb, "
			      "store and nt, order store");
	if (!m->loop)
		return refuse(
			error, len, -ENOEXEC,
			"this CPU or this loop has no such instruction set: leave --isa out for "
			"the widest");
	while (1ull << v.shift < w->bytes)
		v.shift++;
	m->granule = (uintptr_t)addr;
	mprobe_cursor_init(&m->cursor, m->loop, &v, w->object_bytes ? w->object_bytes : MPROBE_LINE,
			   w->seed);
	if (w->order_window_bytes)
		mprobe_cursor_confine(&m->cursor, m->loop, w->order_window_bytes);
	if (m->loop->flags & MPROBE_LOOP_F_ORDER)
		m->slices = (m->cursor.order.n + SLICE_OBJECTS - 1) / SLICE_OBJECTS;
	return 0;
}

static int set_members(struct crew *c, const struct job_spec *j, void *const *addr, char *error,
		       size_t len)
{
	bool first = true;
	int ret;

	for (uint32_t i = 0; i < j->nr_workers; i++) {
		struct crew_member *m = &c->members[i];

		m->crew = c;
		m->index = i;
		m->cpu = j->workers[i].cpu;
		if (j->workers[i].loop == MPROBE_LOOP_BUILD)
			continue;
		ret = set_loop(m, &j->workers[i], addr[i], error, len);
		if (ret)
			return ret;
		mprobe_passes_init(&m->passes, &m->cursor, m->loop, c->passes, j->warmup_bytes,
				   c->window_ticks, c->time_ticks);
		if (first)
			c->lead = i;
		first = false;
		c->measuring++;
		c->slices += m->slices;
		c->total_bytes += m->slices ? j->workers[i].bytes : 0;
	}
	if (!c->measuring)
		return refuse(error, len, -ENODATA, "no worker measures; give at least one a loop");
	return 0;
}

static int set_samples(struct crew *c, const struct job_spec *j, char *error, size_t len)
{
	uint64_t rounds = j->time_ns / j->window_ns;

	/* with the warming up four times as long; a window that ends with a pass may be half one */
	c->cap = 8 * rounds + SPARE_WINDOWS;
	if (j->max_windows && j->max_windows < c->cap)
		c->cap = j->max_windows;
	if (c->cap > MAX_SAMPLES / c->measuring)
		c->cap = MAX_SAMPLES / c->measuring;
	for (uint32_t i = 0; i < c->n; i++) {
		struct crew_member *m = &c->members[i];

		if (!m->loop)
			continue;
		m->samples = malloc(c->cap * sizeof(*m->samples));
		if (!m->samples)
			return refuse(
				error, len, -ENOBUFS,
				"no memory for the samples: give a shorter --time or a longer "
				"--window");
		/* touched now, not in a run */
		memset(m->samples, 0xff, c->cap * sizeof(*m->samples));
	}
	return 0;
}

static int create(struct crew_member *m)
{
	const size_t bytes = CPU_ALLOC_SIZE(m->cpu + 1);
	cpu_set_t *set = CPU_ALLOC(m->cpu + 1);
	pthread_attr_t attr;
	int ret;

	if (!set)
		return ENOMEM;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(m->cpu, bytes, set);
	pthread_attr_init(&attr);
	ret = pthread_attr_setaffinity_np(&attr, bytes, set);
	if (!ret)
		ret = pthread_create(&m->thread, &attr, member_main, m);
	pthread_attr_destroy(&attr);
	CPU_FREE(set);
	return ret;
}

static void say(struct crew *c, int go)
{
	pthread_mutex_lock(&c->lock);
	c->go = go;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

static void join(struct crew *c, uint32_t n)
{
	while (n)
		pthread_join(c->members[--n].thread, NULL);
}

static int create_all(struct crew *c, char *error, size_t len)
{
	uint32_t i;
	int ret;

	c->prepare_start_ns = port_raw_ns();
	for (i = 0; i < c->n; i++) {
		ret = create(&c->members[i]);
		if (!ret)
			continue;
		say(c, -1);
		join(c, i);
		if (ret == EINVAL)
			snprintf(error, len,
				 "no thread can be pinned to CPU %u: it is offline, absent, "
				 "or not allowed to this process (taskset, cpuset); choose "
				 "others by --cpus",
				 c->members[i].cpu);
		else
			snprintf(error, len,
				 "cannot start a thread for CPU %u: %s; give fewer --workers",
				 c->members[i].cpu, strerror(ret));
		return -ret;
	}
	say(c, 1);
	return 0;
}

static void set_limits(struct crew *c, const struct job_spec *j, const struct crew_clock *clock)
{
	enum mprobe_loop_missing none;
	pthread_condattr_t attr;

	c->n = j->nr_workers;
	c->builder = mprobe_loop_find(MPROBE_LOOP_ORDER, MPROBE_VARIANT_STORE, 0, &none);
	c->clock = clock->clock;
	c->khz = clock->khz;
	c->overhead = clock->overhead;
	c->ticks_per_us = clock->khz / 1000 ? clock->khz / 1000 : 1;
	c->window_ticks = j->window_ns * c->ticks_per_us / 1000;
	c->time_ticks = j->time_ns / 1000 * c->ticks_per_us;
	c->time_ns = j->time_ns;
	c->max_windows = j->max_windows;
	c->passes = j->passes;
	c->state = MPROBE_STATE_PREPARE;
	c->end_round = UINT64_MAX;
	c->live = j->nr_workers;
	pthread_mutex_init(&c->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->changed, &attr);
	pthread_condattr_destroy(&attr);
	pthread_barrier_init(&c->built, NULL, j->nr_workers);
}

/* The threads are gone, or never were. */
static void destroy(struct crew *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		free(c->members[i].samples);
	pthread_barrier_destroy(&c->built);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	free(c->members);
	free(c);
}

int crew_start(struct crew **out, const struct job_spec *j, void *const *addr,
	       const struct crew_clock *clock, char *error, size_t len)
{
	struct crew *c = calloc(1, sizeof(*c));
	int ret;

	if (c)
		c->members = calloc(j->nr_workers, sizeof(*c->members));
	if (!c || !c->members) {
		free(c);
		return refuse(error, len, -ENOMEM, "out of memory");
	}
	set_limits(c, j, clock);
	ret = set_members(c, j, addr, error, len);
	if (!ret)
		ret = set_samples(c, j, error, len);
	if (!ret) {
		mprobe_gate_init(&c->gate, c->measuring, c->clock,
				 (c->measuring > 1 ? LEAD_US : LEAD_ALONE_US) * c->ticks_per_us);
		ret = create_all(c, error, len);
	}
	if (ret) {
		destroy(c);
		return ret;
	}
	*out = c;
	return 0;
}

void crew_stop(struct crew *c, enum mprobe_reason why)
{
	u32 none = 0;

	__atomic_compare_exchange_n(&c->reason, &none, (u32)why, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
}

bool crew_done(struct crew *c)
{
	bool done;

	pthread_mutex_lock(&c->lock);
	done = c->state == MPROBE_STATE_DONE;
	pthread_mutex_unlock(&c->lock);
	return done;
}

void crew_free(struct crew *c)
{
	crew_stop(c, MPROBE_REASON_OWNER);
	join(c, c->n);
	destroy(c);
}

static void wait_done(struct crew *c, int timeout_ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += timeout_ms / 1000;
	until.tv_nsec += timeout_ms % 1000 * 1000000l;
	if (until.tv_nsec >= 1000000000l) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000l;
	}
	while (c->state != MPROBE_STATE_DONE)
		if (pthread_cond_timedwait(&c->changed, &c->lock, &until))
			break;
}

static int take_samples(struct crew *c, struct sample_set *s)
{
	int ret;

	for (uint32_t i = 0; i < c->n; i++) {
		struct crew_member *m = &c->members[i];
		u64 n = __atomic_load_n(&m->nr_samples, __ATOMIC_ACQUIRE);

		for (; m->taken < n; m->taken++) {
			ret = sample_append(s, &m->samples[m->taken]);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int fill_closed(struct crew *c, struct job_state *out)
{
	if (!out->closed)
		out->closed = calloc(c->n, sizeof(*out->closed));
	if (!out->broken)
		out->broken = calloc(c->n, sizeof(*out->broken));
	if (!out->closed || !out->broken)
		return -ENOMEM;
	out->nr_closed = c->n;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct mprobe_passes *p = &c->members[i].passes;

		out->closed[i] = __atomic_load_n(&p->closed, __ATOMIC_RELAXED);
		out->broken[i] = __atomic_load_n(&p->broken, __ATOMIC_RELAXED);
	}
	return 0;
}

static void fill_state(struct crew *c, struct job_state *out)
{
	out->state = c->state;
	out->reason =
		c->state == MPROBE_STATE_DONE ? __atomic_load_n(&c->reason, __ATOMIC_ACQUIRE) : 0;
	out->time_ns = c->time_ns;
	out->prepare_total = c->total_bytes;
	out->prepare_done = __atomic_load_n(&c->built_bytes, __ATOMIC_RELAXED);
	out->windows = __atomic_load_n(&c->windows, __ATOMIC_RELAXED);
	out->clock = c->clock;
	out->clock_khz = c->khz;
	out->clock_overhead = c->overhead;
	if (c->state == MPROBE_STATE_PREPARE)
		return;
	out->prepare_ns = c->prepare_ns;
	out->clock_ticks[0] = c->ticks[0];
	out->clock_raw_ns[0] = c->raw_ns[0];
	if (!c->raw_ns[0]) /* stopped before it began */
		return;
	if (c->state == MPROBE_STATE_DONE) {
		out->clock_ticks[1] = c->ticks[1];
		out->clock_raw_ns[1] = c->raw_ns[1];
		out->elapsed_ns = c->raw_ns[1] - c->raw_ns[0];
	} else {
		out->elapsed_ns = port_raw_ns() - c->raw_ns[0];
	}
}

int crew_poll(struct crew *c, int timeout_ms, struct sample_set *s, struct job_state *out)
{
	int ret;

	pthread_mutex_lock(&c->lock);
	wait_done(c, timeout_ms);
	fill_state(c, out); /* before the samples: DONE only with all of them */
	pthread_mutex_unlock(&c->lock);
	ret = take_samples(c, s);
	out->samples = s->n;
	return ret ? ret : fill_closed(c, out);
}
