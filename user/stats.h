/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics that assume no distribution. Source of the interval: order
 * statistics of the binomial (e.g. Conover, Practical Nonparametric
 * Statistics, ch. 3): with r the largest rank for which
 * 1 - 2 P(Bin(n, 1/2) < r) >= 95 %, it reaches from the r-th smallest to the
 * r-th largest value. There is none below 6 values. p1 and p99 are nearest
 * ranks: the least value that at least 1 % (99 %) of the values do not exceed.
 * cv is the sample's standard deviation (n - 1) over its mean.
 */
#ifndef MPROBE_STATS_H
#define MPROBE_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct summary {
	size_t n;
	double median, min, p1, p99, max, mean,
		cv;	     /* NAN where n is 0 (cv: n < 2) or memory ran out */
	double ci_lo, ci_hi; /* NAN below 6 values */
};

void stats_summarise(const double *v, size_t n, struct summary *out); /* v keeps its order */
double
stats_precision(const struct summary *s); /* larger half of the interval / median; NAN unknown */
size_t stats_rank(size_t n);		  /* r above, from 1; 0 below 6 values */

#endif
