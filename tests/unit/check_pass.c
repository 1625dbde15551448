// SPDX-License-Identifier: GPL-2.0
#include <check.h>
#include <stdlib.h>

#include <mprobe/loop.h>

#define BYTES (64 * 1024ull)
#define UNITS (BYTES / 64) /* of a pass */

static void *memory;
static u64 granule;
static struct mprobe_cursor c;
static struct mprobe_passes p;
static u64 warmup;

static void begin(enum mprobe_loop_id loop, u64 limit, u64 window, u64 time)
{
	enum mprobe_loop_missing why;
	const struct mprobe_loop *l = mprobe_loop_find(loop, MPROBE_VARIANT_RO, 0, &why);
	struct mprobe_view v = { .granule = &granule, .shift = 16, .bytes = BYTES };

	memory = aligned_alloc(1 << 16, BYTES);
	granule = (u64)(uintptr_t)memory;
	mprobe_cursor_init(&c, l, &v, 64, 7);
	mprobe_passes_init(&p, &c, l, limit, warmup, window, time);
	ck_assert_uint_eq(p.units, UNITS);
}

/* The pace at which so many units fit into a window. */
static void set_pace(u64 units)
{
	c.pace = (units << 20) / p.window + 1;
}

static void end(void)
{
	free(memory);
}

static const u64 fits[] = { 3,	   100,	      UNITS / 2,     UNITS - 1,
			    UNITS, UNITS + 1, 5 * UNITS / 2, 1000 * UNITS };

/* Each window of a chase ends with a pass or before it, and none is shorter than half of what fits. */
START_TEST(windows_end_with_passes)
{
	u64 fit = fits[_i], work, i, ends = 0;

	begin(MPROBE_LOOP_CHASE, 0, 1 << 20, 1ull << 40);
	ck_assert_uint_eq(mprobe_passes_most(&p, &c), 0);
	mprobe_passes_add(&p, &c, 37); /* while the pace was unknown */
	set_pace(fit);
	for (i = 0; i < 3000; i++) {
		u64 before = p.done / UNITS;

		work = mprobe_passes_most(&p, &c);
		ck_assert_uint_ge(work, 1);
		if (i > 1) /* the first ones make up for the 37 */
			ck_assert_uint_ge(2 * work + 1, fit);
		if (fit < UNITS && work > fit) /* time ends it */
			work = fit;
		mprobe_passes_add(&p, &c, work);
		if (p.done / UNITS != before && p.done % UNITS == 0)
			ends++;
		ck_assert(p.done / UNITS == before || p.done % UNITS == 0 || fit < UNITS);
	}
	if (fit >= UNITS)
		ck_assert_uint_eq(ends, 3000);
	ck_assert_uint_eq(p.broken, 0); /* the cursor stands where it began */
	end();
}
END_TEST

START_TEST(the_limit_is_exact)
{
	u64 work;
	int windows = 0;

	begin(_i ? MPROBE_LOOP_STREAM : MPROBE_LOOP_CHASE, 7, 1 << 20, 1ull << 40);
	set_pace(UNITS / 3);
	do {
		work = mprobe_passes_most(&p, &c);
		ck_assert_uint_le(p.done + work, 7 * UNITS);
		if (work > UNITS / 3)
			work = UNITS / 3;
		ck_assert_int_lt(windows++, 50);
	} while (!mprobe_passes_add(&p, &c, work));
	ck_assert_uint_eq(p.done, 7 * UNITS);
	end();
}
END_TEST

/* More passes than 64 bits of units: the job's time is what ends it. */
START_TEST(a_limit_out_of_reach_is_none)
{
	begin(MPROBE_LOOP_STREAM, ~0ull / UNITS + 1, 1 << 20, 1ull << 40);
	ck_assert_uint_eq(mprobe_passes_most(&p, &c), 0);
	ck_assert(!mprobe_passes_add(&p, &c, 3 * UNITS));
	ck_assert_uint_eq(mprobe_passes_most(&p, &c), 0);
	end();
	begin(MPROBE_LOOP_STREAM, ~0ull / UNITS, 1 << 20, 1ull << 40);
	ck_assert_uint_eq(mprobe_passes_most(&p, &c), ~0ull / UNITS * UNITS);
	end();
}
END_TEST

START_TEST(the_count_of_closed_passes_stays_at_its_end)
{
	begin(MPROBE_LOOP_CHASE, 0, 1 << 20, 1ull << 40);
	mprobe_passes_add(&p, &c, (1ull << 32) * UNITS);
	ck_assert_uint_eq(p.closed, ~0u);
	mprobe_passes_add(&p, &c, UNITS);
	ck_assert_uint_eq(p.closed, ~0u);
	end();
}
END_TEST

START_TEST(an_open_cycle_is_seen)
{
	begin(MPROBE_LOOP_CHASE, 0, 1 << 20, 1ull << 40);
	mprobe_passes_add(&p, &c, UNITS / 2);
	ck_assert_uint_eq(p.closed + p.broken, 0);
	mprobe_passes_add(&p, &c, UNITS / 2 + 2 * UNITS);
	ck_assert_uint_eq(p.closed, 3);
	c.at += 64;
	mprobe_passes_add(&p, &c, UNITS);
	ck_assert_uint_eq(p.closed, 3);
	ck_assert_uint_eq(p.broken, 1);
	end();
}
END_TEST

static const struct {
	u64 limit, passes_in_time; /* that the job's time has room for */
	u64 warmup, units;	   /* bytes given; that warm up */
} warmups[] = {
	{ 0, 5, 0, UNITS },  { 0, 3, 0, 0 },	  { 4, 5, 0, UNITS },
	{ 3, 100, 0, 0 },    { 0, 3, 6400, 100 }, { 0, 5, 64 * 1024 * 1024, 2 * UNITS },
	{ 3, 100, 6400, 0 },
};

START_TEST(the_first_pass_warms_up_where_there_is_room)
{
	warmup = warmups[_i].warmup;
	begin(MPROBE_LOOP_CHASE, warmups[_i].limit, 1 << 20, warmups[_i].passes_in_time << 20);
	ck_assert(mprobe_passes_warming(&p, &c)); /* pace unknown */
	mprobe_passes_add(&p, &c, 16);
	set_pace(UNITS);
	ck_assert(mprobe_passes_warming(&p, &c) == !!warmups[_i].units);
	if (warmups[_i].units) {
		mprobe_passes_add(&p, &c, warmups[_i].units - 17);
		ck_assert(mprobe_passes_warming(&p, &c));
		mprobe_passes_add(&p, &c, 1);
	}
	ck_assert(!mprobe_passes_warming(&p, &c));
	warmup = 0;
	end();
}
END_TEST

Suite *pass_suite(void)
{
	Suite *s = suite_create("pass");
	TCase *t = tcase_create("pass");

	tcase_add_loop_test(t, windows_end_with_passes, 0, sizeof(fits) / sizeof(*fits));
	tcase_add_loop_test(t, the_limit_is_exact, 0, 2);
	tcase_add_test(t, a_limit_out_of_reach_is_none);
	tcase_add_test(t, the_count_of_closed_passes_stays_at_its_end);
	tcase_add_test(t, an_open_cycle_is_seen);
	tcase_add_loop_test(t, the_first_pass_warms_up_where_there_is_room, 0,
			    sizeof(warmups) / sizeof(*warmups));
	suite_add_tcase(s, t);
	return s;
}
