// SPDX-License-Identifier: GPL-2.0
#include <check.h>
#include <stdlib.h>

#include "plan.h"

START_TEST(points_keep_their_order)
{
	struct plan p = { .nr_cpus = 1 };
	struct point one = { .target = "dram0", .workers = 1, .cpus = p.cpus };
	size_t i;

	for (i = 0; i < 1000; i++) {
		one.working_set_bytes = i * 64;
		one.seed = i;
		ck_assert_int_eq(plan_add(&p, &one), 0);
	}
	one.target[0] = 'x'; /* the plan holds copies */
	ck_assert_uint_eq(p.n, 1000);
	for (i = 0; i < 1000; i++) {
		ck_assert_uint_eq(p.v[i].working_set_bytes, i * 64);
		ck_assert_uint_eq(p.v[i].seed, i);
		ck_assert_str_eq(p.v[i].target, "dram0");
		ck_assert_ptr_eq(p.v[i].cpus, p.cpus);
	}
	plan_free(&p);
	ck_assert_ptr_null(p.v);
	ck_assert_uint_eq(p.n, 0);
	ck_assert_uint_eq(p.cap, 0);
	ck_assert_int_eq(plan_add(&p, &one), 0);
	ck_assert_uint_eq(p.n, 1);
	plan_free(&p);
}
END_TEST

Suite *plan_suite(void)
{
	Suite *s = suite_create("plan");
	TCase *t = tcase_create("plan");

	tcase_add_test(t, points_keep_their_order);
	suite_add_tcase(s, t);
	return s;
}
