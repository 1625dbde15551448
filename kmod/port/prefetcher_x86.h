/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intel: MSR_MISC_FEATURE_CONTROL, shared by the threads of a core. Bits 0 to 3 are disclosed for Nehalem to Broadwell
 * in "Disclosure of Hardware Prefetcher Control on Some Intel Processors" (Intel, 2014) and, for these and
 * later cores, in the SDM, volume 4. The models are those that Intel's pepc (pepclibs/msr/MiscFeatureControl.py) holds to have
 * all four, without hybrids: their efficient cores' prefetchers have registers of their own.
 *
 * AMD: PrefetchControl, per core. CPUID Fn8000_0021_EAX[13] (PrefetchCtlMsr, APM volume 3) says that it exists;
 * its bits stand in the PPRs of families 19h and 1Ah. Bits 6 to 9 of the latter choose a profile and stay as they are.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <asm/msr.h>
#include <asm/processor.h>
#ifdef MPROBE_HAVE_CPUID_API
#include <asm/cpuid/api.h>
#endif

#define SWITCH_AMD_LEAF	  0x80000021u
#define SWITCH_AMD_EXISTS BIT(13)

static const struct mprobe_switch mprobe_switch_intel = {
	.control = MPROBE_PREFETCH_CONTROL_INTEL,
	.msr = 0x1a4,
	.prefetcher = { MPROBE_PREFETCH_F_L2_STREAM, MPROBE_PREFETCH_F_L2_ADJACENT,
			MPROBE_PREFETCH_F_L1_STREAM, MPROBE_PREFETCH_F_L1_STRIDE },
};

static const struct mprobe_switch mprobe_switch_amd = {
	.control = MPROBE_PREFETCH_CONTROL_AMD,
	.msr = 0xc0000108,
	.prefetcher = { MPROBE_PREFETCH_F_L1_STREAM, MPROBE_PREFETCH_F_L1_STRIDE,
			MPROBE_PREFETCH_F_L1_REGION, MPROBE_PREFETCH_F_L2_STREAM, 0,
			MPROBE_PREFETCH_F_UP_DOWN },
};

static inline bool switch_intel_model(u8 model)
{
	static const u8 models[] = {
		0x1a, 0x1e, 0x1f, 0x2e,	      /* Nehalem */
		0x25, 0x2c, 0x2f,	      /* Westmere */
		0x2a, 0x2d,		      /* Sandy Bridge */
		0x3a, 0x3e,		      /* Ivy Bridge */
		0x3c, 0x3f, 0x45, 0x46,	      /* Haswell */
		0x3d, 0x47, 0x4f, 0x56,	      /* Broadwell */
		0x4e, 0x5e, 0x55,	      /* Skylake; Skylake-SP, Cascade Lake, Cooper Lake */
		0x8e, 0x9e, 0xa5, 0xa6, 0x66, /* Kaby, Coffee, Comet, Cannon Lake */
		0x6a, 0x6c, 0x7d, 0x7e,	      /* Ice Lake */
		0x8c, 0x8d, 0xa7,	      /* Tiger Lake, Rocket Lake */
		0x8f, 0xcf,		      /* Sapphire Rapids, Emerald Rapids */
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		if (models[i] == model)
			return true;
	}
	return false;
}

static inline const struct mprobe_switch *mprobe_switch_find(void)
{
	const struct cpuinfo_x86 *c = &boot_cpu_data;
#ifdef MPROBE_TEST_SWITCH_MSR /* a build for the guest tests: a register that an emulated CPU has */
	static const struct mprobe_switch test = {
		.control = MPROBE_PREFETCH_CONTROL_INTEL,
		.msr = MPROBE_TEST_SWITCH_MSR,
		.prefetcher = { MPROBE_PREFETCH_F_L2_STREAM, MPROBE_PREFETCH_F_L2_ADJACENT,
				MPROBE_PREFETCH_F_L1_STREAM, MPROBE_PREFETCH_F_L1_STRIDE },
	};

	return &test;
#endif
	if (c->x86_vendor == X86_VENDOR_INTEL && c->x86 == 6 && switch_intel_model(c->x86_model))
		return &mprobe_switch_intel;
	if (c->x86_vendor == X86_VENDOR_AMD && c->extended_cpuid_level >= SWITCH_AMD_LEAF &&
	    (cpuid_eax(SWITCH_AMD_LEAF) & SWITCH_AMD_EXISTS))
		return &mprobe_switch_amd;
	return NULL;
}

static inline int mprobe_switch_read(const struct mprobe_switch *s, u64 *value)
{
	return rdmsrq_safe(s->msr, value);
}

static inline int mprobe_switch_write(const struct mprobe_switch *s, u64 value)
{
	return wrmsrq_safe(s->msr, value);
}
