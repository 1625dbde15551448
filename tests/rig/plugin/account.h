/* SPDX-License-Identifier: GPL-2.0 */
/* What the model did, as JSON lines; the README says what each field means. */
#ifndef RIG_ACCOUNT_H
#define RIG_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"

/* clang-format does not settle on a layout for this. */
/* clang-format off */
#define RIG_COUNTS(X) \
	X(loads) X(stores) X(nt_stores) X(load_bytes) X(store_bytes) X(lines_loaded) X(lines_stored) \
	X(max_loads_of_a_line) X(max_stores_of_a_line) X(first_byte) X(last_byte) \
	X(l1_hits) X(l2_hits) X(l3_hits) X(memory_reads) X(memory_writes) X(merged) X(prefetched) \
	X(tlb_second) X(walks_4K) X(walks_2M) X(walks_1G) X(flushes) X(unresolved_flushes) \
	X(latency_ps) X(queue_ps) X(walk_ps) X(unsound) X(unwalked)
/* clang-format on */

struct rig_count {
#define X(field) uint64_t field;
	RIG_COUNTS(X)
#undef X
};

bool rig_account_open(const char *path, unsigned int vcpus, uint64_t min_accesses);
void rig_account_start(const char *clock, double k);
struct rig_count *rig_account_of(unsigned int vcpu, int range); /* range -1: elsewhere */
void rig_account_visit(unsigned int vcpu, int range, uint64_t phys, bool store);

/* A boundary: a clock read or a mark of the code under test, at pc, at model time ps. */
void rig_account_bound(unsigned int vcpu, uint64_t pc, uint64_t insns, int64_t ps, int32_t mark);
void rig_account_mark(unsigned int vcpu, uint64_t id);
void rig_account_close(void);

__attribute__((format(printf, 1, 2), noreturn)) void
rig_account_die(const char *fmt, ...); /* ends QEMU; the reason on stderr and in the account */

#endif
