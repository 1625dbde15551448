/* SPDX-License-Identifier: GPL-2.0 */
/* The register that switches a core's hardware prefetchers, where the CPU's model documents one. */
#ifndef _MPROBE_PREFETCHER_H
#define _MPROBE_PREFETCHER_H

#include <linux/mprobe.h>
#include <linux/types.h>

#define MPROBE_SWITCH_BITS 6

struct mprobe_switch {
	enum mprobe_prefetch_control control;
	u32 msr;
	/* By number of a bit, which turns off a prefetcher when set: which one; 0: the bit is not ours. */
	u32 prefetcher[MPROBE_SWITCH_BITS]; /* MPROBE_PREFETCH_F_* */
};

/*
 * Each provides
 *   const struct mprobe_switch *mprobe_switch_find(void)	NULL: this model documents none
 *   int mprobe_switch_read(s, &value)			of this CPU; an error where it has no such register
 *   int mprobe_switch_write(s, value)
 */
#if defined(CONFIG_X86) && !defined(CONFIG_UML)
#include "prefetcher_x86.h"
#else
#include "prefetcher_generic.h"
#endif
#endif
