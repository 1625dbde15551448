// SPDX-License-Identifier: GPL-2.0
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <mprobe/loop.h>

#include "anon.h"
#include "cpus.h"
#include "figure.h"
#include "paper.h"
#include "parse.h"
#include "samples_file.h"
#include "stop.h"
#include <mprobe/version.h>

#define PASSES_TIME_NS 60000000000ull /* of a point that is to end by its passes */

void session_note(const struct session *s, const char *format, ...)
{
	va_list args;

	if (s->cmd->opt->quiet)
		return;
	fprintf(stderr, "note: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static int open_engine(struct session *s, struct engine *e, struct engine_info *info,
		       const struct engine_ops *ops)
{
	if (e->ops)
		return 0;
	e->ops = ops;
	if (ops->open(e)) {
		e->ops = NULL;
		return cmd_fail(s->cmd, CMD_FAILED, "%s", e->error);
	}
	if (ops->info(e, info))
		return cmd_fail(s->cmd, CMD_FAILED, "%s", e->error);
	if (ops == s->cmd->kernel)
		s->result.prefetch_control = info->prefetch_control;
	if (info->version[0])
		snprintf(s->result.module_version, sizeof(s->result.module_version), "%s",
			 info->version);
	return 0;
}

int session_open_user(struct session *s)
{
	return open_engine(s, &s->user, &s->user_info, s->cmd->user);
}

static int choose_engine(struct session *s, struct session_target *t)
{
	const struct cmd *c = s->cmd;
	const char *name = t->target.name, *asked = c->opt->engine;
	const bool anon = t->target.kind == TARGET_ANON;

	if (asked && !strcmp(asked, "kernel") && anon)
		return cmd_fail(c, CMD_USAGE,
				"%s is memory of mprobectl itself, which the kernel engine "
				"does not reach: leave --engine kernel out, or take dram%d",
				name, t->target.node < 0 ? 0 : t->target.node);
	if (asked && !strcmp(asked, "user") && t->target.kind == TARGET_DRAM)
		return cmd_fail(c, CMD_USAGE,
				"%s is reached by the kernel engine only: for memory of that "
				"node with --engine user say anon:%d",
				name, t->target.node);
	if (asked && !strcmp(asked, "user") && !anon)
		return cmd_fail(c, CMD_USAGE,
				"%s is reached by the kernel engine only: leave --engine user "
				"out",
				name);
	if (anon && c->opt->irqs_off)
		return cmd_fail(c, CMD_USAGE,
				"--irqs off: only the kernel engine can switch interrupts "
				"off, and %s is measured by the user engine",
				name);
	if (anon && c->opt->prefetch > MPROBE_PREFETCH_ASIS)
		return cmd_fail(c, CMD_USAGE,
				"--prefetch: only the kernel engine can switch prefetchers, and "
				"%s is measured by the user engine: leave it out",
				name);
	if (!anon && c->opt->thp)
		return cmd_fail(c, CMD_USAGE, "--page thp is for anon; for %s give 4K, 2M or 1G",
				name);
	t->engine = anon ? &s->user : &s->kernel;
	t->info = anon ? &s->user_info : &s->kernel_info;
	t->page_bytes = c->opt->page_bytes ? c->opt->page_bytes : anon ? 4096 : 0;
	return 0;
}

static int check_window(const struct session *s, const struct session_target *t)
{
	const struct options *o = s->cmd->opt;
	const uint64_t most = o->irqs_off ? t->info->window_max_irqs_off_ns :
					    t->info->window_max_ns;

	if (!most || o->window_ns <= most)
		return 0;
	return cmd_fail(s->cmd, CMD_USAGE,
			"--window: at most %" PRIu64 "ms with the %s engine%s: give a "
			"shorter one",
			most / 1000000, t->engine->ops->name, o->irqs_off ? " and --irqs off" : "");
}

static int choose_cpus(struct session *s, struct session_target *t)
{
	const struct options *o = s->cmd->opt;
	char error[PARSE_ERROR];
	int from = -1;

	if (o->nr_cpus) {
		memcpy(t->cpus, o->cpus, o->nr_cpus * sizeof(*o->cpus));
		t->nr_cpus = o->nr_cpus;
		from = cpus_node_of(o->cpus[0]);
	} else {
		if (cpus_near(t->target.node, t->cpus, PLAN_MAX_CPUS, &t->nr_cpus, &from, error,
			      sizeof(error)))
			return cmd_fail(s->cmd, CMD_FAILED, "%s: %s", t->target.name, error);
		if (t->target.node >= 0 && from != t->target.node)
			session_note(s, "%s: node %d has no CPUs, those of node %d measure it",
				     t->target.name, t->target.node, from);
	}
	/* memory that may lie anywhere lies near the first worker, and the result says where */
	if (t->target.kind == TARGET_ANON && t->target.node < 0)
		t->target.node = from;
	return 0;
}

static uint64_t room_of(const struct session *s, const struct session_target *t)
{
	uint64_t room = t->target.bytes;

	if (t->target.kind == TARGET_ANON)
		return anon_room(t->target.node, t->page_bytes, s->cmd->opt->thp);
	if (t->target.kind == TARGET_DRAM && t->info->max_bytes && t->info->max_bytes < room)
		return t->info->max_bytes;
	return room;
}

static int add_target(struct session *s, const char *name)
{
	struct session_target *t = &s->targets[s->n];
	char error[512];
	int ret;

	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->targets[i].target.name, name))
			return cmd_fail(s->cmd, CMD_USAGE, "%s is given twice", name);
	if (target_find(name, &t->target, error, sizeof(error)))
		return cmd_fail(s->cmd, CMD_FAILED, "%s", error);
	s->n++;
	ret = choose_engine(s, t);
	if (!ret)
		ret = open_engine(s, t->engine,
				  t->engine == &s->user ? &s->user_info : &s->kernel_info,
				  t->engine == &s->user ? s->cmd->user : s->cmd->kernel);
	if (!ret)
		ret = check_window(s, t);
	if (!ret)
		ret = choose_cpus(s, t);
	if (!ret)
		t->room = room_of(s, t);
	return ret;
}

