// SPDX-License-Identifier: GPL-2.0
#include <mprobe/loop.h>

#define PACE_SHIFT  20
#define LATE_US	    2
#define FAR_US	    1000 /* gates open within a fraction of it */
#define FIRST_UNITS 16	 /* of a cursor whose pace is not known */

/*
 * A stretch ends with a reading of the clock, which waits for all loads under way: a chase has one, a stream in
 * the first-level cache needs about 1 us to be as fast again (0.6 % in stretches of 125 us, below 0.1 % in these). A
 * reading costs at most 1/256 of a stretch.
 */
#define CHASE_US      16
#define STREAM_US     250
#define MIN_OVERHEADS 256

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

/* The stretch that lost the most units against the fastest one so far. */
struct slowest {
	u64 took, units; /* ticks without the reading's; 0: none yet */
	u64 pace;	 /* of the fastest */
};

static void look(struct slowest *s, u64 took, u64 units, u64 pace)
{
	if (pace > s->pace)
		s->pace = pace;
	/* units possible - done: of this one against those of the other; as sums, so that none is negative */
	if (!s->units ||
	    (took * s->pace >> PACE_SHIFT) + s->units > (s->took * s->pace >> PACE_SHIFT) + units) {
		s->took = took;
		s->units = units;
	}
}

static u64 without(u64 ticks, u64 cost)
{
	return ticks > cost ? ticks - cost : 0;
}

/* By which it exceeds what the rest of the window needed for as much work. */
static u64 gap_of(const struct mprobe_window *w, const struct slowest *s)
{
	u64 all = without(w->t1 - w->t0, w->reads * w->overhead);
	u64 rest = pace_of(w->work - s->units, without(all, s->took));

	if (w->reads < 3 || !rest)
		return ~0ull;
	return without(s->took, port_div(s->units << PACE_SHIFT, rest));
}

static u64 stretch_of(const struct mprobe_loop *l, const struct mprobe_window *w, u64 ticks_per_us)
{
	u64 ticks = (l->loop_id == MPROBE_LOOP_CHASE ? CHASE_US : STREAM_US) * ticks_per_us;

	return ticks > MIN_OVERHEADS * w->overhead ? ticks : MIN_OVERHEADS * w->overhead;
}

static u64 lesser(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* A start that is far off was read on a CPU whose clock disagrees: nobody hangs on it. */
void mprobe_window_wait(struct mprobe_window *w, u64 ticks_per_us)
{
	u64 now = mprobe_clock_read(w->clock);
	bool far = now < w->start && w->start - now > FAR_US * ticks_per_us;

	while (now < w->start && !far)
		now = mprobe_clock_read(w->clock);
	w->late = w->start && (far || now - w->start > LATE_US * ticks_per_us);
}

/*
 * Stretches of 7/8 of what remains, and none longer than stretch_of(): three leave less than 1 %. The first is
 * short and proves the pace, and none is more than `grow` times the one before, so that a
 * memory which became much slower cannot make the window much longer.
 */
void mprobe_window_run(const struct mprobe_loop *l, struct mprobe_cursor *c,
		       struct mprobe_window *w, u64 ticks_per_us)
{
	u64 stretch = stretch_of(l, w, ticks_per_us);
	u64 grow = c->pace ? 16 : 2;
	u64 units = c->pace ? fitting(lesser(w->length / 16, stretch), c->pace) : FIRST_UNITS;
	bool known = c->pace;
	struct slowest slowest = { .units = 0 };
	u64 now, last, end;

	w->work = 0;
	w->reads = 0;
	w->t0 = last = mprobe_clock_read(w->clock);
	end = w->t0 + w->length;
	for (;;) {
		if (w->max_units && units > w->max_units - w->work)
			units = w->max_units - w->work;
		l->run(c, units);
		now = mprobe_clock_read(w->clock);
		w->reads++;
		w->work += units;
		c->pace = pace_of(units, now - last);
		if (known)
			look(&slowest, without(now - last, w->overhead), units, c->pace);
		known = true;
		if (w->work == w->max_units || now + w->length / 128 >= end)
			break;
		units = lesser(units * grow,
			       fitting(lesser((end - now) / 8 * 7, stretch), c->pace));
		last = now;
	}
	w->t1 = now;
	w->gap = gap_of(w, &slowest);
}
