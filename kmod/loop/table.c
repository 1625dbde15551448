// SPDX-License-Identifier: GPL-2.0
/* The table of loops. Of one loop and variant the widest stands last. */
#include "loops.h"

#define W	    MPROBE_LOOP_F_WRITES
#define FLAGS_RO    0
#define FLAGS_WB    W
#define FLAGS_STORE W
#define FLAGS_NT    W

/*
 * Predicted bus bytes per 100 of payload beyond the caches: a line read is one transfer, a dirty line is
 * written back by another, a store that allocates first reads the line, nt does not.
 */
#define BUS_RO	  100
#define BUS_WB	  200
#define BUS_STORE 200
#define BUS_NT	  100

#define ROW(name_, NAME, variant_, VARIANT, isa_, ISA, flags_, run_, bus_)                        \
	{                                                                                         \
		.name = name_, .variant = #variant_, .isa = #isa_, .loop_id = MPROBE_LOOP_##NAME, \
		.variant_id = MPROBE_VARIANT_##VARIANT, .isa_id = MPROBE_ISA_##ISA,               \
		.flags = FLAGS_##VARIANT | (flags_), .payload_bytes = MPROBE_LINE,                \
		.bus_per_100 = bus_, .run = run_,                                                 \
	}
#define STREAM_ROW(variant, VARIANT, isa, ISA, flags)                                             \
	ROW("stream", STREAM, variant, VARIANT, isa, ISA, flags, mprobe_stream_##variant##_##isa, \
	    BUS_##VARIANT),
/* the wide ones store past the caches */
#define ORDER_ROW(isa, ISA, flags) \
	ROW("order", ORDER, store, STORE, isa, ISA, flags, mprobe_order_store_##isa, BUS_NT),

static const struct mprobe_loop table[] = {
	ROW("chase", CHASE, ro, RO, scalar, SCALAR, MPROBE_LOOP_F_ORDER, mprobe_chase_ro, BUS_RO),
	ROW("chase", CHASE, wb, WB, scalar, SCALAR, MPROBE_LOOP_F_ORDER, mprobe_chase_wb, BUS_WB),
	ROW("order", ORDER, store, STORE, scalar, SCALAR, 0, mprobe_order_store_scalar, BUS_STORE),
	ARCH_SCANS(STREAM_ROW) ARCH_ORDERS(ORDER_ROW)
};

/*
 * First value stored: no byte of it is 0. Some memory systems carry zeros cheaply: non-temporal stores
 * of zeros were seen three times as fast on AMD Zen 4.
 */
#define DENSE 0x8796a5b4c3d2e1f0ull

#define ROWS (sizeof(table) / sizeof(table[0]))

u32 mprobe_isa_mask(void)
{
	return arch_isa_mask();
}

bool mprobe_loop_runs_here(const struct mprobe_loop *l)
{
	return mprobe_isa_mask() >> l->isa_id & 1;
}

/* Not one whose wide loads this CPU does more slowly than narrower ones. */
static bool suits(const struct mprobe_loop *l)
{
	return l->variant_id != MPROBE_VARIANT_RO || !(arch_slow_loads() >> l->isa_id & 1);
}

const struct mprobe_loop *mprobe_loop_nth(u32 n)
{
	return n < ROWS ? &table[n] : NULL;
}

const struct mprobe_loop *mprobe_loop_find(u32 loop, u32 variant, u32 isa,
					   enum mprobe_loop_missing *why)
{
	const struct mprobe_loop *l, *found = NULL;

	*why = MPROBE_NO_LOOP;
	for (l = table; l < table + ROWS; l++) {
		if (l->loop_id != loop)
			continue;
		if (*why == MPROBE_NO_LOOP)
			*why = MPROBE_NO_VARIANT;
		if (l->variant_id != variant)
			continue;
		*why = MPROBE_NO_ISA;
		if ((isa ? l->isa_id == isa : suits(l)) && mprobe_loop_runs_here(l))
			found = l;
	}
	return found;
}

static bool flat(const struct mprobe_view *v)
{
	u64 i, last = (v->base + v->bytes - 1) >> v->shift;

	for (i = v->base >> v->shift; i < last; i++)
		if (v->granule[i + 1] != v->granule[i] + (1ull << v->shift))
			return false;
	return true;
}

void mprobe_cursor_init(struct mprobe_cursor *c, const struct mprobe_loop *l,
			const struct mprobe_view *v, u32 object_bytes, u64 seed)
{
	*c = (struct mprobe_cursor){ .view = *v, .object_bytes = object_bytes, .value = DENSE };
	c->flat = flat(v);
	if (l->loop_id == MPROBE_LOOP_STREAM)
		return;
	mprobe_order_init(&c->order, port_div(v->bytes, object_bytes), seed);
	if (l->loop_id == MPROBE_LOOP_CHASE)
		c->at = mprobe_view_addr(v, mprobe_order_at(&c->order, 0) * object_bytes);
}

void mprobe_cursor_confine(struct mprobe_cursor *c, const struct mprobe_loop *l, u64 window_bytes)
{
	u32 shift = 0;

	if (l->loop_id == MPROBE_LOOP_STREAM)
		return;
	while ((u64)c->object_bytes << shift < window_bytes)
		shift++;
	mprobe_order_confine(&c->order, shift);
	if (l->loop_id == MPROBE_LOOP_CHASE)
		c->at = mprobe_view_addr(&c->view, mprobe_order_at(&c->order, 0) * c->object_bytes);
}

u64 mprobe_cursor_units(const struct mprobe_cursor *c, const struct mprobe_loop *l)
{
	return l->loop_id == MPROBE_LOOP_STREAM ? c->view.bytes / MPROBE_LINE : c->order.n;
}
