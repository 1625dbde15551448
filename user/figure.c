// SPDX-License-Identifier: GPL-2.0
#include "figure.h"

#include <math.h>
#include <stdio.h>

/* Whole eighths of a unit have at most three decimals. */
static int eighth_decimals(unsigned int eighths)
{
	return !eighths ? 0 : eighths == 4 ? 1 : eighths % 2 ? 3 : 2;
}

const char *figure_size(char *buf, uint64_t bytes)
{
	static const char unit[] = "BKMGTPE";
	unsigned int u = 0, shift;

	while (u < 6 && bytes >> (10 * (u + 1)))
		u++;
	for (; u; u--) {
		shift = 10 * u - 3;
		if (bytes & ((1ull << shift) - 1))
			continue;
		snprintf(buf, FIGURE, "%.*f%c", eighth_decimals((bytes >> shift) & 7),
			 (double)(bytes >> shift) / 8, unit[u]);
		return buf;
	}
	snprintf(buf, FIGURE, "%llu", (unsigned long long)bytes);
	return buf;
}

static int decimals(double v)
{
	return v < 10 ? 3 : v < 100 ? 2 : v < 1000 ? 1 : 0;
}

const char *figure_value(char *buf, double v)
{
	snprintf(buf, FIGURE, isfinite(v) ? "%.*f" : "-", decimals(v), v);
	return buf;
}

const char *figure_interval(char *buf, const struct summary *s, double scale)
{
	double half = fmax(s->ci_hi - s->median, s->median - s->ci_lo) / scale;
	int places = decimals(s->median / scale);
	double step = pow(10, -places);

	buf[0] = 0;
	if (isfinite(half))
		snprintf(buf, FIGURE, "+-%.*f", places, fabs(ceil(half / step - 1e-6)) * step);
	return buf;
}

const char *figure_ratio(char *buf, double a, double b)
{
	double r = a / b;

	if (!isfinite(r))
		snprintf(buf, FIGURE, "-");
	else
		snprintf(buf, FIGURE, "%.*f", r < 1 ? 3 : r < 10 ? 2 : r < 100 ? 1 : 0, r);
	return buf;
}
