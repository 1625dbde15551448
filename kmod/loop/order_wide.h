/* SPDX-License-Identifier: GPL-2.0 */
/* The order's mixing constants, and its builders in vectors where the architecture has any. */
#ifndef MPROBE_LOOP_ORDER_WIDE_H
#define MPROBE_LOOP_ORDER_WIDE_H

#include <port.h>

#define ORDER_MUL1  0x9e3779b1u
#define ORDER_MUL2  0x85ebca77u
#define ORDER_SHIFT 15

#if defined(__x86_64__) && !defined(MPROBE_PORTABLE)
#include "x86/order.h"
#endif

#endif
