// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

#include "kmod.h"
#include "output.h"
#include "render_status.h"

/* The kernel gives a process's first socket its pid as port id; a later one gets another number. */
static void name_owner(struct status_owner *o, uint32_t port)
{
	char path[64];
	FILE *f;

	o->port = port;
	o->process[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%u/comm", port);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(o->process, sizeof(o->process), f))
		o->process[strcspn(o->process, "\n")] = '\0';
	fclose(f);
}

static int collect(struct kmod *k, struct status *s)
{
	int err = kmod_jobs(k, &s->jobs, &s->nr_jobs);

	if (!err)
		err = kmod_ranges(k, &s->ranges, &s->nr_ranges);
	if (err)
		return err;
	s->job_owners = calloc(s->nr_jobs + 1, sizeof(*s->job_owners));
	s->range_owners = calloc(s->nr_ranges + 1, sizeof(*s->range_owners));
	if (!s->job_owners || !s->range_owners) {
		snprintf(k->error, sizeof(k->error), "out of memory");
		return -1;
	}
	for (size_t i = 0; i < s->nr_jobs; i++)
		name_owner(&s->job_owners[i], s->jobs[i].owner);
	for (size_t i = 0; i < s->nr_ranges; i++)
		name_owner(&s->range_owners[i], s->ranges[i].owner);
	return 0;
}

static int write_json(FILE *f, const void *status)
{
	return render_status_json(status, f);
}

static int show(const struct cmd *c, const struct status *s)
{
	char error[512];
	int err;

	if (c->opt->json && output_write(c->opt->json, c->out, write_json, s, error, sizeof(error)))
		return cmd_fail(c, CMD_FAILED, "%s", error);
	if (c->opt->json && !strcmp(c->opt->json, "-"))
		return CMD_OK;
	err = render_status_table(s, c->out);
	return err ? cmd_fail(c, CMD_FAILED, "cannot write: %s", strerror(-err)) : CMD_OK;
}

int cmd_status(const struct cmd *c)
{
	struct status s = { 0 };
	struct kmod k;
	int ret;

	if (kmod_open(&k))
		return cmd_fail(c, CMD_FAILED, "%s", k.error);
	snprintf(s.module, sizeof(s.module), "%s", k.info.version);
	ret = collect(&k, &s) ? cmd_fail(c, CMD_FAILED, "%s", k.error) : show(c, &s);
	kmod_jobs_free(s.jobs, s.nr_jobs);
	kmod_ranges_free(s.ranges, s.nr_ranges);
	free(s.job_owners);
	free(s.range_owners);
	kmod_close(&k);
	return ret;
}
