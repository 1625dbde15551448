// SPDX-License-Identifier: GPL-2.0
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <pty.h>
#include <string.h>
#include <unistd.h>

#include "fake_engine.h"
#include "measure.h"

static uint32_t cpus[] = { 0, 1, 2, 3 };
static struct target target = { .name = "fake0", .kind = TARGET_PMEM, .bytes = 1ull << 30 };
static struct engine engine;
static struct plan plan;
static struct result result;
static struct measure_source source;
static struct progress progress;
static unsigned int asked_after; /* stop_asked() is true from this call on; 0 never */

static bool ask(void)
{
	return asked_after && !--asked_after ? (asked_after = 1, true) : false;
}

static struct measure m = { .plan = &plan,
			    .sources = &source,
			    .nr_sources = 1,
			    .result = &result,
			    .progress = &progress,
			    .stop_asked = ask };

static void setup(void)
{
	fake_reset();
	engine = (struct engine){ .ops = &fake_kernel };
	source = (struct measure_source){ .target = &target,
					  .engine = &engine,
					  .claim_bytes = 1u << 30,
					  .cpus = cpus,
					  .nr_cpus = 4,
					  .max_workers = 32 };
	progress_begin(&progress, &plan, true);
	asked_after = 0;
}

static void teardown(void)
{
	plan_free(&plan);
	result_free(&result);
	memset(&result, 0, sizeof(result));
	m.error[0] = '\0';
}

static void add(enum mprobe_loop_id loop, uint64_t bytes, uint32_t workers, double precision)
{
	struct point p = { .target = "fake0",
			   .loop = loop,
			   .variant = MPROBE_VARIANT_RO,
			   .working_set_bytes = bytes,
			   .block_bytes = 64,
			   .workers = workers,
			   .cpus = cpus,
			   .seed = 5,
			   .time_ns = 1000000000,
			   .precision = precision };

	ck_assert_int_eq(plan_add(&plan, &p), 0);
}

START_TEST(test_claims_once_and_releases)
{
	add(MPROBE_LOOP_CHASE, 1 << 16, 1, 0);
	add(MPROBE_LOOP_CHASE, 1 << 20, 1, 0);
	ck_assert_int_eq(measure_plan(&m), 0);
	ck_assert_uint_eq(fake.claims, 1);
	ck_assert_uint_eq(fake.claim.bytes, 1u << 30);
	ck_assert(fake.claim.stop_asked == ask);
	ck_assert_uint_eq(fake.starts, 2);
	ck_assert_uint_eq(fake.forgets, 2);
	ck_assert_uint_eq(fake.releases, 1);
	ck_assert(result.complete);
	ck_assert_uint_eq(result.nr_points, 2);
	ck_assert_double_eq_tol(result.points[1].latency_ns.median, 100, 0.01);
	ck_assert_int_eq(result.points[0].stopped_by, STOP_TIME);
}
END_TEST

START_TEST(test_parts_are_disjoint)
{
	add(MPROBE_LOOP_STREAM, 3 << 20, 3, 0);
	ck_assert_int_eq(measure_plan(&m), 0);
	ck_assert_uint_eq(fake.job.nr_workers, 3);
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(fake.workers[i].offset, (uint64_t)i << 20);
		ck_assert_uint_eq(fake.workers[i].bytes, 1 << 20);
		ck_assert_uint_eq(fake.workers[i].cpu, cpus[i]);
		ck_assert_uint_eq(fake.workers[i].range_id, 7);
	}
}
END_TEST

START_TEST(test_stops_at_precision)
{
	fake.noise = 0.001;
	add(MPROBE_LOOP_CHASE, 1 << 16, 1, 0.005);
	ck_assert_int_eq(measure_plan(&m), 0);
	ck_assert_uint_eq(fake.stops, 1);
	ck_assert_int_eq(fake.stop_reason, MPROBE_REASON_PRECISION);
	ck_assert_int_eq(result.points[0].stopped_by, STOP_PRECISION);
	ck_assert_uint_ge(result.points[0].windows_clean, 30);
	ck_assert(result.points[0].precision_reached <= 0.005);
	ck_assert(result.complete);
}
END_TEST

