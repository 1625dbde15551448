// SPDX-License-Identifier: GPL-2.0
#include <mprobe/loop.h>

#define PACE_SHIFT 20

void mprobe_passes_init(struct mprobe_passes *p, const struct mprobe_cursor *c,
			const struct mprobe_loop *l, u64 limit, u64 warmup_bytes, u64 window,
			u64 time)
{
	*p = (struct mprobe_passes){ .units = mprobe_cursor_units(c, l),
				     .warmup = warmup_bytes / l->payload_bytes,
				     .window = window,
				     .time = time,
				     .first = c->at,
				     .chase = l->loop_id == MPROBE_LOOP_CHASE };
	/* 2^64 units are out of reach */
	if (limit <= port_div(~0ull, p->units))
		p->limit = limit;
}

static u64 fitting(u64 ticks, const struct mprobe_cursor *c)
{
	return ticks * c->pace >> PACE_SHIFT;
}

static u64 warm_units(const struct mprobe_passes *p, const struct mprobe_cursor *c)
{
	if (p->limit && p->limit < MPROBE_FEW_PASSES)
		return 0;
	/* Of a set not much larger than the cache, what is hit in the first pass stays dirty. */
	if (p->warmup)
		return p->warmup < p->units ? p->warmup : 2 * p->units;
	return p->units <= fitting(p->time, c) / MPROBE_FEW_PASSES ? p->units : 0;
}

bool mprobe_passes_warming(struct mprobe_passes *p, const struct mprobe_cursor *c)
{
	if (!c->pace)
		return true;
	if (!p->paced) {
		p->paced = true;
		p->warm = warm_units(p, c);
	}
	return p->done < p->warm;
}

/*
 * A chase is seen to be closed only where a window ends with a pass. Short passes fill a window
 * by a multiple of them; the end of a long one is halved, so that no window becomes very short.
 */
static u64 to_end_of_pass(const struct mprobe_passes *p, const struct mprobe_cursor *c)
{
	u64 fit = fitting(p->window, c), whole = port_div(p->done, p->units);
	u64 rest = p->units - (p->done - whole * p->units), most = rest;

	if (fit >= p->units) {
		most += (port_div(fit, p->units) - 1) * p->units;
		return most < fit / 2 ? most + p->units : most;
	}
	return rest > fit && rest < 2 * fit ? (rest + 1) / 2 : rest;
}

u64 mprobe_passes_most(const struct mprobe_passes *p, const struct mprobe_cursor *c)
{
	u64 most = p->chase && c->pace ? to_end_of_pass(p, c) : 0;
	u64 left = p->limit ? p->limit * p->units - p->done : 0;

	if (!most || (left && left < most))
		most = left;
	return most;
}

bool mprobe_passes_add(struct mprobe_passes *p, const struct mprobe_cursor *c, u64 work)
{
	u64 passes, room = ~0u - p->closed;

	p->done += work;
	passes = port_div(p->done - p->seen, p->units);
	if (p->chase && passes && port_div(p->done, p->units) * p->units == p->done) {
		if (c->at == p->first)
			port_add_once(&p->closed, (u32)(passes < room ? passes : room));
		else
			port_add_once(&p->broken, 1);
		p->seen = p->done;
	}
	return p->limit && p->done == p->limit * p->units;
}
