/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every window of a job as comma-separated values, one line each: a contract as the JSON document
 * is (man page). Unknown is empty.
 */
#ifndef MPROBE_RENDER_SAMPLES_H
#define MPROBE_RENDER_SAMPLES_H

#include <stdio.h>

#include "result.h"

void render_samples_head(FILE *f);
/* nth: of the point, from 0. f's error flag says whether it was written. */
void render_samples(FILE *f, size_t nth, const struct rounds *r, const struct point_result *p);

#endif
