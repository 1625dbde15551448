// SPDX-License-Identifier: GPL-2.0
/* What can be seen of it where there is no module; the rest is in the guest (58-compare). */
#include <check.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <linux/mprobe.h>

#include "mapped.h"

static char error[384];

START_TEST(test_no_device)
{
	ck_assert_int_eq(mapped_open("/nosuch/mprobe", error, sizeof(error)), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error, "/nosuch/mprobe is not there: load the module"));
	ck_assert_int_lt(mapped_open("/", error, sizeof(error)), 0); /* a directory */
	ck_assert_ptr_nonnull(strstr(error, "cannot open /"));
}
END_TEST

START_TEST(test_not_allowed)
{
	if (!geteuid()) /* root may all */
		return;
	ck_assert_int_eq(mapped_open("/proc/kcore", error, sizeof(error)), -EACCES);
	ck_assert_ptr_nonnull(strstr(error, "run as root"));
}
END_TEST

START_TEST(test_whole_pages)
{
	static const uint64_t pages[] = { 4096, 2 << 20, 1 << 30 };
	struct mapped m;

	for (int i = 0; i < 3; i++) {
		const struct mapped_spec s = { .range_id = 1,
					       .bytes = pages[i] + 2048,
					       .page_bytes = pages[i] };

		ck_assert_int_eq(mapped_map(&m, &s, error, sizeof(error)), -EINVAL);
		ck_assert_ptr_nonnull(strstr(error, "whole pages"));
		ck_assert_ptr_null(m.addr);
	}
	mapped_unmap(&m); /* of what is not mapped */
}
END_TEST

/* A refusal leaves nothing reserved. */
START_TEST(test_without_module)
{
	const struct mapped_spec s = { .range_id = 32767, .bytes = 4096, .page_bytes = 4096 };
	struct mapped m;

	/* with a module there is no range 32767, without it no device */
	ck_assert_int_ne(mapped_map(&m, &s, error, sizeof(error)), 0);
	ck_assert_uint_gt(strlen(error), 20);
	ck_assert_ptr_null(m.addr);
}
END_TEST

/* Range, size of page and place in the range do not touch each other, and fit mmap's offset. */
START_TEST(test_offset)
{
	static const unsigned int shifts[] = { 12, 21, 30 };

	for (unsigned int i = 0; i < 3; i++) {
		const unsigned long long at =
			MPROBE_MMAP_OFFSET(32767, shifts[i], (1ull << 46) - 4096);

		ck_assert_uint_eq(at >> 48, 32767);
		ck_assert_uint_eq(at >> 46 & 3, i + 1);
		ck_assert_uint_eq(at & ((1ull << 46) - 1), (1ull << 46) - 4096);
		ck_assert_int_gt((long long)at, 0);
	}
}
END_TEST

Suite *mapped_suite(void)
{
	Suite *s = suite_create("mapped");
	TCase *t = tcase_create("mapped");

	tcase_add_test(t, test_no_device);
	tcase_add_test(t, test_not_allowed);
	tcase_add_test(t, test_whole_pages);
	tcase_add_test(t, test_without_module);
	tcase_add_test(t, test_offset);
	suite_add_tcase(s, t);
	return s;
}
