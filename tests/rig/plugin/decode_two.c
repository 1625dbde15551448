// SPDX-License-Identifier: GPL-2.0
/* Opcodes behind 0f, 0f 38 and 0f 3a, and their VEX forms. */
#include "decode_maps.h"

static void fence(struct code *c, struct rig_insn *in)
{
	unsigned int what = c->reg & 7;

	if (c->mod == 3)
		in->kind = what == 5 ? RIG_LFENCE :
			   what == 6 ? RIG_MFENCE :
			   what == 7 ? RIG_SFENCE :
				       RIG_PLAIN;
	else if (what == 7)
		in->kind = c->op16 ? RIG_CLFLUSHOPT : RIG_CLFLUSH;
	else if (what == 6 && c->op16)
		in->kind = RIG_CLWB;
}

/* Moves between vector, general registers and memory. False: not a move. */
static bool vec_move(struct code *c, struct rig_insn *in)
{
	uint64_t v = RIG_VEC(c->reg), e = RIG_VEC(c->rm);

	switch (c->op) {
	case 0x10:
	case 0x12:
	case 0x16:
	case 0x28:
	case 0x6f:
	case 0xf0:
		rm_in(c, in, e);
		in->defs = v;
		return true;
	case 0x2b:
	case 0xe7:
		in->nt = true;
		in->uses = v;
		rm_out(c, in, e);
		return true;
	case 0x11:
	case 0x13:
	case 0x17:
	case 0x29:
	case 0x7f:
	case 0xd6:
		in->uses = v;
		rm_out(c, in, e);
		return true;
	case 0x2a:
	case 0x6e:
		rm_in(c, in, gpr(c->rm));
		in->defs = v;
		return true;
	case 0x2c:
	case 0x2d:
	case 0x50:
	case 0xc5:
	case 0xd7:
		rm_in(c, in, e);
		in->defs = gpr(c->reg);
		return true;
	case 0x7e:
		if (c->rep) {
			rm_in(c, in, e);
			in->defs = v;
		} else {
			in->uses = v;
			rm_out(c, in, gpr(c->rm));
		}
		return true;
	case 0x2e:
	case 0x2f:
		in->uses = v;
		rm_in(c, in, e);
		in->defs = RIG_FLAGS;
		return true;
	}
	return false;
}

static void vec_op(struct code *c, struct rig_insn *in)
{
	uint64_t first = c->vex ? RIG_VEC(c->vvvv) : RIG_VEC(c->reg);
	bool clears = c->map == 1 && (c->op == 0xef || c->op == 0x57);

	in->defs = RIG_VEC(c->reg);
	if (clears && c->mod == 3 && first == RIG_VEC(c->rm)) {
		in->constant = true;
		return;
	}
	in->uses = first;
	rm_in(c, in, RIG_VEC(c->rm));
}

