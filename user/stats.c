// SPDX-License-Identifier: GPL-2.0
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAIL	 0.025 /* below the interval, and above it */
#define MAX_LAG	 64u
#define FEWEST	 20u /* values whose autocorrelation is looked at */
#define ROUNDING 1e-9

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Nearest rank: the least value that at least `percent` of all do not exceed. */
static double percentile(const double *sorted, size_t n, size_t percent)
{
	size_t rank = (n / 100) * percent + ((n % 100) * percent + 99) / 100;

	return sorted[rank ? rank - 1 : 0];
}

/*
 * The number of values below the median is binomial (n, 1/2). The sum starts
 * ten standard deviations below the mean: what lies before is less than 1e-22.
 */
double stats_rank(size_t n)
{
	double mean = n / 2.0, from = floor(mean - 5 * sqrt((double)n));
	size_t k = from > 0 ? (size_t)from : 0;
	double p = exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma((double)(n - k) + 1.0) -
		       (double)n * M_LN2);
	double below = 0, part, r;

	while (n && below + p <= TAIL) {
		below += p;
		p *= (double)(n - k) / (double)(k + 1);
		k++;
	}
	if (!k)
		return 0;
	r = (double)k;
	part = (TAIL - below) / p;
	return r + ((double)n - r) * part / (r + ((double)n - 2 * r) * part);
}

/* Of values with mean 0: at `lag`, times n. */
static double covariance(const double *v, size_t n, size_t lag)
{
	double sum = 0;
	size_t i;

	for (i = lag; i < n; i++)
		sum += v[i] * v[i - lag];
	return sum;
}

/*
 * Variance of a sum of n values, over n; covariances are summed up to the first small one. Where
 * MAX_LAG is not far enough, neighbours are added up and it is done again: v is used up.
 */
static double long_variance(double *v, size_t n)
{
	double scale = 1, var, sum, c;
	size_t lag, i;

	for (;;) {
		var = sum = covariance(v, n, 0);
		for (lag = 1; lag <= MAX_LAG && lag <= n / 4; lag++) {
			c = covariance(v, n, lag);
			if (c < var / sqrt((double)n))
				break;
			sum += 2 * c;
		}
		if (lag <= MAX_LAG)
			return sum / ((double)n * scale);
		n /= 2;
		scale *= 2;
		for (i = 0; i < n; i++)
			v[i] = v[2 * i] + v[2 * i + 1];
	}
}

size_t stats_independent(const double *v, size_t n, double median)
{
	double *side, mean = 0, one = 0, all;
	size_t i;

	if (n < FEWEST)
		return n;
	side = malloc(n * sizeof(*side));
	if (!side)
		return 0;
	for (i = 0; i < n; i++) {
		side[i] = (v[i] > median) - (v[i] < median);
		mean += side[i] / (double)n;
	}
	for (i = 0; i < n; i++) {
		side[i] -= mean;
		one += side[i] * side[i] / (double)n;
	}
	all = one > 0 ? long_variance(side, n) : 0;
	free(side);
	return all > one * (1 + ROUNDING) ? (size_t)((double)n * one / all) : n;
}

/* At a position from 1, between two values where it is no whole number. */
static double between(const double *sorted, size_t n, double position)
{
	size_t i = (size_t)position;
	double part = position - (double)i;

	if (i < 1)
		return sorted[0];
	return i < n ? sorted[i - 1] + part * (sorted[i] - sorted[i - 1]) : sorted[n - 1];
}

static void interval(const double *sorted, size_t n, struct summary *out)
{
	size_t m = out->independent;
	double rank = stats_rank(m), position;

	if (!(rank > 0))
		return;
	position = (rank - 0.5) * (double)n / (double)m + 0.5;
	out->ci_lo = between(sorted, n, position);
	out->ci_hi = between(sorted, n, (double)n + 1 - position);
}

static double middle(const double *sorted, size_t n)
{
	return n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
}

double stats_median(double *v, size_t n)
{
	size_t i, known = 0;

	for (i = 0; i < n; i++)
		if (!isnan(v[i]))
			v[known++] = v[i];
	qsort(v, known, sizeof(*v), ascending);
	return known ? middle(v, known) : NAN;
}

static void spread(const double *v, size_t n, struct summary *out)
{
	double sum = 0, squares = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += v[i];
	out->mean = sum / (double)n;
	if (n < 2)
		return;
	for (i = 0; i < n; i++)
		squares += (v[i] - out->mean) * (v[i] - out->mean);
	out->cv = sqrt(squares / (double)(n - 1)) / out->mean;
}

void stats_summarise(const double *v, size_t n, struct summary *out)
{
	double *sorted = n ? malloc(n * sizeof(*v)) : NULL;

	*out = (struct summary){
		.n = n,
		.median = NAN,
		.min = NAN,
		.p1 = NAN,
		.p99 = NAN,
		.max = NAN,
		.mean = NAN,
		.cv = NAN,
		.ci_lo = NAN,
		.ci_hi = NAN,
	};
	if (!sorted)
		return;
	memcpy(sorted, v, n * sizeof(*v));
	qsort(sorted, n, sizeof(*sorted), ascending);
	out->min = sorted[0];
	out->max = sorted[n - 1];
	out->p1 = percentile(sorted, n, 1);
	out->p99 = percentile(sorted, n, 99);
	out->median = middle(sorted, n);
	out->independent = stats_independent(v, n, out->median);
	spread(v, n, out);
	interval(sorted, n, out);
	free(sorted);
}

double stats_precision(const struct summary *s)
{
	return fmax(s->ci_hi - s->median, s->median - s->ci_lo) / s->median;
}
