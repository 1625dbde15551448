// SPDX-License-Identifier: GPL-2.0
#include "compare_run.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare_load.h"
#include "figure.h"

__attribute__((format(printf, 3, 4))) static int fail(struct compare_run *r, int err,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->error, sizeof(r->error), format, args);
	va_end(args);
	return err;
}

__attribute__((format(printf, 2, 3))) static void lacks(struct compare_way *w, const char *format,
							...)
{
	va_list args;

	w->available = false;
	va_start(args, format);
	vsnprintf(w->why, sizeof(w->why), format, args);
	va_end(args);
}

/* The way can't be had on this memory, in contrast to: something went wrong. */
static bool is_lack(int err)
{
	return err == -EMEDIUMTYPE || err == -EOPNOTSUPP || err == -EOVERFLOW || err == -ENOMEM;
}

static uint64_t mapped_by(const struct range_info *i, uint64_t page)
{
	return page == 4096 ? i->mapped_4k : page == 2u << 20 ? i->mapped_2m : i->mapped_1g;
}

static struct measure_source *source_of(struct compare_run *r, int way)
{
	return &r->sources[r->c->ways[way].kernel ? WAY_KERNEL_1G :
			   r->c->ways[way].loaded ? WAY_USER_4K :
						    way];
}

static void set_source(struct compare_run *r, int way, struct engine *e)
{
	r->sources[way] = (struct measure_source){ .target = &r->part,
						   .engine = e,
						   .claim_bytes = r->bytes,
						   .cpus = r->cpus,
						   .nr_cpus = r->nr_cpus,
						   .max_workers = r->max_workers };
}

static int claim(struct measure_source *s, const struct claim_spec *c)
{
	int ret = s->engine->ops->claim(s->engine, s->target, c, &s->range);

	s->claimed = !ret;
	return ret;
}

/* 0, and whether all of it came in such pages is for the caller to see. */
static int remap(struct measure_source *s, uint64_t page)
{
	struct range_info now = { 0 };
	int ret = s->engine->ops->remap(s->engine, s->range.id, page, &now);

	if (ret)
		return ret;
	range_info_free(&s->range);
	s->range = now;
	return 0;
}

static int try_kernel(struct compare_run *r, int way)
{
	struct compare_way *w = &r->c->ways[way];
	struct measure_source *s = source_of(r, way);
	char page[FIGURE], part[FIGURE], all[FIGURE];
	int ret = remap(s, w->page_bytes);

	figure_size(page, w->page_bytes);
	if (is_lack(ret))
		lacks(w, "%s", r->kernel->error);
	else if (ret)
		return fail(r, ret, "%s: %s", r->part.name, r->kernel->error);
	else if (mapped_by(&s->range, w->page_bytes) != s->range.bytes)
		lacks(w, "of the %s taken, %s can be mapped by %s pages",
		      figure_size(all, s->range.bytes),
		      figure_size(part, mapped_by(&s->range, w->page_bytes)), page);
	return 0;
}

/* The pages that the module has entered for userspace must be these and no others. */
static bool entered(const struct range_info *was, const struct range_info *now, uint64_t page,
		    uint64_t bytes)
{
	return now->user_4k - was->user_4k == (page == 4096 ? bytes : 0) &&
	       now->user_2m - was->user_2m == (page == 2u << 20 ? bytes : 0) &&
	       now->user_1g - was->user_1g == (page == 1u << 30 ? bytes : 0);
}

static int ask_range(struct compare_run *r, struct range_info *out)
{
	int ret = r->kernel->ops->range(r->kernel, r->sources[WAY_KERNEL_1G].range.id, out);

	return ret ? fail(r, ret, "%s: %s", r->part.name, r->kernel->error) : 0;
}

