// SPDX-License-Identifier: GPL-2.0
/*
 * Only clock reads can see time. So accesses just move the CPU's model time on, and
 * its thread sleeps when the guest reads a clock, or when it is far ahead; being late
 * in between is made up for. See `anchor` for the one case in which lag is dropped.
 */
#define _GNU_SOURCE
#include "clock.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "account.h"

enum {
	AHEAD_US = 1000, /* sleep at the latest when so far ahead */
	SPIN_US = 80,	 /* the last of a wait is not slept, as sleeps end late */
	BATCH = 16,	 /* misses that make a measurement, not its bookkeeping */
	KEEP_LAG_US = 100000,
	MAX_WAIT_S = 1,	    /* longer at once is a fault of the model, and locks the guest up */
	CHECK_EVERY = 1024, /* looks at the lag at every so many calls */
};

struct pace {
	int64_t check; /* model time at which the host's is looked at next */
	unsigned int calls;
};

static struct pace *paces;
static double k, slack_s;
static uint64_t tsc0;
static int64_t mono0;
static double hz, ticks_per_ps;

static uint64_t tsc(void)
{
	return __builtin_ia32_rdtsc();
}

static int64_t mono(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* The tightest of many brackets: a thread that loses its CPU in between spoils one. */
static void both(uint64_t *ticks, int64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		uint64_t a = tsc(), b;
		int64_t now = mono();

		b = tsc();
		if (b - a >= best)
			continue;
		best = b - a;
		*ticks = a + (b - a) / 2;
		*ns = now;
	}
}

static void calibrate(void)
{
	uint64_t ticks = 0;
	int64_t ns = 0;

	do
		both(&ticks, &ns);
	while (ns - mono0 < 1000000000);
	hz = (ticks - tsc0) / ((ns - mono0) / 1e9);
	if (hz < 5e8 || hz > 1e10)
		rig_account_die("the host's TSC counts at %.0f Hz", hz);
	ticks_per_ps = hz / 1e12 * k;
}

static uint64_t host_time(int64_t ps)
{
	return tsc0 + (uint64_t)(ps * ticks_per_ps);
}

static int64_t model_time(uint64_t ticks)
{
	return (int64_t)((ticks - tsc0) / ticks_per_ps);
}

static void wait_until(uint64_t target)
{
	int64_t left = target - tsc();

	if (left > hz * MAX_WAIT_S)
		rig_account_die("a wait of %.1f s: a channel far too narrow, or K too large",
				left / hz);
	while ((left = target - tsc()) > SPIN_US * 1e-6 * hz) {
		int64_t ns = left / hz * 1e9 - SPIN_US * 1000;
		struct timespec t = { 0, ns };

		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
	}
	while ((int64_t)(target - tsc()) > 0)
		__builtin_ia32_pause();
}

static void vcpu_ready(unsigned int vcpu)
{
	(void)vcpu;
}

static void look(struct rig_core *c, struct pace *p, unsigned int at)
{
	uint64_t target = host_time(rig_core_now(c, at)), now = tsc();
	int64_t ahead = target - now;

	p->calls = 0;
	p->check = rig_core_now(c, at) + (int64_t)(AHEAD_US * 1e6 / k);
	if (ahead > AHEAD_US * 1e-6 * hz)
		wait_until(target - (uint64_t)(AHEAD_US / 2 * 1e-6 * hz));
	else if (ahead < -slack_s * hz)
		rig_core_stall(c, at, model_time(now));
}

static void progress(struct rig_core *c, unsigned int at)
{
	struct pace *p = &paces[c->vcpu];

	if (!hz)
		calibrate();
	if (rig_core_now(c, at) > p->check || ++p->calls > CHECK_EVERY)
		look(c, p, at);
}

/*
 * A clock read by the code under test, or on its behalf, may begin a measurement: then
 * its model time must not lie behind the host's, or what follows would be made up for
 * lag from before. One by an interrupt handler in mid-measurement must not drop the
 * lag. One that follows accesses ends a measurement, or is the look at the clock of a
 * loop that goes on; there lag of the length of a host's time slice is kept, as such a
 * loop would lose it each time it looks.
 */
static void read_clock(struct rig_core *c, unsigned int at, bool anchor)
{
	int64_t lag;

	if (!hz)
		calibrate();
	lag = tsc() - host_time(rig_core_now(c, at));
	if (lag < 0)
		wait_until(host_time(rig_core_now(c, at)));
	else if (anchor && (c->missed < BATCH || lag > KEEP_LAG_US * 1e-6 * hz))
		rig_core_stall(c, at, model_time(tsc()));
	if (anchor)
		c->missed = 0;
}

const struct rig_clock *rig_clock_h(const struct rig_clock_options *o, unsigned int vcpus)
{
	static const struct rig_clock clock = { "h", vcpu_ready, progress, read_clock };

	k = o->k;
	slack_s = o->slack_s;
	paces = calloc(vcpus, sizeof(*paces));
	/* The threads that QEMU makes for its CPUs inherit it. */
	prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
	both(&tsc0, &mono0);
	return &clock;
}
