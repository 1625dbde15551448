// SPDX-License-Identifier: GPL-2.0
/*
 * Only dependence matters here, not meaning: an instruction that is not in the tables
 * is taken to write its first operand from all of them, which waits too much, not too
 * little. Branches are predicted: nothing waits for them.
 */
#include "decode_maps.h"

#include <string.h>

static uint8_t next(struct code *c)
{
	return c->p < c->end ? *c->p++ : 0;
}

static void prefixes(struct code *c)
{
	for (;; c->p++) {
		switch (c->p < c->end ? *c->p : 0) {
		case 0x66:
			c->op16 = true;
			continue;
		case 0xf3:
			c->rep = true;
			continue;
		case 0xf2:
			c->repne = true;
			continue;
		case 0x67:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x26:
		case 0x64:
		case 0x65:
		case 0xf0:
			continue;
		}
		break;
	}
}

static void vex(struct code *c, bool three)
{
	uint8_t a = next(c), b;

	c->vex = true;
	c->r = a & 0x80 ? 0 : 8;
	c->map = 1;
	b = a;
	if (three) {
		c->x = a & 0x40 ? 0 : 8;
		c->b = a & 0x20 ? 0 : 8;
		c->map = a & 0x1f;
		b = next(c);
		c->wide = b & 0x80;
	}
	c->vvvv = ~b >> 3 & 15;
	c->op16 = (b & 3) == 1;
	c->rep = (b & 3) == 2;
	c->repne = (b & 3) == 3;
	c->op = next(c);
}

static void opcode(struct code *c)
{
	uint8_t a = next(c);

	if ((a & 0xf0) == 0x40) {
		c->rex = true;
		c->wide = a & 8;
		c->r = a << 1 & 8;
		c->x = a << 2 & 8;
		c->b = a << 3 & 8;
		a = next(c);
	}
	if (a == 0xc4 || a == 0xc5) {
		vex(c, a == 0xc4);
		return;
	}
	c->op = a;
	if (a != 0x0f)
		return;
	c->map = 1;
	c->op = next(c);
	if (c->op == 0x38 || c->op == 0x3a) {
		c->map = c->op == 0x38 ? 2 : 3;
		c->op = next(c);
	}
}

static bool has_modrm(const struct code *c)
{
	unsigned int op = c->op;

	if (c->map > 1)
		return true;
	if (c->map == 1)
		return !(op == 0x05 || op == 0x06 || op == 0x07 || op == 0x08 || op == 0x09 ||
			 op == 0x0b || (op >= 0x30 && op <= 0x37) || op == 0x77 ||
			 (op & 0xf0) == 0x80 || op == 0xa0 || op == 0xa1 || op == 0xa2 ||
			 op == 0xa8 || op == 0xa9 || op == 0xaa || (op >= 0xc8 && op <= 0xcf));
	if (op < 0x40)
		return (op & 7) < 4;
	return op == 0x62 || op == 0x63 || op == 0x69 || op == 0x6b || (op >= 0x80 && op <= 0x8f) ||
	       op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xc7 || (op >= 0xd0 && op <= 0xd3) ||
	       (op >= 0xd8 && op <= 0xdf) || op == 0xf6 || op == 0xf7 || op == 0xfe || op == 0xff;
}

static int32_t displacement(struct code *c, unsigned int bytes)
{
	int32_t d = 0;

	if (bytes == 1)
		return (int8_t)next(c);
	for (unsigned int i = 0; i < bytes; i++)
		d |= (uint32_t)next(c) << 8 * i;
	return d;
}

static void modrm(struct code *c, struct rig_insn *in)
{
	uint8_t m = next(c), sib;
	struct rig_operand *o = &in->mem;

	c->mod = m >> 6;
	c->reg = (m >> 3 & 7) | c->r;
	c->rm = (m & 7) | c->b;
	if (c->mod == 3)
		return;
	in->has_mem = true;
	o->base = c->rm;
	if ((m & 7) == 4) {
		sib = next(c);
		o->scale = sib >> 6;
		o->index = (sib >> 3 & 7) | c->x;
		if (o->index == RSP)
			o->index = -1;
		o->base = (sib & 7) | c->b;
		if ((sib & 7) == 5 && !c->mod)
			o->base = -1;
	} else if ((m & 7) == 5 && !c->mod) {
		o->base = -1;
		o->rip = true;
	}
	o->disp = displacement(c, c->mod == 1 ? 1 : c->mod == 2 || o->base < 0 ? 4 : 0);
	if (o->base >= 0)
		in->addr |= gpr(o->base);
	if (o->index >= 0)
		in->addr |= gpr(o->index);
}

void rig_decode(const uint8_t *bytes, size_t size, struct rig_insn *in)
{
	struct code c = { .p = bytes, .end = bytes + size };

	*in = (struct rig_insn){ .mem = { .base = -1, .index = -1 } };
	if (size == 7 && bytes[0] == 0x0f && bytes[1] == 0x1f && bytes[2] == 0x80) {
		in->kind = RIG_MARK;
		memcpy(&in->mark, bytes + 3, 4);
		return;
	}
	prefixes(&c);
	opcode(&c);
	if (has_modrm(&c))
		modrm(&c, in);
	if (c.map == 0)
		rig_decode_one_byte(&c, in);
	else if (c.map == 1)
		rig_decode_two_byte(&c, in);
	else
		rig_decode_three_byte(&c, in);
	in->load &= in->has_mem || c.map == 0;
}
