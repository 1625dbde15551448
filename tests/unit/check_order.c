// SPDX-License-Identifier: GPL-2.0
/*
 * The order is a bijection with a single cycle, and building it writes the first
 * words of its objects only. Check marks every assertion it passes with a system call, so those in
 * long loops are made on failure only.
 */
#include <mprobe/loop.h>

#include "scatter.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const u64 sizes[] = {
	1,    2,     3,	    4,	   5,	   7,	    8,	     31,	   32,
	33,   63,    64,    65,	   100,	   127,	    1000,    4095,	   4096,
	4097, 16385, 65537, 98304, 262144, 1000003, 1 << 20, (1 << 20) + 1
};
static const u64 large[] = { 1 << 24, (1 << 24) - 3, (1 << 24) - (1 << 22) };
static const u64 seeds[] = { 0, 1, 42, 0xdeadbeefcafef00dull };

static void check_single_cycle(u64 n, u64 seed)
{
	u8 *seen = calloc(n, 1);
	struct mprobe_order o;
	u64 i, j;

	mprobe_order_init(&o, n, seed);
	j = mprobe_order_at(&o, 0);
	for (i = 0; i < n; i++) {
		if (j >= n || seen[j])
			ck_abort_msg(
				"n %lu seed %lx: %lu-th object is %lu, outside or a second time", n,
				seed, i, j);
		seen[j] = 1;
		if (mprobe_order_index(&o, j) != i || (i % 8 == 0 && mprobe_order_at(&o, i) != j))
			ck_abort_msg("n %lu seed %lx: %lu-th object is not %lu", n, seed, i, j);
		j = mprobe_order_next(&o, j);
	}
	ck_assert_uint_eq(j, mprobe_order_at(&o, 0));
	free(seen);
}

START_TEST(single_cycle)
{
	unsigned int s;

	for (s = 0; s < sizeof(seeds) / sizeof(seeds[0]); s++)
		check_single_cycle(sizes[_i], seeds[s]);
}
END_TEST

START_TEST(single_cycle_large)
{
	check_single_cycle(large[_i], (u64)_i + 42);
}
END_TEST

/* Beyond what can be followed: inverse of each other, and inside. */
START_TEST(huge)
{
	static const u64 ns[] = { 1ull << 32, (1ull << 32) + 1, (1ull << 36) - 5, 1ull << 58 };
	u64 n = ns[_i], i, j;
	struct mprobe_order o;

	mprobe_order_init(&o, n, 42);
	for (i = 0; i < 100000; i++) {
		j = mprobe_order_at(&o, n / 100000 * i);
		if (j >= n || mprobe_order_index(&o, j) != n / 100000 * i)
			ck_abort_msg("n %lu: at %lu comes %lu", n, n / 100000 * i, j);
	}
}
END_TEST

START_TEST(seed_decides)
{
	struct mprobe_order a, b, c;
	u64 n = 10000, i, same = 0;

	mprobe_order_init(&a, n, 1);
	mprobe_order_init(&b, n, 1);
	mprobe_order_init(&c, n, 2);
	for (i = 0; i < n; i++) {
		if (mprobe_order_at(&a, i) != mprobe_order_at(&b, i))
			ck_abort_msg("the same seed gives another order at %lu", i);
		same += mprobe_order_at(&a, i) == mprobe_order_at(&c, i);
	}
	ck_assert_uint_lt(same, 20); /* 1 expected */
}
END_TEST

/* No prefetcher finds it: steps hardly repeat, and hardly stay in a page of 64 lines. */
START_TEST(no_pattern)
{
	u64 n = sizes[_i], j, step, pages = 0, pairs = 0, most = 0, last = 0;
	struct mprobe_order o;
	u32 *count;
	u64 seed;

	if (n < 1000 || n > 1 << 20)
		return;
	for (seed = 0; seed < 3; seed++) {
		count = calloc(n, sizeof(*count));
		mprobe_order_init(&o, n, seed);
		pages = pairs = most = 0;
		for (j = 0; j < n; j++) {
			u64 to = mprobe_order_next(&o, j);

			step = (to + n - j) % n;
			pages += to / 64 == j / 64;
			pairs += step == last;
			last = step;
			if (++count[step] > most)
				most = count[step];
		}
		free(count);
		/* expected of a random permutation: 64, 1, and about ln n / ln ln n */
		ck_assert_msg(pages < 110, "n %lu seed %lu: %lu hops stay in their page", n, seed,
			      pages);
		ck_assert_msg(pairs < 10, "n %lu seed %lu: %lu neighbours step alike", n, seed,
			      pairs);
		ck_assert_msg(most < 16, "n %lu seed %lu: one step occurs %lu times", n, seed,
			      most);
	}
}
END_TEST

