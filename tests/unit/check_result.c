// SPDX-License-Identifier: GPL-2.0
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "samples_fixture.h"

START_TEST(latency_is_corrected_and_converted)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_CHASE, 1);
	uint32_t closed = 10, broken = 0;
	struct job_state j = fixture_job();
	struct sample_set s = {};
	uint32_t i;

	j.closed = &closed;
	j.broken = &broken;
	j.nr_closed = 1;
	for (i = 0; i < 101; i++)
		fixture_add(&s, fixture_sample(i, 0, 1000, 50 + (i * 37) % 101)); /* no drift */
	fixture_figure(&s, &j, &p);
	ck_assert(p.has_latency && !p.has_bandwidth);
	ck_assert_uint_eq(p.latency_ns.n, 101);
	ck_assert_double_eq_tol(p.latency_ns.median, 100, 1e-9);
	ck_assert_double_eq_tol(p.latency_ns.min, 50, 1e-9);
	ck_assert_double_eq_tol(p.latency_ns.max, 150, 1e-9);
	ck_assert_double_eq_tol(p.latency_ns.ci_lo, 90.202800196, 1e-6); /* rank 41.2 of 101 */
	ck_assert_double_eq_tol(p.latency_ns.ci_hi, 109.797199804, 1e-6);
	ck_assert_double_eq_tol(p.precision_reached, 0.09797199804, 1e-9);
	ck_assert(isnan(p.bandwidth_Bps.median) && isnan(p.overlap) && isnan(p.precision_asked));
	ck_assert_double_eq_tol(p.clock_overhead_ns, 10, 1e-9);
	ck_assert_double_eq_tol(p.clock_agreement_ppm, 0, 1e-6);
	ck_assert_double_eq_tol(p.passes, 101, 1e-9);
	ck_assert_uint_eq(p.closed, 10);
	ck_assert_double_eq_tol(p.measured_s, 1.5, 1e-9);
	ck_assert_uint_eq(p.windows_clean, 101);
	ck_assert_uint_eq(p.windows_disturbed, 0);
	ck_assert_int_eq(p.stopped_by, STOP_TIME);
	ck_assert_str_eq(p.isa, "scalar");
	ck_assert_uint_eq(p.taints, 0);
}
END_TEST

/* Rates of a round add up; a round that lacks a worker yields nothing. */
START_TEST(bandwidth_is_the_sum_over_complete_rounds)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_STREAM, 2);
	struct job_state j = fixture_job();
	struct sample_set s = {};
	uint32_t i;

	for (i = 0; i < 10; i++) {				     /* out of order on purpose */
		fixture_add(&s, fixture_sample(9 - i, 1, 1000, 32)); /* 2 GB/s */
		fixture_add(&s, fixture_sample(9 - i, 0, 1000, 16)); /* 4 GB/s */
	}
	fixture_add(&s, fixture_sample(10, 0, 1000, 1)); /* its other worker is missing */
	fixture_add(&s, fixture_sample(11, 1, 1000, 1)); /* twice the same */
	fixture_add(&s, fixture_sample(11, 1, 1000, 1));
	fixture_figure(&s, &j, &p);
	ck_assert(!p.has_latency && p.has_bandwidth);
	ck_assert_uint_eq(p.bandwidth_Bps.n, 10);
	ck_assert_double_eq_tol(p.bandwidth_Bps.median, 6e9, 1);
	ck_assert_double_eq_tol(p.bandwidth_Bps.max, 6e9, 1);
	ck_assert_uint_eq(p.windows_incomplete, 2);
	ck_assert_uint_eq(p.windows_clean, 10);
	ck_assert_double_eq_tol(p.passes, 11, 1e-9); /* worker 0: 11 windows of one pass */
	/* both begin together; one ends after half of the other's time */
	ck_assert_double_eq_tol(p.overlap, (32000. + 60) / (64000 + 60), 1e-9);
	ck_assert_uint_eq(p.taints, TAINT_OVERLAP);
	ck_assert(isnan(p.latency_ns.median));
}
END_TEST

START_TEST(latency_of_several_workers_is_their_mean)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_CHASE, 2);
	uint32_t closed[] = { 3, 2 }, broken[] = { 0, 0 };
	struct job_state j = fixture_job();
	struct sample_set s = {};
	uint32_t i;

	j.closed = closed;
	j.broken = broken;
	j.nr_closed = 2;
	for (i = 0; i < 8; i++) {
		fixture_add(&s, fixture_sample(i, 0, 1000, 90));
		fixture_add(&s, fixture_sample(i, 1, 1000, 110));
	}
	fixture_figure(&s, &j, &p);
	ck_assert_uint_eq(p.latency_ns.n, 8);
	ck_assert_double_eq_tol(p.latency_ns.median, 100, 1e-9);
	ck_assert_uint_eq(p.closed, 2);
}
END_TEST

