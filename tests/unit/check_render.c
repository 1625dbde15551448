// SPDX-License-Identifier: GPL-2.0
/*
 * The renderers against tests/golden/: MPROBE_GOLDEN=write writes what is
 * rendered now, and fails, so that it is looked at before it becomes the truth.
 */
#include <check.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "render_csv.h"
#include "render_json.h"
#include "render_table.h"
#include "report.h"
#include "result_fixture.h"

enum format { JSON, CSV, TABLE };

static int render(const struct result *r, enum format format, FILE *f)
{
	struct display d;
	int ret;

	if (format == JSON)
		return render_json(r, f);
	if (format == CSV)
		return render_csv(r, f);
	ret = report_build(r, &d);
	if (!ret)
		ret = render_table(&d, f);
	display_free(&d);
	return ret;
}

/* To be freed. */
static char *rendered(const struct result *r, enum format format)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(render(r, format, f), 0);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_uint_eq(strlen(text), len);
	return text;
}

static char *slurp(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t len = 0;

	ck_assert_msg(f != NULL, "%s: %s (tests run from the top of the sources)", path,
		      strerror(errno));
	ck_assert_int_ge(getdelim(&text, &len, 0, f), 0);
	fclose(f);
	return text;
}

/* Says in which line two texts differ, which a page of JSON does not show. */
static void compare(const char *path, const char *got, const char *want)
{
	size_t i = 0, line = 1, start = 0;

	while (got[i] && got[i] == want[i]) {
		if (got[i++] == '\n') {
			line++;
			start = i;
		}
	}
	ck_assert_msg(got[i] == want[i], "%s line %zu:\n%.*s\nwanted:\n%.*s", path, line,
		      (int)strcspn(got + start, "\n"), got + start,
		      (int)strcspn(want + start, "\n"), want + start);
}

static void golden(const struct result *r, enum format format, const char *name)
{
	char path[128], *got = rendered(r, format), *want;
	const char *mode = getenv("MPROBE_GOLDEN");
	FILE *f;

	snprintf(path, sizeof(path), "tests/golden/%s", name);
	if (mode && !strcmp(mode, "write")) {
		f = fopen(path, "w");
		ck_assert_ptr_nonnull(f);
		ck_assert_int_ge(fputs(got, f), 0);
		ck_assert_int_eq(fclose(f), 0);
		free(got);
		ck_abort_msg("%s is written; look at it", path);
	}
	want = slurp(path);
	compare(path, got, want);
	free(got);
	free(want);
}

static const char *const letter_files[] = {
	[JSON] = "letter.json", [CSV] = "letter.csv", [TABLE] = "letter.txt"
};
static const char *const unknown_files[] = {
	[JSON] = "unknown.json", [CSV] = "unknown.csv", [TABLE] = "unknown.txt"
};
static const char *const empty_files[] = {
	[JSON] = "empty.json", [CSV] = "empty.csv", [TABLE] = "empty.txt"
};

START_TEST(the_letter)
{
	struct result r;

	fixture_letter(&r);
	golden(&r, _i, letter_files[_i]);
	result_free(&r);
}
END_TEST

/* Nothing is known and little was measured, on an emulated machine. */
static void fixture_unknown(struct result *r)
{
	struct point_result *p;
	struct summary none = { 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };

	fixture_begin(r);
	r->show_frequency = true;
	r->machine = (struct machine){
		.sockets = -1, .cores = -1, .cpus = -1, .smt = -1, .virtualised = 1, .emulated = 1
	};
	r->module_version[0] = 0;
	r->complete = false;
	fixture_point(r, "anon", MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO, 24448, 1, 4.25);
	p = fixture_point(r, "anon", MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO, 48 << 10, 1, 5.5);
	p->latency_ns = none;
	p->precision_asked = p->precision_reached = p->passes = p->clock_khz = NAN;
	p->clock_overhead_ns = p->clock_agreement_ppm = p->bus_bytes_per_payload_byte = NAN;
	p->known = (1u << DISTURBANCES) - (1u << DISTURBED_LATE);
	p->latency_cycles = none;
	p->counted = (struct counted){ { NAN, NAN, NAN, NAN, NAN }, NAN, NAN };
	p->clock = 0;
	p->reason = MPROBE_REASON_CANCEL;
	p->stopped_by = STOP_CANCEL;
	p->point.seed = INT64_MAX;
	p->point.cpus = NULL;
	strcpy(p->point.target, "a,\"b\"");
	strcpy(p->point.target_kind, "");
	free(p->range.segments);
	p->range = (struct range_info){ .node = -1 };
	p->taints = TAINT_CANCELLED | TAINT_FEW_WINDOWS;
	r->points[0].taints |= TAINT_EMULATED;
	r->points[1].taints |= TAINT_EMULATED;
}