START_TEST(test_noise_uses_up_the_time)
{
	fake.noise = 0.9;
	add(MPROBE_LOOP_CHASE, 1 << 16, 1, 0.0005);
	ck_assert_int_eq(measure_plan(&m), 0);
	ck_assert_uint_eq(fake.stops, 0);
	ck_assert_int_eq(result.points[0].stopped_by, STOP_TIME);
	ck_assert_uint_ne(result.points[0].taints & TAINT_PRECISION, 0);
}
END_TEST

START_TEST(test_helpers_build_big_orders)
{
	add(MPROBE_LOOP_CHASE, 1u << 30, 1, 0);
	ck_assert_int_eq(measure_plan(&m), 0);
	ck_assert_uint_eq(fake.job.nr_workers, 4);
	for (int i = 1; i < 4; i++) {
		ck_assert_int_eq(fake.workers[i].loop, MPROBE_LOOP_BUILD);
		ck_assert_uint_eq(fake.workers[i].cpu, cpus[i]);
	}
	ck_assert_uint_gt(result.points[0].windows_clean, 100);
}
END_TEST

START_TEST(test_no_helpers_where_none_are_needed)
{
	add(MPROBE_LOOP_CHASE, 1 << 20, 1, 0);
	ck_assert_int_eq(measure_plan(&m), 0);
	ck_assert_uint_eq(fake.job.nr_workers, 1);
	teardown();
	add(MPROBE_LOOP_STREAM, 1u << 30, 1, 0);
	ck_assert_int_eq(measure_plan(&m), 0);
	ck_assert_uint_eq(fake.job.nr_workers, 1);
	teardown();
	source.max_workers = 2;
	add(MPROBE_LOOP_CHASE, 1u << 30, 1, 0);
	ck_assert_int_eq(measure_plan(&m), 0);
	ck_assert_uint_eq(fake.job.nr_workers, 2);
}
END_TEST

START_TEST(test_cancel_keeps_what_was_measured)
{
	add(MPROBE_LOOP_CHASE, 1 << 16, 1, 0);
	add(MPROBE_LOOP_CHASE, 1 << 17, 1, 0);
	add(MPROBE_LOOP_CHASE, 1 << 18, 1, 0);
	asked_after = 14; /* in the second point */
	ck_assert_int_eq(measure_plan(&m), -ECANCELED);
	ck_assert_int_eq(fake.stop_reason, MPROBE_REASON_CANCEL);
	ck_assert_uint_eq(fake.starts, 2);
	ck_assert_uint_eq(fake.forgets, 2);
	ck_assert_uint_eq(fake.releases, 1);
	ck_assert(!result.complete);
	ck_assert_uint_eq(result.nr_points, 2);
	ck_assert_uint_eq(result.points[0].taints & TAINT_CANCELLED, 0);
	ck_assert_uint_ne(result.points[1].taints & TAINT_CANCELLED, 0);
	ck_assert_int_eq(result.points[1].stopped_by, STOP_CANCEL);
}
END_TEST

START_TEST(test_cancel_before_the_first)
{
	add(MPROBE_LOOP_CHASE, 1 << 16, 1, 0);
	asked_after = 1;
	ck_assert_int_eq(measure_plan(&m), -ECANCELED);
	ck_assert_uint_eq(fake.claims, 0);
	ck_assert_uint_eq(result.nr_points, 0);
}
END_TEST

START_TEST(test_refused_claim)
{
	fake.fail_claim = -EBUSY;
	add(MPROBE_LOOP_CHASE, 1 << 16, 1, 0);
	ck_assert_int_eq(measure_plan(&m), -EBUSY);
	ck_assert_str_eq(m.error, "the fake engine refuses to claim");
	ck_assert_uint_eq(fake.starts, 0);
	ck_assert_uint_eq(fake.releases, 0);
	ck_assert(!result.complete);
}
END_TEST

