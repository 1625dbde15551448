// SPDX-License-Identifier: GPL-2.0
/* The turns of a comparison, on engines that measure nothing. */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_load.h"
#include "compare_run.h"
#include "fake_engine.h"

#define BYTES (64ull << 20)

static struct engine kernel, user;
static struct result result;
static struct progress progress;
static struct plan plan;
static struct compare c;
static struct compare_run r;
static unsigned int asked, asked_after;
static uint32_t cpus[] = { 0 };

static bool stop_asked(void)
{
	return ++asked >= asked_after;
}

static void make(bool with_kernel, uint64_t bytes, uint32_t rounds)
{
	fake_reset();
	kernel = (struct engine){ .ops = &fake_kernel };
	user = (struct engine){ .ops = &fake_user };
	result = (struct result){ .complete = false };
	asked = 0;
	asked_after = UINT32_MAX;
	compare_init(&c, with_kernel, rounds);
	ck_assert_int_eq(compare_add_case(&c, 1 << 20, 0), 0);
	ck_assert_int_eq(compare_add_case(&c, 1 << 20, 1 << 16), 0);
	r = (struct compare_run){ .c = &c,
				  .bytes = bytes,
				  .kernel = with_kernel ? &kernel : NULL,
				  .user = &user,
				  .cpus = cpus,
				  .nr_cpus = 1,
				  .max_workers = 4,
				  .result = &result,
				  .progress = &progress,
				  .plan = &plan,
				  .quiet = true,
				  .stop_asked = stop_asked };
	r.point = (struct point){ .target = "phys0",
				  .loop = MPROBE_LOOP_CHASE,
				  .variant = MPROBE_VARIANT_RO,
				  .chains = 1,
				  .workers = 1,
				  .cpus = cpus,
				  .stride_bytes = 64,
				  .block_bytes = 64,
				  .time_ns = 1000000,
				  .overwrite = true };
	r.part = (struct target){
		.name = "phys0", .kind = TARGET_PHYS, .base = 1ull << 30, .bytes = bytes
	};
}

/* Whatever happened: nothing is held, and every job was forgotten. */
static void unmake(void)
{
	ck_assert_uint_eq(fake.claims, fake.releases);
	ck_assert_uint_eq(fake.starts, fake.forgets);
	compare_free(&c);
	plan_free(&plan);
	result_free(&result);
}

/* Forwards and backwards in turn, both orders of a size in each round; the kernel maps anew for its ways only. */
START_TEST(test_turns)
{
	static const uint64_t pages[] = { 1u << 30, 2u << 20, 4096, 1u << 30, 2u << 20, 4096, 4096 };

	make(true, 1ull << 30, 2);
	ck_assert_msg(!compare_run(&r), "%s", r.error);
	ck_assert(result.complete);
	ck_assert_uint_eq(c.done, 2);
	ck_assert_uint_eq(result.nr_points, 2 * 2 * WAYS);
	for (size_t i = 0; i < result.nr_points; i++) {
		const struct point_result *p = &result.points[i];
		const int round = i / (2 * WAYS), nth = i / WAYS % 2,
			  way = round ? WAYS - 1 - (int)(i % WAYS) : (int)(i % WAYS);

		ck_assert_uint_eq(p->point.page_bytes, pages[way]);
		ck_assert_uint_eq(p->point.window_bytes, nth ? 1 << 16 : 0);
		ck_assert_str_eq(p->engine, way <= WAY_KERNEL_4K ? "kernel" : "user");
		ck_assert(p->point.loaded == (way == WAY_LOADED));
		ck_assert_double_eq_tol(c.cases[nth].ns[way * 2 + round], 100, 0.01);
	}
	ck_assert_uint_eq(fake.remaps, 3 + 2 * 2 * 3);
	ck_assert_uint_eq(fake.claims, 4); /* the module's, and three mappings */
}
END_TEST

START_TEST(test_order_reaches_the_job)
{
	make(true, 1ull << 30, 1);
	ck_assert_int_eq(compare_run(&r), 0);
	ck_assert_uint_eq(fake.workers[0].order_window_bytes, 1 << 16); /* of the last turn */
	ck_assert_uint_eq(fake.workers[0].bytes, 1 << 20);
	ck_assert_uint_eq(fake.workers[0].offset, 0);
}
END_TEST