START_TEST(what_is_unknown)
{
	struct result r;

	fixture_unknown(&r);
	golden(&r, _i, unknown_files[_i]);
	result_free(&r);
}
END_TEST

START_TEST(no_points)
{
	struct result r;

	fixture_begin(&r);
	r.complete = false;
	golden(&r, _i, empty_files[_i]);
	result_free(&r);
}
END_TEST

/* No NaN, and null where something is unknown, at the paths that the man page gives. */
START_TEST(json_has_nulls)
{
	static const char *const null_paths[] = {
		"latency_ns.median",
		"latency_ns.ci95",
		"latency_ns.cv",
		"bandwidth_Bps",
		"node",
		"target_kind",
		"page_size_bytes",
		"physical_ranges",
		"physical_ranges_total",
		"overlap",
		"clock.source",
		"clock.overhead_ns",
		"clock.agreement_ppm",
		"precision.asked",
		"precision.reached",
		"disturbances.irq",
		"disturbances.nmi",
		"disturbances.smi",
		"disturbances.gap",
		"disturbances.frequency",
		"bus_bytes_per_payload_byte",
	};
	struct result r;
	json_error_t error;
	json_t *o, *point;
	char *text;
	size_t i;

	fixture_unknown(&r);
	text = rendered(&r, JSON);
	ck_assert_ptr_null(strstr(text, "nan"));
	o = json_loads(text, 0, &error);
	ck_assert_msg(o != NULL, "%s", error.text);
	point = json_array_get(json_object_get(o, "points"), 1);
	for (i = 0; i < sizeof(null_paths) / sizeof(*null_paths); i++) {
		char path[64], *word, *rest = path;
		json_t *at = point;

		strcpy(path, null_paths[i]);
		while ((word = strsep(&rest, ".")))
			at = json_object_get(at, word);
		ck_assert_msg(json_is_null(at), "%s is not null", null_paths[i]);
	}
	ck_assert_str_eq(json_string_value(json_object_get(o, "schema")), "mprobe-result/1");
	ck_assert(json_is_null(json_object_get(o, "module")));
	ck_assert_int_eq(json_integer_value(json_object_get(point, "seed")), INT64_MAX);
	json_decref(o);
	free(text);
	result_free(&r);
}
END_TEST

/* Every line has as many fields as the header (no field of the letter has a comma in it). */
START_TEST(csv_lines_are_even)
{
	struct result r;
	char *text, *line, *rest, *c;
	size_t fields = 0, n, lines = 0;

	fixture_letter(&r);
	rest = text = rendered(&r, CSV);
	while ((line = strsep(&rest, "\n")) && *line) {
		if (*line == '#')
			continue;
		for (n = 1, c = line; (c = strchr(c, ',')); c++)
			n++;
		if (!fields)
			fields = n;
		ck_assert_uint_eq(n, fields);
		lines++;
	}
	ck_assert_uint_eq(lines, 1 + r.nr_points);
	ck_assert_uint_gt(fields, 50);
	free(text);
	result_free(&r);
}
END_TEST

