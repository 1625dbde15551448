/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contract of a loop, shared by the module, the tool and the tests.
 *
 * Everything declared here lives in kmod/loop/ and is compiled into both; what it needs from
 * outside is in port.h, which exists once for the kernel (kmod/port) and
 * once for userspace (user/port) and is chosen by -I.
 */
#ifndef _MPROBE_LOOP_H
#define _MPROBE_LOOP_H

#include <port.h> /* u32, u64, bool; clock, relax, atomics, CPU features */
#include <linux/mprobe.h>

#define MPROBE_LINE 64u /* bytes */

/*
 * A working set, or a worker's part of one. Its memory is a row of granules of
 * one power-of-two size that need not be neighbours; bytes [0, bytes) of the
 * view start `base` bytes into the row.
 */
struct mprobe_view {
	const u64 *granule; /* virtual address of each; not owned */
	u32 shift;	    /* log2 of a granule's bytes, 12 at least */
	u64 base;
	u64 bytes;
};

static inline u64 mprobe_view_addr(const struct mprobe_view *v, u64 byte)
{
	u64 at = v->base + byte;

	return v->granule[at >> v->shift] + (at & ((1ull << v->shift) - 1));
}

/*
 * The order: a keyed bijection P on [0, n), n >= 1, a balanced or nearly balanced Feistel
 * network with cycle walking. The successor of object P(i) is P(i + 1 mod n),
 * so the cycle is single by construction.
 * Confined to windows, P visits these one after another in address order, each by a network of its
 * own over its objects; the last one may be smaller. From there the cycle goes to the first.
 */
#define MPROBE_ORDER_ROUNDS 4

struct mprobe_order {
	u64 n;
	u32 lbits,
		rbits; /* of the network's (where there are any, a window's) halves, 32 at most */
	u32 key[MPROBE_ORDER_ROUNDS];
	u32 window_shift;	    /* log2 of a window's objects; 0: not confined */
	u32 last_lbits, last_rbits; /* of the last window, where it is smaller */
};

void mprobe_order_init(struct mprobe_order *o, u64 n, u64 seed);
/* After init: to windows of 2^shift objects, shift > 0. One that holds all confines nothing. */
void mprobe_order_confine(struct mprobe_order *o, u32 shift);
u64 mprobe_order_at(const struct mprobe_order *o, u64 i);    /* P(i) */
u64 mprobe_order_index(const struct mprobe_order *o, u64 j); /* P^-1(j) */
u64 mprobe_order_next(const struct mprobe_order *o, u64 j);  /* P(P^-1(j)+1) */

/*
 * Write the successor's address into the first 8 bytes of objects
 * [first, first + count), in address order. Objects are object_bytes apart.
 */
void mprobe_order_build(const struct mprobe_order *o, const struct mprobe_view *v, u32 object_bytes,
			u64 first, u64 count);

/* Where a worker is. One worker owns one cursor; nobody else touches it while it runs. */
struct mprobe_cursor {
	struct mprobe_view view;   /* this worker's part */
	struct mprobe_order order; /* chase, order */
	u32 object_bytes;	   /* chase, order: 64 .. 4096, a power of two */
	u64 at;	   /* chase: virtual address of the next object; else byte in the view */
	u64 value; /* what the storing variants store; changes; no byte of it 0 at first */
	u64 pace;  /* units per 2^20 ticks, as last seen; 0: not known yet */
	bool flat; /* all granules of the view are neighbours */
};

#define MPROBE_LOOP_F_WRITES (1u << 0) /* writes to its memory while measuring */
#define MPROBE_LOOP_F_ORDER  (1u << 1) /* needs its order built first */
#define MPROBE_LOOP_F_FPU    (1u << 2) /* needs vector registers */

struct mprobe_loop {
	const char *name, *variant, *isa; /* "chase", "ro", "scalar" */
	enum mprobe_loop_id loop_id;
	enum mprobe_variant variant_id;
	enum mprobe_isa isa_id;
	u32 flags;	   /* MPROBE_LOOP_F_* */
	u32 payload_bytes; /* of a unit: 64 a line or object; chase: 64 a hop */
	u32 bus_per_100;   /* predicted bus bytes per 100 payload bytes beyond the caches */
	/* do exactly `units` hops or lines, going on where the cursor stands */
	void (*run)(struct mprobe_cursor *c, u64 units);
};

/* isa 0: the widest that this CPU has and, in ro, does not split into slower halves. NULL: not there; *why says which part: loop, variant or isa. */
enum mprobe_loop_missing { MPROBE_NO_LOOP = 1, MPROBE_NO_VARIANT, MPROBE_NO_ISA };
const struct mprobe_loop *mprobe_loop_find(u32 loop, u32 variant, u32 isa,
					   enum mprobe_loop_missing *why);
const struct mprobe_loop *
mprobe_loop_nth(u32 n); /* NULL after the last; n from 0; also those that this CPU lacks */
bool mprobe_loop_runs_here(const struct mprobe_loop *l);
u32 mprobe_isa_mask(void); /* bits 1 << enum mprobe_isa that this CPU can run */

