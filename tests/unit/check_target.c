// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include <check.h>

#include "target_sources.h"

#define FIXTURE(name) "tests/unit/fixtures/" name
#define GIB	      (1ull << 30)

static struct target_list list;
static struct iomem tree;

static void setup(void)
{
	memset(&list, 0, sizeof(list));
	memset(&tree, 0, sizeof(tree));
}

static void teardown(void)
{
	target_list_free(&list);
	iomem_free(&tree);
}

static const struct target *named(const char *name)
{
	for (unsigned int i = 0; i < list.n; i++)
		if (!strcmp(list.v[i].name, name))
			return &list.v[i];
	ck_abort_msg("no target %s", name);
	return NULL;
}

static void read_tree(const char *path)
{
	ck_assert_int_eq(iomem_read(&tree, path), 0);
}

START_TEST(tree_is_read)
{
	read_tree(FIXTURE("iomem-pmem"));
	ck_assert_uint_eq(tree.n, 15);
	ck_assert_uint_eq(tree.v[4].depth, 1);
	ck_assert_str_eq(tree.v[9].name, "Persistent Memory");
	ck_assert_uint_eq(tree.v[9].start, 0x140000000);
	ck_assert_uint_eq(tree.v[9].end, 0x1bfffffff);
	ck_assert(!tree.hidden);
}
END_TEST

START_TEST(tree_without_root)
{
	read_tree(FIXTURE("iomem-hidden"));
	ck_assert(tree.hidden);
	ck_assert_int_eq(target_iomem_add(&list, &tree), 0);
	ck_assert_uint_eq(list.n, 0);
	ck_assert_ptr_null(iomem_holder(&tree, 0, 4096, 0));
}
END_TEST

START_TEST(tree_that_is_none)
{
	ck_assert_int_eq(iomem_read(&tree, FIXTURE("iomem-broken")), -EBADMSG);
	ck_assert_uint_eq(tree.n, 0);
	ck_assert_int_eq(iomem_read(&tree, FIXTURE("there-is-none")), -ENOENT);
}
END_TEST

