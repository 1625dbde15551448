// SPDX-License-Identifier: GPL-2.0
#include "names.h"

#define NAME(table, n) ((unsigned int)(n) < sizeof(table) / sizeof(*(table)) ? (table)[n] : NULL)

const char *names_loop(enum mprobe_loop_id loop)
{
	static const char *const name[] = {
		[MPROBE_LOOP_BUILD] = "build",
		[MPROBE_LOOP_CHASE] = "chase",
		[MPROBE_LOOP_STREAM] = "stream",
		[MPROBE_LOOP_ORDER] = "order",
	};

	return NAME(name, loop);
}

const char *names_variant(enum mprobe_variant variant)
{
	static const char *const name[] = {
		[MPROBE_VARIANT_RO] = "ro",
		[MPROBE_VARIANT_WB] = "wb",
		[MPROBE_VARIANT_STORE] = "store",
		[MPROBE_VARIANT_NT] = "nt",
	};

	return NAME(name, variant);
}

const char *names_operation(enum mprobe_variant variant)
{
	static const char *const name[] = {
		[MPROBE_VARIANT_RO] = "read-only",
		[MPROBE_VARIANT_WB] = "write-back",
		[MPROBE_VARIANT_STORE] = "store",
		[MPROBE_VARIANT_NT] = "non-temporal store",
	};

	return NAME(name, variant);
}

const char *names_clock(enum mprobe_clock clock)
{
	static const char *const name[] = {
		[MPROBE_CLOCK_TSC] = "tsc",
		[MPROBE_CLOCK_RAW] = "monotonic-raw",
	};

	return NAME(name, clock);
}

const char *names_reason(enum mprobe_reason reason)
{
	static const char *const name[] = {
		[MPROBE_REASON_TIME] = "time",
		[MPROBE_REASON_PASSES] = "passes",
		[MPROBE_REASON_WINDOWS] = "windows",
		[MPROBE_REASON_PRECISION] = "precision",
		[MPROBE_REASON_CANCEL] = "cancel",
		[MPROBE_REASON_OWNER] = "owner-gone",
		[MPROBE_REASON_CPU] = "cpu-offline",
		[MPROBE_REASON_SUSPEND] = "suspend",
		[MPROBE_REASON_UNLOAD] = "unload",
		[MPROBE_REASON_MEMORY] = "memory-offline",
		[MPROBE_REASON_SAMPLES] = "samples-full",
	};

	return NAME(name, reason);
}

const char *names_stopped_by(enum stopped_by why)
{
	static const char *const name[] = {
		[STOP_PRECISION] = "precision", [STOP_TIME] = "time",	  [STOP_PASSES] = "passes",
		[STOP_WINDOWS] = "windows",	[STOP_CANCEL] = "cancel",
	};

	return NAME(name, why);
}

const char *names_disturbance(enum disturbance one)
{
	static const char *const name[] = {
		[DISTURBED_IRQ] = "irq",	   [DISTURBED_NMI] = "nmi",
		[DISTURBED_LATE] = "late",	   [DISTURBED_PREEMPTED] = "preempted",
		[DISTURBED_MIGRATED] = "migrated", [DISTURBED_OVERRUN] = "overrun",
	};

	return NAME(name, one);
}