static int map_user(struct compare_run *r, int way, const struct range_info *was)
{
	struct compare_way *w = &r->c->ways[way];
	struct claim_spec c = { .bytes = r->bytes,
				.page_bytes = w->page_bytes,
				.overwrite = r->point.overwrite,
				.stop_asked = r->stop_asked,
				.mapped = was };
	struct range_info now = { 0 };
	int ret = claim(source_of(r, way), &c);

	if (is_lack(ret))
		lacks(w, "%s", r->user->error);
	else if (ret)
		return fail(r, ret, "%s", r->user->error);
	if (ret)
		return 0;
	ret = ask_range(r, &now);
	if (!ret && !entered(was, &now, w->page_bytes, r->bytes))
		ret = fail(r, -EMEDIUMTYPE,
			   "%s: /dev/mprobe did not enter exactly the pages that were asked for: "
			   "4K %llu, 2M %llu, 1G %llu bytes more (EMEDIUMTYPE)",
			   r->part.name, (unsigned long long)(now.user_4k - was->user_4k),
			   (unsigned long long)(now.user_2m - was->user_2m),
			   (unsigned long long)(now.user_1g - was->user_1g));
	range_info_free(&now);
	return ret;
}

static int try_user(struct compare_run *r, int way)
{
	struct compare_way *w = &r->c->ways[way];
	struct range_info was = { 0 };
	char page[FIGURE], bytes[FIGURE];
	int ret;

	if (r->bytes % w->page_bytes) {
		lacks(w, "the %s taken are not made of whole %s pages",
		      figure_size(bytes, r->bytes), figure_size(page, w->page_bytes));
		return 0;
	}
	ret = ask_range(r, &was);
	if (!ret)
		ret = map_user(r, way, &was);
	range_info_free(&was);
	return ret;
}

static int try_anon(struct compare_run *r, int way)
{
	struct compare_way *w = &r->c->ways[way];
	const struct claim_spec c = { .bytes = r->bytes,
				      .page_bytes = w->page_bytes,
				      .stop_asked = r->stop_asked };
	int ret = claim(source_of(r, way), &c);

	if (ret && w->page_bytes != 4096 && is_lack(ret))
		lacks(w, "%s", r->user->error);
	else if (ret)
		return fail(r, ret, "%s", r->user->error);
	return 0;
}

static int claim_kernel(struct compare_run *r)
{
	const struct claim_spec c = { .bytes = r->bytes,
				      .overwrite = r->point.overwrite,
				      .stop_asked = r->stop_asked };

	set_source(r, WAY_KERNEL_1G, r->kernel);
	if (claim(&r->sources[WAY_KERNEL_1G], &c))
		return fail(r, -EIO, "%s", r->kernel->error);
	return 0;
}

static int prepare(struct compare_run *r)
{
	int ret = r->kernel ? claim_kernel(r) : 0;

	for (int w = WAY_KERNEL_1G; !ret && r->kernel && w <= WAY_KERNEL_4K; w++)
		ret = try_kernel(r, w);
	for (int w = WAY_USER_1G; !ret && w <= WAY_USER_4K; w++) {
		set_source(r, w, r->user);
		ret = r->stop_asked() ? -ECANCELED : r->kernel ? try_user(r, w) : try_anon(r, w);
	}
	if (!r->c->ways[WAY_USER_4K].available)
		lacks(&r->c->ways[WAY_LOADED], "%s", r->c->ways[WAY_USER_4K].why);
	compare_split(r->c);
	if (!ret && !r->c->nr_parts)
		return fail(r, -ENOMEM, "%s: no size of pages can be had: %s", r->part.name,
			    r->c->ways[WAY_USER_4K].why);
	return ret;
}

/* Userspace's mappings first: while they live, the module keeps the range. */
static void let_go(struct compare_run *r)
{
	for (int w = WAYS - 1; w >= 0; w--) {
		struct measure_source *s = &r->sources[w];

		if (!s->claimed)
			continue;
		s->engine->ops->release(s->engine, s->range.id); /* what fails goes at close */
		range_info_free(&s->range);
		s->claimed = false;
	}
}

