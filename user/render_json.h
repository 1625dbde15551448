/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MPROBE_RENDER_JSON_H
#define MPROBE_RENDER_JSON_H

#include <stdio.h>

#include "result.h"

/*
 * The result document, schema "mprobe-result/1" (man page): members in a fixed
 * order, numbers or null, never NaN; a seed of 2^63 or more is its digits in a
 * string. 0, or -errno where f could not take all of it (it is flushed).
 */
int render_json(const struct result *r, FILE *f);

/* Its member "machine", for other documents; the caller's. NULL: no memory. */
struct json_t *render_json_machine(const struct machine *m);

#endif
