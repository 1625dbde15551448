// SPDX-License-Identifier: GPL-2.0
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare_run.h"
#include "cpus.h"
#include "figure.h"
#include "names.h"
#include "orders.h"
#include "paper.h"
#include "stop.h"

#define DEFAULT_TIME_NS 500000000ull
#define DEFAULT_ROUNDS	8 /* even: what drifts within a round falls out */
#define PAGE_4K		4096ull
#define PAGE_2M		(2ull << 20)
#define PAGE_1G		(1ull << 30)

static const uint64_t default_sizes[] = { 64ull << 20, 256ull << 20, 1ull << 30 };
#define NR_DEFAULT_SIZES (sizeof(default_sizes) / sizeof(*default_sizes))

struct comparison {
	struct session s;
	struct compare c;
	struct compare_run run;
	struct progress progress;
};

static int add_case(struct comparison *x, uint64_t bytes, uint64_t window)
{
	struct session_target *t = &x->s.targets[0];
	struct point *p = &x->run.point;
	char w[FIGURE], size[FIGURE];
	int ret;

	if (window >= bytes)
		return cmd_fail(
			x->s.cmd, CMD_USAGE,
			"--order window:%s: not smaller than the working set of %s, which it "
			"would hold whole: give a smaller window or larger --sizes",
			figure_size(w, window), figure_size(size, bytes));
	ret = session_add(&x->s, t, p, bytes);
	if (!ret && compare_add_case(&x->c, bytes, window))
		ret = cmd_fail(x->s.cmd, CMD_FAILED, "out of memory");
	return ret;
}

/* Sizes that nobody asked for stop where the target does, and that is said. */
static bool beyond(struct comparison *x, uint64_t bytes)
{
	const struct session_target *t = &x->s.targets[0];
	char has[FIGURE];

	if (x->s.cmd->opt->nr_sizes || !t->room || bytes <= t->room)
		return false;
	session_note(&x->s, "%s: sizes stop at the %s that it has%s", t->target.name,
		     figure_size(has, t->room & ~((1ull << 20) - 1)),
		     t->target.kind == TARGET_ANON ? " free" : "");
	return true;
}

static int add_cases(struct comparison *x)
{
	const struct options *o = x->s.cmd->opt;
	const uint64_t *sizes = o->nr_sizes ? o->sizes : default_sizes;
	size_t n = o->nr_sizes ? o->nr_sizes : NR_DEFAULT_SIZES;
	int ret = 0;

	for (size_t i = 0; i < n; i++)
		if (beyond(x, sizes[i]))
			n = i;
	if (!n)
		return cmd_fail(x->s.cmd, CMD_USAGE, "%s is smaller than 64M: give --sizes",
				x->s.targets[0].target.name);
	for (size_t w = 0; w < (o->nr_orders ? o->nr_orders : 1); w++)
		for (size_t i = 0; !ret && i < n; i++)
			ret = add_case(x, sizes[i], o->nr_orders ? o->orders[w] : 0);
	plan_free(&x->s.plan); /* turns come in its place */
	return ret;
}

static uint64_t up(uint64_t v, uint64_t grain)
{
	return (v + grain - 1) & ~(grain - 1);
}

/*
 * So much of the target that the largest working set fits it in whole pages of 1G, where there is
 * room for these, else of 2M, else of 4K. Of a physical target: from the first boundary of such pages.
 */
static void choose_part(struct comparison *x)
{
	static const uint64_t grains[] = { PAGE_1G, PAGE_2M, PAGE_4K };
	const struct session_target *t = &x->s.targets[0];
	const bool physical = t->target.kind != TARGET_DRAM && t->target.kind != TARGET_ANON;
	const uint64_t end = t->target.base + t->target.bytes;
	uint64_t most = 0;

	for (size_t i = 0; i < x->c.nr_cases; i++)
		most = x->c.cases[i].bytes > most ? x->c.cases[i].bytes : most;
	x->run.part = t->target;
	for (size_t i = 0; i < sizeof(grains) / sizeof(*grains); i++) {
		const uint64_t grain = grains[i], from = up(t->target.base, grain);

		x->run.bytes = up(most, grain);
		/* a node gives contiguous memory in such pieces only if it is asked for so much */
		if (!physical && most >= grain && x->run.bytes <= t->room)
			return;
		if (physical && from < end && end - from >= x->run.bytes) {
			x->run.part.base = from;
			x->run.part.bytes = x->run.bytes;
			return;
		}
	}
	x->run.bytes = up(most, PAGE_4K);
}

