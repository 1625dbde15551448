/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/kconfig.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/hardirq.h>
#include <asm/msr.h>
#include <asm/msr-index.h>
#include <asm/processor.h>

#define MPROBE_COUNTS_IRQS true
#define MPROBE_COUNTS_NMIS true
#define MPROBE_COUNTS_MCES                                                                \
	(IS_ENABLED(CONFIG_X86_THERMAL_VECTOR) || IS_ENABLED(CONFIG_X86_MCE_THRESHOLD) || \
	 IS_ENABLED(CONFIG_X86_MCE_AMD))

/* Since Nehalem; no other maker documents it. A hypervisor may not have it either. */
static inline void mprobe_ledger_smis(struct mprobe_ledger *out)
{
	u32 unused;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL || boot_cpu_data.x86 != 6 ||
	    rdmsr_safe(MSR_SMI_COUNT, &out->smis, &unused))
		out->smis = U32_MAX;
}

/* What the interrupts of machine-check kind have in irq_stat. */
static inline u32 cpu_mces(const irq_cpustat_t *s)
{
	u32 mces = 0;

#ifdef MPROBE_HAVE_IRQ_COUNTS
#ifdef CONFIG_X86_THERMAL_VECTOR
	mces += READ_ONCE(s->counts[IRQ_COUNT_THERMAL_APIC]);
#endif
#ifdef CONFIG_X86_MCE_THRESHOLD
	mces += READ_ONCE(s->counts[IRQ_COUNT_THRESHOLD_APIC]);
#endif
#ifdef CONFIG_X86_MCE_AMD
	mces += READ_ONCE(s->counts[IRQ_COUNT_DEFERRED_ERROR]);
#endif
#else
#ifdef CONFIG_X86_THERMAL_VECTOR
	mces += READ_ONCE(s->irq_thermal_count);
#endif
#ifdef CONFIG_X86_MCE_THRESHOLD
	mces += READ_ONCE(s->irq_threshold_count);
#endif
#ifdef CONFIG_X86_MCE_AMD
	mces += READ_ONCE(s->irq_deferred_error_count);
#endif
#endif
	return mces;
}

/* Device interrupts are in kstat, those of the local APIC in irq_stat: every one is in one of them. */
static inline void mprobe_ledger_irqs(struct mprobe_ledger *out, u32 cpu)
{
	const irq_cpustat_t *s = this_cpu_ptr(&irq_stat);
	u32 irqs = kstat_cpu_irqs_sum(cpu);

	out->mces = cpu_mces(s);
#ifdef MPROBE_HAVE_IRQ_COUNTS
	u32 i;

	out->nmis = READ_ONCE(s->counts[IRQ_COUNT_NMI]);
	for (i = IRQ_COUNT_NMI + 1; i < IRQ_COUNT_MAX; i++)
		irqs += READ_ONCE(s->counts[i]);
#else
	irqs += out->mces;
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

static inline void mprobe_ledger_cycles(struct mprobe_ledger *out)
{
	if (!boot_cpu_has(X86_FEATURE_APERFMPERF) || rdmsrq_safe(MSR_IA32_APERF, &out->aperf) ||
	    rdmsrq_safe(MSR_IA32_MPERF, &out->mperf)) {
		out->aperf = U64_MAX;
		out->mperf = U64_MAX;
	}
}

static inline void mprobe_fpu_begin(void)
{
	kernel_fpu_begin();
}

static inline void mprobe_fpu_end(void)
{
	kernel_fpu_end();
}
