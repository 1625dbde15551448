// SPDX-License-Identifier: GPL-2.0
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

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

/*
 * Exact rational arithmetic in Python (fractions, math.comb), of the formula as Hettmansperger and
 * Sheather print it. The whole parts are the ranks of the sign test in published tables.
 */
static const struct {
	size_t n;
	double rank;
} ranks[] = {
	{ 0, 0 },
	{ 1, 0 },
	{ 5, 0 },
	{ 6, 1.35714285714 },
	{ 7, 1.73333333333 },
	{ 8, 1.93564356436 },
	{ 9, 2.22790697674 },
	{ 10, 2.65765765766 },
	{ 11, 2.91779396462 },
	{ 12, 3.26311844078 },
	{ 17, 5.02401560249 },
	{ 20, 6.23523421589 },
	{ 25, 8.19812061731 },
	{ 30, 10.2287114987 },
	{ 50, 18.6717375144 },
	{ 71, 27.8120955026 },
	{ 100, 40.7632006163 },
	{ 101, 41.2028001964 },
	{ 500, 228.618466188 },
	{ 1000, 469.533086602 },
	{ 10000, 4902.5090216 },
};

START_TEST(rank_is_exact)
{
	ck_assert_double_eq_tol(stats_rank(ranks[_i].n), ranks[_i].rank, 1e-6);
}
END_TEST

/* The rank's whole part is that of the narrowest pair that covers 95 %: Pascal's triangle, n = 6..100. */
START_TEST(whole_part_is_the_exact_interval)
{
	size_t n = (size_t)_i, rank = (size_t)stats_rank(n);

	ck_assert_double_ge(exact_coverage(n, rank), 0.95);
	ck_assert_double_lt(exact_coverage(n, rank + 1), 0.95);
}
END_TEST

/* statistics.median, fmean and stdev of Python; the interval from the rank above, by fractions. */
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
	ck_assert_double_eq_tol(s.ci_lo, 93.23153153153153, 1e-9);
	ck_assert_double_eq_tol(s.ci_hi, 94.78198198198199, 1e-9);
	/* both ends are within it: the upper one is 1.23 away, the lower one 0.32 */
	ck_assert_double_eq_tol(stats_precision(&s), 1.23198198198199 / 93.55, 1e-9);
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

/* Neither mean nor variance. */
static double cauchy(uint64_t *state)
{
	return tan(M_PI * (uniform(state) - 0.5));
}

static const struct {
	double (*draw)(uint64_t *state);
	double median;
} distributions[] = {
	{ normal, 0 },
	{ bimodal, 0.5 / 0.7 },
	{ heavy, 1.8778617 }, /* 2^(1 / 1.1) */
	{ cauchy, 0 },
};

static const struct {
	size_t n, trials;
} lengths[] = { { 8, 4000 },   { 12, 4000 },  { 20, 4000 },  { 30, 4000 },
		{ 100, 4000 }, { 300, 4000 }, { 1000, 4000 } };

#define NR_DISTRIBUTIONS (sizeof(distributions) / sizeof(*distributions))
#define NR_LENGTHS	 (sizeof(lengths) / sizeof(*lengths))
#define MOST		 4000

/* How often the interval holds the median; *independent is the mean over the trials. */
static double coverage(double (*draw)(uint64_t *state), double median, size_t n, size_t trials,
		       double *independent)
{
	static double v[MOST];
	uint64_t state = 20200731 + n;
	size_t hits = 0, trial, i;
	struct summary s;

	*independent = 0;
	for (trial = 0; trial < trials; trial++) {
		for (i = 0; i < n; i++)
			v[i] = draw(&state);
		stats_summarise(v, n, &s);
		hits += s.ci_lo <= median && median <= s.ci_hi;
		*independent += (double)s.independent / (double)trials;
	}
	return (double)hits / (double)trials;
}

START_TEST(interval_covers_the_median)
{
	const size_t d = (size_t)_i / NR_LENGTHS, l = (size_t)_i % NR_LENGTHS;
	double independent, share = coverage(distributions[d].draw, distributions[d].median,
					     lengths[l].n, lengths[l].trials, &independent);

	ck_assert_double_ge(share, 0.93);
	ck_assert_double_le(share, 0.97);
	ck_assert_double_ge(independent, 0.9 * (double)lengths[l].n);
}
END_TEST

/* Two equal modes, the median between them: no pair of values covers 95 % until there are many. */
static double two_modes(uint64_t *state)
{
	double u = uniform(state);

	return u < 0.5 ? u - 5 : u + 4;
}

START_TEST(interval_of_two_equal_modes)
{
	double independent;

	ck_assert_double_ge(coverage(two_modes, 0, 10, 4000, &independent), 0.88);
	ck_assert_double_ge(coverage(two_modes, 0, 100, 4000, &independent), 0.93);
	ck_assert_double_le(coverage(two_modes, 0, 100, 4000, &independent), 0.97);
}
END_TEST

/* Each like the one before: autocorrelation 0.6. Of the sign, 2/pi asin(0.6^k), its sum is 0.99. */
static double inert(uint64_t *state)
{
	static double last;

	last = 0.6 * last + 0.8 * normal(state);
	return last;
}

START_TEST(interval_of_values_that_hang_together)
{
	double independent;

	ck_assert_double_ge(coverage(inert, 0, 300, 2000, &independent), 0.915);
	ck_assert_double_ge(coverage(inert, 0, 2000, 500, &independent), 0.93);
	ck_assert_double_ge(independent, 2000 / 2.98 * 0.9);
	ck_assert_double_le(independent, 2000 / 2.98 * 1.15);
}
END_TEST

START_TEST(drift_leaves_no_interval)
{
	static double v[MOST];
	struct summary s;

	for (size_t i = 0; i < MOST; i++)
		v[i] = 100 + 0.001 * (double)i;
	stats_summarise(v, MOST, &s);
	ck_assert_uint_lt(s.independent, 6);
	ck_assert(isnan(s.ci_lo) && isnan(s.ci_hi) && isfinite(s.median));
	for (size_t i = 0; i < MOST; i++)
		v[i] = 100;
	stats_summarise(v, MOST, &s);
	ck_assert_uint_eq(s.independent, MOST);
	ck_assert_double_eq(s.ci_lo, 100);
}
END_TEST

START_TEST(median_of_what_is_known)
{
	double v[] = { 5, NAN, 1, 3, NAN }, none[] = { NAN, NAN };

	ck_assert_double_eq(stats_median(v, 5), 3);
	ck_assert(isnan(stats_median(none, 2)) && isnan(stats_median(NULL, 0)));
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
	tcase_add_loop_test(t, whole_part_is_the_exact_interval, 6, 101);
	tcase_add_loop_test(t, interval_covers_the_median, 0, NR_DISTRIBUTIONS * NR_LENGTHS);
	tcase_add_test(t, interval_of_two_equal_modes);
	tcase_add_test(t, interval_of_values_that_hang_together);
	tcase_add_test(t, drift_leaves_no_interval);
	tcase_add_test(t, median_of_what_is_known);
	suite_add_tcase(s, t);
	return s;
}