/*
 * A slice of a chase's order, by a builder: mprobe_loop_find(MPROBE_LOOP_ORDER, MPROBE_VARIANT_STORE, 0),
 * which may write the rest of an object's first line (zeros) and may need vector registers.
 */
void mprobe_order_slice(const struct mprobe_loop *builder, const struct mprobe_cursor *chase,
			u64 first, u64 count);

/* Begin: cursor at the first object (P(0)) or the first byte. The order must be built before a chase runs. */
void mprobe_cursor_init(struct mprobe_cursor *c, const struct mprobe_loop *l,
			const struct mprobe_view *v, u32 object_bytes, u64 seed);
/* After init: a chase's or LOOP_ORDER's order to windows of so many bytes, a power of two. */
void mprobe_cursor_confine(struct mprobe_cursor *c, const struct mprobe_loop *l, u64 window_bytes);
u64 mprobe_cursor_units(const struct mprobe_cursor *c,
			const struct mprobe_loop *l); /* of one pass */

/*
 * One window: wait for start (if not 0, not past and at most 1 ms away), then run until `length`
 * ticks have gone by or exactly max_units are done. The caller has preemption
 * (interrupts, FPU) arranged; what it reads between the two calls brackets the run and not the wait, and delays
 * all workers' windows alike. The clock is read after stretches, each sized by the pace seen so far, so that
 * workers end together within microseconds, and short enough for a pause of the CPU to show.
 */
struct mprobe_window {
	enum mprobe_clock clock;
	u64 start, length, max_units; /* in; max_units 0: no limit */
	u64 overhead;		      /* in: ticks of one reading */
	u64 t0, t1, work;	      /* out: ticks, ticks, units */
	/*
	 * out: the largest time, in ticks, by which a stretch (but the first of an unknown pace)
	 * exceeded what the rest of the window needed for as much work; ~0 with fewer than 3 stretches
	 */
	u64 gap;
	u32 reads; /* out: clock readings between t0 and t1 to subtract */
	bool late; /* out: the wait ended more than 2 us after `start`, or there was none */
};

void mprobe_window_wait(struct mprobe_window *w, u64 ticks_per_us);
void mprobe_window_run(const struct mprobe_loop *l, struct mprobe_cursor *c,
		       struct mprobe_window *w, u64 ticks_per_us);

/*
 * A worker's passes over its part: one rule for both engines. Warm-up are the windows begun while
 * the pace is unknown, and those begun within the first `warmup` units or, of a smaller part, the
 * first two passes: what building the order left in the caches must have gone before a working set
 * larger than they are is measured. Without `warmup` the first pass warms up where it takes at most a
 * quarter of the job's time. A job of less than four passes gives up none.
 */
#define MPROBE_FEW_PASSES 4

struct mprobe_passes {
	u64 units;	  /* of one pass */
	u64 limit;	  /* passes after which the worker has finished; 0: none */
	u64 warmup;	  /* units; 0: not given */
	u64 window, time; /* ticks of a window, of the job */
	u64 first;	  /* chase: where it began */
	u64 done, seen;	  /* units; those when the chase was last looked at */
	u64 warm;	  /* windows begun before so many units are warm-up */
	bool chase, paced;
	u32 closed,
		broken; /* chase: passes that ended where it began; looks that saw another place */
};

void mprobe_passes_init(struct mprobe_passes *p, const struct mprobe_cursor *c,
			const struct mprobe_loop *l, u64 limit, u64 warmup_bytes, u64 window,
			u64 time);
bool mprobe_passes_warming(struct mprobe_passes *p,
			   const struct mprobe_cursor *c); /* the next window */
u64 mprobe_passes_most(const struct mprobe_passes *p,
		       const struct mprobe_cursor *c); /* units of it; 0: no limit */
bool mprobe_passes_add(struct mprobe_passes *p, const struct mprobe_cursor *c,
		       u64 work); /* true: finished */

enum mprobe_clock mprobe_clock_best(void); /* TSC where it may be trusted, else RAW */
u64 mprobe_clock_khz(enum mprobe_clock clock);
u64 mprobe_clock_read(enum mprobe_clock clock);	    /* serialised */
u64 mprobe_clock_overhead(enum mprobe_clock clock); /* ticks of one reading, lowest of many */
/* Clock and CLOCK_MONOTONIC_RAW read together: the tightest of several brackets. */
void mprobe_clock_pair(enum mprobe_clock clock, u64 *ticks, u64 *raw_ns);

/*
 * The gate: n workers arrive, the last one sets the tick at which all begin.
 * Nobody blocks in here: poll until it is not 0, yielding as the place allows.
 */
struct mprobe_gate {
	u64 arrived;  /* by port atomics */
	u64 start[2]; /* of even and odd rounds */
	u64 ready;    /* rounds whose start is set */
	u32 workers;
	enum mprobe_clock clock;
	u64 lead; /* ticks between the last arrival and the start */
};

void mprobe_gate_init(struct mprobe_gate *g, u32 workers, enum mprobe_clock clock, u64 lead);
u64 mprobe_gate_arrive(struct mprobe_gate *g);		 /* the round's ticket, from 1 */
u64 mprobe_gate_poll(struct mprobe_gate *g, u64 ticket); /* start tick, or 0: not all here */

#endif
