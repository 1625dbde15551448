/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the guest gets to see model time.
 * V: the difference goes into QEMU's instruction clock (-icount), one CPU.
 * H: the CPU's host thread waits; every model ns is K host ns; any number of CPUs.
 * count: no time.
 */
#ifndef RIG_CLOCK_H
#define RIG_CLOCK_H

#include "core.h"

struct rig_clock {
	const char *name;
	void (*ready)(unsigned int vcpu); /* QEMU is configured: check, or die */
	void (*progress)(struct rig_core *c, unsigned int at); /* time went on; nobody looks */
	void (*read)(struct rig_core *c, unsigned int at, bool anchor); /* the guest looks now */
};

struct rig_clock_options {
	double k;	    /* H */
	unsigned int shift; /* V: as given to -icount */
	const char *symbol; /* V: QEMU's timer state */
	double slack_s;	    /* H: lag that is forgiven only beyond this */
};

/* NULL, with the reason on stderr, if QEMU is not what this clock needs. */
const struct rig_clock *rig_clock_v(const struct rig_clock_options *o, unsigned int vcpus);
const struct rig_clock *rig_clock_h(const struct rig_clock_options *o, unsigned int vcpus);
const struct rig_clock *rig_clock_count(void);

#endif
