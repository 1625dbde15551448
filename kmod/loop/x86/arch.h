/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86-64. Each hot loop is one asm block with its registers fixed and its alignment
 * in it, so that the module and the tool run the same bytes.
 */
#ifndef MPROBE_LOOP_X86_ARCH_H
#define MPROBE_LOOP_X86_ARCH_H

/* X(variant, VARIANT, isa, ISA, flags): the scans of x86/scan.h */
#define ARCH_SCANS_OF(X, isa, ISA, flags) \
	X(ro, RO, isa, ISA, flags)        \
	X(wb, WB, isa, ISA, flags)        \
	X(store, STORE, isa, ISA, flags)  \
	X(nt, NT, isa, ISA, flags)
#define ARCH_SCANS(X)                                   \
	ARCH_SCANS_OF(X, scalar, SCALAR, 0)             \
	ARCH_SCANS_OF(X, avx2, AVX2, MPROBE_LOOP_F_FPU) \
	ARCH_SCANS_OF(X, avx512, AVX512, MPROBE_LOOP_F_FPU)

/* X(isa, ISA, flags): the builders of x86/order.h */
#define ARCH_ORDERS(X) X(avx512, AVX512, MPROBE_LOOP_F_FPU)

PORT_INLINE u32 arch_isa_mask(void)
{
	return 1u << MPROBE_ISA_SCALAR | (u32)port_has_avx2() << MPROBE_ISA_AVX2 |
	       (u32)port_has_avx512() << MPROBE_ISA_AVX512;
}

/* Bits 1 << enum mprobe_isa: loads are slower than those of the next narrower one. */
PORT_INLINE u32 arch_slow_loads(void)
{
	return (u32)port_splits_avx512() << MPROBE_ISA_AVX512;
}

PORT_INLINE bool arch_ticks_trusted(void)
{
	return port_tsc_trusted();
}

/* All loads before it are done, nothing after it has begun. */
PORT_INLINE u64 arch_ticks(void)
{
	u32 lo, hi;

	asm volatile("lfence\n\trdtsc\n\tlfence" : "=a"(lo), "=d"(hi)::"memory");
	return (u64)hi << 32 | lo;
}

PORT_INLINE void arch_store_fence(void)
{
	asm volatile("sfence" ::: "memory");
}

#define ARCH_HOPS(hop)                  \
	"test %[blocks], %[blocks]\n\t" \
	"jz 2f\n\t"                     \
	".p2align 6\n"                  \
	"1:\n\t"                        \
	".rept 64\n\t" hop ".endr\n\t"  \
	"dec %[blocks]\n\t"             \
	"jnz 1b\n"                      \
	"2:\n\t"                        \
	"test %[rest], %[rest]\n\t"     \
	"jz 4f\n\t"                     \
	".p2align 6\n"                  \
	"3:\n\t" hop "dec %[rest]\n\t"  \
	"jnz 3b\n"                      \
	"4:"

/* The address after that many hops. */
PORT_INLINE u64 arch_chase_ro(u64 at, u64 hops)
{
	u64 blocks = hops / 64, rest = hops % 64;

	asm volatile(ARCH_HOPS("mov (%[at]), %[at]\n\t")
		     : [at] "+D"(at), [blocks] "+c"(blocks), [rest] "+S"(rest)
		     :
		     : "cc", "memory");
	return at;
}

/* As ro; before each hop *value goes to the object's second 8 bytes and grows by 1. */
PORT_INLINE u64 arch_chase_wb(u64 at, u64 hops, u64 *value)
{
	u64 blocks = hops / 64, rest = hops % 64, v = *value;

	asm volatile(ARCH_HOPS("mov %[v], 8(%[at])\n\t"
			       "inc %[v]\n\t"
			       "mov (%[at]), %[at]\n\t")
		     : [at] "+D"(at), [blocks] "+c"(blocks), [rest] "+S"(rest), [v] "+a"(v)
		     :
		     : "cc", "memory");
	*value = v;
	return at;
}

#endif
