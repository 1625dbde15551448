/* SPDX-License-Identifier: GPL-2.0 */
/* Samples as both engines give them, and the state of the job they come from. */
#ifndef MPROBE_SAMPLE_H
#define MPROBE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/mprobe.h>

/* Could not be counted; never 0. */
#define SAMPLE_UNKNOWN	 UINT32_MAX /* irqs, nmis, mces, smis */
#define SAMPLE_UNKNOWN64 UINT64_MAX /* gap, aperf, mperf, counts */

struct sample {
	uint32_t round, worker, flags; /* MPROBE_SAMPLE_F_* */
	uint32_t irqs, nmis, mces, smis, reads;
	uint64_t start, ticks, work; /* ticks of the clock; hops or lines */
	uint64_t gap;		     /* ticks that the slowest stretch took longer than the rest */
	uint64_t aperf, mperf;
	uint64_t counts[MPROBE_COUNTERS]; /* at enum mprobe_counter - 1 */
};

struct sample sample_unknown(void); /* nothing counted, all else 0 */

struct sample_set {
	struct sample *v; /* owned */
	size_t n, cap;
};

int sample_append(struct sample_set *s, const struct sample *one); /* 0 or -ENOMEM */
void sample_free(struct sample_set *s);

#define SAMPLE_COUNTERS 32 /* columns that a job can have, those of later modules included */

struct job_state {
	enum mprobe_state state;
	enum mprobe_reason reason; /* 0 while it runs */
	uint64_t elapsed_ns, time_ns, prepare_done, prepare_total, prepare_ns;
	uint64_t windows, samples, samples_lost;
	enum mprobe_clock clock;
	uint64_t clock_khz, clock_overhead;	  /* kHz; ticks */
	uint64_t clock_ticks[2], clock_raw_ns[2]; /* start, end of measuring */
	uint32_t id, owner;
	bool remapped; /* at the end its ranges were not mapped as verified */
	uint32_t nr_closed;
	uint32_t *closed,
		*broken; /* by worker: passes that closed the cycle, looks that saw it open; owned */
	uint32_t nr_prefetch; /* 0: not known */
	uint32_t *prefetch_state; /* by worker: MPROBE_PREFETCH_F_* that were off; SAMPLE_UNKNOWN; owned */
	uint32_t nr_counters, counters[SAMPLE_COUNTERS]; /* enum mprobe_counter */
};

void job_state_free(struct job_state *j);

#endif
