// SPDX-License-Identifier: GPL-2.0
/* Windows: exact units, bounded time, few readings of the clock. On a machine shared with others
 * one try may be disturbed, so bounds on time must hold in the best of several. */
#include <mprobe/loop.h>

#include <check.h>

#define TRIES	 50
#define PATIENCE 2000 /* tries until one was not disturbed */
#define MAX_RUNS 4096

/* A loop whose unit takes `unit_ticks` of the clock. */
static u64 unit_ticks, runs, asked[MAX_RUNS], total;
static u64 stall_at, stall_ticks; /* once, within the stretch that does this unit */
static u64 again_ticks;		  /* and in the one after it */
static enum mprobe_clock clock_id;

static void spin(struct mprobe_cursor *c, u64 units)
{
	u64 until = mprobe_clock_read(clock_id) + units * unit_ticks;

	(void)c;
	if (stall_ticks && total + units > stall_at) {
		until += stall_ticks;
		stall_ticks = again_ticks;
		again_ticks = 0;
	}
	asked[runs++ % MAX_RUNS] = units;
	total += units;
	while (mprobe_clock_read(clock_id) < until)
		;
}

static const struct mprobe_loop spinner = {
	.name = "spin", .variant = "ro", .isa = "scalar", .run = spin
};
static const struct mprobe_loop chaser = {
	.name = "spin", .loop_id = MPROBE_LOOP_CHASE, .variant = "ro", .isa = "scalar", .run = spin
};
static const struct mprobe_loop *const loops[] = { &spinner, &chaser };
static const u64 stretch_us[] = { 250, 16 };

static const enum mprobe_clock clocks[] = { MPROBE_CLOCK_TSC, MPROBE_CLOCK_RAW };

static u64 per_us(void)
{
	return mprobe_clock_khz(clock_id) / 1000;
}

static bool begin(int i)
{
	clock_id = clocks[i];
	runs = total = 0;
	return clock_id != MPROBE_CLOCK_TSC || mprobe_clock_best() == MPROBE_CLOCK_TSC;
}

START_TEST(length)
{
	u64 best = ~0ull, took;
	struct mprobe_cursor c = { .pace = 0 };
	struct mprobe_window w;
	int i;

	if (!begin(_i))
		return;
	unit_ticks = per_us() / 4;
	for (i = 0; i < TRIES; i++) {
		u64 before = runs, sum = total;

		w = (struct mprobe_window){ .clock = clock_id, .length = 1000 * per_us() };
		mprobe_window_wait(&w, per_us()); /* start 0: for nothing */
		mprobe_window_run(&spinner, &c, &w, per_us());
		took = w.t1 - w.t0;
		ck_assert_uint_eq(w.work, total - sum);
		ck_assert_uint_eq(w.reads, runs - before);
		ck_assert_uint_ge(took, w.length - w.length / 100);
		ck_assert(!w.late);
		if (i && took < best)
			best = took;
		if (i)
			ck_assert_uint_le(asked[before % MAX_RUNS], (w.length / unit_ticks) / 15);
	}
	ck_assert_uint_le(best, 1010 * per_us());
	ck_assert_uint_le(w.reads, 12); /* four stretches, what the first one left, the last few */
}
END_TEST

START_TEST(unknown_pace)
{
	u64 best = ~0ull, k;
	struct mprobe_cursor c;
	struct mprobe_window w;
	int i;

	if (!begin(_i))
		return;
	unit_ticks = per_us();
	for (i = 0; i < TRIES; i++) {
		c = (struct mprobe_cursor){ .pace = 0 };
		runs = 0;
		w = (struct mprobe_window){ .clock = clock_id, .length = 500 * per_us() };
		mprobe_window_run(&spinner, &c, &w, per_us());
		ck_assert_uint_le(asked[0], 16);
		for (k = 1; k < runs; k++)
			ck_assert_uint_le(asked[k], 2 * asked[k - 1]);
		ck_assert_uint_gt(c.pace, 0);
		if (w.t1 - w.t0 < best)
			best = w.t1 - w.t0;
	}
	ck_assert_uint_le(best, 510 * per_us());
	/* a unit a microsecond, within 10 % */
	ck_assert_uint_le(c.pace, (1ull << 20) * 11 / 10 / per_us());
}
END_TEST

/* The memory became ten times slower than it was. */
START_TEST(slower_than_before)
{
	u64 best = ~0ull;
	struct mprobe_cursor c;
	struct mprobe_window w;
	int i;

	if (!begin(_i))
		return;
	unit_ticks = per_us();
	for (i = 0; i < TRIES; i++) {
		c = (struct mprobe_cursor){ .pace = (10ull << 20) / per_us() };
		w = (struct mprobe_window){ .clock = clock_id, .length = 500 * per_us() };
		mprobe_window_run(&spinner, &c, &w, per_us());
		if (w.t1 - w.t0 < best)
			best = w.t1 - w.t0;
	}
	ck_assert_uint_lt(best, 1000 * per_us());
}
END_TEST

