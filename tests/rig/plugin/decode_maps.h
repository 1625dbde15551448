/* SPDX-License-Identifier: GPL-2.0 */
/* Between the parts of the decoder: an instruction taken apart, and the maps of opcodes. */
#ifndef RIG_DECODE_MAPS_H
#define RIG_DECODE_MAPS_H

#include "decode.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

struct code {
	const uint8_t *p, *end;
	bool op16, rep, repne, rex, wide, vex;
	unsigned int r, x, b; /* high bits of the register fields, as 0 or 8 */
	unsigned int map, op, vvvv;
	unsigned int mod, reg, rm;
};

static inline uint64_t gpr(unsigned int n)
{
	return n == RSP ? 0 : RIG_REG(n);
}

static inline uint64_t gpr8(const struct code *c, unsigned int n)
{
	return gpr(!c->rex && n >= 4 && n < 8 ? n - 4 : n);
}

/* The operand of the r/m field as a source or as what is written. */
static inline void rm_in(const struct code *c, struct rig_insn *in, uint64_t reg)
{
	if (c->mod == 3)
		in->uses |= reg;
	else
		in->load = true;
}

static inline void rm_out(const struct code *c, struct rig_insn *in, uint64_t reg)
{
	if (c->mod == 3)
		in->defs |= reg;
	else
		in->store = true;
}

void rig_decode_one_byte(struct code *c, struct rig_insn *in);
void rig_decode_two_byte(struct code *c, struct rig_insn *in);
void rig_decode_three_byte(struct code *c, struct rig_insn *in);

#endif
