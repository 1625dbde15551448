/* SPDX-License-Identifier: GPL-2.0 */
/* A comparison (compare.h), as a result carries it: for people, and in the result document. */
#ifndef MPROBE_RENDER_COMPARE_H
#define MPROBE_RENDER_COMPARE_H

#include "display.h"
#include "result.h"

/*
 * Of each order: the ways beside the sizes, and where a hop's time in userspace goes. With several
 * orders one table more: orders by pages. 0 or -ENOMEM; out is to be freed either way.
 */
int render_compare(const struct result *r, struct display *out);

/* The document's member "compare"; the caller's. NULL: no memory. */
struct json_t *render_compare_json(const struct compare *c);

#endif
