// SPDX-License-Identifier: GPL-2.0
#include "session.h"

#include <stdlib.h>

#include "figure.h"
#include "parse.h"

#define DEFAULT_SIZES	"16K..1G"
#define DEFAULT_TIME_NS 500000000ull

static const enum mprobe_variant variants[] = { MPROBE_VARIANT_RO, MPROBE_VARIANT_WB };

static int add(struct session *s, struct session_target *t, enum mprobe_variant variant,
	       uint64_t bytes)
{
	struct point p;

	session_point(s, t, &p);
	p.loop = MPROBE_LOOP_CHASE;
	p.variant = variant;
	if (!p.time_ns)
		p.time_ns = DEFAULT_TIME_NS;
	return session_add(s, t, &p, bytes);
}

/* Sizes that nobody asked for stop where the target does, and that is said. */
static bool beyond(struct session *s, const struct session_target *t, uint64_t bytes, bool *said)
{
	char has[FIGURE];

	if (s->cmd->opt->nr_sizes || !t->room || bytes <= t->room)
		return false;
	if (!*said)
		session_note(s, "%s: sizes stop at the %s that it has%s", t->target.name,
			     figure_size(has, t->room & ~((1ull << 20) - 1)),
			     t->target.kind == TARGET_ANON ? " free" : "");
	*said = true;
	return true;
}

/* Targets stand inside sizes: what is compared is measured close together in time. */
static int plan(struct session *s, const uint64_t *sizes, size_t n, bool *said)
{
	const enum mprobe_variant only = s->cmd->opt->variant;
	int ret;

	for (size_t i = 0; i < n; i++)
		for (size_t v = 0; v < 2; v++)
			for (size_t t = 0; t < s->n; t++) {
				enum mprobe_variant variant = only ? only : variants[v];

				if ((only && v) || beyond(s, &s->targets[t], sizes[i], &said[t]))
					continue;
				ret = add(s, &s->targets[t], variant, sizes[i]);
				if (ret)
					return ret;
			}
	return 0;
}

static int sweep(struct session *s)
{
	const struct options *o = s->cmd->opt;
	uint64_t *sizes = o->sizes;
	size_t n = o->nr_sizes;
	bool *said = calloc(s->n, sizeof(*said));
	char error[PARSE_ERROR];
	int ret;

	if (!said || (!sizes && parse_sizes(DEFAULT_SIZES, &sizes, &n, error)))
		ret = cmd_fail(s->cmd, CMD_FAILED, "out of memory");
	else
		ret = plan(s, sizes, n, said);
	if (sizes != o->sizes)
		free(sizes);
	free(said);
	return ret ? ret : session_run(s);
}

int cmd_lat(const struct cmd *c)
{
	struct session s;
	int ret = session_begin(&s, c);

	if (!ret)
		ret = sweep(&s);
	session_end(&s);
	return ret;
}
