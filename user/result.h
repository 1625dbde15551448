/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The result: what was measured, in the shape of the result document
 * ("mprobe-result/1", man page). Built from samples here, rendered by render_*.c,
 * which see nothing else.
 */
#ifndef MPROBE_RESULT_H
#define MPROBE_RESULT_H

#include "engine.h"
#include "machine.h"
#include "plan.h"
#include "rounds.h"
#include "stats.h"
#include "taint.h"

/* STOP_WINDOWS: the rounds asked for are done, or the store of samples is full */
enum stopped_by { STOP_PRECISION, STOP_TIME, STOP_PASSES, STOP_WINDOWS, STOP_CANCEL };

/* What hardware counters say of a unit: a hop of a chase, a line of a stream. NAN unknown. */
struct counted {
	double per_unit[MPROBE_COUNTERS]; /* medians over the rounds used; at enum mprobe_counter - 1 */
	double core_hz;			  /* that the core ran at: by cycles, else by APERF/MPERF */
	double aperf_mperf;		  /* ratio to the rate of MPERF, which is the TSC's */
};

struct point_result {
	struct point point;	 /* what was asked (plan.h) */
	const char *engine;	 /* "kernel", "user" */
	struct range_info range; /* owned */
	char isa[16];		 /* that really ran */
	bool has_latency, has_bandwidth;
	struct summary latency_ns, bandwidth_Bps;
	/* The time within all complete windows but warm-up, disturbed or not, by their hops; NAN unknown */
	double latency_all_ns;
	struct summary latency_cycles; /* of the core; its median NAN: unknown */
	struct counted counted;
	double bus_bytes_per_payload_byte; /* predicted, beyond the caches; NAN unknown */
	uint64_t windows_clean, windows_disturbed, windows_repeated; /* see result_from_samples */
	uint64_t windows_impossible, windows_incomplete;
	uint64_t disturbed_by[DISTURBANCES]; /* windows; one may count in several */
	uint32_t known; /* bits 1 << enum disturbance that all windows could tell */
	uint64_t events[DISTURBED_COUNTED]; /* that many in the windows kept apart */
	double overlap;			    /* NAN with one worker */
	double passes;	 /* work done / one pass, least of the workers; NAN unknown */
	uint64_t closed; /* passes seen to be single cycles, least of the workers; chase */
	enum mprobe_clock clock;
	double clock_khz; /* that the figures were computed with; NAN unknown */
	double clock_overhead_ns, clock_agreement_ppm; /* NAN unknown */
	double precision_asked, precision_reached;     /* share; NAN unknown */
	enum stopped_by stopped_by;
	enum mprobe_reason reason; /* 0: it had not ended */
	uint64_t prepare_ns;
	double measured_s; /* wall time of the point, order and warm-up included; 0 before: their sum */
	uint32_t *prefetch_off; /* by worker, MPROBE_PREFETCH_F_*; SAMPLE_UNKNOWN; NULL unknown; owned */
	uint32_t taints;	/* bits of enum taint */
};

struct compare;

struct result {
	char tool_version[64], module_version[64]; /* module "" for the user engine */
	struct machine machine;
	char **argv; /* not owned */
	int argc;
	struct point_result *points; /* owned */
	size_t nr_points;
	bool complete;				       /* false: cancelled or failed half-way */
	bool show_frequency;			       /* --freq */
	enum mprobe_prefetch_control prefetch_control; /* 0 unknown */
	const struct compare *compare; /* what its points were compared for; NULL; not owned */
};

/*
 * Samples of one job -> figures. A round (rounds.h) is the windows that all workers ran together, and yields
 * one value: latency, the mean over the workers of (ticks - reads x overhead) / hops; bandwidth,
 * the sum over the workers of lines x 64 bytes / (ticks - reads x overhead). The windows counted in a
 * point_result are rounds. Clean rounds make the figures. With fewer than 6 of these the disturbed
 * ones are used too, TAINT_DISTURBED; impossible ones are dropped, never corrected.
 *
 * A job goes on while rounds are disturbed: each clean round that follows a disturbed one
 * stands in for it, one for one, and these are windows_repeated.
 *
 * Ticks become time by the rate between the job's two pairs of clock readings where they are
 * 50 ms apart or more, else by the nominal rate. overlap: the median over the
 * rounds used of (first end - last start) / (last end - first start).
 *
 * out->point, engine and range are filled in before; isa is, here, where it is empty. Workers that
 * measure come before those that only build, in samples' worker numbers and in closed[].
 */
void result_from_samples(const struct sample_set *s, const struct job_state *j,
			 struct point_result *out);
/* How narrow the interval is by now, and of how many clean rounds: no more is computed. */
double result_precision(const struct sample_set *s, const struct job_state *j,
			const struct point_result *asked, uint64_t *clean);
/* Takes over p->range and prefetch_off; 0 or -ENOMEM. */
int result_add(struct result *r, const struct point_result *p);
void result_free(struct result *r);

#endif
