// SPDX-License-Identifier: GPL-2.0
/* What list, status and info show. */
#include <errno.h>
#include <string.h>

#include <check.h>

#include "golden.h"
#include "render_info.h"
#include "render_list.h"
#include "render_status.h"

#define GIB (1ull << 30)

static struct target targets[] = {
	{ .name = "dram0", .kind = TARGET_DRAM, .bytes = 14455889920, .free_bytes = 5101518848 },
	{ .name = "pmem0",
	  .kind = TARGET_PMEM,
	  .node = 1,
	  .base = 0x200000000,
	  .bytes = 512 * GIB,
	  .interleave_ways = 6,
	  .holds_data = true,
	  .badblocks = 8,
	  .holder = "namespace0.0 (fsdax, pmem0)",
	  .free_command = "ndctl disable-namespace namespace0.0" },
	{ .name = "soft0",
	  .kind = TARGET_RESERVED,
	  .node = -1,
	  .base = 0x4000000000,
	  .bytes = GIB,
	  .holds_data = true,
	  .holder = "a \"driver\", odd" },
	{ .name = "anon", .kind = TARGET_ANON, .node = -1, .bytes = GIB, .free_bytes = GIB / 2 },
};
static const struct target_list list = { .v = targets, .n = 4 };
static struct target hidden_pmem = {
	.name = "pmem0", .kind = TARGET_PMEM, .node = -1, .bytes = GIB, .holds_data = true
};
static const struct target_list hidden = { .v = &hidden_pmem, .n = 1, .addresses_hidden = true };

static int list_table(const void *l, FILE *f)
{
	return render_list_table(l, f);
}

static int list_csv(const void *l, FILE *f)
{
	return render_list_csv(l, f);
}

static int list_json(const void *l, FILE *f)
{
	return render_list_json(l, f);
}

static struct segment segments[] = { { 0x140000000, GIB }, { 0x1c0000000, GIB } };
static struct range_info ranges[] = {
	{ .id = 3,
	  .owner = 4711,
	  .users = 1,
	  .kind = MPROBE_RANGE_NODE,
	  .class = MPROBE_CLASS_DRAM,
	  .node = 1,
	  .bytes = 2 * GIB,
	  .mapped_1g = 2 * GIB,
	  .nr_segments = 2,
	  .segments_total = 2,
	  .segments = segments },
	{ .id = 4,
	  .owner = 99,
	  .kind = MPROBE_RANGE_PHYS,
	  .class = 77,
	  .node = -1,
	  .flags = MPROBE_RANGE_F_OVERWRITE,
	  .bytes = 4096,
	  .mapped_4k = 4096 },
};
static struct job_state jobs[] = {
	{ .id = 8,
	  .owner = 4711,
	  .state = MPROBE_STATE_PREPARE,
	  .time_ns = 2000000000,
	  .prepare_done = GIB / 2,
	  .prepare_total = GIB },
	{ .id = 9,
	  .owner = 99,
	  .state = MPROBE_STATE_DONE,
	  .reason = MPROBE_REASON_CPU,
	  .elapsed_ns = 1500000000,
	  .time_ns = 2000000000,
	  .windows = 1000,
	  .samples = 4000,
	  .samples_lost = 1 },
};
static struct status_owner owners[] = { { 4711, "mprobectl" }, { 99, "" } };
static const struct status status = { .module = "9.8.7",
				      .jobs = jobs,
				      .ranges = ranges,
				      .job_owners = owners,
				      .range_owners = owners,
				      .nr_jobs = 2,
				      .nr_ranges = 2 };
static const struct status idle = { .module = "9.8.7" };

static int status_table(const void *s, FILE *f)
{
	return render_status_table(s, f);
}

static int status_json(const void *s, FILE *f)
{
	return render_status_json(s, f);
}

static struct info info = {
	.has_module = true,
	.module = { .protocol = 1,
		    .version = "9.8.7",
		    .clock = MPROBE_CLOCK_TSC,
		    .clock_khz = 2600000,
		    .clock_overhead = 26,
		    .hz = 250,
		    .isa_mask = 1u << MPROBE_ISA_SCALAR | 1u << MPROBE_ISA_AVX512,
		    .max_jobs = 16,
		    .max_ranges = 16,
		    .max_workers = 1024,
		    .max_bytes = 2 * GIB,
		    .max_samples = 524288,
		    .window_max_ns = 500000000,
		    .window_max_irqs_off_ns = 100000000,
		    .window_default_ns = 1000000,
		    .window_default_irqs_off_ns = 2000000,
		    .prefetch_control = MPROBE_PREFETCH_CONTROL_INTEL },
	.machine = { .cpu_model = "A CPU",
		     .sockets = 2,
		     .cores = 4,
		     .cpus = 8,
		     .smt = 2,
		     .caches = { { 1, "data", 32768, 2 }, { 3, "unified", 8 << 20, 4 } },
		     .nr_caches = 2,
		     .nodes = { { 0, 4 * GIB, "0-7" }, { 1, GIB, "" } },
		     .nr_nodes = 2,
		     .dimms = { { "DIMM_A1", "DDR4", "2933 MT/s", 4 * GIB } },
		     .nr_dimms = 1,
		     .kernel_release = "6.1.0",
		     .kernel_cmdline = "quiet",
		     .mitigations = "not affected",
		     .thp = "madvise",
		     .governor = "performance",
		     .llc_bytes = 8 << 20,
		     .l1d_bytes = 32768 },
};

static int info_text(const void *i, FILE *f)
{
	return render_info_text(i, f);
}

static int info_json(const void *i, FILE *f)
{
	return render_info_json(i, f);
}

static const struct info bare = {
	.module_error = "the module is not loaded",
	.machine = { .sockets = -1,
		     .cores = -1,
		     .cpus = -1,
		     .smt = -1,
		     .virtualised = -1,
		     .emulated = -1 },
};

static const struct {
	const char *name;
	int (*write)(const void *what, FILE *f);
	const void *what;
} documents[] = {
	{ "list.txt", list_table, &list },	    { "list.csv", list_csv, &list },
	{ "list.json", list_json, &list },	    { "list-hidden.txt", list_table, &hidden },
	{ "list-hidden.json", list_json, &hidden }, { "status.txt", status_table, &status },
	{ "status.json", status_json, &status },    { "status-idle.txt", status_table, &idle },
	{ "status-idle.json", status_json, &idle }, { "info.txt", info_text, &info },
	{ "info.json", info_json, &info },	    { "info-bare.txt", info_text, &bare },
	{ "info-bare.json", info_json, &bare },
};

START_TEST(as_golden)
{
	golden(documents[_i].name, documents[_i].write, documents[_i].what);
}
END_TEST

START_TEST(full_disks)
{
	FILE *f = fopen("/dev/full", "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(render_list_json(&list, f), -ENOSPC);
	ck_assert_int_eq(render_list_csv(&list, f), -ENOSPC);
	ck_assert_int_eq(render_list_table(&list, f), -ENOSPC);
	ck_assert_int_eq(render_status_json(&status, f), -ENOSPC);
	ck_assert_int_eq(render_info_json(&info, f), -ENOSPC);
	ck_assert_int_eq(render_info_text(&info, f), -ENOSPC);
	fclose(f);
}
END_TEST

Suite *listing_suite(void)
{
	Suite *s = suite_create("listing");
	TCase *c = tcase_create("listing");

	tcase_add_loop_test(c, as_golden, 0, sizeof(documents) / sizeof(documents[0]));
	tcase_add_test(c, full_disks);
	suite_add_tcase(s, c);
	return s;
}
