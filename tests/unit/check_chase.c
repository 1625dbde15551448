// SPDX-License-Identifier: GPL-2.0
/* What a chase does to memory: exactly so many hops, and in wb one store to each object. */
#include <mprobe/loop.h>

#include "scatter.h"

#include <check.h>
#include <string.h>

static const struct {
	u32 granules, shift;
	u64 base, bytes;
	u32 object;
} views[] = {
	{ 1, 12, 0, 64, 64 },
	{ 1, 12, 4032, 64, 64 },
	{ 1, 12, 64, 192, 64 },
	{ 4, 12, 0, 16384, 64 },
	{ 5, 12, 4032, 3 * 4096 + 64, 64 },
	{ 5, 13, 0, 5 * 8192, 4096 },
	{ 3, 16, 1024, 150016, 256 },
	{ 2, 20, 0, 2 << 20, 64 },
};

static const struct mprobe_loop *begin(struct scatter *s, struct mprobe_cursor *c, u32 variant,
				       int i)
{
	enum mprobe_loop_missing why;
	const struct mprobe_loop *l = mprobe_loop_find(MPROBE_LOOP_CHASE, variant, 0, &why);

	ck_assert_ptr_nonnull(l);
	ck_assert(l->flags & MPROBE_LOOP_F_ORDER);
	scatter_make(s, views[i].granules, views[i].shift, views[i].base, views[i].bytes);
	mprobe_cursor_init(c, l, &s->view, views[i].object, 42);
	mprobe_order_build(&c->order, &s->view, views[i].object, 0, c->order.n);
	return l;
}

static u64 object_at(const struct mprobe_cursor *c, u64 hops)
{
	return mprobe_view_addr(&c->view,
				mprobe_order_at(&c->order, hops % c->order.n) * c->object_bytes);
}

/* Every word of every object: link, value (0: as filled), fill. */
static void objects_are(const struct scatter *s, const struct mprobe_cursor *c, u64 first_value)
{
	u64 i, j, k, word, want;

	for (i = 0; i < c->order.n; i++) {
		j = mprobe_order_at(&c->order, i);
		for (k = 0; k < c->object_bytes; k += 8) {
			word = *(u64 *)scatter_byte(s, j * c->object_bytes + k);
			want = 0x0101010101010101ull * SCATTER_FILL;
			if (!k)
				want = object_at(c, i + 1);
			else if (k == 8 && first_value)
				want = first_value + i;
			if (word != want)
				ck_abort_msg("object %lu byte %lu: %lx, not %lx", j, k, word, want);
		}
	}
	scatter_check_canaries(s);
}

static void exact_hops(u32 variant, int i)
{
	static const u64 counts[] = { 0, 1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 1000 };
	const struct mprobe_loop *l;
	struct mprobe_cursor c;
	struct scatter s;
	u64 hops = 0, n;
	u32 k;

	l = begin(&s, &c, variant, i);
	n = mprobe_cursor_units(&c, l);
	ck_assert_uint_eq(n, views[i].bytes / views[i].object);
	ck_assert_uint_eq(c.at, object_at(&c, 0));
	for (k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
		l->run(&c, counts[k]);
		hops += counts[k];
		ck_assert_uint_eq(c.at, object_at(&c, hops));
	}
	l->run(&c, n - hops % n);
	ck_assert_uint_eq(c.at, object_at(&c, 0));
	l->run(&c, n - 1);
	ck_assert_uint_eq(c.at, object_at(&c, n - 1));
	l->run(&c, 1);
	ck_assert_uint_eq(c.at, object_at(&c, 0));
	scatter_check_canaries(&s);
	scatter_free(&s);
}

START_TEST(ro_hops)
{
	exact_hops(MPROBE_VARIANT_RO, _i);
}
END_TEST

START_TEST(wb_hops)
{
	exact_hops(MPROBE_VARIANT_WB, _i);
}
END_TEST

START_TEST(ro_writes_nothing)
{
	const struct mprobe_loop *l;
	struct mprobe_cursor c;
	struct scatter s;

	l = begin(&s, &c, MPROBE_VARIANT_RO, _i);
	ck_assert(!(l->flags & MPROBE_LOOP_F_WRITES));
	l->run(&c, 2 * c.order.n + 1);
	objects_are(&s, &c, 0);
	scatter_free(&s);
}
END_TEST

/* The i-th hop stores its own value into bytes 8..15 of the object it leaves. */
START_TEST(wb_stores)
{
	const struct mprobe_loop *l;
	struct mprobe_cursor c;
	struct scatter s;
	u64 pass, value;

	l = begin(&s, &c, MPROBE_VARIANT_WB, _i);
	ck_assert(l->flags & MPROBE_LOOP_F_WRITES);
	for (pass = 0; pass < 3; pass++) {
		value = c.value;
		l->run(&c, c.order.n);
		ck_assert_uint_eq(c.value, value + c.order.n);
		objects_are(&s, &c, value);
	}
	scatter_free(&s);
}
END_TEST

Suite *chase_suite(void)
{
	const int n = sizeof(views) / sizeof(views[0]);
	Suite *s = suite_create("chase");
	TCase *t = tcase_create("chase");

	tcase_add_loop_test(t, ro_hops, 0, n);
	tcase_add_loop_test(t, wb_hops, 0, n);
	tcase_add_loop_test(t, ro_writes_nothing, 0, n);
	tcase_add_loop_test(t, wb_stores, 0, n);
	suite_add_tcase(s, t);
	return s;
}