int session_begin(struct session *s, const struct cmd *c)
{
	char error[PARSE_ERROR];
	int ret = 0;

	memset(s, 0, sizeof(*s));
	s->cmd = c;
	s->targets = calloc(c->argc, sizeof(*s->targets));
	if (!s->targets)
		return cmd_fail(c, CMD_FAILED, "out of memory");
	snprintf(s->result.tool_version, sizeof(s->result.tool_version), "%s", MPROBE_VERSION);
	s->result.show_frequency = c->opt->freq;
	s->result.argv = c->all_argv;
	s->result.argc = c->all_argc;
	if (c->opt->nr_cpus && cpus_check(c->opt->cpus, c->opt->nr_cpus, error, sizeof(error)))
		return cmd_fail(c, CMD_USAGE, "%s", error);
	for (int i = 0; !ret && i < c->argc; i++)
		ret = add_target(s, c->argv[i]);
	if (!ret)
		machine_read(&s->result.machine); /* points warm up by its caches */
	return ret;
}

void session_end(struct session *s)
{
	if (s->kernel.ops)
		s->kernel.ops->close(&s->kernel);
	if (s->user.ops)
		s->user.ops->close(&s->user);
	plan_free(&s->plan);
	result_free(&s->result);
	free(s->targets);
}

/* Twice the last cache, unless it is given; a few passes give none up (<mprobe/loop.h>). */
static uint64_t warmup(const struct session *s)
{
	const struct options *o = s->cmd->opt;

	if (o->passes && o->passes < MPROBE_FEW_PASSES)
		return 0;
	return o->warmup_bytes == UINT64_MAX ? 2 * s->result.machine.llc_bytes : o->warmup_bytes;
}

void session_point(const struct session *s, const struct session_target *t, struct point *p)
{
	const struct options *o = s->cmd->opt;

	*p = (struct point){
		.variant = o->variant,
		.isa = o->isa,
		.chains = 1,
		.workers = 1,
		.seed = o->seed,
		.cpus = (uint32_t *)t->cpus,
		.stride_bytes = MPROBE_LINE,
		.block_bytes = MPROBE_LINE,
		.time_ns = o->time_ns,
		.measure_window_ns = o->window_ns,
		.passes = o->passes,
		.warmup_bytes = warmup(s),
		.precision = o->passes ? 0 : o->precision,
		.page_bytes = t->page_bytes,
		.irqs_off = o->irqs_off,
		.overwrite = o->overwrite,
		.thp = o->thp,
		.prefetch = o->prefetch,
	};
	if (o->object_bytes)
		p->stride_bytes = p->block_bytes = o->object_bytes;
	p->window_bytes = o->order_window_bytes;
	if (o->passes && !o->time_ns)
		p->time_ns = PASSES_TIME_NS;
	snprintf(p->target, sizeof(p->target), "%s", t->target.name);
	snprintf(p->target_kind, sizeof(p->target_kind), "%s", target_kind_name(t->target.kind));
}

