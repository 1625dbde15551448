// SPDX-License-Identifier: GPL-2.0
#include <check.h>
#include <math.h>
#include <string.h>

#include "names.h"
#include "result.h"

static struct point_result measured(enum mprobe_loop_id loop, uint64_t bytes, double figure)
{
	struct point_result p = {
		.engine = "kernel",
		.point = { .target = "dram0",
			   .target_kind = "dram",
			   .loop = loop,
			   .variant = MPROBE_VARIANT_RO,
			   .working_set_bytes = bytes,
			   .workers = 1 },
	};
	struct summary s = {
		.n = 10, .median = figure, .ci_lo = figure * 0.99, .ci_hi = figure * 1.01
	};

	p.has_latency = loop == MPROBE_LOOP_CHASE;
	p.has_bandwidth = !p.has_latency;
	p.bus_bytes_per_payload_byte = 1;
	stats_summarise(NULL, 0, &p.latency_cycles);
	*(p.has_latency ? &p.latency_ns : &p.bandwidth_Bps) = s;
	return p;
}

static struct result machine_of(int cpus, int virtualised, int emulated)
{
	struct result r = { .machine = { .cpus = cpus,
					 .virtualised = virtualised,
					 .emulated = emulated,
					 .llc_bytes = 32 << 20,
					 .nr_caches = 1 } };

	r.machine.caches[0] = (struct machine_cache){ 3, "unified", 32 << 20, 8 };
	return r;
}

static void put(struct result *r, struct point_result p)
{
	ck_assert_int_eq(result_add(r, &p), 0);
}

START_TEST(small_sizes_are_tainted_where_memory_is_claimed)
{
	struct result r = machine_of(16, 0, 0);
	struct point_result p;

	put(&r, measured(MPROBE_LOOP_CHASE, 16 << 10, 1)); /* a sweep: meant to be small */
	put(&r, measured(MPROBE_LOOP_CHASE, 1 << 30, 90));
	p = measured(MPROBE_LOOP_CHASE, 1 << 20, 9); /* another sweep, which ends in the cache */
	p.point.variant = MPROBE_VARIANT_WB;
	put(&r, p);
	put(&r, measured(MPROBE_LOOP_STREAM, 32 << 20, 1e9));
	put(&r, measured(MPROBE_LOOP_STREAM, (32 << 20) + 64, 1e9));
	p = measured(MPROBE_LOOP_STREAM, 64 << 20,
		     1e9); /* two workers reach both caches of 32 MiB */
	p.point.workers = 2;
	put(&r, p);
	p.point.working_set_bytes = 96 << 20; /* three do not reach a third */
	p.point.workers = 3;
	put(&r, p);
	p = measured(MPROBE_LOOP_CHASE, 64 << 20, 30); /* a line of each 4 KiB is 1 MiB */
	p.point.block_bytes = p.point.stride_bytes = 4096;
	put(&r, p);
	p.point.working_set_bytes = 4ull << 30;
	put(&r, p);
	p = measured(MPROBE_LOOP_STREAM, 64 << 20, 1e9);
	p.point.block_bytes = 4096;
	put(&r, p);
	result_cross_check(&r);
	ck_assert_uint_eq(r.points[7].taints, 0); /* nor the largest of its sweep */
	ck_assert(isnan(r.points[7].bus_bytes_per_payload_byte));
	ck_assert_uint_eq(r.points[8].taints, 0);
	ck_assert_double_eq(r.points[8].bus_bytes_per_payload_byte, 1);
	ck_assert_uint_eq(r.points[9].taints, 0);
	ck_assert_uint_eq(r.points[0].taints, 0);
	ck_assert(isnan(r.points[0].bus_bytes_per_payload_byte));
	ck_assert_uint_eq(r.points[1].taints, 0);
	ck_assert_double_eq(r.points[1].bus_bytes_per_payload_byte, 1);
	ck_assert_uint_eq(r.points[2].taints, TAINT_FITS_LLC);
	ck_assert_uint_eq(r.points[3].taints, TAINT_FITS_LLC);
	ck_assert_uint_eq(r.points[4].taints, 0);
	ck_assert_uint_eq(r.points[5].taints, TAINT_FITS_LLC);
	ck_assert_uint_eq(r.points[6].taints, 0);
	result_free(&r);
	ck_assert_uint_eq(r.nr_points, 0);

	r = machine_of(16, 0, 0);
	r.machine.llc_bytes = 0; /* unknown: nothing is said */
	put(&r, measured(MPROBE_LOOP_STREAM, 4096, 1e9));
	result_cross_check(&r);
	ck_assert_uint_eq(r.points[0].taints, 0);
	result_free(&r);
}
END_TEST

START_TEST(latency_must_not_fall)
{
	struct result r = machine_of(8, 0, 0);
	struct point_result p;

	put(&r, measured(MPROBE_LOOP_CHASE, 64 << 20, 80));
	put(&r, measured(MPROBE_LOOP_CHASE, 128 << 20, 78)); /* within 5 % and the intervals */
	put(&r, measured(MPROBE_LOOP_CHASE, 1 << 30, 70));
	p = measured(MPROBE_LOOP_CHASE, 1 << 30, 60); /* of another series */
	strcpy(p.point.target, "pmem0");
	put(&r, p);
	p = measured(MPROBE_LOOP_CHASE, 64 << 20, 160); /* with a competitor on its CPU */
	p.point.loaded = true;
	put(&r, p);
	result_cross_check(&r);
	ck_assert_uint_eq(r.points[0].taints, 0);
	ck_assert_uint_eq(r.points[1].taints, 0);
	ck_assert_uint_eq(r.points[2].taints, TAINT_NOT_MONOTONIC);
	ck_assert_uint_eq(r.points[3].taints, 0);
	result_cross_check(&r);
	ck_assert_uint_eq(r.points[2].taints, TAINT_NOT_MONOTONIC);
	result_free(&r);
}
END_TEST