/* No stretch is longer than it may be, nor cut so that the readings cost more than they may. */
START_TEST(stretches)
{
	u64 most = stretch_us[_i / 2], k, long_one, most_runs = 0;
	struct mprobe_cursor c = { .pace = 0 };
	struct mprobe_window w;
	int i;

	if (!begin(_i % 2))
		return;
	unit_ticks = per_us() / 4;
	for (i = 0; i < TRIES; i++) {
		runs = 0;
		w = (struct mprobe_window){ .clock = clock_id, .length = 2000 * per_us() };
		mprobe_window_run(loops[_i / 2], &c, &w, per_us());
		for (k = 0; k < runs; k++)
			ck_assert_uint_le(asked[k], most * per_us() / unit_ticks);
		most_runs = runs > most_runs ? runs : most_runs;
	}
	ck_assert_uint_ge(most_runs, 2000 / most * 9 / 10);
	c.pace = (1ull << 20) / unit_ticks;
	long_one = runs = 0;
	w = (struct mprobe_window){ .clock = clock_id,
				    .length = 4000 * per_us(),
				    .overhead = per_us() };
	mprobe_window_run(loops[_i / 2], &c, &w, per_us());
	for (k = 0; k < runs; k++)
		long_one = asked[k] > long_one ? asked[k] : long_one;
	ck_assert_uint_le(long_one, 256 * per_us() / unit_ticks);
	ck_assert_uint_ge(long_one, 256 * per_us() / unit_ticks / 2);
}
END_TEST

/* The figure is what a unit takes, whatever the stretches and the cost of reading. */
START_TEST(figure)
{
	struct mprobe_cursor c = { .pace = 0 };
	struct mprobe_window w;
	double one, low, high, least = 1e9;
	int i;

	if (!begin(_i % 2))
		return;
	unit_ticks = per_us() / 8;
	low = 0.995 * (double)unit_ticks;
	high = 1.01 * (double)unit_ticks;
	for (i = 0; i < PATIENCE && (least < low || least > high); i++) {
		w = (struct mprobe_window){ .clock = clock_id,
					    .length = 1000 * per_us(),
					    .overhead = mprobe_clock_overhead(clock_id) };
		mprobe_window_run(loops[_i / 2], &c, &w, per_us());
		one = (double)(w.t1 - w.t0 - w.reads * w.overhead) / (double)w.work;
		least = one < least ? one : least;
	}
	ck_assert_double_ge(least, low);
	ck_assert_double_le(least, high);
}
END_TEST

/* A pause, of so many us, at such a part of the window (in 1/8): wherever it is, it is the gap. */
static const struct pause {
	u64 us, eighth;
} pauses[] = { { 0, 0 },  { 5, 1 },  { 5, 4 },	 { 5, 7 },   { 50, 0 },
	       { 50, 4 }, { 50, 7 }, { 300, 1 }, { 300, 4 }, { 300, 6 } };

START_TEST(gap)
{
	const struct pause *p = &pauses[_i / 4];
	u64 want, off, best = ~0ull;
	struct mprobe_cursor c;
	struct mprobe_window w;
	int i;

	if (!begin(_i % 2))
		return;
	unit_ticks = per_us() / 8;
	want = p->us * per_us();
	for (i = 0; i < PATIENCE && best > per_us() / 5; i++) {
		total = 0;
		c = (struct mprobe_cursor){ .pace = (1ull << 20) / unit_ticks };
		stall_at = (1000 * p->eighth + 200) * per_us() / 8 / unit_ticks;
		stall_ticks = want;
		w = (struct mprobe_window){ .clock = clock_id,
					    .length = 1000 * per_us() + want,
					    .overhead = mprobe_clock_overhead(clock_id) };
		mprobe_window_run(loops[_i / 2 % 2], &c, &w, per_us());
		off = w.gap > want ? w.gap - want : want - w.gap;
		best = off < best ? off : best;
	}
	ck_assert_uint_le(best, per_us() / 5);
}
END_TEST

/* Of two pauses the longer one, not their sum, although the first makes the next stretch short. */
START_TEST(gap_of_two)
{
	u64 off, best = ~0ull, want;
	struct mprobe_cursor c;
	struct mprobe_window w;
	int i;

	if (!begin(_i))
		return;
	unit_ticks = per_us() / 8;
	want = 60 * per_us();
	for (i = 0; i < PATIENCE && best > per_us() / 5; i++) {
		total = 0;
		c = (struct mprobe_cursor){ .pace = (1ull << 20) / unit_ticks };
		stall_at = 400 * per_us() / unit_ticks;
		stall_ticks = 50 * per_us();
		again_ticks = want;
		w = (struct mprobe_window){ .clock = clock_id,
					    .length = 1000 * per_us(),
					    .overhead = mprobe_clock_overhead(clock_id) };
		mprobe_window_run(&chaser, &c, &w, per_us());
		off = w.gap > want ? w.gap - want : want - w.gap;
		best = off < best ? off : best;
	}
	ck_assert_uint_le(best, per_us() / 5);
}
END_TEST

