/* SPDX-License-Identifier: GPL-2.0 */
/* Interrupts that the generic layer handles are counted; no loop here has vector registers. */
#define MPROBE_COUNTS_IRQS true
#define MPROBE_COUNTS_NMIS false
#define MPROBE_COUNTS_MCES false

static inline void mprobe_ledger_smis(struct mprobe_ledger *out)
{
	out->smis = U32_MAX;
}

static inline void mprobe_ledger_irqs(struct mprobe_ledger *out, u32 cpu)
{
	out->irqs = kstat_cpu_irqs_sum(cpu);
	out->nmis = 0;
	out->mces = 0;
}

static inline void mprobe_ledger_cycles(struct mprobe_ledger *out)
{
	out->aperf = U64_MAX;
	out->mperf = U64_MAX;
}

static inline void mprobe_fpu_begin(void)
{
}

static inline void mprobe_fpu_end(void)
{
}
