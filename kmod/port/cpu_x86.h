/* SPDX-License-Identifier: GPL-2.0 */
#include <asm/fpu/api.h>
#include <asm/hardirq.h>

#define MPROBE_COUNTS_IRQS true
#define MPROBE_COUNTS_NMIS true

/* Device interrupts are in kstat, those of the local APIC in irq_stat: every one is in one of them. */
static inline void mprobe_irqcount_read(struct mprobe_irqcount *out, u32 cpu)
{
	const irq_cpustat_t *s = this_cpu_ptr(&irq_stat);
	u32 irqs = kstat_cpu_irqs_sum(cpu);

#ifdef MPROBE_HAVE_IRQ_COUNTS
	u32 i;

	out->nmis = READ_ONCE(s->counts[IRQ_COUNT_NMI]);
	for (i = IRQ_COUNT_NMI + 1; i < IRQ_COUNT_MAX; i++)
		irqs += READ_ONCE(s->counts[i]);
#else
	out->nmis = READ_ONCE(s->__nmi_count);
#ifdef CONFIG_X86_LOCAL_APIC
	irqs += READ_ONCE(s->apic_timer_irqs) + READ_ONCE(s->irq_spurious_count);
#endif
	irqs += READ_ONCE(s->x86_platform_ipis) + READ_ONCE(s->apic_perf_irqs) +
		READ_ONCE(s->apic_irq_work_irqs);
#ifdef CONFIG_SMP
	/* irq_tlb_count counts flushes, which come by call interrupts or none. */
	irqs += READ_ONCE(s->irq_resched_count) + READ_ONCE(s->irq_call_count);
#endif
#ifdef CONFIG_X86_THERMAL_VECTOR
	irqs += READ_ONCE(s->irq_thermal_count);
#endif
#ifdef CONFIG_X86_MCE_THRESHOLD
	irqs += READ_ONCE(s->irq_threshold_count);
#endif
#ifdef CONFIG_X86_MCE_AMD
	irqs += READ_ONCE(s->irq_deferred_error_count);
#endif
#ifdef CONFIG_X86_HV_CALLBACK_VECTOR
	irqs += READ_ONCE(s->irq_hv_callback_count);
#endif
#if IS_ENABLED(CONFIG_HYPERV)
	irqs += READ_ONCE(s->irq_hv_reenlightenment_count) + READ_ONCE(s->hyperv_stimer0_count);
#endif
#if defined(CONFIG_HAVE_KVM) || IS_ENABLED(CONFIG_KVM)
	irqs += READ_ONCE(s->kvm_posted_intr_ipis) + READ_ONCE(s->kvm_posted_intr_wakeup_ipis) +
		READ_ONCE(s->kvm_posted_intr_nested_ipis);
#endif
#endif
	out->irqs = irqs;
}

static inline void mprobe_fpu_begin(void)
{
	kernel_fpu_begin();
}

static inline void mprobe_fpu_end(void)
{
	kernel_fpu_end();
}