START_TEST(gap_unknown)
{
	struct mprobe_cursor c = { .pace = 0 };
	struct mprobe_window w;

	if (!begin(_i))
		return;
	unit_ticks = 1;
	w = (struct mprobe_window){ .clock = clock_id, .length = 1000 * per_us(), .max_units = 17 };
	mprobe_window_run(&spinner, &c, &w, per_us());
	ck_assert_uint_eq(w.reads, 2);
	ck_assert_uint_eq(w.gap, ~0ull);
}
END_TEST

START_TEST(max_units)
{
	static const u64 most[] = { 1, 2, 15, 16, 17, 100, 12345 };
	struct mprobe_cursor c = { .pace = 0 };
	struct mprobe_window w;
	u32 i, round;

	if (!begin(_i))
		return;
	unit_ticks = 1;
	for (round = 0; round < 3; round++) {
		for (i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
			total = 0;
			w = (struct mprobe_window){ .clock = clock_id,
						    .length = 100000 * per_us(),
						    .max_units = most[i] };
			mprobe_window_run(&spinner, &c, &w, per_us());
			ck_assert_uint_eq(w.work, most[i]);
			ck_assert_uint_eq(total, most[i]);
		}
	}
}
END_TEST

START_TEST(start)
{
	struct mprobe_cursor c = { .pace = 0 };
	struct mprobe_window w;
	u64 best = ~0ull;
	int i;

	if (!begin(_i))
		return;
	unit_ticks = 10;
	for (i = 0; i < TRIES; i++) {
		w = (struct mprobe_window){ .clock = clock_id, .length = 10 * per_us() };
		w.start = mprobe_clock_read(clock_id) + 100 * per_us();
		mprobe_window_wait(&w, per_us());
		mprobe_window_run(&spinner, &c, &w, per_us());
		ck_assert_uint_ge(w.t0, w.start);
		ck_assert_uint_gt(w.t1, w.t0);
		ck_assert(!w.late || w.t0 - w.start > 2 * per_us());
		if (w.t0 - w.start < best)
			best = w.t0 - w.start;
	}
	ck_assert_uint_le(best, per_us());
	w.start = mprobe_clock_read(clock_id) - 10 * per_us();
	mprobe_window_wait(&w, per_us());
	mprobe_window_run(&spinner, &c, &w, per_us());
	ck_assert(w.late);
}
END_TEST

/* A start that a clock ahead of this CPU's gave: not waited for, and told. */
START_TEST(far_start)
{
	struct mprobe_cursor c = { .pace = 0 };
	struct mprobe_window w;

	if (!begin(_i))
		return;
	unit_ticks = 10;
	w = (struct mprobe_window){ .clock = clock_id, .length = 10 * per_us() };
	w.start = mprobe_clock_read(clock_id) + 3600 * 1000000ull * per_us();
	mprobe_window_wait(&w, per_us());
	mprobe_window_run(&spinner, &c, &w, per_us());
	ck_assert_uint_lt(w.t1, w.start);
	ck_assert(w.late);
}
END_TEST

START_TEST(clock_readings)
{
	u64 a, b, overhead, ticks[2], ns[2];
	double rate;
	int i;

	if (!begin(_i))
		return;
	a = mprobe_clock_read(clock_id);
	for (i = 0; i < 1000; i++, a = b) {
		b = mprobe_clock_read(clock_id);
		ck_assert_uint_ge(b, a);
	}
	overhead = mprobe_clock_overhead(clock_id);
	ck_assert_uint_ge(overhead, 1);
	ck_assert_uint_le(overhead, 10 * per_us());
	mprobe_clock_pair(clock_id, &ticks[0], &ns[0]);
	while (port_raw_ns() < ns[0] + 50 * 1000 * 1000)
		;
	mprobe_clock_pair(clock_id, &ticks[1], &ns[1]);
	rate = (double)(ticks[1] - ticks[0]) * 1e6 / (double)(ns[1] - ns[0]);
	ck_assert_double_gt(rate, (double)mprobe_clock_khz(clock_id) * 0.999);
	ck_assert_double_lt(rate, (double)mprobe_clock_khz(clock_id) * 1.001);
}
END_TEST

Suite *window_suite(void)
{
	const int n = sizeof(clocks) / sizeof(clocks[0]);
	Suite *s = suite_create("window");
	TCase *t = tcase_create("window");

	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, length, 0, n);
	tcase_add_loop_test(t, unknown_pace, 0, n);
	tcase_add_loop_test(t, slower_than_before, 0, n);
	tcase_add_loop_test(t, stretches, 0, 2 * n);
	tcase_add_loop_test(t, figure, 0, 2 * n);
	tcase_add_loop_test(t, gap, 0, 2 * n * (int)(sizeof(pauses) / sizeof(pauses[0])));
	tcase_add_loop_test(t, gap_of_two, 0, n);
	tcase_add_loop_test(t, gap_unknown, 0, n);
	tcase_add_loop_test(t, max_units, 0, n);
	tcase_add_loop_test(t, start, 0, n);
	tcase_add_loop_test(t, far_start, 0, n);
	tcase_add_loop_test(t, clock_readings, 0, n);
	suite_add_tcase(s, t);
	return s;
}
