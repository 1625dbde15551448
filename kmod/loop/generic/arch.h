/* SPDX-License-Identifier: GPL-2.0 */
/* Any architecture, in C. Reads of memory are volatile: one load a hop. */
#ifndef MPROBE_LOOP_GENERIC_ARCH_H
#define MPROBE_LOOP_GENERIC_ARCH_H

/* X(variant, VARIANT, isa, ISA, flags): the scans of generic/scan.h */
#define ARCH_SCANS(X)                \
	X(ro, RO, scalar, SCALAR, 0) \
	X(wb, WB, scalar, SCALAR, 0) \
	X(store, STORE, scalar, SCALAR, 0)

#define ARCH_ORDERS(X)

PORT_INLINE u32 arch_isa_mask(void)
{
	return 1u << MPROBE_ISA_SCALAR;
}

PORT_INLINE u32 arch_slow_loads(void)
{
	return 0;
}

PORT_INLINE bool arch_ticks_trusted(void)
{
	return false;
}

PORT_INLINE u64 arch_ticks(void)
{
	return port_raw_ns();
}

PORT_INLINE void arch_store_fence(void)
{
}

#define ARCH_HOP4(hop) \
	hop;           \
	hop;           \
	hop;           \
	hop
#define ARCH_HOPS(hop)                             \
	do {                                       \
		for (; hops >= 16; hops -= 16) {   \
			ARCH_HOP4(ARCH_HOP4(hop)); \
		}                                  \
		for (; hops; hops--) {             \
			hop;                       \
		}                                  \
	} while (0)

/* The address after that many hops. */
PORT_INLINE u64 arch_chase_ro(u64 at, u64 hops)
{
	ARCH_HOPS(at = *(const volatile u64 *)(uintptr_t)at);
	return at;
}

/* As ro; before each hop *value goes to the object's second 8 bytes and grows by 1. */
PORT_INLINE u64 arch_chase_wb(u64 at, u64 hops, u64 *value)
{
	u64 v = *value;

	ARCH_HOPS(((volatile u64 *)(uintptr_t)at)[1] = v++;
		  at = *(const volatile u64 *)(uintptr_t)at);
	*value = v;
	return at;
}

#endif
