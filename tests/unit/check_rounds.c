// SPDX-License-Identifier: GPL-2.0
/* Verdicts on rounds, what counters come to, and the file of samples against the summary. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render_samples.h"
#include "samples_fixture.h"

#define BIT(one) (1u << (one))

static struct rounds judged(const struct sample_set *s, uint32_t workers)
{
	struct rounds r = { .workers = workers, .overhead = FIXTURE_OVERHEAD, .tick_ns = 0.5 };

	ck_assert_int_eq(rounds_judge(&r, s), 0);
	return r;
}

static struct sample at_ratio(uint32_t round, uint32_t worker, double ratio)
{
	struct sample s = fixture_sample(round, worker, 1000, 50);

	s.mperf = 1000000;
	s.aperf = (uint64_t)(ratio * 1000000);
	return s;
}

/* 2 % from the median of the same worker: another core may run at another rate. */
START_TEST(frequency_is_compared_with_the_workers_own)
{
	static const double slow[] = { 1, 1.019, 0.981, 1.021, 0.979, 1, 1 };
	struct sample_set s = {};
	struct rounds r;
	uint32_t i;

	for (i = 0; i < 7; i++) {
		fixture_add(&s, at_ratio(i, 0, slow[i]));
		fixture_add(&s, at_ratio(i, 1, 1.3));
	}
	r = judged(&s, 2);
	ck_assert_uint_eq(r.n, 7);
	for (i = 0; i < 7; i++) {
		bool off = i == 3 || i == 4;

		ck_assert_int_eq(r.v[i].verdict, off ? ROUND_DISTURBED : ROUND_CLEAN);
		ck_assert_uint_eq(r.v[i].by, off ? BIT(DISTURBED_FREQUENCY) : 0);
	}
	rounds_free(&r);
	sample_free(&s);
}
END_TEST

/* A warm-up's frequency is not in the median, nor is it judged. */
START_TEST(frequency_of_the_warm_up_does_not_count)
{
	struct sample_set s = {};
	struct sample one;
	struct rounds r;
	uint32_t i;

	for (i = 0; i < 11; i++) {
		one = at_ratio(i, 0, i < 6 ? 0.5 : 1);
		one.flags = i < 6 ? MPROBE_SAMPLE_F_WARMUP : 0;
		fixture_add(&s, one);
	}
	r = judged(&s, 1);
	for (i = 0; i < 11; i++)
		ck_assert_int_eq(r.v[i].verdict, i < 6 ? ROUND_WARMUP : ROUND_CLEAN);
	rounds_free(&r);
	sample_free(&s);
}
END_TEST

static const struct {
	uint64_t gap;
	uint32_t reads; /* of 101000 ticks of half a ns: stretches of 5 us, or of 25 us */
	bool disturbed;
} gaps[] = { { 0, 10, false },	  { 10000, 10, false },
	     { 10001, 10, true }, { SAMPLE_UNKNOWN64, 10, false },
	     { 10001, 2, false }, { 25000, 2, false },
	     { 25500, 2, true } };

START_TEST(gap_above_5_us)
{
	struct sample_set s = {};
	struct sample one = fixture_sample(0, 0, 1000, 50);
	struct rounds r;

	one.gap = gaps[_i].gap;
	one.reads = gaps[_i].reads;
	fixture_add(&s, one);
	r = judged(&s, 1);
	ck_assert_uint_eq(r.v[0].by, gaps[_i].disturbed ? BIT(DISTURBED_GAP) : 0);
	rounds_free(&r);
	sample_free(&s);
}
END_TEST

