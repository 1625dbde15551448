/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User-Mode Linux on x86-64: the CPU is the host's and its user instructions are at hand, but the kernel
 * keeps neither the TSC nor the CPU's features. A window's vector registers need no saving: the host does
 * so at a signal, and nothing else runs on the CPU while preemption is off.
 */
#include <linux/delay.h>

#define UM_OSXSAVE	 (1u << 27) /* leaf 1, ecx */
#define UM_AVX2		 (1u << 5)  /* leaf 7, ebx */
#define UM_AVX512F	 (1u << 16)
#define UM_INVARIANT_TSC (1u << 8) /* leaf 0x80000007, edx */
#define UM_XCR0_AVX	 0x06u
#define UM_XCR0_AVX512	 0xe6u
#define UM_AMD		 0x68747541u /* leaf 0, ebx: "Auth" */

struct um_cpuid {
	u32 a, b, c, d;
};

static inline struct um_cpuid um_cpuid(u32 leaf)
{
	struct um_cpuid id = { .a = leaf };

	asm volatile("cpuid" : "+a"(id.a), "=b"(id.b), "+c"(id.c), "=d"(id.d));
	return id;
}

static inline bool um_has(u32 leaf7_bit, u32 xcr0)
{
	u32 a, d;

	if (!(um_cpuid(1).c & UM_OSXSAVE))
		return false;
	asm volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	return (a & xcr0) == xcr0 && (um_cpuid(7).b & leaf7_bit);
}

static inline bool port_has_avx2(void)
{
	return um_has(UM_AVX2, UM_XCR0_AVX);
}

static inline bool port_has_avx512(void)
{
	return um_has(UM_AVX512F, UM_XCR0_AVX512);
}

static inline bool port_splits_avx512(void)
{
	u32 a = um_cpuid(1).a;

	return um_cpuid(0).b == UM_AMD && (a >> 8 & 0xf) + (a >> 20 & 0xff) == 0x19;
}

static inline bool port_tsc_trusted(void)
{
	return um_cpuid(0x80000000).a >= 0x80000007 && (um_cpuid(0x80000007).d & UM_INVARIANT_TSC);
}

/* Against the monotonic clock, the tightest of many brackets at either end of 100 ms. */
static inline void um_pair(u64 *ticks, u64 *ns)
{
	u64 least = ~0ull, before, now, after;
	int i;

	for (i = 0; i < 64; i++) {
		before = __builtin_ia32_rdtsc();
		now = port_raw_ns();
		after = __builtin_ia32_rdtsc();
		if (after - before < least) {
			least = after - before;
			*ticks = before + least / 2;
			*ns = now;
		}
	}
}

/* May sleep. */
static inline u64 port_tsc_khz(void)
{
	static u64 khz;
	u64 t0, n0, t1, n1;

	if (READ_ONCE(khz) || !port_tsc_trusted())
		return khz;
	um_pair(&t0, &n0);
	msleep(100);
	um_pair(&t1, &n1);
	WRITE_ONCE(khz, port_div((t1 - t0) * 1000000, n1 - n0));
	return khz;
}
