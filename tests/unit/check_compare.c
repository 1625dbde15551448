// SPDX-License-Identifier: GPL-2.0
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

#define ALL ((1u << WAYS) - 1)
#define K1  (1u << WAY_KERNEL_1G)
#define K2  (1u << WAY_KERNEL_2M)
#define K4  (1u << WAY_KERNEL_4K)
#define U1  (1u << WAY_USER_1G)
#define U2  (1u << WAY_USER_2M)
#define U4  (1u << WAY_USER_4K)
#define L   (1u << WAY_LOADED)

static struct compare c;

static void make(unsigned int there, uint32_t rounds)
{
	compare_init(&c, there & (K1 | K2 | K4), rounds);
	for (int w = 0; w < WAYS; w++)
		c.ways[w].available &= there >> w & 1;
	ck_assert_int_eq(compare_add_case(&c, 64 << 20, 0), 0);
	compare_split(&c);
}

static void unmake(void)
{
	compare_free(&c);
}

/* Which parts there are, by the first letters of their kinds; whole: they lead to the loaded userspace. */
static const struct {
	unsigned int there;
	const char *parts;
	bool whole;
} splits[] = {
	{ ALL, "b pp u r l", true },
	{ ALL & ~K1, "b p u r l", true },
	{ ALL & ~U1, "b pp u r l", true },
	{ ALL & ~(K1 | U1), "b p u r l", true },
	{ ALL & ~(K1 | U1 | U2), "b p u l", true }, /* only 4K is common: no rest */
	{ ALL & ~(K2 | U2 | U1), "b p u l", true },
	{ ALL & ~K4, "b p u p l", true },   /* pages to 4K are told by userspace */
	{ ALL & ~(K4 | U2), "b p", false }, /* nothing leads from 2M to userspace */
	{ ALL & ~(U4 | L), "b pp", false },
	{ U1 | U2 | U4 | L, "b pp l", true },
	{ U2 | U4 | L, "b p l", true },
	{ U4 | L, "b l", true },
	{ K2 | K4, "b p", false },
	{ 0, "", false },
};

START_TEST(test_split)
{
	static const char letter[] = "bpulr";
	char got[32] = "", last = 0;
	int sum[WAYS] = { 0 };

	make(splits[_i].there, 1);
	for (size_t p = 0; p < c.nr_parts; p++) {
		char one[3] = { letter[c.parts[p].kind], 0 };

		if (last && (last != one[0] || one[0] != 'p'))
			strcat(got, " ");
		strcat(got, one);
		last = one[0];
	}
	ck_assert_str_eq(got, splits[_i].parts);
	ck_assert(c.whole == splits[_i].whole);
	for (size_t p = 0; p < c.nr_parts; p++)
		for (int w = 0; w < WAYS; w++)
			sum[w] += c.parts[p].sign[w];
	for (int w = 0; c.whole && w < WAYS; w++)
		ck_assert_int_eq(sum[w], w == WAY_LOADED); /* all else cancels out */
}
END_TEST

