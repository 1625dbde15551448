// SPDX-License-Identifier: GPL-2.0
/* Pointer chases: each hop's address is the load of the hop before. */
#include "loops.h"

void mprobe_chase_ro(struct mprobe_cursor *c, u64 hops)
{
	c->at = arch_chase_ro(c->at, hops);
}

void mprobe_chase_wb(struct mprobe_cursor *c, u64 hops)
{
	c->at = arch_chase_wb(c->at, hops, &c->value);
}
