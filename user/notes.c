// SPDX-License-Identifier: GPL-2.0
#include "notes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figure.h"
#include "names.h"

void notes_count(struct notes *n, const struct result *r)
{
	char letter = 'a';
	size_t i;
	int t;

	*n = (struct notes){};
	for (i = 0; i < r->nr_points; i++)
		for (t = 0; t < TAINT_COUNT; t++)
			n->count[t] += r->points[i].taints >> t & 1;
	for (t = 0; t < TAINT_COUNT; t++)
		if (n->count[t] && n->count[t] < r->nr_points)
			n->letter[t] = letter++;
}

const char *notes_mark(const struct notes *n, const struct point_result *p, char *buf)
{
	char *end = buf;
	int t;

	for (t = 0; t < TAINT_COUNT; t++)
		if (p->taints >> t & 1 && n->letter[t])
			*end++ = n->letter[t];
	*end = 0;
	return buf;
}

static void add_windows(struct point_result *sum, const struct point_result *p)
{
	int i;

	sum->windows_clean += p->windows_clean;
	sum->windows_disturbed += p->windows_disturbed;
	sum->windows_repeated += p->windows_repeated;
	sum->windows_impossible += p->windows_impossible;
	for (i = 0; i < DISTURBANCES; i++)
		sum->disturbed_by[i] += p->disturbed_by[i];
	sum->known &= p->known;
}

/* "; irqs, smis: unknown", of what the windows of some point could not tell; "" none */
static void unknown_of(uint32_t known, char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (int i = 0; i < DISTURBED_LATE && used < len; i++)
		if (!(known >> i & 1))
			used += (size_t)snprintf(
				buf + used, len - used, "%s%s",
				used ? ", " : "; not known: ", names_disturbance(i));
}

static void note_windows(const struct result *r, struct display *d)
{
	struct point_result sum = { .known = (1u << DISTURBANCES) - 1 };
	char by[256] = "", impossible[64] = "", unknown[96];
	size_t i;

	for (i = 0; i < r->nr_points; i++)
		add_windows(&sum, &r->points[i]);
	if (sum.windows_disturbed)
		result_disturbed_by(&sum, by, sizeof(by));
	if (sum.windows_impossible)
		snprintf(impossible, sizeof(impossible), ", %llu impossible and dropped",
			 (unsigned long long)sum.windows_impossible);
	unknown_of(sum.known, unknown, sizeof(unknown));
	display_note(d, "windows: %llu clean, %llu disturbed%s%s%s, %llu repeated%s%s",
		     (unsigned long long)sum.windows_clean,
		     (unsigned long long)sum.windows_disturbed, *by ? " (" : "", by, *by ? ")" : "",
		     (unsigned long long)sum.windows_repeated, impossible, unknown);
}

/* The most of each, which is what would have to be small. */
static void note_walks(const struct result *r, struct display *d)
{
	static const enum mprobe_counter which[] = { MPROBE_COUNTER_DTLB_LOAD_MISSES,
						     MPROBE_COUNTER_PAGE_WALKS,
						     MPROBE_COUNTER_LLC_MISSES };
	static const char *const name[] = { "dTLB load misses", "page walks", "LLC misses" };
	char text[160] = "";
	size_t used = 0;

	for (int c = 0; c < 3; c++) {
		double most = NAN;

		for (size_t i = 0; i < r->nr_points; i++)
			most = fmax(most, r->points[i].counted.per_unit[which[c] - 1]);
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 isfinite(most) ? "%s%s %.3g" : "%s%s unknown",
					 used ? ", " : "", name[c], most);
	}
	display_note(d, "counted for each hop or line, in the worst of the points: %s", text);
}

/* Where no point has any, that is said. */
static void note_counters(const struct result *r, struct display *d)
{
	bool any = false;

	for (size_t i = 0; i < r->nr_points; i++)
		for (int c = 0; c < MPROBE_COUNTERS; c++)
			any |= isfinite(r->points[i].counted.per_unit[c]);
	if (any)
		note_walks(r, d);
	else
		display_note(d, "counters: no hardware counters here, so neither TLB misses nor "
				"cycles are proved");
}

static void note_caches(const struct result *r, struct display *d)
{
	const struct machine *m = &r->machine;
	char l1[FIGURE], last[FIGURE];

	if (!m->llc_bytes)
		display_note(d, "last-level cache: unknown (hwloc); no working set can be said to "
				"lie beyond it");
	else
		display_note(d, "caches (hwloc): L1d %s, last level %s",
			     m->l1d_bytes ? figure_size(l1, m->l1d_bytes) : "unknown",
			     figure_size(last, m->llc_bytes));
}