static double uniform(void)
{
	return (rand() + 0.5) / (RAND_MAX + 1.0);
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* 95 ns, 3 + 20 ns of pages, 1 of userspace, 0.5 that pages cost more there, 100 of load; it drifts by 2 ns a round. */
static void fill(double noise)
{
	static const double base[WAYS] = { 95, 98, 118, 96, 99.2, 119.5, 219.5 };

	for (uint32_t r = 0; r < c.rounds; r++)
		for (int w = 0; w < WAYS; w++)
			compare_put(&c, 0, w, r, base[w] + 2.0 * r + noise * normal(),
				    w == WAY_KERNEL_4K || w >= WAY_USER_4K ? 1.05 : 0.05);
}

START_TEST(test_parts)
{
	static const double want[] = { 95 + 6, 3, 20, 1, 0.5, 100 };
	struct summary s;
	struct compare_sum sum;

	make(ALL, 7);
	fill(0);
	ck_assert_uint_eq(c.nr_parts, 6);
	for (size_t p = 0; p < c.nr_parts; p++) {
		compare_part_figure(&c, 0, p, &s);
		ck_assert_double_eq_tol(s.median, want[p], 1e-9);
	}
	compare_add_up(&c, 0, &sum);
	ck_assert_double_eq_tol(sum.total, 225.5, 1e-9);
	ck_assert_double_eq_tol(sum.parts, 225.5, 1e-9);
	ck_assert_int_eq(sum.adds_up, 1);
	ck_assert_double_eq_tol(compare_way_walks(&c, 0, WAY_KERNEL_2M), 0.05, 1e-9);
	ck_assert_double_eq_tol(compare_part_walks(&c, 0, 2), 1, 1e-9);
}
END_TEST

/* An even drift within the rounds, half of which are backwards, falls out of all parts. */
START_TEST(test_drift)
{
	static const double want[] = { 95 + 3, 3, 20, 1, 0.5, 100 };
	static const double base[WAYS] = { 95, 98, 118, 96, 99.2, 119.5, 219.5 };
	struct summary s;

	make(ALL, 8);
	for (uint32_t r = 0; r < c.rounds; r++)
		for (int w = 0; w < WAYS; w++)
			compare_put(&c, 0, w, r, base[w] + (r % 2 ? WAYS - 1 - w : w), NAN);
	for (size_t p = 0; p < c.nr_parts; p++) {
		compare_part_figure(&c, 0, p, &s);
		ck_assert_double_eq_tol(s.median, want[p], 1e-9);
	}
}
END_TEST

/* With noise as large as the small parts they add up in more than 95 of 100 comparisons, and are near the truth. */
START_TEST(test_adds_up)
{
	static const double want[] = { 101, 3, 20, 1, 0.5, 100 };
	const uint32_t rounds[] = { 6, 7, 11, 15 };
	int good = 0, near = 0;

	srand(1);
	make(ALL, rounds[_i]);
	for (int trial = 0; trial < 200; trial++) {
		struct compare_sum sum;
		struct summary s;

		fill(0.5);
		compare_add_up(&c, 0, &sum);
		good += sum.adds_up == 1;
		for (size_t p = 1; p < c.nr_parts; p++) {
			compare_part_figure(&c, 0, p, &s);
			near += s.ci_lo <= want[p] && want[p] <= s.ci_hi;
		}
	}
	ck_assert_int_ge(good, 190);
	ck_assert_int_ge(near, 200 * 5 * 93 / 100); /* the intervals cover what is true */
}
END_TEST

/* Medians that do not add up are seen: each part is 10 ns in another quarter of the rounds. */
START_TEST(test_differs)
{
	struct compare_sum sum;

	make(ALL, 40);
	for (uint32_t r = 0; r < 40; r++) {
		double base = 100, pages = r % 4 == 0 ? 10 : 0, user = r % 4 == 1 ? 10 : 0,
		       load = r % 4 == 2 ? 10 : 0;
		double at[WAYS] = { base,
				    base,
				    base + pages,
				    base + user,
				    base + user,
				    base + pages + user,
				    base + pages + user + load };

		for (int w = 0; w < WAYS; w++)
			compare_put(&c, 0, w, r, at[w], NAN);
	}
	compare_add_up(&c, 0, &sum);
	ck_assert_double_eq_tol(sum.parts, 100, 1e-9);
	ck_assert_double_eq_tol(sum.total, 110, 1e-9);
	ck_assert_int_eq(sum.adds_up, 0);
}
END_TEST

/* Unknown stays unknown. */
START_TEST(test_unknown)
{
	struct compare_sum sum;
	struct summary s;

	make(ALL, 5);
	fill(0.1);
	compare_add_up(&c, 0, &sum);
	ck_assert_int_eq(sum.adds_up, -1); /* no interval of 5 */
	ck_assert(isfinite(sum.total) && isfinite(sum.parts) && isnan(sum.within));
	unmake();
	make(ALL, 7);
	compare_add_up(&c, 0, &sum);
	ck_assert(isnan(sum.total));
	ck_assert_int_eq(sum.adds_up, -1);
	ck_assert(isnan(compare_part_walks(&c, 0, 1)));
	fill(0);
	compare_put(&c, 0, WAY_KERNEL_4K, 3, NAN, NAN); /* a turn without a figure */
	compare_part_figure(&c, 0, 2, &s);
	ck_assert_uint_eq(s.n, 6);
	ck_assert_double_eq_tol(s.median, 20, 1e-9);
	unmake();
	make(K2 | K4, 7);
	compare_add_up(&c, 0, &sum);
	ck_assert(isnan(sum.total) && isnan(sum.parts));
}
END_TEST

Suite *compare_suite(void)
{
	Suite *s = suite_create("compare");
	TCase *t = tcase_create("compare");

	tcase_add_checked_fixture(t, NULL, unmake);
	tcase_add_loop_test(t, test_split, 0, sizeof(splits) / sizeof(splits[0]));
	tcase_add_test(t, test_parts);
	tcase_add_test(t, test_drift);
	tcase_add_loop_test(t, test_adds_up, 0, 4);
	tcase_add_test(t, test_differs);
	tcase_add_test(t, test_unknown);
	suite_add_tcase(s, t);
	return s;
}
