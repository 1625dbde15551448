// SPDX-License-Identifier: GPL-2.0
/*
 * QEMU's clock under -icount is bias + (instructions << shift), and both the TSC and
 * every timer come from it. QEMU's own symbols are used: none of them is an API, so
 * each is looked up and tried out before the guest runs, and V refuses to start if
 * anything is not as in the builds it was made for.
 */
#define _GNU_SOURCE
#include "clock.h"

#include <dlfcn.h>
#include <stdio.h>

#include "account.h"

#define TAKE_OVER "; clock V cannot be used with this QEMU, clock=h takes over"

enum {
	SHIFT_AT = 0x1a,       /* int16: the shift */
	BIAS_AT = 0x28,	       /* int64: ns added to the instruction clock */
	PUBLISH_PS = 20000000, /* at the latest when so much is not in QEMU's clock */
	WAKE_NS = 100000,      /* and its timers are looked at anew after so much */
};

static char *state;
static int64_t *bias;
static int64_t (*icount)(void);
static const int *enabled;
static void (*cpu_exit)(void *cpu);
static unsigned int shift;
static int64_t applied, since_wake; /* ns */

static bool probe(void)
{
	int64_t before = icount(), after;

	__atomic_fetch_add(bias, 12345, __ATOMIC_SEQ_CST);
	after = icount();
	__atomic_fetch_add(bias, -12345, __ATOMIC_SEQ_CST);
	return after - before == 12345 && icount() == before;
}

static void vcpu_ready(unsigned int vcpu)
{
	int16_t found = *(int16_t *)(state + SHIFT_AT);

	if (vcpu)
		rig_account_die("clock V runs one CPU, this guest has more" TAKE_OVER);
	if (!*enabled)
		rig_account_die("QEMU runs without -icount" TAKE_OVER);
	if (found != (int16_t)shift)
		rig_account_die("the shift at timer state + %#x is %d, not %u as given" TAKE_OVER,
				SHIFT_AT, found, shift);
	if (!probe())
		rig_account_die("adding to timer state + %#x does not move QEMU's clock" TAKE_OVER,
				BIAS_AT);
}

static int64_t unpublished(const struct rig_core *c, unsigned int at)
{
	return rig_core_now(c, at) - (int64_t)((c->insns + at) << shift) * 1000 - applied * 1000;
}

static void publish(int64_t ps)
{
	int64_t ns = ps >= 0 ? ps / 1000 : -((-ps + 999) / 1000);

	__atomic_fetch_add(bias, ns, __ATOMIC_SEQ_CST);
	applied += ns;
	since_wake += ns;
	if (since_wake < WAKE_NS && since_wake > -WAKE_NS)
		return;
	since_wake = 0;
	cpu_exit(*(void **)dlsym(RTLD_DEFAULT, "current_cpu"));
}

static void progress(struct rig_core *c, unsigned int at)
{
	int64_t ps = unpublished(c, at);

	if (ps > PUBLISH_PS || ps < -PUBLISH_PS)
		publish(ps);
}

static void read_clock(struct rig_core *c, unsigned int at, bool anchor)
{
	(void)anchor; /* this clock stands still unless it is moved */
	publish(unpublished(c, at));
}

static void *symbol(const char *name)
{
	void *p = dlsym(RTLD_DEFAULT, name);

	if (!p)
		fprintf(stderr, "rig: QEMU exports no symbol %s" TAKE_OVER "\n", name);
	return p;
}

const struct rig_clock *rig_clock_v(const struct rig_clock_options *o, unsigned int vcpus)
{
	static const struct rig_clock clock = { "v", vcpu_ready, progress, read_clock };

	if (vcpus != 1) {
		fprintf(stderr, "rig: clock V needs -smp 1, not %u" TAKE_OVER "\n", vcpus);
		return NULL;
	}
	shift = o->shift;
	state = symbol(o->symbol);
	enabled = symbol("use_icount");
	*(void **)&icount = symbol("icount_get");
	*(void **)&cpu_exit = symbol("cpu_exit");
	if (!state || !enabled || !icount || !cpu_exit || !symbol("current_cpu"))
		return NULL;
	bias = (int64_t *)(state + BIAS_AT);
	return &clock;
}
