/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The architecture's primitives: clock, hops, fence, lists of stream and order loops.
 * MPROBE_PORTABLE: those in C, to try them on an architecture that has its own.
 */
#ifndef MPROBE_LOOP_ARCH_H
#define MPROBE_LOOP_ARCH_H

#include <port.h>

#if defined(__x86_64__) && !defined(MPROBE_PORTABLE)
#include "x86/arch.h"
#else
#include "generic/arch.h"
#endif

#endif