/* First end minus last start over last end minus first start. */
START_TEST(overlap_of_shifted_windows)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_STREAM, 2);
	struct job_state j = fixture_job();
	struct sample_set s = {};
	struct sample late;
	uint32_t i;

	for (i = 0; i < 6; i++) {
		fixture_add(&s, fixture_sample(i, 0, 1000, 5));
		late = fixture_sample(i, 1, 1000, 5);
		late.start += 1000;
		fixture_add(&s, late);
	}
	fixture_figure(&s, &j, &p);
	ck_assert_double_eq_tol(p.overlap, 9060. / 11060, 1e-9);
	ck_assert_uint_eq(p.taints, TAINT_OVERLAP);

	for (i = 0; i < 6; i++) { /* one after the other */
		fixture_add(&s, fixture_sample(i, 0, 1000, 5));
		late = fixture_sample(i, 1, 1000, 5);
		late.start += 20000;
		fixture_add(&s, late);
	}
	fixture_figure(&s, &j, &p);
	ck_assert_double_eq(p.overlap, 0);

	for (i = 0; i < 6; i++) {
		fixture_add(&s, fixture_sample(i, 0, 1000, 5));
		fixture_add(&s, fixture_sample(i, 1, 1000, 5.1));
	}
	fixture_figure(&s, &j, &p);
	ck_assert_double_gt(p.overlap, 0.95);
	ck_assert_uint_eq(p.taints, 0);
}
END_TEST

static const struct {
	uint32_t flags, irqs, nmis, mces, smis;
	uint64_t gap; /* ticks of half a nanosecond */
	enum disturbance what;
} disturbing[] = {
	{ 0, 2, 0, 0, 0, 0, DISTURBED_IRQ },
	{ 0, 0, 1, 0, 0, 0, DISTURBED_NMI },
	{ 0, 0, 0, 1, 0, 0, DISTURBED_MCE },
	{ 0, 0, 0, 0, 3, 0, DISTURBED_SMI },
	{ 0, 0, 0, 0, 0, 4000000, DISTURBED_GAP },
	{ MPROBE_SAMPLE_F_LATE, 0, 0, 0, 0, 0, DISTURBED_LATE },
	{ MPROBE_SAMPLE_F_PREEMPTED, 0, 0, 0, 0, 0, DISTURBED_PREEMPTED },
	{ MPROBE_SAMPLE_F_MIGRATED, 0, 0, 0, 0, 0, DISTURBED_MIGRATED },
	{ MPROBE_SAMPLE_F_OVERRUN, 0, 0, 0, 0, 0, DISTURBED_OVERRUN },
};

static struct sample disturbed(int which, uint32_t round, uint32_t worker, double ns)
{
	struct sample one = fixture_sample(round, worker, 1000, ns);

	one.flags = disturbing[which].flags;
	one.irqs = disturbing[which].irqs;
	one.nmis = disturbing[which].nmis;
	one.mces = disturbing[which].mces;
	one.smis = disturbing[which].smis;
	one.gap = disturbing[which].gap;
	return one;
}

START_TEST(disturbed_windows_are_kept_apart)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_STREAM, 1);
	struct job_state j = fixture_job();
	struct sample_set s = {};
	uint32_t i;

	for (i = 0; i < 6; i++) {
		if (i == 2 || i == 5)
			fixture_add(&s, disturbed(_i, 2 * i, 0, 900));
		fixture_add(&s, fixture_sample(2 * i + 1, 0, 1000, 32));
	}
	fixture_add(&s, disturbed(_i, 20, 0, 900)); /* nothing clean comes after it */
	fixture_figure(&s, &j, &p);
	ck_assert_uint_eq(p.windows_clean, 6);
	ck_assert_uint_eq(p.windows_disturbed, 3);
	ck_assert_uint_eq(p.windows_repeated, 2);
	ck_assert_uint_eq(p.disturbed_by[disturbing[_i].what], 3);
	ck_assert_uint_eq(p.events[DISTURBED_IRQ], 3 * disturbing[_i].irqs);
	ck_assert_uint_eq(p.events[DISTURBED_NMI], 3 * disturbing[_i].nmis);
	ck_assert_uint_eq(p.events[DISTURBED_MCE], 3 * disturbing[_i].mces);
	ck_assert_uint_eq(p.events[DISTURBED_SMI], 3 * disturbing[_i].smis);
	ck_assert_uint_eq(p.known, ((1u << DISTURBANCES) - 1) & ~(1u << DISTURBED_FREQUENCY));
	ck_assert_double_eq_tol(p.bandwidth_Bps.min, 2e9, 1);
	ck_assert_uint_eq(p.taints, disturbing[_i].what == DISTURBED_MIGRATED ? TAINT_MIGRATED : 0);
}
END_TEST

