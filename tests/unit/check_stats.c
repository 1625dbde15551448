// SPDX-License-Identifier: GPL-2.0
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define TRIALS 20000

/* Exact integer arithmetic in Python: largest r with sum(comb(n, k), k < r) * 40 <= 2^n. */
static const struct {
	size_t n, rank;
} ranks[] = {
	{ 0, 0 },      { 1, 0 },	{ 5, 0 },	  { 6, 1 },    { 8, 1 },    { 9, 2 },
	{ 10, 2 },     { 11, 2 },	{ 12, 3 },	  { 17, 5 },   { 20, 6 },   { 25, 8 },
	{ 30, 10 },    { 50, 18 },	{ 71, 27 },	  { 100, 40 }, { 101, 41 }, { 500, 228 },
	{ 1000, 469 }, { 10000, 4902 }, { 50000, 24781 },
};

START_TEST(rank_is_exact)
{
	ck_assert_uint_eq(stats_rank(ranks[_i].n), ranks[_i].rank);
}
END_TEST

/* statistics.median, fmean and stdev of Python; the interval from the ranks above. */
START_TEST(summary_agrees_with_independent_values)
{
	const double v[] = { 93.1, 94.2, 93.5, 95.9, 93.4, 101.3, 93.6, 93.3, 93.9, 92.8 };
	double before[10];
	struct summary s;

	memcpy(before, v, sizeof(v));
	stats_summarise(v, 10, &s);
	ck_assert_uint_eq(s.n, 10);
	ck_assert_double_eq_tol(s.median, 93.55, 1e-9);
	ck_assert_double_eq_tol(s.mean, 94.5, 1e-9);
	ck_assert_double_eq_tol(s.cv, 0.026854132360739722, 1e-15);
	ck_assert_double_eq(s.min, 92.8);
	ck_assert_double_eq(s.p1, 92.8);
	ck_assert_double_eq(s.p99, 101.3);
	ck_assert_double_eq(s.max, 101.3);
	ck_assert_double_eq(s.ci_lo, 93.1);
	ck_assert_double_eq(s.ci_hi, 95.9);
	/* both ends are within it: the upper one is 2.35 away, the lower one 0.45 */
	ck_assert_double_eq_tol(stats_precision(&s), 2.35 / 93.55, 1e-12);
	ck_assert_mem_eq(before, v, sizeof(v));
}
END_TEST

START_TEST(percentiles_are_nearest_ranks)
{
	static const struct {
		size_t n;
		double p1, p99;
	} want[] = { { 1, 1, 1 },     { 2, 1, 2 },     { 99, 1, 99 },	{ 100, 1, 99 },
		     { 101, 2, 100 }, { 200, 2, 198 }, { 201, 3, 199 }, { 1000, 10, 990 } };
	double *v = calloc(want[_i].n, sizeof(*v));
	struct summary s;
	size_t i;

	for (i = 0; i < want[_i].n; i++)
		v[i] = (double)(want[_i].n - i);
	stats_summarise(v, want[_i].n, &s);
	free(v);
	ck_assert_double_eq(s.p1, want[_i].p1);
	ck_assert_double_eq(s.p99, want[_i].p99);
}
END_TEST

START_TEST(what_there_is_not_is_nan)
{
	const double v[] = { 3, 1, 2, 5, 4 };
	struct summary s;

	stats_summarise(NULL, 0, &s);
	ck_assert_uint_eq(s.n, 0);
	ck_assert(isnan(s.median) && isnan(s.min) && isnan(s.p1) && isnan(s.p99) && isnan(s.max));
	ck_assert(isnan(s.mean) && isnan(s.cv) && isnan(s.ci_lo) && isnan(s.ci_hi));
	ck_assert(isnan(stats_precision(&s)));
	stats_summarise(v, 1, &s);
	ck_assert_double_eq(s.median, 3);
	ck_assert_double_eq(s.mean, 3);
	ck_assert(isnan(s.cv));
	stats_summarise(v, 5, &s);
	ck_assert_double_eq(s.median, 3);
	ck_assert_double_eq_tol(s.cv, sqrt(2.5) / 3, 1e-12);
	ck_assert(isnan(s.ci_lo) && isnan(s.ci_hi) && isnan(stats_precision(&s)));
}
END_TEST

