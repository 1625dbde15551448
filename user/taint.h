/* SPDX-License-Identifier: GPL-2.0 */
/* Why a result may not be trusted. */
#ifndef MPROBE_TAINT_H
#define MPROBE_TAINT_H

#include <stddef.h>

struct result;
struct point_result;

/* Bits; the sentences of taint.c say more. */
enum taint {
	TAINT_CLOCK_NOT_INVARIANT = 1 << 0,
	TAINT_CLOCKS_DISAGREE = 1 << 1,
	TAINT_DISTURBED = 1 << 2,
	TAINT_FEW_WINDOWS = 1 << 3,
	TAINT_OVERLAP = 1 << 4,
	TAINT_CANCELLED = 1 << 5,
	TAINT_EMULATED = 1 << 6,
	TAINT_VIRTUALISED = 1 << 7, /* informative */
	TAINT_FITS_LLC = 1 << 8,
	TAINT_PAGES_SMALLER = 1 << 9,
	TAINT_SAMPLES_LOST = 1 << 10,
	TAINT_NOT_SINGLE_CYCLE = 1 << 11,
	TAINT_PRECISION = 1 << 12,
	TAINT_MIGRATED = 1 << 13,
	TAINT_NOT_MONOTONIC = 1 << 14,
	TAINT_ABOVE_PEAK = 1 << 15,
	TAINT_IMPOSSIBLE = 1 << 16,
	TAINT_REMAPPED = 1 << 17,
	TAINT_MOSTLY_DISTURBED = 1 << 18,
	TAINT_BELOW_L1 = 1 << 19,
};
#define TAINT_COUNT 20

const char *result_taint_code(enum taint one);	   /* "clock-not-invariant" */
const char *result_taint_sentence(enum taint one); /* for people */
/* "irq in 970, late in 3 of 1000 windows" */
void result_disturbed_by(const struct point_result *p, char *buf, size_t len);

/*
 * Taints that need neighbours or the machine; idempotent. Per point:
 *   BELOW_L1	a hop takes less than 3 cycles of the core, which no L1 does (less than 0.5 ns, 3 cycles
 *		at 6 GHz, where they are unknown); or, beyond the L1, its interval lies 5 % or more below
 *		that of the series' working set inside the L1.
 *   FITS_LLC	the working set is not larger than the last-level caches that so many workers can
 *		reach, where memory is claimed: by every bandwidth, and by the largest of each
 *		series of latencies that differ in size only (a summary takes that one). Bus
 *		bytes are unknown wherever the working set fits.
 *   NOT_MONOTONIC  in such a series the interval lies 5 % or more below that of a smaller size;
 *		page placement and clock frequency do less than that from job to job.
 *   ABOVE_PEAK	beyond the LLC, more payload than speed x 8 bytes of all DIMMs, where readable.
 */
void result_cross_check(struct result *r);

#endif
