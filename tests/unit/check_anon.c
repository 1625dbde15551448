// SPDX-License-Identifier: GPL-2.0
/* On the memory of the machine that runs the tests; needs no root. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "anon.h"
#include "anon_room.h"

#define PAGE_2M (2ull << 20)
#define PAGE_1G (1ull << 30)

static struct anon a;
static char error[384];

static int map(uint64_t bytes, uint64_t page, bool thp, int node)
{
	const struct anon_spec s = { .bytes = bytes, .page_bytes = page, .thp = thp, .node = node };

	error[0] = '\0';
	return anon_map(&a, &s, error, sizeof(error));
}

static bool is_mapped(const void *addr)
{
	unsigned long long from, to, at = (uintptr_t)addr;
	char line[512], mode[8];
	bool found = false;
	FILE *f = fopen("/proc/self/maps", "r");

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		found |= sscanf(line, "%llx-%llx %7s", &from, &to, mode) == 3 && at >= from &&
			 at < to;
	fclose(f);
	return found;
}

static const uint64_t sizes[] = { 64, 4096, 4160, 1 << 20, (5 << 20) + 64 };

START_TEST(test_4k)
{
	const uint64_t whole = (sizes[_i] + 4095) & ~4095ull;
	unsigned char *p;
	void *was, *hold;

	ck_assert_msg(!map(sizes[_i], 4096, false, -1), "%s", error);
	ck_assert_uint_eq(a.bytes, whole);
	ck_assert_uint_eq(a.mapped_4k, whole);
	ck_assert_uint_eq(a.mapped_2m + a.mapped_1g, 0);
	p = a.addr;
	for (uint64_t i = 0; i < whole; i += 64) {
		ck_assert_uint_eq(p[i], 0);
		p[i] = 1;
	}
	was = a.addr;
	hold = a.hold;
	anon_unmap(&a);
	ck_assert(!is_mapped(was));
	ck_assert(!is_mapped(hold));
}
END_TEST

/* Frames are known to root only; then they are as many bytes as the memory. */
START_TEST(test_segments)
{
	uint64_t sum = 0;

	ck_assert_msg(!map(1 << 20, 4096, false, -1), "%s", error);
	for (uint32_t i = 0; i < a.nr_segments; i++) {
		sum += a.segments[i].bytes;
		ck_assert_uint_eq(a.segments[i].base % 4096, 0);
		if (i)
			ck_assert_uint_gt(a.segments[i].base,
					  a.segments[i - 1].base + a.segments[i - 1].bytes);
	}
	ck_assert(sum == 0 || sum == 1 << 20);
	ck_assert_uint_eq(a.segments_total, a.nr_segments);
	anon_unmap(&a);
}
END_TEST

/* Transparent huge pages are verified, or refused with a sentence that says what to do. */
START_TEST(test_thp)
{
	int ret = map(3 << 20, PAGE_2M, true, -1);

	if (!ret) {
		ck_assert_uint_eq(a.mapped_2m, 4 << 20);
		ck_assert_uint_eq(a.mapped_4k, 0);
		ck_assert_uint_eq((uintptr_t)a.addr % PAGE_2M, 0);
		anon_unmap(&a);
	} else {
		ck_assert(ret == -EOPNOTSUPP || ret == -EMEDIUMTYPE);
		ck_assert(strstr(error, "echo ") || strstr(error, "--page 2M"));
	}
}
END_TEST

/* More than any machine has reserved. */
static const struct {
	uint64_t page;
	const char *sentence;
} huge[] = { { PAGE_2M, "hugepages-2048kB/nr_hugepages" },
	     { PAGE_1G, "hugepages-1048576kB/nr_hugepages" } };

START_TEST(test_unreserved)
{
	int ret = map(1ull << 45, huge[_i].page, false, -1);

	ck_assert(ret == -ENOMEM || ret == -EOPNOTSUPP); /* the latter: the CPU has no such pages */
	if (ret == -ENOMEM) {
		ck_assert_msg(strstr(error, huge[_i].sentence), "%s", error);
		ck_assert_ptr_nonnull(strstr(error, "as root, echo "));
	}
	ck_assert_ptr_null(a.hold);
}
END_TEST

static const struct {
	uint64_t bytes, page;
	int node, ret;
	const char *sentence;
} bad[] = {
	{ 0, 4096, -1, -ERANGE, "nothing to measure" },
	{ 4096, 8192, -1, -EINVAL, "4K, 2M or 1G" },
	{ 1ull << 50, 4096, -1, -ENOMEM, "smaller size" },
};

