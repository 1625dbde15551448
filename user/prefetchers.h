/* SPDX-License-Identifier: GPL-2.0 */
/* The state of hardware prefetchers, as read back, in words. */
#ifndef MPROBE_PREFETCHERS_H
#define MPROBE_PREFETCHERS_H

#include "result.h"

#define PREFETCHERS 128 /* bytes of a text; "" unknown */

/* "on"; "off: l2-stream l1-stride" */
const char *prefetchers_text(uint32_t off, char *buf);
/* Of all workers of a point; "mixed" where they differ. */
const char *prefetchers_of_point(const struct point_result *p, char *buf);
/* The machine's, from a point that left them as they were. */
void prefetchers_note(struct machine *m, const struct point_result *p);

#endif
