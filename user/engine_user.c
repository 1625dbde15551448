// SPDX-License-Identifier: GPL-2.0
#include "engine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mprobe/loop.h>

#include "anon.h"
#include "cpus.h"
#include "crew.h"
#include "mapped.h"

#define MAX_WORKERS	  1024u
#define MAX_RANGES	  64u
#define MAX_SAMPLES	  (1ull << 20)
#define MAX_TIME_NS	  600000000000ull
#define WINDOW_DEFAULT_NS 1000000ull /* a quarter of a tick where HZ is 250, as in the module */
#define WINDOW_MAX_NS	  500000000ull

struct range {
	struct anon mem;      /* one of the two */
	struct mapped device; /* a range of the module */
	void *addr;	      /* NULL: the slot is free */
	uint64_t bytes;
	uint32_t id;
};

struct user {
	struct range ranges[MAX_RANGES];
	uint32_t next_id;
	struct crew *crew; /* one job at a time; NULL: none */
	uint32_t job_id;
	uint32_t *range_of; /* by worker of the job; owned */
	uint32_t nr_workers;
	struct crew_clock clock;
};

__attribute__((format(printf, 3, 4))) static int refuse(struct engine *e, int err,
							const char *format, ...)
{
	va_list args;
	size_t at;

	va_start(args, format);
	vsnprintf(e->error, sizeof(e->error), format, args);
	va_end(args);
	at = strlen(e->error);
	snprintf(e->error + at, sizeof(e->error) - at, " (%s)", strerrorname_np(-err));
	return err;
}

static int open_user(struct engine *e)
{
	struct user *u = calloc(1, sizeof(*u));

	e->priv = u;
	if (!u)
		return refuse(e, -ENOMEM, "out of memory");
	u->clock.clock = mprobe_clock_best();
	u->clock.khz = mprobe_clock_khz(u->clock.clock);
	u->clock.overhead = mprobe_clock_overhead(u->clock.clock);
	return 0;
}

static void drop_job(struct user *u)
{
	if (u->crew)
		crew_free(u->crew);
	free(u->range_of);
	u->crew = NULL;
	u->range_of = NULL;
}

static void drop_range(struct range *r)
{
	anon_unmap(&r->mem);
	mapped_unmap(&r->device);
	r->addr = NULL;
}

static void close_user(struct engine *e)
{
	struct user *u = e->priv;

	if (!u)
		return;
	drop_job(u);
	for (uint32_t i = 0; i < MAX_RANGES; i++)
		drop_range(&u->ranges[i]);
	free(u);
	e->priv = NULL;
}

static int info(struct engine *e, struct engine_info *out)
{
	struct user *u = e->priv;

	*out = (struct engine_info){
		.clock = u->clock.clock,
		.clock_khz = u->clock.khz,
		.clock_overhead = u->clock.overhead,
		.isa_mask = mprobe_isa_mask(),
		.max_workers = MAX_WORKERS,
		.max_jobs = 1,
		.max_ranges = MAX_RANGES,
		.max_bytes = anon_room(-1, 4096, false),
		.max_samples = MAX_SAMPLES,
		.window_max_ns = WINDOW_MAX_NS,
		.window_default_ns = WINDOW_DEFAULT_NS,
	};
	return 0;
}

static struct range *range_by_id(struct user *u, uint32_t id)
{
	for (uint32_t i = 0; i < MAX_RANGES; i++)
		if (u->ranges[i].addr && u->ranges[i].id == id)
			return &u->ranges[i];
	return NULL;
}

static int copy_segments(struct engine *e, const struct segment *v, uint32_t n,
			 struct range_info *out)
{
	if (!n)
		return 0;
	out->segments = malloc(n * sizeof(*v));
	if (!out->segments)
		return refuse(e, -ENOMEM, "out of memory");
	memcpy(out->segments, v, n * sizeof(*v));
	out->nr_segments = n;
	return 0;
}

static int fill_info(struct engine *e, const struct range *r, struct range_info *out)
{
	const struct anon *a = &r->mem;

	*out = (struct range_info){ .id = r->id,
				    .owner = getpid(),
				    .kind = MPROBE_RANGE_NODE,
				    .node = a->node,
				    .bytes = a->bytes,
				    .mapped_4k = a->mapped_4k,
				    .mapped_2m = a->mapped_2m,
				    .mapped_1g = a->mapped_1g,
				    .segments_total = a->segments_total };
	return copy_segments(e, a->segments, a->nr_segments, out);
}

static int map_anon(struct engine *e, struct range *r, const struct target *t,
		    const struct claim_spec *c, struct range_info *out)
{
	const struct anon_spec s = { .bytes = c->bytes,
				     .page_bytes = c->page_bytes,
				     .thp = c->thp,
				     .node = t->node,
				     .stop_asked = c->stop_asked };
	char error[384];
	int ret = anon_map(&r->mem, &s, error, sizeof(error));

	if (ret)
		return refuse(e, ret, "%s: %s", t->name, error);
	r->addr = r->mem.addr;
	r->bytes = r->mem.bytes;
	return fill_info(e, r, out);
}

