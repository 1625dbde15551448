/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples of one job -> rounds, each with a verdict. A round is the windows that all workers ran
 * together. It is
 *   incomplete	if not every worker's sample is there;
 *   warm-up	with a WARMUP sample;
 *   impossible	with a sample of no work or no time;
 *   disturbed	with an interrupt, NMI, machine check's interrupt or SMI (where they can be counted),
 *		a gap above ROUNDS_GAP_NS and above ROUNDS_GAP_SHARE of the window's mean stretch, a ratio of APERF to MPERF that differs by more than
 *		ROUNDS_FREQUENCY from the median of that worker's windows, late, preempted,
 *		migrated or longer than twice the window;
 *   clean	else.
 */
#ifndef MPROBE_ROUNDS_H
#define MPROBE_ROUNDS_H

#include "sample.h"

#define ROUNDS_GAP_NS	 5000.0
#define ROUNDS_GAP_SHARE 0.5
#define ROUNDS_FREQUENCY 0.02

enum verdict {
	ROUND_CLEAN,
	ROUND_DISTURBED,
	ROUND_WARMUP,
	ROUND_IMPOSSIBLE,
	ROUND_INCOMPLETE,
};

/* What can befall a window; the first ones are events that are counted. */
enum disturbance {
	DISTURBED_IRQ,
	DISTURBED_NMI,
	DISTURBED_MCE,
	DISTURBED_SMI,
	DISTURBED_COUNTED,
	DISTURBED_GAP = DISTURBED_COUNTED,
	DISTURBED_FREQUENCY,
	DISTURBED_LATE,
	DISTURBED_PREEMPTED,
	DISTURBED_MIGRATED,
	DISTURBED_OVERRUN,
	DISTURBANCES,
};

struct round {
	const struct sample *v; /* of n workers, in their order */
	size_t n;
	enum verdict verdict;
	uint32_t by; /* bits 1 << enum disturbance */
};

struct rounds {
	struct sample *samples; /* by round, then worker; owned */
	struct round *v;	/* owned */
	size_t nr_samples, n;
	uint32_t workers;
	uint64_t overhead; /* ticks of a reading of the clock */
	double tick_ns;
};

/* workers, overhead and tick_ns are set before. 0, or -ENOMEM and it is empty. */
int rounds_judge(struct rounds *r, const struct sample_set *s);
void rounds_free(struct rounds *r);
/* Events of one kind below DISTURBED_COUNTED in a sample; SAMPLE_UNKNOWN. */
uint32_t rounds_events(const struct sample *s, enum disturbance kind);
double rounds_ns(const struct rounds *r, const struct sample *s); /* less the clock's cost */
double rounds_ratio(const struct sample *s);			  /* APERF / MPERF; NAN unknown */
bool rounds_used(enum verdict v, bool all); /* in the figures; all: the disturbed ones too */

#endif