START_TEST(test_failure_half_way)
{
	fake.fail_start = -ENOBUFS;
	fake.fail_start_after = 1;
	add(MPROBE_LOOP_CHASE, 1 << 16, 1, 0);
	add(MPROBE_LOOP_CHASE, 1 << 17, 1, 0);
	ck_assert_int_eq(measure_plan(&m), -ENOBUFS);
	ck_assert_str_eq(m.error, "the fake engine refuses to start");
	ck_assert_uint_eq(result.nr_points, 1);
	ck_assert_uint_eq(fake.releases, 1);
	ck_assert(!result.complete);
}
END_TEST

START_TEST(test_failing_poll)
{
	fake.fail_poll = -EBADMSG;
	add(MPROBE_LOOP_CHASE, 1 << 16, 1, 0);
	ck_assert_int_eq(measure_plan(&m), -EBADMSG);
	ck_assert_uint_eq(fake.forgets, 1);
	ck_assert_uint_eq(fake.releases, 1);
	ck_assert_uint_eq(result.nr_points, 0);
}
END_TEST

START_TEST(test_broken_off)
{
	fake.break_off = MPROBE_REASON_CPU;
	add(MPROBE_LOOP_CHASE, 1 << 16, 1, 0);
	add(MPROBE_LOOP_CHASE, 1 << 17, 1, 0);
	ck_assert_int_eq(measure_plan(&m), -EIO);
	ck_assert_ptr_nonnull(strstr(m.error, "went offline"));
	ck_assert_uint_eq(result.nr_points, 1);
	ck_assert_uint_eq(fake.releases, 1);
	ck_assert(!result.complete);
}
END_TEST

/* A terminal of 30 columns: a line that it breaks could not be taken back. */
START_TEST(test_progress_fits)
{
	struct winsize w = { .ws_row = 24, .ws_col = 30 };
	int master, slave, saved = dup(STDERR_FILENO);
	char text[256];
	ssize_t n;

	ck_assert_int_eq(openpty(&master, &slave, NULL, NULL, &w), 0);
	add(MPROBE_LOOP_CHASE, 1 << 16, 1, 0);
	dup2(slave, STDERR_FILENO);
	progress_begin(&progress, &plan, false);
	progress_show(&progress, 0, 0.5, "measuring");
	dup2(saved, STDERR_FILENO);
	n = read(master, text, sizeof(text) - 1);
	ck_assert_int_gt(n, 0);
	text[n] = '\0';
	ck_assert_str_eq(text, "\r\033[K[1/1] fake0 chase ro 64K, 1 w");
	close(master);
	close(slave);
	close(saved);
}
END_TEST

START_TEST(test_time_left)
{
	char buf[48];

	progress_left(buf, sizeof(buf), 100, 0.5, 1);
	ck_assert_str_eq(buf, "");
	progress_left(buf, sizeof(buf), 100, 50, 10);
	ck_assert_str_eq(buf, "about 10 s left");
	progress_left(buf, sizeof(buf), 200, 20, 10);
	ck_assert_str_eq(buf, "about 1 min 30 s left");
	progress_left(buf, sizeof(buf), 20000, 2000, 1000);
	ck_assert_str_eq(buf, "about 2 h 30 min left");
}
END_TEST

Suite *measure_suite(void)
{
	Suite *s = suite_create("measure");
	TCase *c = tcase_create("measure");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, test_claims_once_and_releases);
	tcase_add_test(c, test_parts_are_disjoint);
	tcase_add_test(c, test_stops_at_precision);
	tcase_add_test(c, test_noise_uses_up_the_time);
	tcase_add_test(c, test_helpers_build_big_orders);
	tcase_add_test(c, test_no_helpers_where_none_are_needed);
	tcase_add_test(c, test_cancel_keeps_what_was_measured);
	tcase_add_test(c, test_cancel_before_the_first);
	tcase_add_test(c, test_refused_claim);
	tcase_add_test(c, test_failure_half_way);
	tcase_add_test(c, test_failing_poll);
	tcase_add_test(c, test_broken_off);
	tcase_add_test(c, test_progress_fits);
	tcase_add_test(c, test_time_left);
	suite_add_tcase(s, c);
	return s;
}
