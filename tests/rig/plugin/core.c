// SPDX-License-Identifier: GPL-2.0
#include "core.h"

#include <stdlib.h>

#include "account.h"
#include "memory.h"

static struct rig_core *cores;
static bool timing;

void rig_core_setup(unsigned int vcpus, bool timed)
{
	timing = timed;
	rig_memory_setup(vcpus);
	cores = calloc(vcpus, sizeof(*cores));
	for (unsigned int i = 0; i < vcpus; i++) {
		cores[i].vcpu = i;
		cores[i].memory = rig_memory_of(i);
		cores[i].load_queue = calloc(rig_machine.loads, sizeof(int64_t));
		cores[i].store_buffer = calloc(rig_machine.stores, sizeof(int64_t));
	}
}

struct rig_core *rig_core_of(unsigned int vcpu)
{
	return &cores[vcpu];
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t ready(const struct rig_core *c, uint64_t values)
{
	int64_t when = 0;

	for (; values; values &= values - 1)
		when = later(when, c->value[__builtin_ctzll(values)]);
	return when;
}

int64_t rig_core_now(const struct rig_core *c, unsigned int at)
{
	return c->time + at * rig_machine.insn;
}

void rig_core_stall(struct rig_core *c, unsigned int at, int64_t until)
{
	c->time = later(c->time, until - at * rig_machine.insn);
}

void rig_core_leave(struct rig_core *c)
{
	const struct rig_segment *s = c->seg;
	int64_t when[RIG_REGS];

	if (!s)
		return;
	for (int i = 0; i < s->n_moves; i++)
		when[i] = ready(c, s->move[i].from);
	for (int i = 0; i < s->n_moves; i++)
		c->value[s->move[i].reg] = when[i];
	c->insns += s->insns;
	c->time += s->insns * rig_machine.insn;
	c->seg = NULL;
}

void rig_core_enter(struct rig_core *c, const struct rig_segment *seg)
{
	rig_core_leave(c);
	c->seg = seg;
	c->last_op = NULL;
	for (int i = RIG_REGS; i < seg->values; i++)
		c->value[i] = 0;
}

static void load(struct rig_core *c, const struct rig_op *op, int range, uint64_t vaddr,
		 uint64_t phys)
{
	const struct rig_forward *f = &c->forward[vaddr >> 3 & (RIG_FORWARDS - 1)];
	int64_t *oldest = &c->load_queue[c->load_next], issue, done;

	rig_core_stall(c, op->at, *oldest);
	issue = later(rig_core_now(c, op->at), ready(c, op->addr));
	done = range < 0 ? rig_memory_elsewhere(issue) :
			   rig_memory_access(c->memory, range, vaddr, phys, issue, false);
	if (f->word == vaddr >> 3)
		done = later(done, f->ready + rig_machine.forward);
	c->missed += range >= 0 && done - issue > rig_machine.level[0].hit;
	rig_account_of(c->vcpu, range)->latency_ps += done - issue;
	c->retired = later(c->retired, done);
	*oldest = c->retired;
	c->load_next = (c->load_next + 1) % rig_machine.loads;
	if (op->value != RIG_NONE)
		c->value[op->value] = later(c->value[op->value], done);
}

static void drain(struct rig_core *c, int64_t done)
{
	c->drained = later(c->drained, done);
	c->store_buffer[c->store_next] = c->drained;
	c->store_next = (c->store_next + 1) % rig_machine.stores;
}

static void store(struct rig_core *c, const struct rig_op *op, int range, uint64_t vaddr,
		  uint64_t phys, unsigned int size)
{
	struct rig_forward *f = &c->forward[vaddr >> 3 & (RIG_FORWARDS - 1)];
	int64_t issue, data, done;

	rig_core_stall(c, op->at, c->store_buffer[c->store_next]);
	issue = later(rig_core_now(c, op->at), ready(c, op->addr));
	data = ready(c, op->data);
	if (op->value != RIG_NONE) /* read-modify-write */
		data = later(data, c->value[op->value]);
	if (range < 0)
		done = issue;
	else if (op->nt)
		done = rig_memory_nt(c->memory, range, vaddr, phys, size, later(issue, data));
	else
		done = rig_memory_access(c->memory, range, vaddr, phys, issue, true);
	c->missed += range >= 0 && done - issue > rig_machine.level[0].hit;
	*f = (struct rig_forward){ vaddr >> 3, later(issue, data) };
	c->retired = later(c->retired, later(issue, data));
	drain(c, later(done, data));
}

/* QEMU delivers a vector access in pieces; those after the first of a line are free. */
static void piece(struct rig_core *c, const struct rig_op *op, uint64_t vaddr, uint64_t phys,
		  unsigned int size, bool is_store)
{
	int range = rig_machine_find(phys);
	struct rig_count *n = rig_account_of(c->vcpu, range);
	uint64_t line = (phys >> 6) * 2 + is_store;
	bool again = c->last_op == op && c->last_line == line;

	if (is_store)
		n->store_bytes += size;
	else
		n->load_bytes += size;
	if (again && !(op->nt && timing && range >= 0))
		return;
	if (!again) {
		c->last_op = op;
		c->last_line = line;
		n->loads += !is_store;
		n->stores += is_store;
		n->nt_stores += is_store && op->nt;
		if (range >= 0)
			rig_account_visit(c->vcpu, range, phys, is_store);
	}
	if (!timing)
		return;
	if (is_store)
		store(c, op, range, vaddr, phys, size);
	else
		load(c, op, range, vaddr, phys);
}

void rig_core_access(struct rig_core *c, const struct rig_op *op, uint64_t vaddr, uint64_t phys,
		     unsigned int size, bool is_store)
{
	unsigned int room = 64 - (vaddr & 63);

	c->seen[op->number] = (struct rig_access){ vaddr, phys };
	piece(c, op, vaddr, phys, size < room ? size : room, is_store);
	/* The rest of an access across lines; in the next page its own frame is not known. */
	if (size > room && (vaddr & 4095) + size <= 4096)
		piece(c, op, vaddr + room, phys + room, size - room, is_store);
}

static void flush(struct rig_core *c, const struct rig_op *op)
{
	const struct rig_access *like;

	like = op->like == RIG_NONE ? NULL : &c->seen[op->like];
	if (!like) {
		rig_account_of(c->vcpu, -1)->unresolved_flushes++;
		return;
	}
	rig_memory_flush(c->memory, like->phys + op->delta, rig_core_now(c, op->at),
			 op->kind != RIG_CLWB, op->kind == RIG_CLFLUSH);
}

void rig_core_order(struct rig_core *c, const struct rig_op *op)
{
	switch (op->kind) {
	case RIG_MFENCE:
	case RIG_SFENCE:
		rig_core_stall(c, op->at, rig_memory_fence(c->memory));
		rig_core_stall(c, op->at, c->drained);
		/* fallthrough */
	case RIG_LFENCE:
	case RIG_SERIAL:
	case RIG_RDTSCP:
		rig_core_stall(c, op->at, c->retired);
		break;
	case RIG_CLWB:
	case RIG_CLFLUSH:
	case RIG_CLFLUSHOPT:
		if (timing)
			flush(c, op);
		break;
	}
}
