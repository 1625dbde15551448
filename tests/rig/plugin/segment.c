// SPDX-License-Identifier: GPL-2.0
#include "segment.h"

#include <stdlib.h>
#include <string.h>

/* Each CPU's thread translates for itself. What is built is never freed: QEMU may run it again. */
static __thread struct {
	struct rig_segment *seg;
	uint64_t cur[RIG_REGS]; /* what each register waits for now */
	uint32_t written[16];	/* changes of each general register so far */
	struct {
		struct rig_operand mem;
		uint32_t base, index; /* `written` of the two at that access */
		bool known;
	} seen[RIG_OPS];
} b;

struct rig_segment *rig_segment_begin(void)
{
	b.seg = calloc(1, sizeof(*b.seg));
	b.seg->values = RIG_REGS;
	for (int i = 0; i < RIG_REGS; i++)
		b.cur[i] = 1ULL << i;
	memset(b.written, 0, sizeof(b.written));
	return b.seg;
}

bool rig_segment_full(void)
{
	return b.seg->n_ops == RIG_OPS || b.seg->values == RIG_VALUES || b.seg->insns >= 512;
}

static uint64_t waits(uint64_t regs)
{
	uint64_t mask = 0;

	for (; regs; regs &= regs - 1)
		mask |= b.cur[__builtin_ctzll(regs)];
	return mask;
}

static uint32_t version(int8_t reg)
{
	return reg < 0 ? 0 : b.written[reg];
}

/* An earlier access of the segment through the same registers, so far unchanged. */
static void resolve(struct rig_op *op, const struct rig_operand *mem)
{
	op->like = RIG_NONE;
	for (int i = op->number - 1; i >= 0; i--) {
		const struct rig_operand *m = &b.seen[i].mem;

		if (!b.seen[i].known || m->base != mem->base || m->index != mem->index ||
		    m->scale != mem->scale || m->rip || mem->rip ||
		    b.seen[i].base != version(mem->base) || b.seen[i].index != version(mem->index))
			continue;
		op->like = i;
		op->delta = (int64_t)mem->disp - m->disp;
		return;
	}
}

static void write(const struct rig_insn *in, uint64_t value)
{
	uint64_t regs = in->defs;

	for (; regs; regs &= regs - 1) {
		int reg = __builtin_ctzll(regs);

		b.cur[reg] = value;
		if (reg < 16)
			b.written[reg]++;
	}
}

static struct rig_op *watch(const struct rig_insn *in, uint64_t pc)
{
	struct rig_op *op = malloc(sizeof(*op));

	*op = (struct rig_op){
		.seg = b.seg,
		.pc = pc,
		.at = b.seg->insns,
		.kind = in->kind,
		.nt = in->nt,
		.mark = in->mark,
		.number = b.seg->n_ops++,
		.value = RIG_NONE,
		.like = RIG_NONE,
		.addr = waits(in->addr),
		.data = waits(in->uses),
	};
	b.seen[op->number].mem = in->mem;
	b.seen[op->number].known = in->has_mem && in->kind == RIG_PLAIN;
	b.seen[op->number].base = version(in->mem.base);
	b.seen[op->number].index = version(in->mem.index);
	if (in->kind == RIG_CLWB || in->kind == RIG_CLFLUSH || in->kind == RIG_CLFLUSHOPT)
		resolve(op, &in->mem);
	return op;
}

/* Whatever the instruction may touch besides its operand (the stack, strings) is an access too. */
static bool touches(const struct rig_insn *in)
{
	return in->has_mem || in->load || in->store || in->addr || in->kind == RIG_CALL ||
	       (!in->defs && in->kind == RIG_PLAIN);
}

struct rig_op *rig_segment_add(const struct rig_insn *in, uint64_t pc)
{
	struct rig_op *op = NULL;
	uint64_t value = in->constant ? 0 : waits(in->uses);

	if (touches(in) || in->kind != RIG_PLAIN)
		op = watch(in, pc);
	if (op && in->load && in->defs) {
		op->value = b.seg->values++;
		value |= 1ULL << op->value;
	}
	write(in, value);
	b.seg->insns++;
	return op;
}

void rig_segment_end(void)
{
	for (int i = 0; i < RIG_REGS; i++)
		if (b.cur[i] != 1ULL << i)
			b.seg->move[b.seg->n_moves++] = (struct rig_move){ i, b.cur[i] };
}
