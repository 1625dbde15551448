// SPDX-License-Identifier: GPL-2.0
#include "paper.h"

#include <errno.h>
#include <string.h>

#include "output.h"
#include "render_compare.h"
#include "render_csv.h"
#include "render_json.h"
#include "render_table.h"
#include "report.h"

/* What stands beside a figure without speaking against it. */
#define INFORMATIVE TAINT_VIRTUALISED
/* What the load does to a loaded point, which is measured for that. */
#define LOADED (TAINT_DISTURBED | TAINT_MOSTLY_DISTURBED | TAINT_FEW_WINDOWS)

static int json(FILE *f, const void *what)
{
	return render_json(what, f);
}

static int csv(FILE *f, const void *what)
{
	return render_csv(what, f);
}

static int table(FILE *f, const void *what)
{
	const struct result *r = what;
	struct display d = { 0 };
	int ret = r->compare ? render_compare(r, &d) : report_build(r, &d);

	if (!ret)
		ret = render_table(&d, f);
	display_free(&d);
	return ret;
}

static bool tainted(const struct result *r)
{
	for (size_t i = 0; i < r->nr_points; i++)
		if (r->points[i].taints &
		    ~(uint32_t)(INFORMATIVE | (r->points[i].point.loaded ? LOADED : 0)))
			return true;
	return false;
}

/* Nothing was measured in all the time there was; what ends by its passes may be that short. */
static size_t count_empty(const struct result *r)
{
	size_t n = 0;

	if (r->compare) /* a turn may fail: what counts is what is left of its way, which compare looks at */
		return 0;
	for (size_t i = 0; i < r->nr_points; i++) {
		const struct point_result *p = &r->points[i];

		n += p->stopped_by == STOP_TIME &&
		     !(p->has_latency ? p->latency_ns.n : p->bandwidth_Bps.n);
	}
	return n;
}

int paper_write(const struct cmd *c, struct result *r)
{
	const char *file = c->opt->json, *samples = c->opt->samples;
	int ret = CMD_OK;
	char error[512];

	result_cross_check(r);
	if (file && output_write(file, c->out, json, r, error, sizeof(error)))
		ret = cmd_fail(c, CMD_FAILED, "%s", error);
	/* what was measured is worth seeing even where the file failed */
	if ((!file || strcmp(file, "-")) && (!samples || strcmp(samples, "-")) &&
	    output_write("-", c->out, c->opt->csv ? csv : table, r, error, sizeof(error)))
		ret = cmd_fail(c, CMD_FAILED, "%s", error);
	if (!ret && r->complete && count_empty(r))
		return cmd_fail(c, CMD_FAILED,
				"%zu of %zu points have no figure: not one window fits their time "
				"besides the warm-up; give more --time, or less --warmup",
				count_empty(r), r->nr_points);
	if (!ret && c->opt->strict && tainted(r))
		return cmd_fail(c, CMD_TAINTED,
				"a figure is tainted (--strict); the notes say which and "
				"why");
	return ret;
}