static const char *name_of(const struct mprobe_loop *l, int which)
{
	return which == 0 ? l->name : which == 1 ? l->variant : l->isa;
}

/* Variants (1) or instruction sets (2) of a loop, as the table has them; "" none. */
static void list_of(uint32_t loop, uint32_t variant, int which, char *out, size_t len)
{
	const struct mprobe_loop *l;
	const char *last = "";

	out[0] = '\0';
	for (uint32_t i = 0; (l = mprobe_loop_nth(i)); i++) {
		if (l->loop_id != loop || (which == 2 && l->variant_id != variant) ||
		    (which == 2 && !mprobe_loop_runs_here(l)) || !strcmp(last, name_of(l, which)))
			continue;
		last = name_of(l, which);
		snprintf(out + strlen(out), len - strlen(out), "%s%s", *out ? ", " : "", last);
	}
}

static const char *isa_name(enum mprobe_isa isa)
{
	const struct mprobe_loop *l;

	for (uint32_t i = 0; (l = mprobe_loop_nth(i)); i++)
		if (l->isa_id == isa)
			return l->isa;
	return "?";
}

static int check_loop(const struct session *s, const struct session_target *t,
		      const struct point *p)
{
	enum mprobe_loop_missing why;
	const struct mprobe_loop *l = mprobe_loop_find(p->loop, p->variant, p->isa, &why);
	char there[128];

	if (!l && why != MPROBE_NO_ISA) {
		list_of(p->loop, 0, 1, there, sizeof(there));
		return cmd_fail(s->cmd, CMD_USAGE, "this loop has no such --variant; it has %s",
				there);
	}
	if (!l) {
		list_of(p->loop, p->variant, 2, there, sizeof(there));
		return cmd_fail(s->cmd, CMD_USAGE,
				"this loop has no --isa %s on this CPU; there is %s",
				isa_name(p->isa), there);
	}
	if (!(l->flags & (MPROBE_LOOP_F_WRITES | MPROBE_LOOP_F_ORDER)) || !t->target.holds_data ||
	    p->overwrite)
		return 0;
	return cmd_fail(s->cmd, CMD_FAILED,
			"%s holds data, and %s would destroy it: add --overwrite if it may be "
			"destroyed%s (EROFS)",
			t->target.name,
			p->loop == MPROBE_LOOP_CHASE ? "a chase, which first writes its order," :
						       "a loop that writes",
			p->loop == MPROBE_LOOP_CHASE ? "" : ", or read only with --variant ro");
}

static int check_size(const struct session *s, const struct session_target *t,
		      const struct point *p, uint64_t bytes)
{
	const uint64_t object = p->block_bytes, grain = bytes >= 1ull << 30 ? 64ull << 20 : 4096;
	char want[FIGURE], has[FIGURE], fits[FIGURE], each[FIGURE];
	uint64_t most = t->room / p->workers;

	if (p->window_bytes && p->window_bytes < 2 * object)
		return cmd_fail(s->cmd, CMD_USAGE,
				"--order-window: less than two objects: give %" PRIu64 " or more",
				2 * object);
	if (bytes < object || bytes % object)
		return cmd_fail(s->cmd, CMD_USAGE,
				"%" PRIu64 " bytes for each worker are not made of "
				"whole objects of %" PRIu64 " bytes: give a --size that is",
				bytes, object);
	if (!t->room || p->working_set_bytes <= t->room)
		return 0;
	figure_size(each, bytes);
	figure_size(want, p->working_set_bytes);
	figure_size(has, t->room & ~((1ull << 20) - 1));
	figure_size(fits, most >= grain ? most & ~(grain - 1) : most);
	if (t->target.kind == TARGET_ANON && t->page_bytes != 4096 && !s->cmd->opt->thp)
		return 0; /* the engine says how to reserve more pages */
	if (s->cmd->command->options & OPT_SIZE)
		return cmd_fail(s->cmd, CMD_FAILED,
				"%u worker%s of %s need%s %s, %s has %s%s: give "
				"--size %s or less, or fewer --workers",
				p->workers, p->workers == 1 ? "" : "s", each,
				p->workers == 1 ? "s" : "", want, t->target.name, has,
				t->target.kind == TARGET_ANON ? " free" : "", fits);
	return cmd_fail(s->cmd, CMD_FAILED,
			"%s is larger than %s, which has %s%s: give --sizes up to "
			"%s",
			want, t->target.name, has, t->target.kind == TARGET_ANON ? " free" : "",
			fits);
}

