// SPDX-License-Identifier: GPL-2.0
#include "samples_file.h"

#include <errno.h>
#include <string.h>

#include "render_samples.h"

static int on_samples(struct measure *m, const struct sample_set *set, const struct job_state *j,
		      const struct point_result *p)
{
	struct samples_file *s = m->arg;
	struct rounds r = { .workers = p->point.workers,
			    .overhead = j->clock_overhead,
			    .tick_ns = 1e6 / p->clock_khz };
	int ret = rounds_judge(&r, set);

	errno = 0;
	if (!ret) {
		render_samples(s->o.f, m->result->nr_points - 1, &r, p);
		if (fflush(s->o.f) || ferror(s->o.f))
			ret = errno ? -errno : -EIO;
	}
	if (ret)
		snprintf(m->error, sizeof(m->error), "--samples: cannot write %s: %s", s->o.path,
			 strerror(-ret));
	rounds_free(&r);
	return ret;
}

int samples_file_begin(struct samples_file *s, const struct cmd *c, struct measure *m)
{
	char error[512];

	s->open = false;
	if (!c->opt->samples)
		return CMD_OK;
	if (output_open(&s->o, c->opt->samples, c->out, error, sizeof(error)))
		return cmd_fail(c, CMD_FAILED, "--samples: %s", error);
	s->open = true;
	render_samples_head(s->o.f);
	m->on_samples = on_samples;
	m->arg = s;
	return CMD_OK;
}

int samples_file_end(struct samples_file *s, const struct cmd *c, bool keep)
{
	char error[512];
	int ret;

	if (!s->open)
		return CMD_OK;
	s->open = false;
	ret = output_close(&s->o, keep ? 0 : -ECANCELED, error, sizeof(error));
	return ret && keep ? cmd_fail(c, CMD_FAILED, "--samples: %s", error) : CMD_OK;
}