START_TEST(what_is_known_of_gaps)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_CHASE, 1);
	struct job_state j = fixture_job();
	struct sample_set s = {};
	struct sample one;
	uint32_t i;

	for (i = 0; i < 8; i++) { /* a short one before the end of a pass */
		one = fixture_sample(i, 0, 1000, 50);
		if (!i)
			one.gap = SAMPLE_UNKNOWN64;
		fixture_add(&s, one);
	}
	fixture_figure(&s, &j, &p);
	ck_assert(p.known & BIT(DISTURBED_GAP));
	for (i = 0; i < 8; i++) {
		one = fixture_sample(i, 0, 1000, 50);
		one.gap = SAMPLE_UNKNOWN64;
		one.nmis = i == 5 ? SAMPLE_UNKNOWN : 0;
		fixture_add(&s, one);
	}
	fixture_figure(&s, &j, &p);
	ck_assert(!(p.known & BIT(DISTURBED_GAP)));
	ck_assert(!(p.known & BIT(DISTURBED_NMI)) && p.known & BIT(DISTURBED_IRQ));
}
END_TEST

START_TEST(most_are_disturbed)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_CHASE, 1);
	struct job_state j = fixture_job();
	struct sample_set s = {};
	struct sample one;
	uint32_t i;

	for (i = 0; i < 15; i++) {
		one = fixture_sample(i, 0, 1000, i < 8 ? 900 : 50);
		one.smis = i < 8;
		fixture_add(&s, one);
	}
	fixture_figure(&s, &j, &p);
	ck_assert_uint_eq(p.taints, TAINT_MOSTLY_DISTURBED);
	ck_assert_uint_eq(p.events[DISTURBED_SMI], 8);
	ck_assert_double_eq_tol(p.latency_ns.max, 50, 1e-9); /* clean ones only */
}
END_TEST

/* 50 ns a hop at 2.5 GHz: 125 cycles; the disturbed window counts for nothing. */
START_TEST(counters_per_hop)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_CHASE, 1);
	struct job_state j = fixture_job();
	struct sample_set s = {};
	struct sample one;
	uint32_t i;

	for (i = 0; i < 9; i++) {
		one = fixture_sample(i, 0, 1000, 50);
		one.counts[MPROBE_COUNTER_CYCLES - 1] = (uint64_t)((double)one.ticks * 1.25);
		one.counts[MPROBE_COUNTER_PAGE_WALKS - 1] = i ? 30 + i : 999999;
		one.irqs = !i;
		fixture_add(&s, one);
	}
	fixture_figure(&s, &j, &p);
	ck_assert_double_eq_tol(p.latency_cycles.median, 125, 1e-3);
	ck_assert_double_eq_tol(p.counted.core_hz, 2.5e9, 1e4);
	ck_assert_double_eq_tol(p.counted.per_unit[MPROBE_COUNTER_CYCLES - 1], 125.075, 1e-3);
	ck_assert_double_eq_tol(p.counted.per_unit[MPROBE_COUNTER_PAGE_WALKS - 1], 0.0345, 1e-9);
	ck_assert(isnan(p.counted.per_unit[MPROBE_COUNTER_INSTRUCTIONS - 1]));
	ck_assert(isnan(p.counted.aperf_mperf));
}
END_TEST

START_TEST(core_cycles_by_aperf)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_CHASE, 1);
	struct job_state j = fixture_job();
	struct sample_set s = {};
	uint32_t i;

	for (i = 0; i < 6; i++)
		fixture_add(&s, at_ratio(i, 0, 1.5)); /* of 2 GHz */
	fixture_figure(&s, &j, &p);
	ck_assert_double_eq_tol(p.counted.aperf_mperf, 1.5, 1e-9);
	ck_assert_double_eq_tol(p.counted.core_hz, 3e9, 1);
	ck_assert_double_eq_tol(p.latency_cycles.median, 150, 1e-9);
	/* another clock does not know the rate of MPERF */
	j.clock = MPROBE_CLOCK_RAW;
	for (i = 0; i < 6; i++)
		fixture_add(&s, at_ratio(i, 0, 1.5));
	fixture_figure(&s, &j, &p);
	ck_assert_double_eq_tol(p.counted.aperf_mperf, 1.5, 1e-9);
	ck_assert(isnan(p.counted.core_hz) && isnan(p.latency_cycles.median));
}
END_TEST

