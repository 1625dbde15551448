// SPDX-License-Identifier: GPL-2.0
#include "progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "figure.h"
#include "names.h"

#define MIN_DONE_S 1.0 /* of planned time, before an estimate is worth printing */

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A line that is broken by the terminal's edge could not be taken back. */
static int columns(void)
{
	struct winsize w;

	return !ioctl(STDERR_FILENO, TIOCGWINSZ, &w) && w.ws_col ? w.ws_col : 80;
}

static double limit_s(const struct point *p)
{
	return (double)p->time_ns / 1e9;
}

void progress_begin(struct progress *p, const struct plan *plan, bool quiet)
{
	*p = (struct progress){ .on = !quiet && isatty(STDERR_FILENO),
				.plan = plan,
				.start_s = now_s() };
	for (size_t i = 0; i < plan->n; i++)
		p->planned_s += limit_s(&plan->v[i]);
}

void progress_left(char *buf, size_t len, double planned_s, double done_s, double took_s)
{
	double left;

	buf[0] = '\0';
	if (done_s < MIN_DONE_S || done_s > planned_s)
		return;
	left = (planned_s - done_s) * took_s / done_s;
	if (left < 59.5)
		snprintf(buf, len, "about %.0f s left", left);
	else if (left < 3600)
		snprintf(buf, len, "about %d min %02d s left", (int)left / 60, (int)left % 60);
	else
		snprintf(buf, len, "about %d h %02d min left", (int)left / 3600,
			 (int)left % 3600 / 60);
}

void progress_show(struct progress *p, size_t nth, double share, const char *doing)
{
	const struct point *one = &p->plan->v[nth];
	char left[48], size[FIGURE], line[256];
	double done_s = 0;

	if (!p->on)
		return;
	for (size_t i = 0; i < nth; i++)
		done_s += limit_s(&p->plan->v[i]);
	done_s += share * limit_s(one);
	progress_left(left, sizeof(left), p->planned_s, done_s, now_s() - p->start_s);
	snprintf(line, sizeof(line), "[%zu/%zu] %s %s %s %s, %u worker%s: %s%s%s", nth + 1,
		 p->plan->n, one->target, names_loop(one->loop), names_variant(one->variant),
		 figure_size(size, one->working_set_bytes), one->workers,
		 one->workers == 1 ? "" : "s", doing, *left ? ", " : "", left);
	fprintf(stderr, "\r\033[K%.*s", columns() - 1, line);
	fflush(stderr);
	p->shown = true;
}

void progress_clear(struct progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r\033[K");
	p->shown = false;
}
