/* SPDX-License-Identifier: GPL-2.0 */
/* A result as measured on the machine of the 2020 letter, for the renderers. */
#ifndef MPROBE_RESULT_FIXTURE_H
#define MPROBE_RESULT_FIXTURE_H

#include "result.h"

void fixture_begin(struct result *r); /* no points; a machine of which nothing is unknown */
/* One more point; figure in ns or bytes a second, with an interval of +- half a percent. */
struct point_result *fixture_point(struct result *r, const char *target, enum mprobe_loop_id loop,
				   enum mprobe_variant variant, uint64_t bytes, uint32_t workers,
				   double figure);
/* Latency and bandwidth of dram0 and pmem0, ro and wb, as in the letter; one disturbed point. */
void fixture_letter(struct result *r);

#endif