/* What the memory can't have is told with its reason, and nothing is measured in its place. */
START_TEST(test_lacks)
{
	make(true, BYTES, 1); /* no whole page of 1G */
	fake.no_page = 1u << 30;
	ck_assert_msg(!compare_run(&r), "%s", r.error);
	ck_assert(!c.ways[WAY_KERNEL_1G].available && !c.ways[WAY_USER_1G].available);
	ck_assert_str_eq(c.ways[WAY_KERNEL_1G].why,
			 "of the 64M taken, 0 can be mapped by 1G pages");
	ck_assert_str_eq(c.ways[WAY_USER_1G].why, "the 64M taken are not made of whole 1G pages");
	for (size_t i = 0; i < result.nr_points; i++)
		ck_assert_uint_ne(result.points[i].point.page_bytes, 1u << 30);
	ck_assert_uint_eq(result.nr_points, 2 * (WAYS - 2));
	ck_assert(c.whole);
	unmake();
	make(true, BYTES, 1);
	fake.no_page = 4096; /* neither side: no loaded userspace either */
	ck_assert_msg(!compare_run(&r), "%s", r.error);
	ck_assert_ptr_nonnull(strstr(c.ways[WAY_USER_4K].why, "refuses to map such pages"));
	ck_assert(!c.ways[WAY_LOADED].available && !c.whole);
	unmake();
	make(true, 1u << 30, 1);
	fake.no_page = 4096 | 2u << 20 | 1u << 30;
	ck_assert_int_eq(compare_run(&r), -ENOMEM);
	ck_assert_ptr_nonnull(strstr(r.error, "phys0: no size of pages can be had: "));
}
END_TEST

START_TEST(test_wrong_pages)
{
	make(true, 1ull << 30, 1);
	fake.wrong_pages = true;
	ck_assert_int_eq(compare_run(&r), -EMEDIUMTYPE);
	ck_assert_ptr_nonnull(strstr(r.error, "did not enter exactly the pages"));
	ck_assert_uint_eq(result.nr_points, 0);
}
END_TEST

START_TEST(test_anon)
{
	make(false, BYTES, 1);
	ck_assert_msg(!compare_run(&r), "%s", r.error);
	ck_assert_uint_eq(result.nr_points, 2 * 4);
	ck_assert_uint_eq(fake.remaps, 0);
	ck_assert_uint_eq(fake.claims, 3);
	ck_assert(c.whole && c.nr_parts == 4);
}
END_TEST

START_TEST(test_cancelled)
{
	make(true, 1ull << 30, 3);
	asked_after = 25; /* in the second round */
	ck_assert_int_eq(compare_run(&r), -ECANCELED);
	ck_assert(!result.complete);
	ck_assert_uint_ge(c.done, 1);
	ck_assert_uint_lt(c.done, 3);
	ck_assert_uint_gt(result.nr_points, 0);
}
END_TEST

START_TEST(test_fails)
{
	make(true, 1ull << 30, 2);
	fake.fail_start = -ENOBUFS;
	fake.fail_start_after = 5;
	ck_assert_int_eq(compare_run(&r), -ENOBUFS);
	ck_assert_str_eq(r.error, "the fake engine refuses to start");
	ck_assert_uint_eq(result.nr_points, 5);
	ck_assert_uint_eq(c.done, 0);
	fake.starts--; /* the one that was refused */
	unmake();
	make(true, 1ull << 30, 2);
	fake.fail_claim = -EBUSY;
	ck_assert_int_lt(compare_run(&r), 0);
	ck_assert_str_eq(r.error, "the fake engine refuses to claim");
	fake.claims--;
}
END_TEST

/* It runs, and ends when it is told to. */
START_TEST(test_load)
{
	struct compare_load l;
	uint64_t before;

	ck_assert_int_eq(compare_load_begin(&l, 0), 0);
	while (!__atomic_load_n(&l.rounds, __ATOMIC_RELAXED))
		;
	compare_load_end(&l);
	before = l.rounds;
	ck_assert_uint_gt(before, 0);
	ck_assert_int_lt(compare_load_begin(&l, 5000), 0); /* no such CPU */
}
END_TEST

Suite *compare_run_suite(void)
{
	Suite *s = suite_create("compare_run");
	TCase *t = tcase_create("compare_run");

	tcase_add_checked_fixture(t, NULL, unmake);
	tcase_add_test(t, test_turns);
	tcase_add_test(t, test_order_reaches_the_job);
	tcase_add_test(t, test_lacks);
	tcase_add_test(t, test_wrong_pages);
	tcase_add_test(t, test_anon);
	tcase_add_test(t, test_cancelled);
	tcase_add_test(t, test_fails);
	tcase_add_test(t, test_load);
	suite_add_tcase(s, t);
	return s;
}
