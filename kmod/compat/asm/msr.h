/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MPROBE_COMPAT_ASM_MSR_H
#define _MPROBE_COMPAT_ASM_MSR_H

#include_next <asm/msr.h>

/* The names of 6.16. */
#ifndef rdmsrq
#define rdmsrq_safe rdmsrl_safe
#define wrmsrq_safe wrmsrl_safe
#endif

static inline u64 mprobe_rdpmc(int counter)
{
#ifdef rdpmcl
	u64 value;

	rdpmcl(counter, value);
	return value;
#else
	return rdpmc(counter);
#endif
}
#endif
