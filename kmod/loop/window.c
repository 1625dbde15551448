// SPDX-License-Identifier: GPL-2.0
#include <mprobe/loop.h>

#define PACE_SHIFT  20
#define LATE_US	    2
#define FAR_US	    1000 /* gates open within a fraction of it */
#define FIRST_UNITS 16	 /* of a cursor whose pace is not known */

/* Units that fit into so many ticks, as far as the pace is known; 1 at least. */
static u64 fitting(u64 ticks, u64 pace)
{
	u64 units = ticks * pace >> PACE_SHIFT;

	if (!pace)
		return ~0ull;
	return units ? units : 1;
}

/* 0, not known, only where the clock did not move. */
static u64 pace_of(u64 units, u64 ticks)
{
	u64 pace = ticks ? port_div(units << PACE_SHIFT, ticks) : 0;

	return ticks && !pace ? 1 : pace;
}

/* A start that is far off was read on a CPU whose clock disagrees: nobody hangs on it. */
static u64 wait(const struct mprobe_window *w, u64 ticks_per_us)
{
	u64 now = mprobe_clock_read(w->clock);

	if (now < w->start && w->start - now > FAR_US * ticks_per_us)
		return now;
	while (now < w->start)
		now = mprobe_clock_read(w->clock);
	return now;
}

/*
 * Stretches of 7/8 of what remains: three leave less than 1 %. The first is short and proves
 * the pace, and none is more than `grow` times the one before, so that a
 * memory which became much slower cannot make the window much longer.
 */
void mprobe_window_run(const struct mprobe_loop *l, struct mprobe_cursor *c,
		       struct mprobe_window *w, u64 ticks_per_us)
{
	u64 grow = c->pace ? 16 : 2;
	u64 units = c->pace ? fitting(w->length / 16, c->pace) : FIRST_UNITS;
	u64 now, last, end, most;

	w->work = 0;
	w->reads = 0;
	w->t0 = last = wait(w, ticks_per_us);
	w->late = w->start && (w->t0 < w->start || w->t0 - w->start > LATE_US * ticks_per_us);
	end = w->t0 + w->length;
	for (;;) {
		if (w->max_units && units > w->max_units - w->work)
			units = w->max_units - w->work;
		l->run(c, units);
		now = mprobe_clock_read(w->clock);
		w->reads++;
		w->work += units;
		c->pace = pace_of(units, now - last);
		if (w->work == w->max_units || now + w->length / 128 >= end)
			break;
		most = fitting((end - now) / 8 * 7, c->pace);
		units = units * grow < most ? units * grow : most;
		last = now;
	}
	w->t1 = now;
}