/* All tables keep within 100 columns, are ASCII, and lose no figure, however many the targets. */
START_TEST(tables_are_split_where_they_must)
{
	struct result r;
	char name[16], *text, *line, *rest, want[FIGURE];
	const char *c;
	int t, v;

	fixture_begin(&r);
	for (t = 0; t < _i; t++)
		for (v = MPROBE_VARIANT_RO; v <= MPROBE_VARIANT_WB; v++) {
			snprintf(name, sizeof(name), "dax%d.0", t);
			fixture_point(&r, name, MPROBE_LOOP_CHASE, v, 1 << 30, 1, 101 + t * 10 + v);
			fixture_point(&r, name, MPROBE_LOOP_STREAM, v, 1 << 30, 1,
				      (51 + t * 2 + v) * 1e9)
				->taints = TAINT_OVERLAP;
		}
	rest = text = rendered(&r, TABLE);
	for (t = 0; t < _i; t++)
		for (v = MPROBE_VARIANT_RO; v <= MPROBE_VARIANT_WB; v++) {
			ck_assert_ptr_nonnull(strstr(text, figure_value(want, 101 + t * 10 + v)));
			ck_assert_ptr_nonnull(strstr(text, figure_value(want, 51 + t * 2 + v)));
		}
	while ((line = strsep(&rest, "\n"))) {
		ck_assert_msg(strlen(line) <= REPORT_WIDTH, "%zu: %s", strlen(line), line);
		for (c = line; *c; c++)
			ck_assert(*c >= ' ' && *c <= '~');
		ck_assert(!*line || line[strlen(line) - 1] != ' ');
	}
	free(text);
	result_free(&r);
}
END_TEST

/* A point twice, two instruction sets, two engines, two page sizes: each is shown, and named. */
START_TEST(nothing_hides_behind_another)
{
	struct result r;
	struct point_result *p;
	char *text;

	fixture_begin(&r);
	fixture_point(&r, "dram0", MPROBE_LOOP_STREAM, MPROBE_VARIANT_RO, 1 << 30, 1, 11.1e9);
	fixture_point(&r, "dram0", MPROBE_LOOP_STREAM, MPROBE_VARIANT_RO, 1 << 30, 1, 12.2e9);
	p = fixture_point(&r, "dram0", MPROBE_LOOP_STREAM, MPROBE_VARIANT_RO, 1 << 30, 1, 13.3e9);
	strcpy(p->isa, "avx2");
	p = fixture_point(&r, "dram0", MPROBE_LOOP_STREAM, MPROBE_VARIANT_RO, 1 << 30, 1, 14.4e9);
	p->engine = "user";
	p = fixture_point(&r, "dram0", MPROBE_LOOP_STREAM, MPROBE_VARIANT_RO, 1 << 30, 1, 15.5e9);
	p->engine = "user";
	p->point.page_bytes = 2 << 20;
	p = fixture_point(&r, "dram0", MPROBE_LOOP_STREAM, MPROBE_VARIANT_RO, 1 << 30, 1, 16.6e9);
	p->engine = "user";
	p->point.page_bytes = 2 << 20;
	p->point.thp = true;
	text = rendered(&r, TABLE);
	ck_assert_ptr_nonnull(strstr(text, "11.10 "));
	ck_assert_ptr_nonnull(strstr(text, "12.20 "));
	ck_assert_ptr_nonnull(strstr(text, "13.30 "));
	ck_assert_ptr_nonnull(strstr(text, "14.40 "));
	ck_assert_ptr_nonnull(strstr(text, "15.50 "));
	ck_assert_ptr_nonnull(strstr(text, "16.60 "));
	ck_assert_ptr_nonnull(strstr(text, "dram0 kernel any page ro avx2"));
	ck_assert_ptr_nonnull(strstr(text, "dram0 user 2M ro avx512"));
	ck_assert_ptr_nonnull(strstr(text, "dram0 user thp ro avx512"));
	free(text);
	result_free(&r);
}
END_TEST

