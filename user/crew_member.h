/* SPDX-License-Identifier: GPL-2.0 */
/* What the threads of a crew share, and what each does. crew.c makes and ends them. */
#ifndef MPROBE_CREW_MEMBER_H
#define MPROBE_CREW_MEMBER_H

#include <pthread.h>

#include <mprobe/loop.h>

#include "engine.h"

struct crew_member {
	struct crew *crew;
	pthread_t thread;
	uint32_t index; /* of the worker in the job */
	uint32_t cpu;
	const struct mprobe_loop *loop; /* NULL: LOOP_BUILD */
	u64 granule;			/* its part's address: one granule holds all of it */
	struct mprobe_cursor cursor;
	struct mprobe_passes passes; /* closed, broken: read by the polling thread */
	u64 slices;		     /* of its order to be built; 0 none */
	struct sample *samples;	     /* crew.cap of them, touched beforehand; owned */
	u64 nr_samples;		     /* atomic: published */
	u64 taken;		     /* the polling thread's */
};

struct crew {
	struct crew_member *members;
	uint32_t n, measuring,
		lead; /* all; those that are not LOOP_BUILD; the leader, first of these */
	u64 cap;      /* samples a member */
	enum mprobe_clock clock;
	u64 khz, overhead, ticks_per_us;
	u64 warm_ticks; /* the leader's: of the measuring, up to where it was warm */
	u64 window_ticks, time_ticks, time_ns, max_windows, passes;
	/* building: slices of all orders in one row */
	const struct mprobe_loop *builder;
	u64 slices, next_slice, built_bytes, total_bytes; /* next, built: atomic */
	pthread_barrier_t built;
	struct mprobe_gate gate;
	u32 finished;  /* atomic: members with all their passes */
	u32 reason;    /* atomic, enum mprobe_reason; the first one stays */
	u64 end_round; /* atomic, the leader's: the first round not to be run */
	u64 windows;   /* atomic, the leader's: rounds done */
	u64 ticks[2], raw_ns[2], prepare_start_ns, prepare_ns;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	int go; /* 0 wait, 1 run, -1 go home */
	enum mprobe_state state;
	uint32_t live;
};

void *member_main(void *arg); /* struct crew_member */

#endif
