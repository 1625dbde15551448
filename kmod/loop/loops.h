/* SPDX-License-Identifier: GPL-2.0 */
/* The run functions that table.c lists. */
#ifndef MPROBE_LOOP_LOOPS_H
#define MPROBE_LOOP_LOOPS_H

#include <mprobe/loop.h>

#include "arch.h"

void mprobe_chase_ro(struct mprobe_cursor *c, u64 hops);
void mprobe_chase_wb(struct mprobe_cursor *c, u64 hops);
void mprobe_order_store_scalar(struct mprobe_cursor *c, u64 objects);

#define DECLARE_STREAM(variant, VARIANT, isa, ISA, flags) \
	void mprobe_stream_##variant##_##isa(struct mprobe_cursor *c, u64 lines);
ARCH_SCANS(DECLARE_STREAM)

#define DECLARE_ORDER(isa, ISA, flags) \
	void mprobe_order_store_##isa(struct mprobe_cursor *c, u64 objects);
ARCH_ORDERS(DECLARE_ORDER)

#endif