struct turn {
	size_t nth; /* case */
	uint32_t round;
	enum compare_way_id way;
};

/* The i-th of a round's ways: forwards, and backwards in every second round. */
static enum compare_way_id way_at(uint32_t round, int i)
{
	return (enum compare_way_id)(round % 2 ? WAYS - 1 - i : i);
}

static struct point point_of(const struct compare_run *r, const struct turn *t)
{
	struct point p = r->point;

	p.working_set_bytes = r->c->cases[t->nth].bytes;
	p.window_bytes = r->c->cases[t->nth].window_bytes;
	p.page_bytes = r->c->ways[t->way].page_bytes;
	p.loaded = r->c->ways[t->way].loaded;
	if (p.loaded) /* half of which is the other thread's */
		p.time_ns *= 2;
	return p;
}

static int plan_turns(struct compare_run *r, struct turn **out)
{
	struct turn *v = calloc((size_t)WAYS * r->c->nr_cases * r->c->rounds, sizeof(*v));
	size_t n = 0;

	*out = v;
	if (!v)
		return fail(r, -ENOMEM, "out of memory");
	for (uint32_t round = 0; round < r->c->rounds; round++)
		for (size_t nth = 0; nth < r->c->nr_cases; nth++)
			for (int i = 0; i < WAYS; i++) {
				struct turn t = { nth, round, way_at(round, i) };
				struct point p = point_of(r, &t);

				if (!r->c->ways[t.way].available)
					continue;
				if (plan_add(r->plan, &p))
					return fail(r, -ENOMEM, "out of memory");
				v[n++] = t;
			}
	return 0;
}

static int measure_turn(struct compare_run *r, struct measure *m, const struct turn *t, size_t at)
{
	const struct compare_way *w = &r->c->ways[t->way];
	struct measure_source *s = source_of(r, t->way);
	const struct point *p = &r->plan->v[at];
	struct compare_load load;
	int ret;

	if (w->kernel && remap(s, w->page_bytes))
		return fail(r, -EIO, "%s: %s", r->part.name, r->kernel->error);
	if (w->loaded && compare_load_begin(&load, r->cpus[0]))
		return fail(r, -EAGAIN, "cannot start a thread that loads CPU %u", r->cpus[0]);
	ret = measure_point(m, s, p, at);
	if (w->loaded)
		compare_load_end(&load);
	if (ret)
		return fail(r, ret, "%s", m->error);
	return 0;
}

static void keep(struct compare_run *r, const struct turn *t)
{
	const struct point_result *p = &r->result->points[r->result->nr_points - 1];

	compare_put(r->c, t->nth, t->way, t->round,
		    p->point.loaded ? p->latency_all_ns : p->latency_ns.median,
		    p->counted.per_unit[MPROBE_COUNTER_PAGE_WALKS - 1]);
}

static int measure_all(struct compare_run *r, const struct turn *turns)
{
	struct measure m = { .plan = r->plan,
			     .result = r->result,
			     .progress = r->progress,
			     .stop_asked = r->stop_asked };
	int ret = 0;

	for (size_t i = 0; !ret && i < r->plan->n; i++) {
		ret = r->stop_asked() ? -ECANCELED : measure_turn(r, &m, &turns[i], i);
		if (!ret)
			keep(r, &turns[i]);
		if (!ret && (i + 1 == r->plan->n || turns[i + 1].round != turns[i].round))
			r->c->done++;
	}
	return ret;
}

int compare_run(struct compare_run *r)
{
	struct turn *turns = NULL;
	int ret;

	r->result->complete = false;
	ret = prepare(r);
	if (!ret)
		ret = plan_turns(r, &turns);
	if (!ret) {
		progress_begin(r->progress, r->plan, r->quiet);
		ret = measure_all(r, turns);
		progress_clear(r->progress);
	}
	let_go(r);
	free(turns);
	r->result->complete = !ret;
	return ret;
}
