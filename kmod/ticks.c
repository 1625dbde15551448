// SPDX-License-Identifier: GPL-2.0
#include "ticks.h"

#include <linux/math64.h>
#include <linux/time64.h>

static u64 overhead_tsc, overhead_raw;

void mprobe_ticks_init(void)
{
	overhead_raw = mprobe_clock_overhead(MPROBE_CLOCK_RAW);
	if (mprobe_clock_best() == MPROBE_CLOCK_TSC)
		overhead_tsc = mprobe_clock_overhead(MPROBE_CLOCK_TSC);
}

void mprobe_ticks_choose(struct mprobe_ticks *out)
{
	out->clock = mprobe_clock_best();
	out->khz = mprobe_clock_khz(out->clock);
	out->overhead = out->clock == MPROBE_CLOCK_TSC ? overhead_tsc : overhead_raw;
}

u64 mprobe_ticks_from_ns(const struct mprobe_ticks *t, u64 ns)
{
	return div_u64(ns * t->khz, NSEC_PER_MSEC);
}
