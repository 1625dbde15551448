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

/* Halves of the smallest network that holds n objects */
static void halves(u64 n, u32 *lbits, u32 *rbits)
{
	u32 bits = 0;

	while (bits < 64 && (n - 1) >> bits)
		bits++;
	*lbits = bits / 2;
	*rbits = bits - bits / 2;
}

void mprobe_order_init(struct mprobe_order *o, u64 n, u64 seed)
{
	u32 i;

	*o = (struct mprobe_order){ .n = n };
	halves(n, &o->lbits, &o->rbits);
	for (i = 0; i < MPROBE_ORDER_ROUNDS; i++)
		o->key[i] = (u32)(draw(&seed) >> 32);
}

void mprobe_order_confine(struct mprobe_order *o, u32 shift)
{
	u64 last;

	if (shift >= 64 || o->n <= 1ull << shift)
		return;
	last = o->n & ((1ull << shift) - 1);
	o->window_shift = shift;
	halves(1ull << shift, &o->lbits, &o->rbits);
	halves(last ? last : 1, &o->last_lbits, &o->last_rbits);
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

/* The window that object x is in, as an order of its own; where it begins. */
PORT_INLINE u64 window_of(const struct mprobe_order *o, u64 x, struct mprobe_order *w)
{
	u64 nth = x >> o->window_shift, first = nth << o->window_shift;
	u32 salt = (u32)nth ^ (u32)(nth >> 32), i;

	w->n = 1ull << o->window_shift;
	w->lbits = o->lbits;
	w->rbits = o->rbits;
	if (o->n - first < w->n) {
		w->n = o->n - first;
		w->lbits = o->last_lbits;
		w->rbits = o->last_rbits;
	}
	for (i = 0; i < MPROBE_ORDER_ROUNDS; i++)
		w->key[i] = mix(salt, o->key[i]);
	return first;
}

PORT_INLINE u64 at(const struct mprobe_order *o, u64 i)
{
	struct mprobe_order w;
	u64 first;

	if (!o->window_shift)
		return forward(o, i);
	first = window_of(o, i, &w);
	return first + forward(&w, i - first);
}

PORT_INLINE u64 rank(const struct mprobe_order *o, u64 j)
{
	struct mprobe_order w;
	u64 first;

	if (!o->window_shift)
		return backward(o, j);
	first = window_of(o, j, &w);
	return first + backward(&w, j - first);
}

PORT_INLINE u64 next(const struct mprobe_order *o, u64 j)
{
	u64 i = rank(o, j) + 1;

	return at(o, i == o->n ? 0 : i);
}

u64 mprobe_order_at(const struct mprobe_order *o, u64 i)
{
	return at(o, i);
}

u64 mprobe_order_index(const struct mprobe_order *o, u64 j)
{
	return rank(o, j);
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
 * In vectors of ORDER_LANES objects whose places are neighbours, what is left over in scalar code,
 * and so all of an order that is confined to windows. The first line of an object is stored as a
 * whole: after the address, zeros.
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
			some = c->order.window_shift ? 0 : here - here % ORDER_LANES;            \
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
