/* SPDX-License-Identifier: GPL-2.0 */
/* Result -> what a person is shown. */
#ifndef MPROBE_REPORT_H
#define MPROBE_REPORT_H

#include "display.h"
#include "result.h"

#define REPORT_WIDTH 100 /* characters that tables keep within, by being split where they must */

/*
 * Latency by working set, bandwidth by workers, targets side by side with their
 * ratios, a summary in the shape of the 2020 letter's Table 2 where there are two
 * targets or more, and notes: windows, clock, pages, taints. A latency in the summary is that of
 * the largest working set that all its targets have, a bandwidth the best over the workers.
 * 0 or -ENOMEM; out is to be freed either way.
 */
int report_build(const struct result *r, struct display *out);

const char *report_caption(const struct result *r); /* of figures; "" where nothing need be said */

#endif
