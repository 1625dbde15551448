/* SPDX-License-Identifier: GPL-2.0 */
/* One hardware counter of one CPU, as the kernel's perf events hand them out. */
#ifndef _MPROBE_COUNTER_H
#define _MPROBE_COUNTER_H

#include <linux/limits.h>
#include <linux/mprobe.h>
#include <linux/types.h>

struct perf_event;

/*
 * Each provides
 *   u32 mprobe_counter_bits(void)	of a counter; 0: none can be read here
 *   mprobe_counter_open(which, cpu)	may sleep; NULL: this CPU has none
 *   mprobe_counter_close(c)		may sleep
 *   mprobe_counter_runs(c)		whether it was given a counter to count with
 *   u64 mprobe_counter_read(c, bits)	on its CPU, preemption off, no lock; U64_MAX: it does not count
 */
#if defined(CONFIG_X86) && !defined(CONFIG_UML) && defined(CONFIG_PERF_EVENTS)
#include "counter_x86.h"
#else
#include "counter_generic.h"
#endif
#endif
