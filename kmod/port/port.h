/* SPDX-License-Identifier: GPL-2.0 */
/* What a loop needs from its world: the kernel. user/port/port.h is the same for userspace. */
#ifndef _MPROBE_PORT_H
#define _MPROBE_PORT_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/processor.h>
#include <linux/types.h>

#define PORT_INLINE   static __always_inline
#define PORT_NOINLINE noinline

/* gcc knows no vector register here; the caller's kernel_fpu_begin() has saved them all. */
#define PORT_VECTOR_CLOBBERS

PORT_INLINE u64 port_read_once(const u64 *p)
{
	return READ_ONCE(*p);
}

PORT_INLINE u64 port_load_acquire(const u64 *p)
{
	return smp_load_acquire(p);
}

PORT_INLINE void port_store_release(u64 *p, u64 v)
{
	smp_store_release(p, v);
}

/* Fully ordered; the value after the addition. */
PORT_INLINE u64 port_add_return(u64 *p, u64 v)
{
	return atomic64_add_return(v, (atomic64_t *)p);
}

/* By the only writer; others may read at any time. */
PORT_INLINE void port_add_once(u32 *p, u32 v)
{
	WRITE_ONCE(*p, *p + v);
}

PORT_INLINE void port_relax(void)
{
	cpu_relax();
}

PORT_INLINE u64 port_div(u64 a, u64 b)
{
	return div64_u64(a, b);
}

/* CLOCK_MONOTONIC_RAW */
PORT_INLINE u64 port_raw_ns(void)
{
	return ktime_get_raw_ns();
}

#if defined(CONFIG_X86) && !defined(CONFIG_UML)
#include "port_x86.h"
#elif defined(CONFIG_UML_X86) && defined(CONFIG_64BIT)
#include "port_um.h"
#else
#include "port_generic.h"
#endif

#endif
