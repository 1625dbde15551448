/* SPDX-License-Identifier: GPL-2.0 */
/* --freq: governor, turbo, what the cores ran at, and each figure in ns and core cycles. */
#ifndef MPROBE_REPORT_FREQUENCY_H
#define MPROBE_REPORT_FREQUENCY_H

#include "display.h"
#include "result.h"

void report_frequency(const struct result *r, const char *caption, struct display *d);

#endif
