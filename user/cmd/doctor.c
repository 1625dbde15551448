// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "cpus.h"
#include "doctor.h"
#include "output.h"
#include "render_doctor.h"

#define WATCH_S 1

static int choose_cpus(const struct cmd *c, uint32_t *cpus, size_t *n)
{
	char error[512];
	int node, err;

	if (c->opt->nr_cpus) {
		memcpy(cpus, c->opt->cpus, c->opt->nr_cpus * sizeof(*cpus));
		*n = c->opt->nr_cpus;
		err = cpus_check(cpus, *n, error, sizeof(error));
		return err ? cmd_fail(c, CMD_USAGE, "%s", error) : 0;
	}
	err = cpus_near(-1, cpus, PLAN_MAX_CPUS, n, &node, error, sizeof(error));
	return err ? cmd_fail(c, CMD_FAILED, "%s", error) : 0;
}

static void ask_module(const struct cmd *c, struct doctor_module *m)
{
	struct engine e = { .ops = c->kernel };
	struct engine_info info = { 0 };

	if (!e.ops->open(&e)) {
		m->reached = !e.ops->info(&e, &info);
		e.ops->close(&e);
	}
	m->prefetch_control = info.prefetch_control;
	if (m->reached)
		snprintf(m->version, sizeof(m->version), "%s", info.version);
	else
		snprintf(m->error, sizeof(m->error), "%s", e.error);
}

static int write_json(FILE *f, const void *report)
{
	return render_doctor_json(report, f);
}

static int write_text(FILE *f, const void *report)
{
	return render_doctor_text(report, f);
}

static int write_report(const struct cmd *c, const struct doctor_report *r)
{
	const char *file = c->opt->json;
	char error[512];

	if (file && output_write(file, c->out, write_json, r, error, sizeof(error)))
		return cmd_fail(c, CMD_FAILED, "%s", error);
	if ((!file || strcmp(file, "-")) &&
	    output_write("-", c->out, write_text, r, error, sizeof(error)))
		return cmd_fail(c, CMD_FAILED, "%s", error);
	if (c->opt->strict && (doctor_count(r, DOCTOR_DISTURBS) || doctor_count(r, DOCTOR_UNKNOWN)))
		return cmd_fail(c, CMD_TAINTED,
				"something disturbs, or cannot be told (--strict); the report "
				"says what and how to stop it");
	return CMD_OK;
}

static int examine(const struct cmd *c, const uint32_t *cpus, size_t n)
{
	const struct timespec watch = { .tv_sec = WATCH_S };
	struct doctor_sample before, after;
	struct doctor_request q = {
		.root = "", .cpus = cpus, .nr_cpus = n, .before = &before, .after = &after
	};
	struct doctor_report r;
	int err, ret = CMD_OK;

	machine_cpuid_read(&q.cpuid);
	ask_module(c, &q.module);
	err = doctor_sample_read(&before, q.root);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &watch, NULL);
	if (doctor_sample_read(&after, q.root))
		err = -ENOMEM;
	if (!err) {
		err = doctor_examine(&q, &r);
		if (!err)
			ret = write_report(c, &r);
		doctor_report_free(&r);
	}
	doctor_sample_free(&after);
	doctor_sample_free(&before);
	if (err == -ENODATA)
		return cmd_fail(c, CMD_FAILED,
				"neither /proc nor /sys can be read: mount them, and repeat");
	return err ? cmd_fail(c, CMD_FAILED, "out of memory") : ret;
}

int cmd_doctor(const struct cmd *c)
{
	uint32_t cpus[PLAN_MAX_CPUS];
	size_t n;
	int ret = choose_cpus(c, cpus, &n);

	return ret ? ret : examine(c, cpus, n);
}