int session_add(struct session *s, struct session_target *t, struct point *p, uint64_t bytes)
{
	int ret;

	if (p->workers > t->nr_cpus)
		return cmd_fail(
			s->cmd, CMD_USAGE,
			"%u workers need as many CPUs, and %s has %zu: give fewer "
			"--workers%s",
			p->workers, s->cmd->opt->nr_cpus ? "--cpus" : t->target.name, t->nr_cpus,
			s->cmd->opt->nr_cpus ? " or more --cpus" : " or name CPUs by --cpus");
	if (t->info->max_workers && p->workers > t->info->max_workers)
		return cmd_fail(s->cmd, CMD_FAILED,
				"%u workers are more than the %s engine runs: give %u "
				"--workers or fewer",
				p->workers, t->engine->ops->name, t->info->max_workers);
	if (bytes > UINT64_MAX / p->workers)
		return cmd_fail(s->cmd, CMD_USAGE, "--size: there is no such memory");
	if (p->passes > UINT64_MAX / bytes)
		return cmd_fail(s->cmd, CMD_USAGE,
				"--passes: nothing does so many in 10 minutes; give fewer");
	p->working_set_bytes = bytes * p->workers;
	ret = check_loop(s, t, p);
	if (!ret)
		ret = check_size(s, t, p, bytes);
	if (ret)
		return ret;
	/* a physical target is claimed whole: it is held whole, and mapped by the largest pages */
	if (p->working_set_bytes > t->claim_bytes &&
	    (t->target.kind == TARGET_ANON || t->target.kind == TARGET_DRAM))
		t->claim_bytes = p->working_set_bytes;
	return plan_add(&s->plan, p) ? cmd_fail(s->cmd, CMD_FAILED, "out of memory") : 0;
}

static void avoid_workers(const struct session *s)
{
	uint32_t most = 0;

	for (size_t i = 0; i < s->plan.n; i++)
		if (s->plan.v[i].workers > most)
			most = s->plan.v[i].workers;
	for (size_t i = 0; i < s->n && s->n == 1; i++)
		cpus_avoid(s->targets[i].cpus, most);
}

static size_t count_done(const struct result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nr_points; i++)
		n += r->points[i].stopped_by != STOP_CANCEL;
	return n;
}

int session_run(struct session *s)
{
	struct measure_source *sources = calloc(s->n, sizeof(*sources));
	struct progress progress;
	struct measure m = { .plan = &s->plan,
			     .sources = sources,
			     .nr_sources = s->n,
			     .result = &s->result,
			     .progress = &progress,
			     .stop_asked = stop_asked };
	struct samples_file samples;
	int ret, wrote, kept;

	if (!sources)
		return cmd_fail(s->cmd, CMD_FAILED, "out of memory");
	ret = samples_file_begin(&samples, s->cmd, &m);
	if (ret) {
		free(sources);
		return ret;
	}
	for (size_t i = 0; i < s->n; i++) {
		struct session_target *t = &s->targets[i];

		sources[i] = (struct measure_source){ .target = &t->target,
						      .engine = t->engine,
						      .claim_bytes = t->claim_bytes,
						      .cpus = t->cpus,
						      .nr_cpus = t->nr_cpus,
						      .max_workers = t->info->max_workers };
	}
	stop_catch();
	avoid_workers(s);
	progress_begin(&progress, &s->plan, s->cmd->opt->quiet);
	ret = measure_plan(&m);
	stop_release();
	free(sources);
	if (ret && ret != -ECANCELED)
		cmd_fail(s->cmd, CMD_FAILED, "%s", m.error);
	kept = samples_file_end(&samples, s->cmd, s->result.nr_points);
	wrote = s->result.nr_points ? paper_write(s->cmd, &s->result) : CMD_OK;
	wrote = kept ? kept : wrote;
	if (ret == -ECANCELED) {
		cmd_fail(s->cmd, CMD_CANCELLED, "cancelled with %zu of %zu points done%s",
			 count_done(&s->result), s->plan.n,
			 s->result.nr_points ? "; what was measured is kept" : "");
		return CMD_CANCELLED;
	}
	return ret ? CMD_FAILED : wrote;
}