static const struct {
	u32 granules, shift;
	u64 base, bytes;
	u32 object;
} views[] = {
	{ 1, 12, 0, 4096, 64 },
	{ 4, 12, 64, 4 * 4096 - 128, 64 },
	{ 5, 12, 4096 - 64, 3 * 4096 + 128, 64 },
	{ 7, 13, 256, 6 * 8192, 256 },
	{ 9, 14, 4096, 8 * 16384, 4096 },
	{ 3, 16, 128, 2 * 65536 + 1024, 64 },
};

/* Every object's first 8 bytes, in slices as several workers would; *rest may differ inside the objects' first lines. */
static void check_built(const struct scatter *s, const struct mprobe_order *o, u32 object, u64 from,
			u64 to, bool rest_of_line)
{
	u64 j, k, word, want;

	for (j = 0; j < o->n; j++) {
		for (k = 0; k < object; k += 8) {
			word = *(u64 *)scatter_byte(s, j * object + k);
			want = 0x0101010101010101ull * SCATTER_FILL;
			if (j >= from && j < to && !k)
				want = mprobe_view_addr(&s->view, mprobe_order_next(o, j) * object);
			else if (rest_of_line && k < MPROBE_LINE && j >= from && j < to)
				continue;
			if (word != want)
				ck_abort_msg("object %lu byte %lu of %lu: %lx, not %lx", j, k, o->n,
					     word, want);
		}
	}
	scatter_check_canaries(s);
}

START_TEST(build)
{
	struct mprobe_order o;
	struct scatter s;
	u64 n, third;

	scatter_make(&s, views[_i].granules, views[_i].shift, views[_i].base, views[_i].bytes);
	n = views[_i].bytes / views[_i].object;
	third = n / 3;
	mprobe_order_init(&o, n, 42);
	mprobe_order_build(&o, &s.view, views[_i].object, third, 0);
	check_built(&s, &o, views[_i].object, 0, 0, false);
	mprobe_order_build(&o, &s.view, views[_i].object, third, third);
	check_built(&s, &o, views[_i].object, third, 2 * third, false);
	mprobe_order_build(&o, &s.view, views[_i].object, 0, third);
	mprobe_order_build(&o, &s.view, views[_i].object, 2 * third, n - 2 * third);
	check_built(&s, &o, views[_i].object, 0, n, false);
	scatter_free(&s);
}
END_TEST

/* LOOP_ORDER on every instruction set: exact units from where the cursor stands, and round again. */
START_TEST(timed_build)
{
	const struct mprobe_loop *l;
	struct mprobe_cursor c;
	struct scatter s;
	u64 n, first, done;
	u32 i, ran = 0, object = views[_i].object;

	for (i = 0; (l = mprobe_loop_nth(i)); i++) {
		if (l->loop_id != MPROBE_LOOP_ORDER || !mprobe_loop_runs_here(l))
			continue;
		ran++;
		scatter_make(&s, views[_i].granules, views[_i].shift, views[_i].base,
			     views[_i].bytes);
		mprobe_cursor_init(&c, l, &s.view, object, 42);
		n = mprobe_cursor_units(&c, l);
		ck_assert_uint_eq(n, views[_i].bytes / object);
		for (first = 0; first < n; first += done) {
			done = first + 37 < n ? 37 : n - first;
			l->run(&c, done);
			check_built(&s, &c.order, object, 0, first + done, true);
		}
		ck_assert_uint_eq(c.at, 0);
		scatter_fill(&s);
		l->run(&c, n - 1);
		check_built(&s, &c.order, object, 0, n - 1, true);
		scatter_fill(&s);
		l->run(&c, 2 * n);
		check_built(&s, &c.order, object, 0, n, true);
		ck_assert_uint_eq(c.at, (n - 1) * object);
		scatter_free(&s);
	}
	ck_assert_uint_ge(ran, 1);
}
END_TEST

Suite *order_suite(void)
{
	Suite *s = suite_create("order");
	TCase *t = tcase_create("order");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, single_cycle, 0, sizeof(sizes) / sizeof(sizes[0]));
	tcase_add_loop_test(t, single_cycle_large, 0, sizeof(large) / sizeof(large[0]));
	tcase_add_loop_test(t, huge, 0, 4);
	tcase_add_test(t, seed_decides);
	tcase_add_loop_test(t, no_pattern, 0, sizeof(sizes) / sizeof(sizes[0]));
	tcase_add_loop_test(t, build, 0, sizeof(views) / sizeof(views[0]));
	tcase_add_loop_test(t, timed_build, 0, sizeof(views) / sizeof(views[0]));
	suite_add_tcase(s, t);
	return s;
}
