// SPDX-License-Identifier: GPL-2.0
/* Opcodes of one byte. */
#include "decode_maps.h"

static void alu(struct code *c, struct rig_insn *in, uint64_t g, uint64_t e)
{
	unsigned int what = c->op >> 3 & 7, form = c->op & 7;
	bool cmp = what == 7, carry = what == 2 || what == 3;

	in->defs |= RIG_FLAGS;
	in->uses |= carry ? RIG_FLAGS : 0;
	if (form >= 4) {
		in->uses |= gpr(RAX);
		in->defs |= cmp ? 0 : gpr(RAX);
		return;
	}
	if ((what == 6 || what == 5) && c->mod == 3 && c->reg == c->rm) {
		in->constant = true;
		in->defs |= g;
		return;
	}
	in->uses |= g;
	rm_in(c, in, e);
	if (cmp)
		return;
	if (form & 2)
		in->defs |= g;
	else
		rm_out(c, in, e);
}

static void group3(struct code *c, struct rig_insn *in, uint64_t e)
{
	unsigned int what = c->reg & 7;

	rm_in(c, in, e);
	if (what == 2 || what == 3)
		rm_out(c, in, e);
	if (what >= 4) {
		in->uses |= gpr(RAX) | (what >= 6 ? gpr(RDX) : 0);
		in->defs |= gpr(RAX) | gpr(RDX);
	}
	if (what != 2)
		in->defs |= RIG_FLAGS;
}

static void group5(struct code *c, struct rig_insn *in, uint64_t e)
{
	unsigned int what = c->reg & 7;

	rm_in(c, in, e);
	if (what < 2) {
		rm_out(c, in, e);
		in->defs |= RIG_FLAGS;
	} else if (what == 2 || what == 3) {
		in->kind = RIG_CALL;
	}
}

void rig_decode_one_byte(struct code *c, struct rig_insn *in)
{
	unsigned int op = c->op;
	uint64_t g = op & 1 ? gpr(c->reg) : gpr8(c, c->reg);
	uint64_t e = op & 1 ? gpr(c->rm) : gpr8(c, c->rm);
	uint64_t low = gpr((op & 7) | c->b);

	if (op < 0x40 && (op & 7) < 6) {
		alu(c, in, g, e);
		return;
	}
	switch (op) {
	case 0x50 ... 0x57:
		in->uses = low;
		break;
	case 0x58 ... 0x5f:
		in->defs = low;
		in->load = true;
		break;
	case 0x63:
		rm_in(c, in, e);
		in->defs = gpr(c->reg);
		break;
	case 0x69:
	case 0x6b:
		rm_in(c, in, e);
		in->defs = gpr(c->reg) | RIG_FLAGS;
		break;
	case 0x80:
	case 0x81:
	case 0x83:
		rm_in(c, in, e);
		if ((c->reg & 7) == 2 || (c->reg & 7) == 3)
			in->uses |= RIG_FLAGS;
		if ((c->reg & 7) != 7)
			rm_out(c, in, e);
		in->defs |= RIG_FLAGS;
		break;
	case 0x84:
	case 0x85:
		in->uses = g;
		rm_in(c, in, e);
		in->defs = RIG_FLAGS;
		break;
	case 0x86:
	case 0x87:
		in->uses = g;
		rm_in(c, in, e);
		in->defs = g;
		rm_out(c, in, e);
		break;
	case 0x88:
	case 0x89:
		in->uses = g;
		rm_out(c, in, e);
		break;
	case 0x8a:
	case 0x8b:
		rm_in(c, in, e);
		in->defs = g;
		break;
	case 0x8d:
		in->uses = in->addr;
		in->defs = gpr(c->reg);
		in->has_mem = false;
		in->addr = 0;
		break;
	case 0x8f:
		rm_out(c, in, e);
		break;
	case 0x90:
		break;
	case 0x91 ... 0x97:
		in->uses = in->defs = low | gpr(RAX);
		break;
	case 0x98:
		in->uses = in->defs = gpr(RAX);
		break;
	case 0x99:
		in->uses = gpr(RAX);
		in->defs = gpr(RDX);
		break;
	case 0xa4:
	case 0xa5:
		in->addr = gpr(RSI) | gpr(RDI);
		break;
	case 0xaa:
	case 0xab:
		in->addr = gpr(RDI);
		in->uses = gpr(RAX);
		break;
	case 0xac:
	case 0xad:
		in->addr = gpr(RSI);
		in->load = true;
		in->defs = gpr(RAX);
		break;
	case 0xb0 ... 0xbf:
		in->constant = true;
		in->defs = low;
		break;
	case 0xc0:
	case 0xc1:
	case 0xd0 ... 0xd3:
		rm_in(c, in, e);
		rm_out(c, in, e);
		in->uses |= op >= 0xd2 ? gpr(RCX) : 0;
		in->defs |= RIG_FLAGS;
		break;
	case 0xc6:
	case 0xc7:
		in->constant = true;
		rm_out(c, in, e);
		break;
	case 0xc9:
		in->load = true;
		in->defs = gpr(RBP);
		break;
	case 0xe8:
		in->kind = RIG_CALL;
		break;
	case 0xf6:
	case 0xf7:
		group3(c, in, e);
		break;
	case 0xfe:
	case 0xff:
		group5(c, in, e);
		break;
	}
}
