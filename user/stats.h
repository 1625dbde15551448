/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics that assume no distribution. Source of the interval of the median: order statistics
 * of the binomial, interpolated (Hettmansperger and Sheather, Statistics & Probability Letters 4,
 * 1986, p. 75): with r the largest rank for which 1 - 2 P(Bin(n, 1/2) < r) >= 95 %, it reaches
 * from between the r-th and the next smallest value to between the r-th and the next largest.
 * There is none below 6 values.
 *
 * Values that follow one another resemble one another. So n is, above, the number of independent
 * values that say as much of the median: all of them divided by 1 + twice the sum of the
 * autocorrelations of "above or below the median" (Heidelberger and Lewis, Operations Research 32,
 * 1984, p. 185), summed up to the first that is below 1/sqrt(n). Of less than 20 values
 * nothing is known in this respect, and they pass as independent.
 *
 * p1 and p99 are nearest ranks: the least value that at least 1 % (99 %) of the values do not
 * exceed. cv is the sample's standard deviation (n - 1) over its mean.
 */
#ifndef MPROBE_STATS_H
#define MPROBE_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct summary {
	size_t n, independent;
	double median, min, p1, p99, max, mean,
		cv;	     /* NAN where n is 0 (cv: n < 2) or memory ran out */
	double ci_lo, ci_hi; /* NAN below 6 independent values */
};

void stats_summarise(const double *v, size_t n, struct summary *out); /* v in the order of time */
double stats_median(double *v, size_t n); /* sorts v; values that are NAN count for nothing */
double
stats_precision(const struct summary *s); /* larger half of the interval / median; NAN unknown */
/* The interval's lower end among n values, from 1, between two of them as the fraction says; 0 below 6. */
double stats_rank(size_t n);
size_t stats_independent(const double *v, size_t n, double median);

#endif