/* What pages were entered is for the module to say: this is what was asked of it. */
static int map_device(struct engine *e, struct range *r, const struct target *t,
		      const struct claim_spec *c, struct range_info *out)
{
	const struct mapped_spec s = { .range_id = c->mapped->id,
				       .bytes = c->bytes,
				       .page_bytes = c->page_bytes,
				       .stop_asked = c->stop_asked };
	char error[384];
	int ret = mapped_map(&r->device, &s, error, sizeof(error));

	if (ret)
		return refuse(e, ret, "%s: %s", t->name, error);
	r->addr = r->device.addr;
	r->bytes = c->bytes;
	*out = *c->mapped;
	out->segments = NULL;
	out->nr_segments = 0;
	out->id = r->id;
	out->owner = getpid();
	out->bytes = c->bytes;
	out->mapped_4k = c->page_bytes == 4096 ? c->bytes : 0;
	out->mapped_2m = c->page_bytes == 2u << 20 ? c->bytes : 0;
	out->mapped_1g = c->page_bytes == 1u << 30 ? c->bytes : 0;
	return copy_segments(e, c->mapped->segments, c->mapped->nr_segments, out);
}

/* Memory of this process, which no other target's is. */
static int check_own(struct engine *e, const struct target *t)
{
	if (t->kind == TARGET_DRAM)
		return refuse(e, -EOPNOTSUPP,
			      "%s is reached by the kernel engine only; for memory of "
			      "that node with --engine user say anon:%d",
			      t->name, t->node);
	if (t->kind != TARGET_ANON)
		return refuse(e, -EOPNOTSUPP,
			      "%s is reached by the kernel engine only: leave --engine "
			      "user out; memory of mprobectl itself is anon",
			      t->name);
	return 0;
}

static int claim(struct engine *e, const struct target *t, const struct claim_spec *c,
		 struct range_info *out)
{
	struct user *u = e->priv;
	struct range *r = u->ranges;
	int ret = c->mapped ? 0 : check_own(e, t);

	if (ret)
		return ret;
	while (r < u->ranges + MAX_RANGES && r->addr)
		r++;
	if (r == u->ranges + MAX_RANGES)
		return refuse(e, -ENFILE, "more than %u ranges at once: name fewer targets",
			      MAX_RANGES);
	r->id = ++u->next_id;
	ret = c->mapped ? map_device(e, r, t, c, out) : map_anon(e, r, t, c, out);
	if (ret)
		drop_range(r);
	return ret;
}

static int release(struct engine *e, uint32_t range_id)
{
	struct user *u = e->priv;
	struct range *r = range_by_id(u, range_id);

	if (!r)
		return refuse(e, -EBADF, "there is no range %u", range_id);
	for (uint32_t i = 0; u->crew && !crew_done(u->crew) && i < u->nr_workers; i++)
		if (u->range_of[i] == range_id)
			return refuse(e, -ETXTBSY, "a job uses range %u: stop it first", range_id);
	/* a finished job's threads touch it no more */
	drop_range(r);
	return 0;
}

static int check_cpus(struct engine *e, const struct job_spec *j)
{
	uint32_t *cpus = calloc(j->nr_workers, sizeof(*cpus));
	char error[256];
	int ret;

	if (!cpus)
		return refuse(e, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < j->nr_workers; i++)
		cpus[i] = j->workers[i].cpu;
	ret = cpus_check(cpus, j->nr_workers, error, sizeof(error));
	free(cpus);
	return ret ? refuse(e, ret, "%s", error) : 0;
}

static bool overlap(const struct worker_spec *a, const struct worker_spec *b)
{
	return a->range_id == b->range_id && a->offset < b->offset + b->bytes &&
	       b->offset < a->offset + a->bytes;
}

static int check_worker(struct engine *e, const struct job_spec *j, uint32_t i, void **addr)
{
	const struct worker_spec *w = &j->workers[i];
	struct range *r = range_by_id(e->priv, w->range_id);
	const uint32_t object = w->object_bytes ? w->object_bytes : MPROBE_LINE;

	if (!r)
		return refuse(e, -EBADF, "there is no range %u", w->range_id);
	if (object < MPROBE_LINE || object > 4096 || object & (object - 1))
		return refuse(e, -EADDRNOTAVAIL,
			      "an object is a power of two from 64 to 4096 bytes");
	if (w->order_window_bytes && w->loop == MPROBE_LOOP_STREAM)
		return refuse(e, -EINVAL, "a stream has no order: leave --order-window out");
	if (w->order_window_bytes && (w->order_window_bytes & (w->order_window_bytes - 1) ||
				      w->order_window_bytes < 2 * object))
		return refuse(e, -EINVAL,
			      "an order's window is a power of two and holds two objects at "
			      "least: give another --order-window");
	if (w->bytes < object || w->bytes % object || w->offset % object)
		return refuse(e, -EADDRNOTAVAIL,
			      "a worker's part of %llu bytes is not made of whole "
			      "objects of %u: give a --size that is",
			      (unsigned long long)w->bytes, object);
	if (w->offset > r->bytes || w->bytes > r->bytes - w->offset)
		return refuse(e, -EFBIG, "a worker's part lies outside the range of %llu bytes",
			      (unsigned long long)r->bytes);
	for (uint32_t k = 0; k < i; k++)
		if (j->workers[k].loop != MPROBE_LOOP_BUILD && overlap(w, &j->workers[k]))
			return refuse(e, -EMLINK, "two workers' parts overlap");
	*addr = (char *)r->addr + w->offset;
	return 0;
}

