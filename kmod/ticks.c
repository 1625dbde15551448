// SPDX-License-Identifier: GPL-2.0
#include "ticks.h"

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/printk.h>
#include <linux/time64.h>

#define STILL_US 20

static u64 overhead_tsc, overhead_raw;

/* A clock that the timer's interrupt moves (jiffies) stands still in a window with interrupts off. */
static bool runs_without_interrupts(void)
{
	unsigned long flags;
	u64 before, after;

	local_irq_save(flags);
	before = mprobe_clock_read(MPROBE_CLOCK_RAW);
	udelay(STILL_US);
	after = mprobe_clock_read(MPROBE_CLOCK_RAW);
	local_irq_restore(flags);
	return after != before;
}

int mprobe_ticks_init(void)
{
	if (!runs_without_interrupts()) {
		pr_err("mprobe: the kernel's clock stands still while interrupts are off: "
		       "choose another (/sys/devices/system/clocksource)\n");
		return -ENODEV;
	}
	overhead_raw = mprobe_clock_overhead(MPROBE_CLOCK_RAW);
	if (mprobe_clock_best() == MPROBE_CLOCK_TSC)
		overhead_tsc = mprobe_clock_overhead(MPROBE_CLOCK_TSC);
	return 0;
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