void rig_decode_two_byte(struct code *c, struct rig_insn *in)
{
	unsigned int op = c->op;
	uint64_t g = op & 1 ? gpr(c->reg) : gpr8(c, c->reg);
	uint64_t e = op & 1 ? gpr(c->rm) : gpr8(c, c->rm);
	uint64_t G = gpr(c->reg), E = gpr(c->rm);

	switch (op) {
	case 0x01:
		if (c->mod == 3 && (c->reg & 7) == 7 && (c->rm & 7) == 1) {
			in->kind = RIG_RDTSCP;
			in->constant = true;
			in->defs = gpr(RAX) | gpr(RDX) | gpr(RCX);
		}
		break;
	case 0x0d:
	case 0x18:
		in->kind = RIG_PREFETCH;
		break;
	case 0x19 ... 0x1f:
		in->has_mem = false;
		in->addr = 0;
		break;
	case 0x31:
		in->kind = RIG_RDTSC;
		in->constant = true;
		in->defs = gpr(RAX) | gpr(RDX);
		break;
	case 0x32:
		in->constant = true;
		in->defs = gpr(RAX) | gpr(RDX);
		break;
	case 0x40 ... 0x4f:
		in->uses = G | RIG_FLAGS;
		rm_in(c, in, E);
		in->defs = G;
		break;
	case 0x90 ... 0x9f:
		in->uses = RIG_FLAGS;
		rm_out(c, in, gpr8(c, c->rm));
		break;
	case 0xa2:
		in->kind = RIG_SERIAL;
		in->constant = true;
		in->defs = gpr(RAX) | gpr(RBX) | gpr(RCX) | gpr(RDX);
		break;
	case 0xa3:
		in->uses = G;
		rm_in(c, in, E);
		in->defs = RIG_FLAGS;
		break;
	case 0xa4:
	case 0xa5:
	case 0xab:
	case 0xac:
	case 0xad:
	case 0xb3:
	case 0xbb:
		in->uses = G | gpr(RCX);
		rm_in(c, in, E);
		rm_out(c, in, E);
		in->defs |= RIG_FLAGS;
		break;
	case 0xae:
		fence(c, in);
		break;
	case 0xaf:
		in->uses = G;
		rm_in(c, in, E);
		in->defs = G | RIG_FLAGS;
		break;
	case 0xb0:
	case 0xb1:
		in->uses = g | gpr(RAX);
		rm_in(c, in, e);
		rm_out(c, in, e);
		in->defs |= gpr(RAX) | RIG_FLAGS;
		break;
	case 0xb6:
	case 0xbe:
		rm_in(c, in, gpr8(c, c->rm));
		in->defs = G;
		break;
	case 0xb7:
	case 0xbf:
		rm_in(c, in, E);
		in->defs = G;
		break;
	case 0xb8:
	case 0xbc:
	case 0xbd:
		rm_in(c, in, E);
		in->defs = G | RIG_FLAGS;
		break;
	case 0xba:
		rm_in(c, in, E);
		if ((c->reg & 7) > 4)
			rm_out(c, in, E);
		in->defs |= RIG_FLAGS;
		break;
	case 0xc0:
	case 0xc1:
		in->uses = g;
		rm_in(c, in, e);
		rm_out(c, in, e);
		in->defs |= g | RIG_FLAGS;
		break;
	case 0xc3:
		in->nt = true;
		in->uses = G;
		rm_out(c, in, E);
		break;
	case 0xc7:
		if (c->mod != 3)
			in->load = in->store = true;
		else
			in->defs = E, in->constant = true;
		break;
	case 0xc8 ... 0xcf:
		in->uses = in->defs = gpr((op & 7) | c->b);
		break;
	case 0x77:
	case 0x80 ... 0x8f:
		break;
	default:
		if (!vec_move(c, in) &&
		    (op == 0x14 || op == 0x15 || op == 0x51 || (op >= 0x52 && op <= 0x7f) ||
		     op == 0xc2 || op == 0xc4 || op == 0xc6 || op >= 0xd0))
			vec_op(c, in);
	}
}

static void bmi(struct code *c, struct rig_insn *in)
{
	uint64_t G = gpr(c->reg), E = gpr(c->rm), V = gpr(c->vvvv);

	rm_in(c, in, E);
	in->defs = G;
	if (c->map == 3) /* rorx */
		return;
	if (c->op == 0xf3) { /* blsr and its like write vvvv */
		in->defs = V | RIG_FLAGS;
		return;
	}
	in->uses |= c->op == 0xf6 ? gpr(RDX) : V;
	if (c->op == 0xf6) /* mulx */
		in->defs |= V;
	if (c->op == 0xf2)
		in->defs |= RIG_FLAGS;
}

void rig_decode_three_byte(struct code *c, struct rig_insn *in)
{
	uint64_t G = gpr(c->reg), E = gpr(c->rm);
	bool pextr = c->map == 3 && c->op >= 0x14 && c->op <= 0x17;

	if (c->vex && c->op >= 0xf0) {
		bmi(c, in);
	} else if (c->map == 2 && c->op == 0x2a) { /* movntdqa: an ordinary load */
		rm_in(c, in, 0);
		in->defs = RIG_VEC(c->reg);
	} else if (c->map == 2 && c->op == 0xf9) { /* movdiri */
		in->nt = true;
		in->uses = G;
		rm_out(c, in, E);
	} else if (c->map == 2 && (c->op == 0xf0 || c->op == 0xf1) && !c->repne) { /* movbe */
		if (c->op & 1)
			in->uses = G, rm_out(c, in, E);
		else
			rm_in(c, in, E), in->defs = G;
	} else if (c->map == 2 && c->op >= 0xf0) { /* crc32, adcx, adox */
		in->uses = G | RIG_FLAGS;
		rm_in(c, in, E);
		in->defs = c->op == 0xf6 ? G | RIG_FLAGS : G;
	} else if (pextr || (c->map == 3 && (c->op == 0x19 || c->op == 0x39))) {
		in->uses = RIG_VEC(c->reg);
		rm_out(c, in, pextr ? E : RIG_VEC(c->rm));
	} else if (c->map == 3 && (c->op == 0x20 || c->op == 0x22)) {
		in->uses = RIG_VEC(c->vex ? c->vvvv : c->reg);
		rm_in(c, in, E);
		in->defs = RIG_VEC(c->reg);
	} else {
		vec_op(c, in);
		if (c->map == 2 && (c->op == 0x17 || c->op == 0x0e || c->op == 0x0f))
			in->defs = RIG_FLAGS;
	}
}