START_TEST(test_refused)
{
	ck_assert_int_eq(map(bad[_i].bytes, bad[_i].page, false, bad[_i].node), bad[_i].ret);
	ck_assert_msg(strstr(error, bad[_i].sentence), "%s", error);
	ck_assert_ptr_null(a.addr);
}
END_TEST

START_TEST(test_node)
{
	ck_assert_msg(!map(1 << 20, 4096, false, 0), "%s", error);
	ck_assert_int_eq(a.node, 0);
	anon_unmap(&a);
	ck_assert_int_ne(map(1 << 20, 4096, false, 900), 0);
	ck_assert_ptr_null(a.addr);
}
END_TEST

static bool stop_at_once(void)
{
	return true;
}

START_TEST(test_stopped)
{
	const struct anon_spec s = {
		.bytes = 1 << 20, .page_bytes = 4096, .node = -1, .stop_asked = stop_at_once
	};

	ck_assert_int_eq(anon_map(&a, &s, error, sizeof(error)), -ECANCELED);
	ck_assert_ptr_null(a.hold);
}
END_TEST

static void put_file(const char *root, const char *path, const char *text)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	f = fopen(full, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

/* The limit of a group above binds too: 1000 here, of which 300 and 100 idle are left. */
START_TEST(test_cgroup)
{
	char root[] = "/tmp/check_anon.XXXXXX", command[160];

	ck_assert_ptr_nonnull(mkdtemp(root));
	ck_assert_uint_eq(room_cgroup(root), UINT64_MAX);
	snprintf(command, sizeof(command), "mkdir -p %s/proc/self %s/sys/fs/cgroup/a/b", root,
		 root);
	ck_assert_int_eq(system(command), 0);
	put_file(root, "/proc/self/cgroup", "1:name=systemd:/x\n0::/a/b\n");
	put_file(root, "/sys/fs/cgroup/a/memory.max", "1000\n");
	put_file(root, "/sys/fs/cgroup/a/memory.current", "700\n");
	put_file(root, "/sys/fs/cgroup/a/memory.stat", "file 5\ninactive_file 100\n");
	put_file(root, "/sys/fs/cgroup/a/b/memory.max", "max\n");
	put_file(root, "/sys/fs/cgroup/a/b/memory.current", "600\n");
	ck_assert_uint_eq(room_cgroup(root), 400);
	put_file(root, "/sys/fs/cgroup/a/b/memory.max", "800\n");
	ck_assert_uint_eq(room_cgroup(root), 200);
	snprintf(command, sizeof(command), "mkdir -p %s/sys/fs/cgroup/memory/c", root);
	ck_assert_int_eq(system(command), 0);
	put_file(root, "/proc/self/cgroup", "3:cpu:/a\n2:memory:/c\n0::/\n");
	put_file(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put_file(root, "/sys/fs/cgroup/memory/memory.usage_in_bytes", "90\n");
	put_file(root, "/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "70\n");
	put_file(root, "/sys/fs/cgroup/memory/c/memory.usage_in_bytes", "60\n");
	put_file(root, "/sys/fs/cgroup/memory/c/memory.stat",
		 "inactive_file 1\ntotal_inactive_file 5\n");
	ck_assert_uint_eq(room_cgroup(root), 15);
	snprintf(command, sizeof(command), "rm -r %s", root);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(test_room)
{
	uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	ck_assert_uint_gt(anon_room(-1, 4096, false), 1 << 20);
	ck_assert_uint_le(anon_room(-1, 4096, false), all);
	ck_assert_uint_le(anon_room(-1, PAGE_1G, false), all);
}
END_TEST

Suite *anon_suite(void)
{
	Suite *s = suite_create("anon");
	TCase *c = tcase_create("anon");

	tcase_add_loop_test(c, test_4k, 0, sizeof(sizes) / sizeof(sizes[0]));
	tcase_add_test(c, test_segments);
	tcase_add_test(c, test_thp);
	tcase_add_loop_test(c, test_unreserved, 0, 2);
	tcase_add_loop_test(c, test_refused, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(c, test_node);
	tcase_add_test(c, test_stopped);
	tcase_add_test(c, test_cgroup);
	tcase_add_test(c, test_room);
	suite_add_tcase(s, c);
	return s;
}
