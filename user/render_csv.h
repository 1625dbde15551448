/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MPROBE_RENDER_CSV_H
#define MPROBE_RENDER_CSV_H

#include <stdio.h>

#include "result.h"

/*
 * Line 1 "# mprobe-csv/1" (grows when a column changes its meaning; columns are
 * added at the end), a second comment where the machine is emulated, the
 * header, one line a point. Unknown is an empty field; lists are joined by spaces.
 * 0, or -errno where f could not take all of it (it is flushed).
 */
int render_csv(const struct result *r, FILE *f);

#endif