static void note_clock(const struct result *r, struct display *d)
{
	const struct point_result *p = &r->points[0];
	const char *name = names_clock(p->clock);
	char agreement[96] = "; too short a job to compare it with CLOCK_MONOTONIC_RAW";
	double worst = NAN;
	size_t i;

	for (i = 0; i < r->nr_points; i++)
		worst = fmax(worst, fabs(r->points[i].clock_agreement_ppm));
	if (p->clock != MPROBE_CLOCK_TSC)
		agreement[0] = 0;
	else if (isfinite(worst))
		snprintf(agreement, sizeof(agreement),
			 "; agrees with CLOCK_MONOTONIC_RAW within %.1f ppm", worst);
	display_note(d, "clock: %s at %.3f MHz, a reading costs %.1f ns and is subtracted%s",
		     name ? name : "unknown", p->clock_khz / 1e3, p->clock_overhead_ns, agreement);
}

/* The largest of each kind of page that a target was mapped by. */
static void note_pages(const struct result *r, const struct point_result *p, struct display *d)
{
	uint64_t mapped[3] = {};
	static const char *const page[] = { "1G", "2M", "4K" };
	char text[128] = "", size[FIGURE];
	size_t i, used = 0;

	for (i = 0; i < r->nr_points; i++) {
		const struct range_info *range = &r->points[i].range;

		if (strcmp(r->points[i].point.target, p->point.target) ||
		    strcmp(r->points[i].engine, p->engine))
			continue;
		mapped[0] = range->mapped_1g > mapped[0] ? range->mapped_1g : mapped[0];
		mapped[1] = range->mapped_2m > mapped[1] ? range->mapped_2m : mapped[1];
		mapped[2] = range->mapped_4k > mapped[2] ? range->mapped_4k : mapped[2];
	}
	for (i = 0; i < 3; i++)
		if (mapped[i])
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 "%s%s by %s pages", used ? ", " : "",
						 figure_size(size, mapped[i]), page[i]);
	display_note(d, "mapped (%s, %s engine): %s", p->point.target, p->engine,
		     used ? text : "page sizes unknown");
}

static void note_each_target(const struct result *r, struct display *d)
{
	size_t i, j;

	for (i = 0; i < r->nr_points; i++) {
		for (j = 0; j < i; j++)
			if (!strcmp(r->points[i].point.target, r->points[j].point.target) &&
			    !strcmp(r->points[i].engine, r->points[j].engine))
				break;
		if (j == i)
			note_pages(r, &r->points[i], d);
	}
}

static void note_overlap(const struct result *r, struct display *d)
{
	double least = NAN;
	size_t i;

	for (i = 0; i < r->nr_points; i++)
		least = fmin(least, r->points[i].overlap);
	if (isfinite(least))
		display_note(d, "overlap: all workers ran together for %.1f %% of the time%s",
			     least * 100,
			     least < 0.95 ? ", in the worst of the points" : " or more");
}

static void note_taint(const struct notes *n, const struct result *r, int t, struct display *d)
{
	struct point_result sum = {};
	char by[256] = "", on[32] = "every figure";
	size_t i;

	for (i = 0; i < r->nr_points; i++)
		if (r->points[i].taints >> t & 1)
			add_windows(&sum, &r->points[i]);
	if (1u << t == TAINT_DISTURBED || 1u << t == TAINT_MOSTLY_DISTURBED)
		result_disturbed_by(&sum, by, sizeof(by));
	if (n->letter[t])
		snprintf(on, sizeof(on), "%c", n->letter[t]);
	display_note(d, "%s: %s: %s%s%s%s", on, result_taint_code(1u << t),
		     result_taint_sentence(1u << t), *by ? " (" : "", by, *by ? ")" : "");
}

void notes_write(const struct notes *n, const struct result *r, uint32_t captioned,
		 struct display *d)
{
	int t;

	if (!r->nr_points)
		return;
	display_note(
		d,
		"+-: the larger half of the 95 %% confidence interval of the median; MB, GB: 10^6, "
		"10^9 bytes; sizes: powers of 1024");
	note_windows(r, d);
	note_clock(r, d);
	note_overlap(r, d);
	note_each_target(r, d);
	note_caches(r, d);
	note_counters(r, d);
	for (t = 0; t < TAINT_COUNT; t++)
		if (n->count[t] && !(1u << t & captioned))
			note_taint(n, r, t, d);
}
