/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers as people read them. All write into buf, FIGURE bytes, and return it. */
#ifndef MPROBE_FIGURE_H
#define MPROBE_FIGURE_H

#include <stdint.h>

#include "stats.h"

#define FIGURE 32

const char *figure_size(char *buf,
			uint64_t bytes);       /* 16K, 1.5M, 2G; bytes where it is no short one */
const char *figure_value(char *buf, double v); /* 1.242, 93.52, 374.1, 101300; "-" unknown */
/* "+-0.4": the interval's larger half over scale, rounded up to the value's digits; "" none */
const char *figure_interval(char *buf, const struct summary *s, double scale);
const char *figure_ratio(char *buf, double a, double b); /* a / b: 4.00, 0.371; "-" unknown */

#endif
