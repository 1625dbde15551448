// SPDX-License-Identifier: GPL-2.0
/*
 * The order: a Feistel network of two halves that need not be of one width, walked
 * until it lands below n (at most two steps on average). Halves are 32-bit, so
 * that lanes of a vector can hold them.
 */
#include "loops.h"
#include "order_wide.h"

static u32 mask(u32 bits)
{
	return (u32)((1ull << bits) - 1);
}

/* splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014) */
static u64 draw(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

void mprobe_order_init(struct mprobe_order *o, u64 n, u64 seed)
{
	u32 bits = 0, i;

	while (bits < 64 && (n - 1) >> bits)
		bits++;
	o->n = n;
	o->lbits = bits / 2;
	o->rbits = bits - bits / 2;
	for (i = 0; i < MPROBE_ORDER_ROUNDS; i++)
		o->key[i] = (u32)(draw(&seed) >> 32);
}

/* Two multiplications: with one, four rounds leave steps that repeat (tests/unit/check_order.c). */
PORT_INLINE u32 mix(u32 half, u32 key)
{
	u32 x = (half ^ key) * ORDER_MUL1;

	x = (x ^ x >> ORDER_SHIFT) * ORDER_MUL2;
	return x ^ x >> ORDER_SHIFT;
}

PORT_INLINE u64 forward(const struct mprobe_order *o, u64 x)
{
	u32 lmask = mask(o->lbits), rmask = mask(o->rbits), l, r;

	do {
		l = (u32)(x >> o->rbits);
		r = (u32)x & rmask;
		l ^= mix(r, o->key[0]) & lmask;
		r ^= mix(l, o->key[1]) & rmask;
		l ^= mix(r, o->key[2]) & lmask;
		r ^= mix(l, o->key[3]) & rmask;
		x = (u64)l << o->rbits | r;
	} while (x >= o->n);
	return x;
}

PORT_INLINE u64 backward(const struct mprobe_order *o, u64 x)
{
	u32 lmask = mask(o->lbits), rmask = mask(o->rbits), l, r;

	do {
		l = (u32)(x >> o->rbits);
		r = (u32)x & rmask;
		r ^= mix(l, o->key[3]) & rmask;
		l ^= mix(r, o->key[2]) & lmask;
		r ^= mix(l, o->key[1]) & rmask;
		l ^= mix(r, o->key[0]) & lmask;
		x = (u64)l << o->rbits | r;
	} while (x >= o->n);
	return x;
}

PORT_INLINE u64 next(const struct mprobe_order *o, u64 j)
{
	u64 i = backward(o, j) + 1;

	return forward(o, i == o->n ? 0 : i);
}

u64 mprobe_order_at(const struct mprobe_order *o, u64 i)
{
	return forward(o, i);
}

u64 mprobe_order_index(const struct mprobe_order *o, u64 j)
{
	return backward(o, j);
}

u64 mprobe_order_next(const struct mprobe_order *o, u64 j)
{
	return next(o, j);
}

void mprobe_order_build(const struct mprobe_order *o, const struct mprobe_view *v, u32 object_bytes,
			u64 first, u64 count)
{
	const struct mprobe_order key = *o;
	const struct mprobe_view view = *v;
	u64 j;

	for (j = first; j < first + count; j++)
		*(u64 *)(uintptr_t)mprobe_view_addr(&view, j * object_bytes) =
			mprobe_view_addr(&view, next(&key, j) * object_bytes);
}

typedef void build_fn(const struct mprobe_cursor *c, u64 first, u64 count);

/* Builds from the cursor on: a pass writes the whole order. */
PORT_INLINE void walk(struct mprobe_cursor *c, u64 objects, build_fn *build)
{
	u64 first, count;

	while (objects) {
		first = port_div(c->at, c->object_bytes);
		count = c->order.n - first;
		if (count > objects)
			count = objects;
		build(c, first, count);
		objects -= count;
		c->at = first + count == c->order.n ? 0 : c->at + count * c->object_bytes;
	}
}

static void scalar(const struct mprobe_cursor *c, u64 first, u64 count)
{
	mprobe_order_build(&c->order, &c->view, c->object_bytes, first, count);
}

void mprobe_order_store_scalar(struct mprobe_cursor *c, u64 objects)
{
	walk(c, objects, scalar);
}

/*
 * In vectors of ORDER_LANES objects whose places are neighbours, what is left over in scalar code. The first
 * line of an object is stored as a whole: after the address, zeros.
 */
#define DEFINE_WIDE(isa, ISA, flags)                                                             \
	static void isa(const struct mprobe_cursor *c, u64 first, u64 count)                     \
	{                                                                                        \
		struct order_wide wide = order_wide_of(c);                                       \
		u64 here, some;                                                                  \
                                                                                                 \
		for (; count; count -= here, first += here) {                                    \
			here = neighbours(c, first);                                             \
			here = here < count ? here : count;                                      \
			some = here - here % ORDER_LANES;                                        \
			if (some)                                                                \
				order_##isa(&wide,                                               \
					    mprobe_view_addr(&c->view, first * c->object_bytes), \
					    first, some / ORDER_LANES);                          \
			scalar(c, first + some, here - some);                                    \
		}                                                                                \
		arch_store_fence();                                                              \
	}                                                                                        \
                                                                                                 \
	void mprobe_order_store_##isa(struct mprobe_cursor *c, u64 objects)                      \
	{                                                                                        \
		walk(c, objects, isa);                                                           \
	}
ARCH_ORDERS(DEFINE_WIDE)

void mprobe_order_slice(const struct mprobe_loop *builder, const struct mprobe_cursor *chase,
			u64 first, u64 count)
{
	struct mprobe_cursor c = *chase;

	c.at = first * c.object_bytes;
	builder->run(&c, count);
}