/* Below what an L1 can do: by cycles where they are known, else by time, else by the series' own L1. */
START_TEST(latency_below_the_l1)
{
	struct result r = machine_of(8, 0, 0);
	struct point_result p;

	r.machine.l1d_bytes = 32 << 10;
	p = measured(MPROBE_LOOP_CHASE, 16 << 10, 1.6);
	p.latency_cycles.median = 4;
	put(&r, p);
	p = measured(MPROBE_LOOP_CHASE, 32 << 10, 1.5); /* still within it: 6 % less is no wonder */
	put(&r, p);
	put(&r, measured(MPROBE_LOOP_CHASE, 1 << 30, 1.4));
	p = measured(MPROBE_LOOP_CHASE, 1 << 30, 0.45); /* 4 cycles at 8.9 GHz, if they are so */
	strcpy(p.point.target, "dram1");
	p.latency_cycles.median = 4;
	put(&r, p);
	p = measured(MPROBE_LOOP_CHASE, 1 << 30, 90);
	strcpy(p.point.target, "pmem0");
	p.latency_cycles.median = 2.9;
	put(&r, p);
	result_cross_check(&r);
	ck_assert_uint_eq(r.points[0].taints, 0);
	ck_assert_uint_eq(r.points[1].taints & TAINT_BELOW_L1, 0);
	ck_assert_uint_eq(r.points[2].taints, TAINT_BELOW_L1 | TAINT_NOT_MONOTONIC);
	ck_assert_uint_eq(r.points[3].taints, 0);
	ck_assert_uint_eq(r.points[4].taints, TAINT_BELOW_L1);
	result_free(&r);
}
END_TEST

START_TEST(machine_and_peak)
{
	struct result r = machine_of(8, 1, 1);
	struct point_result p;

	put(&r, measured(MPROBE_LOOP_CHASE, 1 << 30, 0.4));
	result_cross_check(&r);
	ck_assert_uint_eq(r.points[0].taints, TAINT_EMULATED | TAINT_BELOW_L1);
	result_free(&r);

	r = machine_of(8, 1, -1);
	r.machine.nr_dimms = 2;
	strcpy(r.machine.dimms[0].speed, "2666 MT/s");
	strcpy(r.machine.dimms[1].speed, "2666 MT/s");
	put(&r, measured(MPROBE_LOOP_STREAM, 1 << 30, 42.7e9)); /* 2 x 2666 x 8 = 42,656 MB/s */
	put(&r, measured(MPROBE_LOOP_STREAM, 1 << 30, 42.6e9));
	p = measured(MPROBE_LOOP_STREAM, 1 << 30, 99e9);
	strcpy(p.point.target_kind, "cxl");
	put(&r, p);
	result_cross_check(&r);
	ck_assert_uint_eq(r.points[0].taints, TAINT_VIRTUALISED | TAINT_ABOVE_PEAK);
	ck_assert_uint_eq(r.points[1].taints, TAINT_VIRTUALISED);
	ck_assert_uint_eq(r.points[2].taints, TAINT_VIRTUALISED);
	result_free(&r);

	r = machine_of(8, -1, 0); /* a DIMM whose speed is not told: no peak */
	r.machine.nr_dimms = 2;
	strcpy(r.machine.dimms[0].speed, "2666 MT/s");
	put(&r, measured(MPROBE_LOOP_STREAM, 1 << 30, 99e9));
	result_cross_check(&r);
	ck_assert_uint_eq(r.points[0].taints, 0);
	result_free(&r);
}
END_TEST

START_TEST(taints_have_codes_and_sentences)
{
	int i, j;

	for (i = 0; i < TAINT_COUNT; i++) {
		ck_assert_uint_eq(strspn(result_taint_code(1u << i),
					 "abcdefghijklmnopqrstuvwxyz1-"),
				  strlen(result_taint_code(1u << i)));
		ck_assert_uint_gt(strlen(result_taint_sentence(1u << i)), 20);
		for (j = 0; j < i; j++)
			ck_assert_str_ne(result_taint_code(1u << i), result_taint_code(1u << j));
	}
	ck_assert_str_eq(result_taint_code(TAINT_CLOCK_NOT_INVARIANT), "clock-not-invariant");
	ck_assert_str_eq(result_taint_code(TAINT_EMULATED), "emulated");
	ck_assert_str_eq(result_taint_code(TAINT_IMPOSSIBLE), "impossible");
	ck_assert_str_eq(names_reason(MPROBE_REASON_SAMPLES), "samples-full");
	ck_assert_ptr_null(names_reason(0));
	ck_assert_ptr_null(names_loop(99));
}
END_TEST

Suite *taint_suite(void)
{
	Suite *s = suite_create("taint");
	TCase *t = tcase_create("taint");

	tcase_add_test(t, small_sizes_are_tainted_where_memory_is_claimed);
	tcase_add_test(t, latency_must_not_fall);
	tcase_add_test(t, latency_below_the_l1);
	tcase_add_test(t, machine_and_peak);
	tcase_add_test(t, taints_have_codes_and_sentences);
	suite_add_tcase(s, t);
	return s;
}
