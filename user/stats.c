// SPDX-License-Identifier: GPL-2.0
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
size_t stats_rank(size_t n)
{
	double mean = n / 2.0, from = floor(mean - 5 * sqrt((double)n));
	size_t k = from > 0 ? (size_t)from : 0;
	double p = exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma((double)(n - k) + 1.0) -
		       (double)n * M_LN2);
	double sum = p;

	if (!n)
		return 0;
	while (sum <= 0.025) {
		p *= (double)(n - k) / (double)(k + 1);
		k++;
		sum += p;
	}
	return k;
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
	size_t rank;

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
	out->median = n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
	spread(v, n, out);
	rank = stats_rank(n);
	if (rank) {
		out->ci_lo = sorted[rank - 1];
		out->ci_hi = sorted[n - rank];
	}
	free(sorted);
}

double stats_precision(const struct summary *s)
{
	return fmax(s->ci_hi - s->median, s->median - s->ci_lo) / s->median;
}