static int check_job(struct engine *e, struct job_spec *j)
{
	struct user *u = e->priv;

	if (!j->window_ns)
		j->window_ns = WINDOW_DEFAULT_NS;
	if (u->crew)
		return refuse(e, -EMFILE,
			      "the user engine runs one job at a time: forget the last one");
	if (!j->nr_workers)
		return refuse(e, -ENODATA, "a job needs a worker; give --workers 1 or more");
	if (j->nr_workers > MAX_WORKERS)
		return refuse(e, -EUSERS, "%u workers are more than %u; give fewer --workers",
			      j->nr_workers, MAX_WORKERS);
	if (j->window_ns > WINDOW_MAX_NS)
		return refuse(e, -ETIME, "a window is at most 500ms; give a shorter --window");
	if (j->time_ns > MAX_TIME_NS)
		return refuse(e, -ETIME, "a point takes at most 10 minutes; give a shorter --time");
	if (j->irqs_off)
		return refuse(e, -EOPNOTSUPP,
			      "only the kernel engine can switch interrupts off: "
			      "leave --irqs off out");
	if (j->prefetch > MPROBE_PREFETCH_ASIS)
		return refuse(e, -EOPNOTSUPP,
			      "only the kernel engine can switch prefetchers: leave "
			      "--prefetch out");
	return 0;
}

static int start(struct engine *e, const struct job_spec *spec, uint32_t *job_id)
{
	struct user *u = e->priv;
	struct job_spec j = *spec;
	void **addr = calloc(j.nr_workers + 1, sizeof(*addr));
	uint32_t *range_of = calloc(j.nr_workers + 1, sizeof(*range_of));
	char error[384];
	int ret;

	if (!addr || !range_of) {
		ret = refuse(e, -ENOMEM, "out of memory");
		goto out;
	}
	ret = check_job(e, &j);
	if (!ret)
		ret = check_cpus(e, &j);
	for (uint32_t i = 0; !ret && i < j.nr_workers; i++) {
		if (j.workers[i].loop == MPROBE_LOOP_BUILD)
			continue;
		ret = check_worker(e, &j, i, &addr[i]);
		range_of[i] = j.workers[i].range_id;
	}
	if (ret)
		goto out;
	ret = crew_start(&u->crew, &j, addr, &u->clock, error, sizeof(error));
	if (ret) {
		u->crew = NULL;
		ret = refuse(e, ret, "%s", error);
		goto out;
	}
	u->range_of = range_of;
	u->nr_workers = j.nr_workers;
	range_of = NULL;
	*job_id = ++u->job_id;
out:
	free(addr);
	free(range_of);
	return ret;
}

static int check_id(struct engine *e, uint32_t job_id)
{
	struct user *u = e->priv;

	if (!u->crew || u->job_id != job_id)
		return refuse(e, -ESRCH, "there is no job %u", job_id);
	return 0;
}

static int poll_job(struct engine *e, uint32_t job_id, int timeout_ms, struct sample_set *s,
		    struct job_state *out)
{
	struct user *u = e->priv;
	int ret = check_id(e, job_id);

	if (ret)
		return ret;
	ret = crew_poll(u->crew, timeout_ms, s, out);
	out->id = job_id;
	out->owner = getpid();
	return ret ? refuse(e, ret, "no memory for the samples: give a shorter --time") : 0;
}

static int stop(struct engine *e, uint32_t job_id, enum mprobe_reason why)
{
	struct user *u = e->priv;
	int ret = check_id(e, job_id);

	if (!ret)
		crew_stop(u->crew, why);
	return ret;
}

static int forget(struct engine *e, uint32_t job_id)
{
	int ret = check_id(e, job_id);

	if (!ret)
		drop_job(e->priv);
	return ret;
}

const struct engine_ops engine_user = {
	.name = "user",
	.open = open_user,
	.close = close_user,
	.info = info,
	.claim = claim,
	.release = release,
	.start = start,
	.poll = poll_job,
	.stop = stop,
	.forget = forget,
};
