/* SPDX-License-Identifier: GPL-2.0 */
/* Clock and vector registers as the kernel on x86 knows them. */
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/tsc.h>

static inline bool port_tsc_trusted(void)
{
	return boot_cpu_has(X86_FEATURE_CONSTANT_TSC) && boot_cpu_has(X86_FEATURE_NONSTOP_TSC) &&
	       !check_tsc_unstable();
}

static inline u64 port_tsc_khz(void)
{
	return port_tsc_trusted() ? tsc_khz : 0;
}

static inline bool port_has_avx2(void)
{
	return boot_cpu_has(X86_FEATURE_AVX2) &&
	       cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL);
}

static inline bool port_has_avx512(void)
{
	return boot_cpu_has(X86_FEATURE_AVX512F) &&
	       cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM | XFEATURE_MASK_AVX512,
				 NULL);
}

/* 512-bit loads are two of 256 bits: AMD family 19h (Zen 4) */
static inline bool port_splits_avx512(void)
{
	return boot_cpu_data.x86_vendor == X86_VENDOR_AMD && boot_cpu_data.x86 == 0x19;
}
