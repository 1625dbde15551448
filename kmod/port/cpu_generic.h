/* SPDX-License-Identifier: GPL-2.0 */
/* Interrupts that the generic layer handles are counted; no loop here has vector registers. */
#define MPROBE_COUNTS_IRQS true
#define MPROBE_COUNTS_NMIS false

static inline void mprobe_irqcount_read(struct mprobe_irqcount *out, u32 cpu)
{
	out->irqs = kstat_cpu_irqs_sum(cpu);
	out->nmis = 0;
}

static inline void mprobe_fpu_begin(void)
{
}

static inline void mprobe_fpu_end(void)
{
}