/* What sets a table apart from the usual one stands in its title. */
START_TEST(titles_tell)
{
	struct result r;
	struct point_result *p;
	char *text;

	fixture_begin(&r);
	p = fixture_point(&r, "dram0", MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO, 1 << 30, 1, 101);
	p->point.block_bytes = 4096;
	p->point.irqs_off = true;
	strcpy(p->isa, "scalar");
	p = fixture_point(&r, "dram0", MPROBE_LOOP_STREAM, MPROBE_VARIANT_RO, 1 << 30, 1, 11e9);
	strcpy(p->isa, "avx2");
	fixture_point(&r, "dram0", MPROBE_LOOP_STREAM, MPROBE_VARIANT_WB, 1 << 30, 1, 12e9);
	text = rendered(&r, TABLE);
	ck_assert_ptr_nonnull(strstr(
		text, "(chase scalar, 1 worker, objects of 4K, interrupts off, kernel engine)"));
	ck_assert_ptr_nonnull(strstr(text, "(stream, ro avx2, wb avx512, 1G each, kernel engine)"));
	free(text);
	result_free(&r);
}
END_TEST

/* /dev/full takes nothing: what stdio holds back must not be taken for written. */
START_TEST(a_full_disk_is_an_error)
{
	FILE *f = fopen("/dev/full", "w");
	struct result r;

	ck_assert_ptr_nonnull(f);
	fixture_letter(&r);
	ck_assert_int_eq(render(&r, _i, f), -ENOSPC);
	fclose(f);
	result_free(&r);
}
END_TEST

START_TEST(figures)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} size[] = {
		{ 0, "0" },
		{ 64, "64" },
		{ 1024, "1K" },
		{ 1088, "1088" },
		{ 1536, "1.5K" },
		{ 1152, "1.125K" },
		{ 16 << 10, "16K" },
		{ 24448, "23.875K" },
		{ 1 << 20, "1M" },
		{ 24512, "24512" },
		{ 1114112, "1088K" },
		{ 3ull << 29, "1.5G" },
		{ 1ull << 40, "1T" },
		{ 5ull << 29, "2.5G" },
		{ UINT64_MAX, "18446744073709551615" },
	};
	static const struct {
		double v;
		const char *text;
	} value[] = { { 1.2424, "1.242" },    { 93.5, "93.50" }, { 374.12, "374.1" },
		      { 101300.4, "101300" }, { 0.46, "0.460" }, { NAN, "-" },
		      { INFINITY, "-" } };
	struct summary s = { .median = 374.1, .ci_lo = 373.95, .ci_hi = 374.2 };
	char buf[FIGURE];
	size_t i;

	for (i = 0; i < sizeof(size) / sizeof(*size); i++)
		ck_assert_str_eq(figure_size(buf, size[i].bytes), size[i].text);
	for (i = 0; i < sizeof(value) / sizeof(*value); i++)
		ck_assert_str_eq(figure_value(buf, value[i].v), value[i].text);
	ck_assert_str_eq(figure_interval(buf, &s, 1), "+-0.2"); /* 0.15, rounded up */
	s.ci_hi = NAN;
	s.ci_lo = NAN;
	ck_assert_str_eq(figure_interval(buf, &s, 1), "");
	ck_assert_str_eq(figure_ratio(buf, 374.1, 93.5), "4.00");
	ck_assert_str_eq(figure_ratio(buf, 2.9, 37.4), "0.078");
	ck_assert_str_eq(figure_ratio(buf, 2.9, NAN), "-");
	ck_assert_str_eq(figure_ratio(buf, 2.9, 0), "-");
}
END_TEST

Suite *render_suite(void)
{
	Suite *s = suite_create("render");
	TCase *t = tcase_create("render");

	tcase_add_loop_test(t, the_letter, JSON, TABLE + 1);
	tcase_add_loop_test(t, what_is_unknown, JSON, TABLE + 1);
	tcase_add_loop_test(t, no_points, JSON, TABLE + 1);
	tcase_add_test(t, json_has_nulls);
	tcase_add_test(t, csv_lines_are_even);
	tcase_add_loop_test(t, tables_are_split_where_they_must, 1, 9);
	tcase_add_test(t, nothing_hides_behind_another);
	tcase_add_test(t, titles_tell);
	tcase_add_loop_test(t, a_full_disk_is_an_error, JSON, TABLE + 1);
	tcase_add_test(t, figures);
	suite_add_tcase(s, t);
	return s;
}
