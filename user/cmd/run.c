// SPDX-License-Identifier: GPL-2.0
#include "session.h"

#define DEFAULT_BYTES	(1ull << 30)
#define DEFAULT_TIME_NS 1000000000ull

static int add(struct session *s, struct session_target *t, uint32_t workers)
{
	const struct options *o = s->cmd->opt;
	struct point p;

	session_point(s, t, &p);
	p.loop = o->loop ? o->loop : MPROBE_LOOP_CHASE;
	if (!p.variant)
		p.variant = p.loop == MPROBE_LOOP_ORDER ? MPROBE_VARIANT_STORE : MPROBE_VARIANT_RO;
	p.workers = workers;
	if (!p.time_ns)
		p.time_ns = DEFAULT_TIME_NS;
	return session_add(s, t, &p, o->size ? o->size : DEFAULT_BYTES);
}

static int plan(struct session *s)
{
	const struct options *o = s->cmd->opt;
	int ret = 0;

	for (size_t i = 0; i < (o->nr_workers ? o->nr_workers : 1); i++)
		for (size_t t = 0; !ret && t < s->n; t++)
			ret = add(s, &s->targets[t], o->nr_workers ? o->workers[i] : 1);
	return ret;
}

int cmd_run(const struct cmd *c)
{
	struct session s;
	int ret;

	if (c->opt->object_bytes && c->opt->loop == MPROBE_LOOP_STREAM)
		return cmd_fail(c, CMD_USAGE,
				"--object is for chase and order; a stream goes by lines");
	if (c->opt->order_window_bytes && c->opt->loop == MPROBE_LOOP_STREAM)
		return cmd_fail(c, CMD_USAGE,
				"--order-window is for chase and order; a stream has no order");
	ret = session_begin(&s, c);
	if (!ret)
		ret = plan(&s);
	if (!ret)
		ret = session_run(&s);
	session_end(&s);
	return ret;
}
