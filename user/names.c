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
		[MPROBE_REASON_PREFETCH] = "prefetch",
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
		[DISTURBED_MCE] = "mce",	   [DISTURBED_SMI] = "smi",
		[DISTURBED_GAP] = "gap",	   [DISTURBED_FREQUENCY] = "frequency",
		[DISTURBED_LATE] = "late",	   [DISTURBED_PREEMPTED] = "preempted",
		[DISTURBED_MIGRATED] = "migrated", [DISTURBED_OVERRUN] = "overrun",
	};

	return NAME(name, one);
}

const char *names_verdict(enum verdict verdict)
{
	static const char *const name[] = {
		[ROUND_CLEAN] = "clean",	   [ROUND_DISTURBED] = "disturbed",
		[ROUND_WARMUP] = "warm-up",	   [ROUND_IMPOSSIBLE] = "impossible",
		[ROUND_INCOMPLETE] = "incomplete",
	};

	return NAME(name, verdict);
}

const char *names_counter(enum mprobe_counter counter)
{
	static const char *const name[] = {
		[MPROBE_COUNTER_CYCLES] = "cycles",
		[MPROBE_COUNTER_INSTRUCTIONS] = "instructions",
		[MPROBE_COUNTER_DTLB_LOAD_MISSES] = "dtlb_load_misses",
		[MPROBE_COUNTER_LLC_MISSES] = "llc_misses",
		[MPROBE_COUNTER_PAGE_WALKS] = "page_walks",
	};

	return NAME(name, counter);
}

const char *names_prefetch(enum mprobe_prefetch prefetch)
{
	static const char *const name[] = {
		[MPROBE_PREFETCH_ASIS] = "asis",
		[MPROBE_PREFETCH_OFF] = "off",
		[MPROBE_PREFETCH_ON] = "on",
	};

	return NAME(name, prefetch);
}

const char *names_prefetch_control(enum mprobe_prefetch_control control)
{
	static const char *const name[] = {
		[MPROBE_PREFETCH_CONTROL_NONE] = "none",
		[MPROBE_PREFETCH_CONTROL_INTEL] = "intel-msr-0x1a4",
		[MPROBE_PREFETCH_CONTROL_AMD] = "amd-msr-0xc0000108",
	};

	return NAME(name, control);
}

const char *names_prefetcher(unsigned int bit)
{
	static const char *const name[] = { "l2-stream", "l2-adjacent", "l1-stream",
					    "l1-stride", "l1-region",	"up-down" };

	return NAME(name, bit);
}
