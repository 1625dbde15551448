/* SPDX-License-Identifier: GPL-2.0 */
/* What a loop needs from its world: userspace. kmod/port/port.h is the same for the kernel. */
#ifndef MPROBE_PORT_H
#define MPROBE_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#define PORT_INLINE   static inline __attribute__((always_inline))
#define PORT_NOINLINE __attribute__((noinline))

/* Appended to an asm's clobber list, after "memory". */
#if defined(__x86_64__)
#define PORT_VECTOR_CLOBBERS                                                                       \
	, "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
		"xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#endif

PORT_INLINE u64 port_read_once(const u64 *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

PORT_INLINE u64 port_load_acquire(const u64 *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

PORT_INLINE void port_store_release(u64 *p, u64 v)
{
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

/* Fully ordered; the value after the addition. */
PORT_INLINE u64 port_add_return(u64 *p, u64 v)
{
	return __atomic_add_fetch(p, v, __ATOMIC_SEQ_CST);
}

/* By the only writer; others may read at any time. */
PORT_INLINE void port_add_once(u32 *p, u32 v)
{
	__atomic_store_n(p, *p + v, __ATOMIC_RELAXED);
}

PORT_INLINE void port_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#else
	__asm__ volatile("" ::: "memory");
#endif
}

PORT_INLINE u64 port_div(u64 a, u64 b)
{
	return a / b;
}

/* CLOCK_MONOTONIC_RAW */
static inline u64 port_raw_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

bool port_tsc_trusted(void); /* invariant, and the kernel keeps time by it */
u64 port_tsc_khz(void);	     /* calibrated against CLOCK_MONOTONIC_RAW, once; 0 where not trusted */
bool port_has_avx2(void);    /* CPU and operating system */
bool port_has_avx512(void);  /* AVX-512F */
bool port_splits_avx512(void); /* 512-bit loads are two of 256 bits: AMD family 19h (Zen 4) */

#endif
