/* SPDX-License-Identifier: GPL-2.0 */
/* One CPU's way to memory: TLB, caches, line buffers, prefetcher, channels. */
#ifndef RIG_MEMORY_H
#define RIG_MEMORY_H

#include "machine.h"

struct rig_memory;

void rig_memory_setup(unsigned int vcpus);
struct rig_memory *rig_memory_of(unsigned int vcpu);

/* When what is asked for at `issue` is done, in model ps. */
int64_t rig_memory_access(struct rig_memory *m, int range, uint64_t vaddr, uint64_t phys,
			  int64_t issue, bool store);

/* NT stores and flushes are done for the store buffer when a line buffer takes them over. */
int64_t rig_memory_nt(struct rig_memory *m, int range, uint64_t vaddr, uint64_t phys,
		      unsigned int size, int64_t issue);
void rig_memory_flush(struct rig_memory *m, uint64_t phys, int64_t issue, bool drop, bool ordered);
int64_t rig_memory_fence(struct rig_memory *m); /* when all of those are in memory */
int64_t rig_memory_elsewhere(int64_t issue);	/* memory that no range describes */
void rig_memory_doubt(struct rig_memory *m);	/* mappings may have changed */

#endif