/* A round with one disturbed worker is disturbed. */
START_TEST(one_disturbed_worker_spoils_the_round)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_STREAM, 2);
	struct job_state j = fixture_job();
	struct sample_set s = {};
	uint32_t i;

	for (i = 0; i < 7; i++) {
		fixture_add(&s, fixture_sample(i, 0, 1000, 32));
		fixture_add(&s, i ? fixture_sample(i, 1, 1000, 32) : disturbed(0, i, 1, 900));
	}
	fixture_figure(&s, &j, &p);
	ck_assert_uint_eq(p.windows_clean, 6);
	ck_assert_uint_eq(p.windows_disturbed, 1);
	ck_assert_double_eq_tol(p.bandwidth_Bps.min, 4e9, 1);
}
END_TEST

START_TEST(too_few_clean_windows_use_all_and_taint)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_STREAM, 1);
	struct job_state j = fixture_job();
	struct sample_set s = {};
	char by[128];
	uint32_t i;

	fixture_add_clean(&s, 5, 32);
	for (i = 5; i < 11; i++)
		fixture_add(&s, disturbed(i % 2 ? 0 : 5, i, 0, 64));
	fixture_figure(&s, &j, &p);
	ck_assert_uint_eq(p.bandwidth_Bps.n, 11);
	ck_assert_double_eq_tol(p.bandwidth_Bps.median, 1e9, 1);
	ck_assert_uint_eq(p.taints, TAINT_DISTURBED | TAINT_MOSTLY_DISTURBED);
	result_disturbed_by(&p, by, sizeof(by));
	ck_assert_str_eq(by, "irq in 3, late in 3 of 11 windows");
	result_disturbed_by(&p, by, 8);
	ck_assert_str_eq(by, "irq in ");
}
END_TEST

START_TEST(few_windows_have_no_interval)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_STREAM, 1);
	struct job_state j = fixture_job();
	struct sample_set s = {};

	fixture_add_clean(&s, 5, 32);
	fixture_figure(&s, &j, &p);
	ck_assert_double_eq_tol(p.bandwidth_Bps.median, 2e9, 1);
	ck_assert(isnan(p.bandwidth_Bps.ci_lo) && isnan(p.precision_reached));
	ck_assert_uint_eq(p.taints, TAINT_FEW_WINDOWS);
	fixture_figure(&s, &j, &p); /* none at all */
	ck_assert(isnan(p.bandwidth_Bps.median));
	ck_assert_uint_eq(p.bandwidth_Bps.n, 0);
	ck_assert_uint_eq(p.known, 0);
	ck_assert_uint_eq(p.taints, TAINT_FEW_WINDOWS);
}
END_TEST

START_TEST(warm_up_is_left_out)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_STREAM, 1);
	struct job_state j = fixture_job();
	struct sample_set s = {};
	struct sample warm;
	uint32_t i;

	for (i = 0; i < 10; i++) {
		warm = fixture_sample(i, 0, 1000, i < 4 ? 999 : 32);
		warm.flags = i < 4 ? MPROBE_SAMPLE_F_WARMUP | MPROBE_SAMPLE_F_OVERRUN : 0;
		fixture_add(&s, warm);
	}
	fixture_figure(&s, &j, &p);
	ck_assert_uint_eq(p.windows_clean, 6);
	ck_assert_uint_eq(p.windows_disturbed, 0);
	ck_assert_double_eq_tol(p.bandwidth_Bps.min, 2e9, 1);
	ck_assert_double_eq_tol(p.passes, 10, 1e-9); /* its work was done */
	ck_assert_uint_eq(p.taints, 0);
}
END_TEST