START_TEST(overlap_at_the_edges)
{
	static const struct {
		uint64_t start, end, base, bytes;
		bool yes;
	} rows[] = {
		{ 0x1000, 0x1fff, 0x1000, 1, true },
		{ 0x1000, 0x1fff, 0x1fff, 1, true },
		{ 0x1000, 0x1fff, 0x2000, 1, false },
		{ 0x1000, 0x1fff, 0xfff, 1, false },
		{ 0x1000, 0x1fff, 0, 0x1000, false },
		{ 0x1000, 0x1fff, 0, 0x1001, true },
		{ 0x1000, 0x1fff, 0, UINT64_MAX, true },
		{ 0x1000, 0x1fff, 0x1800, 0, false },
		{ 0, UINT64_MAX, UINT64_MAX, 4096, true },
		{ 0x1000, 0x1fff, 0x1800, UINT64_MAX, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct iomem_entry e = { .start = rows[i].start, .end = rows[i].end };

		ck_assert_msg(iomem_overlaps(&e, rows[i].base, rows[i].bytes) == rows[i].yes,
			      "row %zu", i);
	}
}
END_TEST

START_TEST(pmem_without_libnvdimm)
{
	read_tree(FIXTURE("iomem-pmem"));
	ck_assert_int_eq(target_iomem_add(&list, &tree), 0);
	target_settle(&list, &tree);
	ck_assert_uint_eq(list.n, 3);
	ck_assert_uint_eq(named("pmem0")->base, 0x140000000);
	ck_assert_uint_eq(named("pmem0")->bytes, 2 * GIB);
	ck_assert(named("pmem0")->holds_data);
	ck_assert_int_eq(named("pmem0")->node, -1);
	ck_assert_uint_eq(named("pmem0")->interleave_ways, 0);
	ck_assert_str_eq(named("pmem0")->holder, "namespace0.0");
	ck_assert_str_eq(named("pmem0")->free_command, "ndctl disable-namespace namespace0.0");
	ck_assert_str_eq(named("pmem1")->holder, "mprobe (see mprobectl status) and 1 more");
	ck_assert_str_eq(named("pmem1")->free_command, "mprobectl cancel all");
	ck_assert_str_eq(named("pmem2")->holder, "");
	ck_assert_str_eq(named("pmem2")->free_command, "");
}
END_TEST

START_TEST(pmem_numbers_go_on_behind_the_regions)
{
	const struct target region = {
		.name = "pmem3", .kind = TARGET_PMEM, .node = 1, .base = 0x1c0000000, .bytes = GIB
	};

	target_add(&list, &region);
	read_tree(FIXTURE("iomem-pmem"));
	ck_assert_int_eq(target_iomem_add(&list, &tree), 0);
	ck_assert_uint_eq(list.n, 3); /* not twice what the region covers */
	ck_assert_uint_eq(named("pmem4")->base, 0x140000000);
	ck_assert_uint_eq(named("pmem5")->base, 0x200000000);
}
END_TEST

START_TEST(soft_reserved_and_who_holds_it)
{
	read_tree(FIXTURE("iomem-dax"));
	ck_assert_int_eq(target_iomem_add(&list, &tree), 0);
	ck_assert_int_eq(target_cxl_add(&list, FIXTURE("cxl")), 0);
	target_settle(&list, &tree);
	ck_assert_uint_eq(list.n, 6);
	ck_assert_str_eq(named("soft0")->holder, "dax0.0 (device_dax)");
	ck_assert_str_eq(named("soft0")->free_command, "daxctl disable-device dax0.0");
	ck_assert_str_eq(named("soft1")->holder, "dax1.0 (kmem, System RAM)");
	ck_assert_str_eq(named("soft1")->free_command,
			 "daxctl reconfigure-device --mode=devdax --force dax1.0 && "
			 "daxctl disable-device dax1.0");
	ck_assert_str_eq(named("soft2")->holder, "");
	ck_assert_str_eq(named("pmem0")->holder, "namespace2.0 and 1 more");
	ck_assert_str_eq(named("cxl-region0")->holder, "");
	ck_assert_uint_eq(named("cxl-region0")->interleave_ways, 2);
	ck_assert_uint_eq(named("cxl-region0")->base, 0x4000000000);
	ck_assert_str_eq(named("cxl-region2")->holder, "dax3.0 (kmem, System RAM)");
}
END_TEST

START_TEST(soft_reserved_is_another_name_of_its_dax_device)
{
	const struct target dax = {
		.name = "dax0.0", .kind = TARGET_DAX, .node = 2, .base = 0x100000000, .bytes = GIB
	};

	target_add(&list, &dax);
	read_tree(FIXTURE("iomem-dax"));
	ck_assert_int_eq(target_iomem_add(&list, &tree), 0);
	target_settle(&list, &tree);
	ck_assert(named("soft0")->alias);
	ck_assert_int_eq(named("soft0")->node, 2);
	ck_assert(!named("soft1")->alias);
	ck_assert_int_eq(named("soft1")->node, -1);
}
END_TEST

START_TEST(cxl_is_absent)
{
	ck_assert_int_eq(target_cxl_add(&list, FIXTURE("there-is-none")), 0);
	ck_assert_uint_eq(list.n, 0);
}
END_TEST

START_TEST(ranges_the_module_was_allowed)
{
	ck_assert_int_eq(target_allowed_add(&list, FIXTURE("allow")), 0);
	ck_assert_uint_eq(list.n, 3);
	ck_assert_uint_eq(named("phys:0x180000000+1024M")->bytes, GIB);
	ck_assert_int_eq(named("phys:0x180000000+1024M")->kind, TARGET_RESERVED);
	ck_assert_uint_eq(named("phys:0x20000000+256M")->base, 0x20000000);
	ck_assert_uint_eq(named("phys:0x1000+12K")->bytes, 12288);
	ck_assert_int_eq(target_allowed_add(&list, FIXTURE("allow-none")), 0);
	ck_assert_int_eq(target_allowed_add(&list, FIXTURE("there-is-none")), 0);
	ck_assert_uint_eq(list.n, 3);
}
END_TEST

START_TEST(physical_ranges_by_name)
{
	struct target t;
	char error[512];

	ck_assert_int_eq(target_find("phys:0x140000000+1G", &t, error, sizeof(error)), 0);
	ck_assert_uint_eq(t.base, 0x140000000);
	ck_assert_uint_eq(t.bytes, GIB);
	ck_assert_int_eq(t.kind, TARGET_PHYS);
	ck_assert(t.holds_data);
	/* what is wrong with it is the module's to say */
	ck_assert_int_eq(target_find("phys:0xfffffffffffff000+1G", &t, error, sizeof(error)), 0);
	ck_assert_int_eq(target_find("phys:4097+4096", &t, error, sizeof(error)), 0);
}
END_TEST

START_TEST(names_that_are_none)
{
	static const struct {
		const char *name;
		int err;
		const char *says;
	} rows[] = {
		{ "phys:", -EINVAL, "phys:BASE+SIZE" },
		{ "phys:0x1000", -EINVAL, "phys:BASE+SIZE" },
		{ "phys:x+1G", -EINVAL, "'x'" },
		{ "phys:0x1000+", -EINVAL, "phys:0x1000+" },
		{ "phys:0x11111111111111111111+1G", -ERANGE, "0x11111111111111111111" },
		{ "", -ENOENT, "''" },
		{ "dram", -ENOENT, "dram0" },
		{ "dram00", -ENOENT, "mprobectl list" },
		{ "anon:77", -ENOENT, "anon" },
		{ "DRAM0", -ENOENT, "dram0" },
	};
	struct target t;
	char error[512];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_msg(target_find(rows[i].name, &t, error, sizeof(error)) == rows[i].err,
			      "%s: %s", rows[i].name, error);
		ck_assert_msg(strstr(error, rows[i].says), "%s: %s", rows[i].name, error);
	}
}
END_TEST

