/* SPDX-License-Identifier: GPL-2.0 */
/* What a client can have at most. Module parameters; constant after mprobe_limits_init(). */
#ifndef _MPROBE_LIMITS_H
#define _MPROBE_LIMITS_H

#include <linux/types.h>

struct mprobe_limits {
	u32 jobs;	  /* that exist, also finished ones */
	u32 workers;	  /* of one job */
	u64 samples;	  /* of one job */
	u64 window_ns[2]; /* longest window: interrupts on, off */
	u64 window_default_ns[2];
};

extern struct mprobe_limits mprobe_limits;

#define MPROBE_WINDOW_MIN_NS   10000ull
#define MPROBE_TIME_MAX_NS     600000000000ull
#define MPROBE_TIME_DEFAULT_NS 1000000000ull

/* -ERANGE, and a line in the log, for a parameter that would endanger the machine. */
int mprobe_limits_init(void);

#endif