/* splitmix64 (Vigna) */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static double uniform(uint64_t *state)
{
	return ((double)(next(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(uniform(state)));

	return radius * cos(2 * M_PI * uniform(state));
}

/* Seven of ten near 1, three near 10: two states of a machine. Its median lies in the first. */
static double bimodal(uint64_t *state)
{
	double u = uniform(state);

	return u < 0.7 ? u / 0.7 : 10 + (u - 0.7) / 0.3;
}

/* Pareto, exponent 1.1: its variance is infinite. */
static double heavy(uint64_t *state)
{
	return pow(uniform(state), -1 / 1.1);
}

static const struct {
	double (*draw)(uint64_t *state);
	size_t n;
	double least, most; /* of the coverage, simulated */
} coverages[] = {
	{ normal, 10, 0.945, 0.99 }, { bimodal, 10, 0.945, 0.99 }, { heavy, 10, 0.945, 0.99 },
	{ normal, 30, 0.93, 0.97 },  { bimodal, 30, 0.93, 0.97 },  { heavy, 30, 0.93, 0.97 },
	{ normal, 100, 0.93, 0.97 }, { bimodal, 100, 0.93, 0.97 }, { heavy, 100, 0.93, 0.97 },
};

/* Probability that the interval between these ranks holds the median: Pascal's triangle. */
static double exact_coverage(size_t n, size_t rank)
{
	double p[128] = { 1 }, sum = 0;
	size_t i, k;

	for (i = 1; i <= n; i++)
		for (k = i; k != SIZE_MAX; k--)
			p[k] = p[k] / 2 + (k ? p[k - 1] / 2 : 0);
	for (k = 0; k < rank; k++)
		sum += p[k];
	return 1 - 2 * sum;
}

static double true_median(double (*draw)(uint64_t *))
{
	return draw == normal ? 0 : draw == bimodal ? 0.5 / 0.7 : pow(0.5, -1 / 1.1);
}

START_TEST(interval_covers_the_median)
{
	size_t n = coverages[_i].n, hits = 0, trial, i;
	double median = true_median(coverages[_i].draw), v[100], share, exact;
	uint64_t state = 20200731 + (uint64_t)_i;
	struct summary s;

	for (trial = 0; trial < TRIALS; trial++) {
		for (i = 0; i < n; i++)
			v[i] = coverages[_i].draw(&state);
		stats_summarise(v, n, &s);
		hits += s.ci_lo <= median && median <= s.ci_hi;
	}
	share = (double)hits / TRIALS;
	exact = exact_coverage(n, stats_rank(n));
	ck_assert_double_ge(exact, 0.95);
	/* the next narrower pair would cover less than it should */
	ck_assert_double_lt(exact_coverage(n, stats_rank(n) + 1), 0.95);
	ck_assert_double_eq_tol(share, exact, 0.006); /* four standard errors */
	ck_assert_double_ge(share, coverages[_i].least);
	ck_assert_double_le(share, coverages[_i].most);
}
END_TEST

Suite *stats_suite(void)
{
	Suite *s = suite_create("stats");
	TCase *t = tcase_create("stats");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, rank_is_exact, 0, sizeof(ranks) / sizeof(*ranks));
	tcase_add_test(t, summary_agrees_with_independent_values);
	tcase_add_loop_test(t, percentiles_are_nearest_ranks, 0, 8);
	tcase_add_test(t, what_there_is_not_is_nan);
	tcase_add_loop_test(t, interval_covers_the_median, 0,
			    sizeof(coverages) / sizeof(*coverages));
	suite_add_tcase(s, t);
	return s;
}
