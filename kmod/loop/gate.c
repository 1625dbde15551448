// SPDX-License-Identifier: GPL-2.0
/*
 * start[] of a round is written once all have arrived in it, so all have read the
 * round before; two slots keep it apart from that one all the same.
 */
#include <mprobe/loop.h>

void mprobe_gate_init(struct mprobe_gate *g, u32 workers, enum mprobe_clock clock, u64 lead)
{
	*g = (struct mprobe_gate){ .workers = workers, .clock = clock, .lead = lead };
}

u64 mprobe_gate_arrive(struct mprobe_gate *g)
{
	u64 nth = port_add_return(&g->arrived, 1) - 1;
	u64 round = port_div(nth, g->workers);

	if (nth + 1 == (round + 1) * g->workers) {
		g->start[round & 1] = mprobe_clock_read(g->clock) + g->lead;
		port_store_release(&g->ready, round + 1);
	}
	return round + 1;
}

u64 mprobe_gate_poll(struct mprobe_gate *g, u64 ticket)
{
	return port_load_acquire(&g->ready) < ticket ? 0 : g->start[(ticket - 1) & 1];
}
