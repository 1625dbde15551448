// SPDX-License-Identifier: GPL-2.0
#include "session.h"

#define DEFAULT_BYTES	(1ull << 30) /* each worker's, as in the 2020 letter */
#define DEFAULT_TIME_NS 1000000000ull

static const enum mprobe_variant variants[] = { MPROBE_VARIANT_RO, MPROBE_VARIANT_WB };

static int add(struct session *s, struct session_target *t, uint32_t workers)
{
	const struct options *o = s->cmd->opt;
	struct point p;
	int ret = 0;

	for (size_t v = 0; !ret && v < (o->variant ? 1 : 2); v++) {
		session_point(s, t, &p);
		p.loop = MPROBE_LOOP_STREAM;
		p.variant = o->variant ? o->variant : variants[v];
		p.workers = workers;
		if (!p.time_ns)
			p.time_ns = DEFAULT_TIME_NS;
		ret = session_add(s, t, &p, o->size ? o->size : DEFAULT_BYTES);
	}
	return ret;
}

/* Without --workers each target goes up to its own CPUs. */
static int plan(struct session *s)
{
	const struct options *o = s->cmd->opt;
	size_t n = o->nr_workers;
	int ret = 0;

	for (size_t t = 0; !o->nr_workers && t < s->n; t++)
		n = s->targets[t].nr_cpus > n ? s->targets[t].nr_cpus : n;
	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; !ret && t < s->n; t++)
			if (o->nr_workers || i < s->targets[t].nr_cpus)
				ret = add(s, &s->targets[t], o->nr_workers ? o->workers[i] : i + 1);
	return ret;
}

int cmd_bw(const struct cmd *c)
{
	struct session s;
	int ret = session_begin(&s, c);

	if (!ret)
		ret = plan(&s);
	if (!ret)
		ret = session_run(&s);
	session_end(&s);
	return ret;
}
