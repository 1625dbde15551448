/* SPDX-License-Identifier: GPL-2.0 */
/* What a worker needs from the architecture: what disturbs a CPU, vector registers in the kernel. */
#ifndef _MPROBE_CPU_H
#define _MPROBE_CPU_H

#include <linux/kernel_stat.h>
#include <linux/limits.h>
#include <linux/types.h>

/*
 * Of this CPU since boot, wrapping; after mprobe_ledger_since() of the time between two of them, all ones
 * where unknown. No reading takes a lock, nor does it matter whether interrupts are off.
 */
struct mprobe_ledger {
	u32 irqs, nmis,
		mces;	  /* irqs contain mces: thermal, threshold and deferred-error interrupts */
	u32 smis;	  /* U32_MAX: unknown */
	u64 aperf, mperf; /* U64_MAX: unknown */
};

/*
 * Each provides
 *   mprobe_ledger_smis(&l)	may leave to a hypervisor
 *   mprobe_ledger_irqs(&l, cpu)	memory only
 *   mprobe_ledger_cycles(&l)
 *   MPROBE_COUNTS_IRQS, _NMIS, _MCES	whether these are known
 *   mprobe_fpu_begin(), mprobe_fpu_end()
 */
#if defined(CONFIG_X86) && !defined(CONFIG_UML)
#include "cpu_x86.h"
#else
#include "cpu_generic.h"
#endif

static inline u32 mprobe_ledger_smis_since(u32 before, u32 now)
{
	return before == U32_MAX || now == U32_MAX ? U32_MAX : now - before;
}

/* Of a count that is U64_MAX where it is unknown. */
static inline u64 mprobe_count_since(u64 before, u64 now)
{
	return before == U64_MAX || now == U64_MAX ? U64_MAX : now - before;
}

static inline struct mprobe_ledger mprobe_ledger_since(const struct mprobe_ledger *before,
						       const struct mprobe_ledger *now)
{
	return (struct mprobe_ledger){
		.irqs = MPROBE_COUNTS_IRQS ? now->irqs - before->irqs : U32_MAX,
		.nmis = MPROBE_COUNTS_NMIS ? now->nmis - before->nmis : U32_MAX,
		.mces = MPROBE_COUNTS_MCES ? now->mces - before->mces : U32_MAX,
		.smis = mprobe_ledger_smis_since(before->smis, now->smis),
		.aperf = mprobe_count_since(before->aperf, now->aperf),
		.mperf = mprobe_count_since(before->mperf, now->mperf),
	};
}

#endif
