// SPDX-License-Identifier: GPL-2.0
#include "limits.h"

#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/time64.h>

/*
 * The hard ceilings. A second without scheduling is what the lockup detectors, RCU and the
 * clocksource watchdog were seen to bear with a wide margin; interrupts off also hold up
 * every other CPU that waits for this one.
 */
#define CEILING_WINDOW_MS	   1000
#define CEILING_WINDOW_IRQS_OFF_MS 500
#define CEILING_JOBS		   1024
#define CEILING_WORKERS		   700 /* what a netlink nest holds */
#define CEILING_SAMPLES		   (1u << 26)

static unsigned int max_jobs = 16;
module_param(max_jobs, uint, 0444);
MODULE_PARM_DESC(max_jobs, "jobs that may exist at a time, finished ones included");

static unsigned int max_workers = 512;
module_param(max_workers, uint, 0444);
MODULE_PARM_DESC(max_workers, "workers of one job");

static unsigned int max_samples = 1u << 19;
module_param(max_samples, uint, 0444);
MODULE_PARM_DESC(max_samples, "samples of one job (80 bytes each, with hardware counters 120)");

static unsigned int window_max_ms = 500;
module_param(window_max_ms, uint, 0444);
MODULE_PARM_DESC(window_max_ms, "longest window with preemption off");

static unsigned int window_max_irqs_off_ms = 100;
module_param(window_max_irqs_off_ms, uint, 0444);
MODULE_PARM_DESC(window_max_irqs_off_ms, "longest window with interrupts off");

struct mprobe_limits mprobe_limits;

static bool within(const char *name, unsigned int value, unsigned int ceiling)
{
	if (value >= 1 && value <= ceiling)
		return true;
	pr_err("mprobe: parameter %s must lie between 1 and %u\n", name, ceiling);
	return false;
}

int mprobe_limits_init(void)
{
	struct mprobe_limits *l = &mprobe_limits;

	if (!within("max_jobs", max_jobs, CEILING_JOBS) ||
	    !within("max_workers", max_workers, CEILING_WORKERS) ||
	    !within("max_samples", max_samples, CEILING_SAMPLES) ||
	    !within("window_max_ms", window_max_ms, CEILING_WINDOW_MS) ||
	    !within("window_max_irqs_off_ms", window_max_irqs_off_ms, CEILING_WINDOW_IRQS_OFF_MS))
		return -ERANGE;
	l->jobs = max_jobs;
	l->workers = max_workers;
	l->samples = max_samples;
	l->window_ns[0] = (u64)window_max_ms * NSEC_PER_MSEC;
	l->window_ns[1] = (u64)window_max_irqs_off_ms * NSEC_PER_MSEC;
	/* A quarter of a tick's period: most windows then hold no tick. */
	l->window_default_ns[0] = min_t(u64, NSEC_PER_SEC / HZ / 4, l->window_ns[0]);
	l->window_default_ns[1] = min_t(u64, 2 * NSEC_PER_MSEC, l->window_ns[1]);
	return 0;
}