START_TEST(nodes_of_this_machine)
{
	struct target t;
	char error[512];

	ck_assert_int_eq(target_list_all(&list, error, sizeof(error)), 0);
	ck_assert_int_eq(named("dram0")->kind, TARGET_DRAM);
	ck_assert_int_eq(named("dram0")->node, 0);
	ck_assert_uint_gt(named("dram0")->bytes, 64 << 20);
	ck_assert_uint_gt(named("dram0")->free_bytes, 0);
	ck_assert_uint_lt(named("dram0")->free_bytes, named("dram0")->bytes);
	ck_assert_int_eq(named("anon")->node, -1);
	ck_assert_uint_ge(named("anon")->bytes, named("anon")->free_bytes);
	for (unsigned int i = 0; i < list.n; i++)
		ck_assert(!list.v[i].alias);
	ck_assert_int_eq(target_find("anon:0", &t, error, sizeof(error)), 0);
	ck_assert_int_eq(t.node, 0);
	ck_assert_int_eq(t.kind, TARGET_ANON);
	ck_assert(!t.holds_data);
}
END_TEST

START_TEST(short_room_for_a_sentence)
{
	struct target t;
	char error[24];

	memset(error, 'x', sizeof(error));
	ck_assert_int_eq(target_find("nowhere", &t, error, 20), -ENOENT);
	ck_assert_uint_lt(strlen(error), 20);
	ck_assert_int_eq(error[20], 'x');
}
END_TEST

Suite *target_suite(void)
{
	Suite *s = suite_create("target");
	TCase *c = tcase_create("target");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_set_timeout(c, 60); /* under valgrind */
	tcase_add_test(c, tree_is_read);
	tcase_add_test(c, tree_without_root);
	tcase_add_test(c, tree_that_is_none);
	tcase_add_test(c, overlap_at_the_edges);
	tcase_add_test(c, pmem_without_libnvdimm);
	tcase_add_test(c, pmem_numbers_go_on_behind_the_regions);
	tcase_add_test(c, soft_reserved_and_who_holds_it);
	tcase_add_test(c, soft_reserved_is_another_name_of_its_dax_device);
	tcase_add_test(c, cxl_is_absent);
	tcase_add_test(c, ranges_the_module_was_allowed);
	tcase_add_test(c, physical_ranges_by_name);
	tcase_add_test(c, names_that_are_none);
	tcase_add_test(c, nodes_of_this_machine);
	tcase_add_test(c, short_room_for_a_sentence);
	suite_add_tcase(s, c);
	return s;
}
