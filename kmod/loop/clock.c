// SPDX-License-Identifier: GPL-2.0
#include "loops.h"

#define READINGS 1000 /* of which the fastest pair counts */
#define BRACKETS 32

enum mprobe_clock mprobe_clock_best(void)
{
	return arch_ticks_trusted() ? MPROBE_CLOCK_TSC : MPROBE_CLOCK_RAW;
}

u64 mprobe_clock_khz(enum mprobe_clock clock)
{
	return clock == MPROBE_CLOCK_TSC ? port_tsc_khz() : 1000000;
}

PORT_NOINLINE u64 mprobe_clock_read(enum mprobe_clock clock)
{
	return clock == MPROBE_CLOCK_TSC ? arch_ticks() : port_raw_ns();
}

u64 mprobe_clock_overhead(enum mprobe_clock clock)
{
	u64 least = ~0ull, last = mprobe_clock_read(clock), now;
	u32 i;

	for (i = 0; i < READINGS; i++) {
		now = mprobe_clock_read(clock);
		if (now - last < least)
			least = now - last;
		last = now;
	}
	return least;
}

void mprobe_clock_pair(enum mprobe_clock clock, u64 *ticks, u64 *raw_ns)
{
	u64 least = ~0ull, before, ns, after;
	u32 i;

	for (i = 0; i < BRACKETS; i++) {
		before = mprobe_clock_read(clock);
		ns = port_raw_ns();
		after = mprobe_clock_read(clock);
		if (after - before < least) {
			least = after - before;
			*ticks = before + least / 2;
			*raw_ns = ns;
		}
	}
}