static void set_run(struct comparison *x)
{
	struct session_target *t = &x->s.targets[0];
	const bool kernel = t->engine == &x->s.kernel;
	struct compare_run *r = &x->run;

	r->c = &x->c;
	r->kernel = kernel ? &x->s.kernel : NULL;
	r->user = &x->s.user;
	r->cpus = t->cpus;
	r->nr_cpus = t->nr_cpus;
	r->max_workers = x->s.user_info.max_workers;
	if (kernel && t->info->max_workers < r->max_workers)
		r->max_workers = t->info->max_workers;
	r->result = &x->s.result;
	r->progress = &x->progress;
	r->plan = &x->s.plan;
	r->quiet = x->s.cmd->opt->quiet;
	r->stop_asked = stop_asked;
}

static void set_point(struct comparison *x)
{
	struct point *p = &x->run.point;

	session_point(&x->s, &x->s.targets[0], p);
	p->loop = MPROBE_LOOP_CHASE;
	if (!p->variant)
		p->variant = MPROBE_VARIANT_RO;
	if (!p->time_ns)
		p->time_ns = DEFAULT_TIME_NS;
	p->precision = 0; /* all turns are as long */
	snprintf(x->c.target, sizeof(x->c.target), "%s", p->target);
	x->c.variant = names_variant(p->variant);
	x->c.cpu = p->cpus[0];
	x->c.seed = p->seed;
}

static int prepare(struct comparison *x)
{
	const struct options *o = x->s.cmd->opt;
	const bool kernel = x->s.targets[0].engine == &x->s.kernel;
	int ret = session_open_user(&x->s);

	if (ret)
		return ret;
	compare_init(&x->c, kernel, o->rounds ? (uint32_t)o->rounds : DEFAULT_ROUNDS);
	set_point(x);
	ret = add_cases(x);
	if (ret)
		return ret;
	choose_part(x);
	set_run(x);
	return 0;
}

/* Ways that no round has a figure of: that is no success. */
static int check_empty(const struct comparison *x)
{
	size_t none = 0, all = 0;
	struct summary s;

	for (size_t n = 0; n < x->c.nr_cases; n++)
		for (int w = 0; w < WAYS; w++) {
			if (!x->c.ways[w].available)
				continue;
			compare_way_figure(&x->c, n, w, &s);
			none += !s.n;
			all++;
		}
	if (!none)
		return 0;
	return cmd_fail(
		x->s.cmd, CMD_FAILED,
		"%zu of %zu figures are missing: not one window fits their turns besides the "
		"warm-up; give more --time, or less --warmup",
		none, all);
}

static int compare(struct comparison *x)
{
	const struct cmd *c = x->s.cmd;
	int ret, wrote = CMD_OK;

	stop_catch();
	cpus_avoid(x->s.targets[0].cpus, 1);
	ret = compare_run(&x->run);
	stop_release();
	if (ret && ret != -ECANCELED)
		cmd_fail(c, CMD_FAILED, "%s", x->run.error);
	x->s.result.compare = &x->c;
	if (x->s.result.nr_points)
		wrote = paper_write(c, &x->s.result);
	if (ret == -ECANCELED)
		return cmd_fail(c, CMD_CANCELLED, "cancelled with %u of %u rounds done%s",
				x->c.done, x->c.rounds,
				x->s.result.nr_points ? "; what was measured is kept" : "");
	if (ret)
		return CMD_FAILED;
	ret = check_empty(x);
	return ret ? ret : wrote;
}

int cmd_compare(const struct cmd *c)
{
	struct comparison x = { 0 };
	int ret = session_begin(&x.s, c);

	if (ret == CMD_FAILED && !x.s.kernel.ops && x.s.n && x.s.targets[0].engine == &x.s.kernel)
		cmd_fail(c, ret,
			 "`mprobectl compare anon` compares the pages of userspace alone, "
			 "without the module");
	if (!ret)
		ret = prepare(&x);
	if (!ret)
		ret = compare(&x);
	session_end(&x.s);
	compare_free(&x.c);
	return ret;
}
