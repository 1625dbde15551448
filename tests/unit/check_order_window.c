// SPDX-License-Identifier: GPL-2.0
/* An order confined to windows: one cycle, and each window left only when all of it was visited. */
#include <mprobe/loop.h>

#include "scatter.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	u64 n;
	u32 shift;
} orders[] = {
	{ 2, 1 },	 { 3, 1 },	  { 4, 1 },	 { 5, 2 },	    { 7, 2 },
	{ 8, 2 },	 { 100, 3 },	  { 4096, 12 }, /* one window: not confined */
	{ 4097, 12 },	 { 8191, 12 },	  { 65536, 12 }, { 65536 + 1, 12 }, { 100000, 12 },
	{ 1 << 18, 16 }, { 1000003, 13 }, { 77, 40 },
};
static const u64 seeds[] = { 0, 1, 42, 0xdeadbeefcafef00dull };

static void follow(u64 n, u32 shift, u64 seed)
{
	const u64 w = shift < 40 && n > 1ull << shift ? 1ull << shift : n;
	u8 *seen = calloc(n, 1);
	struct mprobe_order o;
	u64 i, j;

	mprobe_order_init(&o, n, seed);
	mprobe_order_confine(&o, shift);
	j = mprobe_order_at(&o, 0);
	for (i = 0; i < n; i++) {
		/* the i-th object lies in the i-th object's window, the last of which may be smaller */
		if (j >= n || seen[j] || j / w != i / w)
			ck_abort_msg("n %lu windows of %lu: the %lu-th object is %lu", n, w, i, j);
		seen[j] = 1;
		if (mprobe_order_index(&o, j) != i || mprobe_order_at(&o, i) != j)
			ck_abort_msg("n %lu windows of %lu: the %lu-th object is not %lu", n, w, i,
				     j);
		j = mprobe_order_next(&o, j);
	}
	ck_assert_uint_eq(j, mprobe_order_at(&o, 0));
	free(seen);
}

START_TEST(windows_in_turn)
{
	unsigned int s;

	for (s = 0; s < sizeof(seeds) / sizeof(seeds[0]); s++)
		follow(orders[_i].n, orders[_i].shift, seeds[s]);
}
END_TEST

START_TEST(one_window_confines_nothing)
{
	struct mprobe_order a, b;
	u64 i;

	mprobe_order_init(&a, 5000, 9);
	mprobe_order_init(&b, 5000, 9);
	mprobe_order_confine(&b, 13);
	for (i = 0; i < 5000; i++)
		if (mprobe_order_at(&a, i) != mprobe_order_at(&b, i))
			ck_abort_msg("a window that holds everything changes the order at %lu", i);
}
END_TEST

/* Windows of 4096 objects, each in an order of its own: hardly any place is the same in two of them. */
START_TEST(windows_differ)
{
	const u64 w = 4096;
	struct mprobe_order o;
	u64 i, k, same = 0;

	mprobe_order_init(&o, 64 * w, 5);
	mprobe_order_confine(&o, 12);
	for (k = 1; k < 64; k++)
		for (i = 0; i < w; i++)
			same += mprobe_order_at(&o, i) == mprobe_order_at(&o, k * w + i) - k * w;
	ck_assert_uint_lt(same, 63 * 6); /* 63 expected */
}
END_TEST

/* Within a window no prefetcher finds it: steps hardly repeat. */
START_TEST(no_pattern)
{
	const u64 w = 4096;
	u64 i, j, pairs = 0, last = 0, pages = 0;
	struct mprobe_order o;

	mprobe_order_init(&o, 64 * w, _i);
	mprobe_order_confine(&o, 12);
	j = mprobe_order_at(&o, 0);
	for (i = 1; i < 64 * w; i++) {
		u64 to = mprobe_order_next(&o, j);

		pairs += to - j == last;
		pages += to / 64 == j / 64;
		last = to - j;
		j = to;
	}
	/* expected: about 64 * 4096 * 2/3 / 4096 = 43, and 1 of 64 */
	ck_assert_uint_lt(pairs, 200);
	ck_assert_uint_lt(pages, 64 * w / 32);
}
END_TEST

static const struct {
	u32 granules, shift;
	u64 base, bytes;
	u32 object;
	u64 window;
} views[] = {
	{ 1, 12, 0, 4096, 64, 512 },
	{ 4, 12, 64, 4 * 4096 - 128, 64, 4096 },
	{ 7, 13, 256, 6 * 8192, 256, 1024 },
	{ 3, 16, 128, 2 * 65536 + 1024, 64, 65536 },
};

/* Every builder writes it, and a chase begins at its first object. */
START_TEST(built)
{
	const u32 object = views[_i].object;
	const struct mprobe_loop *l;
	enum mprobe_loop_missing none;
	struct mprobe_cursor c, chase;
	struct scatter s;
	u32 i;
	u64 j;

	for (i = 0; (l = mprobe_loop_nth(i)); i++) {
		if (l->loop_id != MPROBE_LOOP_ORDER || !mprobe_loop_runs_here(l))
			continue;
		scatter_make(&s, views[_i].granules, views[_i].shift, views[_i].base,
			     views[_i].bytes);
		mprobe_cursor_init(&c, l, &s.view, object, 42);
		mprobe_cursor_confine(&c, l, views[_i].window);
		ck_assert_uint_eq((u64)object << c.order.window_shift, views[_i].window);
		l->run(&c, c.order.n);
		for (j = 0; j < c.order.n; j++) {
			u64 word = *(u64 *)scatter_byte(&s, j * object);

			if (word !=
			    mprobe_view_addr(&s.view, mprobe_order_next(&c.order, j) * object))
				ck_abort_msg("%s: object %lu is wrong", l->isa, j);
		}
		l = mprobe_loop_find(MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO, 0, &none);
		mprobe_cursor_init(&chase, l, &s.view, object, 42);
		mprobe_cursor_confine(&chase, l, views[_i].window);
		j = chase.at;
		ck_assert_uint_eq(j,
				  mprobe_view_addr(&s.view, mprobe_order_at(&c.order, 0) * object));
		l->run(&chase, c.order.n);
		ck_assert_uint_eq(chase.at, j);
		scatter_check_canaries(&s);
		scatter_free(&s);
	}
}
END_TEST

Suite *order_window_suite(void)
{
	Suite *s = suite_create("order_window");
	TCase *t = tcase_create("order_window");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, windows_in_turn, 0, sizeof(orders) / sizeof(orders[0]));
	tcase_add_test(t, one_window_confines_nothing);
	tcase_add_test(t, windows_differ);
	tcase_add_loop_test(t, no_pattern, 0, 4);
	tcase_add_loop_test(t, built, 0, sizeof(views) / sizeof(views[0]));
	suite_add_tcase(s, t);
	return s;
}
