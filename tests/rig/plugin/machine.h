/* SPDX-License-Identifier: GPL-2.0 */
/* A machine file, parsed. Times are picoseconds, sizes bytes, rates bytes a second. */
#ifndef RIG_MACHINE_H
#define RIG_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

enum { RIG_LEVELS = 3, RIG_RANGES = 8, RIG_FROMS = 8, RIG_PAGES = 3, RIG_SLOTS = 64 };
enum rig_page { RIG_4K, RIG_2M, RIG_1G };

struct rig_level {
	uint64_t size; /* 0: the machine has no such level */
	unsigned int ways;
	int64_t hit, miss; /* load to use; added to every access that goes on from here */
};

struct rig_tlb_shape {
	unsigned int entries, ways; /* 0 entries: no such buffer */
};
/* What memory costs as seen from some CPUs. wb: a read that also pushes out a dirty line. */
struct rig_cost {
	int64_t read, wb, nt;
};

struct rig_range {
	char name[32], target[64];
	uint64_t base, size;
	bool cached, tlb;
	struct rig_cost cost;
	double read_rate, write_rate, total_rate; /* 0: unlimited */
};

struct rig_from {
	int range;
	unsigned int cpu_lo, cpu_hi;
	struct rig_cost cost;
};

struct rig_machine {
	char name[32];
	int64_t insn, forward, bucket;
	unsigned int mlp, loads, stores, walkers, prefetch;
	struct rig_level level[RIG_LEVELS];
	struct rig_tlb_shape tlb[RIG_PAGES], stlb;
	int64_t stlb_hit, walk[RIG_PAGES];
	bool has_tlb;
	int n_ranges, n_froms;
	struct rig_range range[RIG_RANGES];
	struct rig_from from[RIG_FROMS];
};

extern struct rig_machine rig_machine;
extern const char *const rig_machine_page[RIG_PAGES];
bool rig_machine_load(const char *path); /* complains on stderr, with the line */
int rig_machine_find(uint64_t phys);	 /* range, or -1 */
const struct rig_cost *rig_machine_cost(int range, unsigned int vcpu);

#endif
