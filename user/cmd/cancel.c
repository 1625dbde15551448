// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

#include "kmod.h"
#include "parse.h"

static int cancel(const struct cmd *c, struct kmod *k, uint32_t id)
{
	if (kmod_cancel(k, id, MPROBE_REASON_CANCEL, false))
		return cmd_fail(c, CMD_FAILED, "job %u: %s", id, k->error);
	fprintf(c->out, "job %u cancelled\n", id);
	return CMD_OK;
}

static int cancel_all(const struct cmd *c, struct kmod *k)
{
	struct job_state *jobs;
	unsigned int running = 0;
	int ret = CMD_OK;
	size_t n;

	if (kmod_jobs(k, &jobs, &n))
		return cmd_fail(c, CMD_FAILED, "%s", k->error);
	for (size_t i = 0; i < n; i++) {
		if (jobs[i].state == MPROBE_STATE_DONE)
			continue;
		running++;
		if (cancel(c, k, jobs[i].id))
			ret = CMD_FAILED;
	}
	if (!running)
		fprintf(c->out, "no job was running\n");
	kmod_jobs_free(jobs, n);
	return ret;
}

/* All words are read before anything is cancelled. */
static int read_ids(const struct cmd *c, uint32_t *ids)
{
	char error[PARSE_ERROR];
	uint64_t id;

	for (int i = 0; i < c->argc; i++) {
		if (parse_u64(c->argv[i], &id, error))
			return cmd_fail(c, CMD_USAGE, "%s, or all", error);
		if (id > UINT32_MAX)
			return cmd_fail(c, CMD_USAGE, "'%s' is no job: see mprobectl status",
					c->argv[i]);
		ids[i] = id;
	}
	return CMD_OK;
}

int cmd_cancel(const struct cmd *c)
{
	bool all = c->argc == 1 && !strcmp(c->argv[0], "all");
	uint32_t *ids = calloc(c->argc, sizeof(*ids));
	struct kmod k;
	int ret;

	if (!ids)
		return cmd_fail(c, CMD_FAILED, "out of memory");
	ret = all ? CMD_OK : read_ids(c, ids);
	if (!ret && kmod_open(&k)) {
		ret = cmd_fail(c, CMD_FAILED, "%s", k.error);
	} else if (!ret) {
		if (all)
			ret = cancel_all(c, &k);
		for (int i = 0; !all && i < c->argc; i++)
			if (cancel(c, &k, ids[i]))
				ret = CMD_FAILED;
		kmod_close(&k);
	}
	free(ids);
	return ret;
}
