/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time of one CPU, in model picoseconds. Instructions are dispatched in order and
 * wait for nothing but room: a load for the load queue (retired in order), a store
 * for the store buffer. A load starts when its address is known and a line buffer is
 * free. So independent loads overlap up to mlp, dependent ones do not.
 */
#ifndef RIG_CORE_H
#define RIG_CORE_H

#include "machine.h"
#include "segment.h"

enum { RIG_FORWARDS = 64 };

struct rig_core {
	unsigned int vcpu;
	uint64_t insns; /* up to the segment that runs */
	int64_t time;	/* dispatch, as the segment that runs began */
	const struct rig_segment *seg;
	int64_t value[RIG_VALUES]; /* when each value is there */
	int64_t retired, drained;
	int64_t *load_queue, *store_buffer;
	unsigned int load_next, store_next;
	const struct rig_op *last_op;
	uint64_t last_line;
	struct rig_access {
		uint64_t vaddr, phys;
	} seen[RIG_OPS]; /* the segment's accesses so far */
	struct rig_forward {
		uint64_t word;
		int64_t ready;
	} forward[RIG_FORWARDS];
	bool called; /* the code under test just called, maybe out of itself */
	uint64_t call_pc;
	unsigned int missed; /* accesses beyond L1 since the clock was read */
	struct rig_memory *memory;
};

void rig_core_setup(unsigned int vcpus, bool timed);
struct rig_core *rig_core_of(unsigned int vcpu);
void rig_core_enter(struct rig_core *c, const struct rig_segment *seg);
void rig_core_leave(struct rig_core *c); /* the segment is done, no other follows */
void rig_core_access(struct rig_core *c, const struct rig_op *op, uint64_t vaddr, uint64_t phys,
		     unsigned int size, bool store);
void rig_core_order(struct rig_core *c, const struct rig_op *op); /* fences, flushes, clock reads */
int64_t rig_core_now(const struct rig_core *c, unsigned int at);
void rig_core_stall(struct rig_core *c, unsigned int at, int64_t until);

#endif