START_TEST(impossible_readings_are_dropped_and_tainted)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_STREAM, 1);
	struct job_state j = fixture_job();
	struct sample_set s = {};
	struct sample bad;

	fixture_add_clean(&s, 7, 32);
	bad = fixture_sample(7, 0, 1000, 32);
	bad.ticks = 3 * FIXTURE_OVERHEAD; /* no more than the readings cost */
	fixture_add(&s, bad);
	bad.round = 8;
	bad.ticks = 1;
	fixture_add(&s, bad);
	fixture_add(&s, fixture_sample(9, 0, 0, 32));
	fixture_figure(&s, &j, &p);
	ck_assert_uint_eq(p.windows_impossible, 3);
	ck_assert_uint_eq(p.windows_clean, 7);
	ck_assert_double_eq_tol(p.bandwidth_Bps.max, 2e9, 1);
	ck_assert_uint_eq(p.taints, TAINT_IMPOSSIBLE);
}
END_TEST

START_TEST(what_could_not_be_counted_is_unknown_and_clean)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_STREAM, 1);
	struct job_state j = fixture_job();
	struct sample_set s = {};
	struct sample one;
	uint32_t i;

	for (i = 0; i < 6; i++) {
		one = fixture_sample(i, 0, 1000, 32);
		one.irqs = SAMPLE_UNKNOWN;
		fixture_add(&s, one);
	}
	fixture_figure(&s, &j, &p);
	ck_assert_uint_eq(p.known & (1u << DISTURBED_IRQ | 1u << DISTURBED_NMI),
			  1u << DISTURBED_NMI);
	ck_assert_uint_eq(p.events[DISTURBED_IRQ], 0);
	ck_assert_uint_eq(p.windows_clean, 6);
	ck_assert_uint_eq(p.taints, 0);
}
END_TEST

static double rate_of(struct job_state *j, struct point_result *p)
{
	struct sample_set s = {};

	*p = fixture_asked(MPROBE_LOOP_CHASE, 1);
	p->point.working_set_bytes = 64ull << 30; /* no pass is complete */
	fixture_add_clean(&s, 6, 100);
	fixture_figure(&s, j, p);
	return p->latency_ns.median;
}

START_TEST(clocks)
{
	struct point_result p;
	struct job_state j = fixture_job();

	/* measured: 100 ppm faster than nominal, so the same ticks are less time */
	j.clock_ticks[1] = j.clock_ticks[0] + 2000200000;
	ck_assert_double_eq_tol(rate_of(&j, &p), 100 / 1.0001, 1e-9);
	ck_assert_double_eq_tol(p.clock_agreement_ppm, 100, 1e-6);
	ck_assert_double_eq_tol(p.clock_khz, 2000200, 1e-6);
	ck_assert_uint_eq(p.taints, 0);
	j.clock_ticks[1] = j.clock_ticks[0] + 1999500000;
	rate_of(&j, &p);
	ck_assert_double_eq_tol(p.clock_agreement_ppm, -250, 1e-6);
	ck_assert_uint_eq(p.taints, TAINT_CLOCKS_DISAGREE);
	/* too short a job, or one that has not ended: the nominal rate, and nothing to compare */
	j = fixture_job();
	j.clock_raw_ns[1] = j.clock_raw_ns[0] + 49000000;
	j.clock_ticks[1] = j.clock_ticks[0] + 100000000;
	ck_assert_double_eq_tol(rate_of(&j, &p), 100, 1e-9);
	ck_assert(isnan(p.clock_agreement_ppm));
	j.clock_raw_ns[1] = j.clock_ticks[1] = 0;
	ck_assert_double_eq_tol(rate_of(&j, &p), 100, 1e-9);
	ck_assert(isnan(p.clock_agreement_ppm));
	ck_assert_uint_eq(p.taints, 0);
	/* the monotonic clock: a tick is a nanosecond, whatever the rate says */
	j = fixture_job();
	j.clock = MPROBE_CLOCK_RAW;
	ck_assert_double_eq_tol(rate_of(&j, &p), 200, 1e-9);
	ck_assert(isnan(p.clock_agreement_ppm));
	ck_assert_double_eq_tol(p.clock_overhead_ns, FIXTURE_OVERHEAD, 1e-9);
	ck_assert_uint_eq(p.taints, TAINT_CLOCK_NOT_INVARIANT);
	/* no rate at all: no figure */
	j = fixture_job();
	j.clock_khz = 0;
	j.clock_raw_ns[1] = 0;
	ck_assert(isnan(rate_of(&j, &p)));
}
END_TEST

