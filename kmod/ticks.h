/* SPDX-License-Identifier: GPL-2.0 */
/* Which clock a job is timed by. */
#ifndef _MPROBE_TICKS_H
#define _MPROBE_TICKS_H

#include <mprobe/loop.h>

struct mprobe_ticks {
	enum mprobe_clock clock;
	u64 khz;      /* nominal */
	u64 overhead; /* ticks of one reading */
};

/* -ENODEV, and a line in the log, where the kernel's clock can't end a window. */
int mprobe_ticks_init(void);
/* The TSC where it is invariant and the kernel trusts it at this moment, else CLOCK_MONOTONIC_RAW. */
void mprobe_ticks_choose(struct mprobe_ticks *out);
/* ns up to the 10 minutes of the longest job, so that the product fits. */
u64 mprobe_ticks_from_ns(const struct mprobe_ticks *t, u64 ns);

#endif
