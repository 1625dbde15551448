/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bandwidth of the ranges. Model time is cut in buckets with room for so many lines
 * each way and together; a line goes into the first bucket from its own time on that
 * has room. So the order in which CPUs ask does not matter, as it would with a
 * "free from" time: they run ahead of one another in host time.
 */
#ifndef RIG_CHANNEL_H
#define RIG_CHANNEL_H

#include <stdint.h>

enum rig_way { RIG_READ, RIG_WRITE };

void rig_channel_setup(void);

/* Books one line; how long after `at` (ps) its service begins. */
int64_t rig_channel_book(int range, enum rig_way way, int64_t at);

#endif
