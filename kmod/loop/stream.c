// SPDX-License-Identifier: GPL-2.0
/* Streams: scans in address order over a view whose granules need not be neighbours. */
#include "loops.h"
#include "scan.h"

typedef void scan_fn(u64 addr, u64 lines, u64 passes, u64 value);

/* Lines from byte `at` of the view to the end of what is contiguous there. */
static u64 neighbours(const struct mprobe_cursor *c)
{
	const struct mprobe_view *v = &c->view;
	u64 size = 1ull << v->shift;
	u64 in_view = v->bytes - c->at, in_granule = size - ((v->base + c->at) & (size - 1));

	return (c->flat || in_view < in_granule ? in_view : in_granule) / MPROBE_LINE;
}

PORT_INLINE void walk(struct mprobe_cursor *c, u64 lines, scan_fn *scan)
{
	u64 whole = c->view.bytes / MPROBE_LINE, here, passes;

	while (lines) {
		here = neighbours(c);
		passes = 1;
		if (here == whole && lines > whole)
			passes = port_div(lines, whole);
		else if (here > lines)
			here = lines;
		scan(mprobe_view_addr(&c->view, c->at), here, passes, c->value);
		lines -= here * passes;
		c->at += here * MPROBE_LINE;
		if (c->at == c->view.bytes) {
			c->at = 0;
			c->value += passes * STEP;
		}
	}
}

/* A window of non-temporal stores ends when they have left the write-combining buffers. */
#define DEFINE_STREAM(variant, VARIANT, isa, ISA, flags)                         \
	void mprobe_stream_##variant##_##isa(struct mprobe_cursor *c, u64 lines) \
	{                                                                        \
		walk(c, lines, scan_##variant##_##isa);                          \
		if (MPROBE_VARIANT_##VARIANT == MPROBE_VARIANT_NT)               \
			arch_store_fence();                                      \
	}
ARCH_SCANS(DEFINE_STREAM)
