/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Caches: L1 and L2 of each CPU, L3 shared; write-back, write-allocate, least
 * recently used, set = line modulo sets. A level keeps no copy for another: a dirty
 * line pushed out of one enters the next, and out of the last goes to memory. No
 * coherence between private caches (loops work on lines of their own).
 */
#ifndef RIG_CACHE_H
#define RIG_CACHE_H

#include "machine.h"

struct rig_cache;

struct rig_cache_push { /* dirty lines that an access pushed out to memory */
	uint64_t line[2 * RIG_LEVELS];
	int n;
};

void rig_cache_setup(unsigned int vcpus);
struct rig_cache *rig_cache_of(unsigned int vcpu);

/* When the line in L1 has arrived (and makes it dirty); -1: not in L1. */
int64_t rig_cache_first(struct rig_cache *c, uint64_t line, bool dirty);

/* After a miss in L1: the level that has it, or 0 = memory; fills L1 up to there. */
int rig_cache_fill(struct rig_cache *c, uint64_t line, bool dirty, struct rig_cache_push *push);
void rig_cache_arrives(struct rig_cache *c, uint64_t line, int64_t when);

void rig_cache_drop(struct rig_cache *c, uint64_t line);	     /* as an NT store does */
bool rig_cache_clean(struct rig_cache *c, uint64_t line, bool drop); /* clwb, clflush: was dirty */

#endif