static const struct {
	enum mprobe_reason reason;
	double precision;
	enum stopped_by by;
	uint32_t taints;
} ends[] = {
	{ MPROBE_REASON_TIME, 0, STOP_TIME, 0 },
	{ MPROBE_REASON_TIME, 0.5, STOP_TIME, 0 },
	{ MPROBE_REASON_TIME, 0.001, STOP_TIME, TAINT_PRECISION },
	{ MPROBE_REASON_PRECISION, 0.5, STOP_PRECISION, 0 },
	{ MPROBE_REASON_PASSES, 0.001, STOP_PASSES, 0 },
	{ MPROBE_REASON_WINDOWS, 0.001, STOP_WINDOWS, TAINT_PRECISION },
	{ MPROBE_REASON_SAMPLES, 0, STOP_WINDOWS, 0 },
	{ MPROBE_REASON_CANCEL, 0.001, STOP_CANCEL, TAINT_CANCELLED },
	{ MPROBE_REASON_CPU, 0, STOP_CANCEL, TAINT_CANCELLED },
	{ MPROBE_REASON_OWNER, 0, STOP_CANCEL, TAINT_CANCELLED },
	{ 0, 0, STOP_CANCEL, TAINT_CANCELLED },
};

START_TEST(ends_and_precision)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_STREAM, 1);
	struct job_state j = fixture_job();
	struct sample_set s = {};
	uint32_t i;

	for (i = 0; i < 6; i++)
		fixture_add(&s, fixture_sample(i, 0, 1000, 30 + i));
	j.reason = ends[_i].reason;
	p.point.precision = ends[_i].precision;
	fixture_figure(&s, &j, &p);
	ck_assert_int_eq(p.stopped_by, ends[_i].by);
	ck_assert_int_eq(p.reason, ends[_i].reason);
	ck_assert_uint_eq(p.taints, ends[_i].taints);
}
END_TEST

START_TEST(pages_samples_and_cycle)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_CHASE, 1);
	uint32_t closed = 0, broken = 1;
	struct job_state j = fixture_job();
	struct sample_set s = {};

	j.samples_lost = 1;
	j.remapped = true;
	j.closed = &closed;
	j.broken = &broken;
	j.nr_closed = 1;
	p.point.page_bytes = 2 << 20;
	p.range.mapped_2m = 2 << 20;
	p.range.mapped_4k = 4096;
	fixture_add_clean(&s, 6, 30);
	fixture_figure(&s, &j, &p);
	ck_assert_uint_eq(p.taints, TAINT_SAMPLES_LOST | TAINT_PAGES_SMALLER |
					    TAINT_NOT_SINGLE_CYCLE | TAINT_REMAPPED);

	/* not one pass yet: nothing to say about the cycle */
	p.point.working_set_bytes = 64000 * 10;
	p.range.mapped_4k = 0;
	j.samples_lost = 0;
	j.remapped = false;
	broken = 0;
	fixture_add_clean(&s, 6, 30);
	fixture_figure(&s, &j, &p);
	ck_assert_double_eq_tol(p.passes, 0.6, 1e-9);
	ck_assert_uint_eq(p.taints, 0);
	p.point.page_bytes = 1 << 30;
	fixture_add_clean(&s, 6, 30);
	fixture_figure(&s, &j, &p);
	ck_assert_uint_eq(p.taints, TAINT_PAGES_SMALLER);
}
END_TEST

Suite *result_suite(void)
{
	Suite *s = suite_create("result");
	TCase *t = tcase_create("result");

	tcase_add_test(t, latency_is_corrected_and_converted);
	tcase_add_test(t, bandwidth_is_the_sum_over_complete_rounds);
	tcase_add_test(t, latency_of_several_workers_is_their_mean);
	tcase_add_test(t, overlap_of_shifted_windows);
	tcase_add_loop_test(t, disturbed_windows_are_kept_apart, 0,
			    sizeof(disturbing) / sizeof(*disturbing));
	tcase_add_test(t, one_disturbed_worker_spoils_the_round);
	tcase_add_test(t, too_few_clean_windows_use_all_and_taint);
	tcase_add_test(t, few_windows_have_no_interval);
	tcase_add_test(t, warm_up_is_left_out);
	tcase_add_test(t, impossible_readings_are_dropped_and_tainted);
	tcase_add_test(t, what_could_not_be_counted_is_unknown_and_clean);
	tcase_add_test(t, clocks);
	tcase_add_loop_test(t, ends_and_precision, 0, sizeof(ends) / sizeof(*ends));
	tcase_add_test(t, pages_samples_and_cycle);
	suite_add_tcase(s, t);
	return s;
}
