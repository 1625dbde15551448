/* SPDX-License-Identifier: GPL-2.0 */
/* What a worker needs from the architecture: interrupt counts, vector registers in the kernel. */
#ifndef _MPROBE_CPU_H
#define _MPROBE_CPU_H

#include <linux/kernel_stat.h>
#include <linux/types.h>

struct mprobe_irqcount {
	u32 irqs, nmis; /* of this CPU since boot, wrapping */
};

#if defined(CONFIG_X86) && !defined(CONFIG_UML)
#include "cpu_x86.h"
#else
#include "cpu_generic.h"
#endif

/* Of two counts on one CPU; what can't be counted stays unknown. */
static inline u32 mprobe_irqcount_since(u32 before, u32 now, bool known)
{
	return known ? now - before : U32_MAX;
}

#endif