/* All kinds of windows, so that the file has to tell them apart. */
static void mixed(struct sample_set *s)
{
	struct sample one;

	for (uint32_t i = 0; i < 40; i++) {
		one = fixture_sample(i, 0, 1000 + i, 50 + (i * 7) % 13);
		one.flags = i < 3 ? MPROBE_SAMPLE_F_WARMUP | MPROBE_SAMPLE_F_LATE : 0;
		one.irqs = i % 5 == 4;
		one.gap = i % 11 == 10 ? 30000 : 2;
		one.work = i == 20 ? 0 : one.work;
		one.counts[MPROBE_COUNTER_LLC_MISSES - 1] = i;
		fixture_add(s, one);
	}
}

static char *field(char *line, int nth)
{
	char *word = strsep(&line, ",");

	while (nth-- && line)
		word = strsep(&line, ",");
	return word;
}

/* Columns are found by their names, as a reader would. */
static int column(const char *head, const char *name)
{
	char copy[1024], *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(head, "\n"), head);
	for (int i = 0; (word = strsep(&rest, ",")); i++)
		if (!strcmp(word, name))
			return i;
	ck_abort_msg("no column %s", name);
	return -1;
}

static char *written(const struct sample_set *s, const struct point_result *p)
{
	struct rounds r = judged(s, p->point.workers);
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	render_samples_head(f);
	render_samples(f, 3, &r, p);
	fclose(f);
	rounds_free(&r);
	return text;
}

START_TEST(file_and_summary_agree)
{
	struct point_result p = fixture_asked(MPROBE_LOOP_CHASE, 1);
	struct job_state j = fixture_job();
	struct sample_set s = {};
	char *text, *rest, *line, copy[1024];
	int verdict, value;
	double v[40];
	size_t n = 0, lines = 0;

	mixed(&s);
	text = rest = written(&s, &p);
	fixture_figure(&s, &j, &p);
	line = strsep(&rest, "\n");
	verdict = column(line, "verdict");
	value = column(line, "ns_per_unit");
	while ((line = strsep(&rest, "\n")) && *line) {
		lines++;
		snprintf(copy, sizeof(copy), "%s", line);
		if (strcmp(field(copy, verdict), "clean"))
			continue;
		snprintf(copy, sizeof(copy), "%s", line);
		v[n++] = atof(field(copy, value));
	}
	ck_assert_uint_eq(lines, 40);
	ck_assert_uint_eq(n, p.windows_clean);
	ck_assert_double_eq_tol(stats_median(v, n), p.latency_ns.median, 1e-9);
	free(text);
}
END_TEST

START_TEST(lines_of_the_file)
{
	static uint32_t cpus[] = { 5 };
	struct point_result p = fixture_asked(MPROBE_LOOP_CHASE, 1);
	struct sample_set s = {};
	char *text;

	p.point.cpus = cpus;
	mixed(&s);
	text = written(&s, &p);
	ck_assert_ptr_nonnull(strstr(text, "\n3,dram0,kernel,chase,ro,64000,1,0,warm-up,late,0,5,"
					   "warm-up late,1000000,100060,3,20,1000,50000,50,0,0,0,0,"
					   "1,,,,,,0,\n"));
	ck_assert_ptr_nonnull(strstr(text, ",4,disturbed,irq,0,5,,"));
	ck_assert_ptr_nonnull(strstr(text, ",10,disturbed,gap,0,5,,"));
	ck_assert_ptr_nonnull(strstr(text, ",20,impossible,,0,5,,21000000,"));
	free(text);
	sample_free(&s);
}
END_TEST

Suite *rounds_suite(void)
{
	Suite *s = suite_create("rounds");
	TCase *t = tcase_create("rounds");

	tcase_add_test(t, frequency_is_compared_with_the_workers_own);
	tcase_add_test(t, frequency_of_the_warm_up_does_not_count);
	tcase_add_loop_test(t, gap_above_5_us, 0, sizeof(gaps) / sizeof(*gaps));
	tcase_add_test(t, what_is_known_of_gaps);
	tcase_add_test(t, most_are_disturbed);
	tcase_add_test(t, counters_per_hop);
	tcase_add_test(t, core_cycles_by_aperf);
	tcase_add_test(t, file_and_summary_agree);
	tcase_add_test(t, lines_of_the_file);
	suite_add_tcase(s, t);
	return s;
}
