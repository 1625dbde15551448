// SPDX-License-Identifier: GPL-2.0
#include "render_doctor.h"

#include <errno.h>
#include <string.h>

#include <jansson.h>

#include "render.h"
#include <mprobe/version.h>

#define WIDTH	 80 /* that sentences are wrapped to; a command is one line, to be copied */
#define SEVERITY 12
#define CHECK	 16

/* Words of s from column `at` on; the line is open. Further lines begin at column `indent`. */
static void wrap(FILE *f, const char *s, size_t at, size_t indent)
{
	while (*s) {
		size_t len = strcspn(s, " ");

		if (!strncmp(s + len, " %", 2)) /* a number stays with its sign */
			len += 2 + strcspn(s + len + 2, " ");
		if (at > indent && at + 1 + len > WIDTH) {
			fprintf(f, "\n%*s", (int)indent, "");
			at = indent;
		}
		fprintf(f, "%s%.*s", at > indent ? " " : "", (int)len, s);
		at += len + (at > indent);
		s += len + strspn(s + len, " ");
	}
	fputc('\n', f);
}

static void under(FILE *f, const char *mark, const char *s)
{
	const size_t indent = SEVERITY + strlen(mark);

	if (!s)
		return;
	fprintf(f, "%*s%s", SEVERITY, "", mark);
	wrap(f, s, indent, indent);
}

static void finding(FILE *f, const struct doctor_finding *v)
{
	fprintf(f, "%-*s%-*s", SEVERITY, doctor_severity_name(v->severity), CHECK, v->check);
	wrap(f, v->state, SEVERITY + CHECK, SEVERITY + CHECK);
	under(f, "", v->effect);
	under(f, "> ", v->advice);
	for (size_t i = 0; i < v->nr_commands; i++)
		fprintf(f, "%*s# %s\n", SEVERITY, "", v->commands[i]);
}

/* One line for all that is well. */
static void well(FILE *f, const struct doctor_report *r)
{
	size_t at = SEVERITY, n = doctor_count(r, DOCTOR_OK);

	if (!n)
		return;
	fprintf(f, "%-*s", SEVERITY, doctor_severity_name(DOCTOR_OK));
	for (size_t i = 0; i < r->n; i++) {
		const struct doctor_finding *v = &r->v[i];
		const size_t len = strlen(v->check) + (n > 1);

		if (v->severity != DOCTOR_OK)
			continue;
		if (at > SEVERITY && at + 1 + len > WIDTH) {
			fprintf(f, "\n%*s", SEVERITY, "");
			at = SEVERITY;
		}
		fprintf(f, "%s%s%s", at > SEVERITY ? " " : "", v->check, --n ? "," : "");
		at += len + (at > SEVERITY);
	}
	fputc('\n', f);
}

/* "0-3,8" */
static void list(FILE *f, const uint32_t *v, size_t n)
{
	for (size_t i = 0, end; i < n; i = end + 1) {
		for (end = i; end + 1 < n && v[end + 1] == v[end] + 1; end++)
			;
		fprintf(f, end > i ? "%s%u-%u" : "%s%u", i ? "," : "", v[i], v[end]);
	}
}

static void summary(FILE *f, const struct doctor_report *r)
{
	fprintf(f, "%zu disturb%s, %zu cannot be told, %zu to note, %zu ok\n\n",
		doctor_count(r, DOCTOR_DISTURBS), doctor_count(r, DOCTOR_DISTURBS) == 1 ? "s" : "",
		doctor_count(r, DOCTOR_UNKNOWN), doctor_count(r, DOCTOR_NOTE),
		doctor_count(r, DOCTOR_OK));
}

int render_doctor_text(const struct doctor_report *r, FILE *f)
{
	bool commands = false;

	errno = 0;
	fprintf(f, "What disturbs a measurement on CPU%s ", r->nr_cpus > 1 ? "s" : "");
	list(f, r->cpus, r->nr_cpus);
	if (r->nr_nodes) {
		fprintf(f, ", node%s ", r->nr_nodes > 1 ? "s" : "");
		list(f, r->nodes, r->nr_nodes);
	}
	fprintf(f, " (watched for %.1f s)\n", r->seconds);
	summary(f, r);
	for (size_t i = 0; i < r->n; i++) {
		if (r->v[i].severity == DOCTOR_OK)
			continue;
		finding(f, &r->v[i]);
		commands |= r->v[i].nr_commands;
	}
	well(f, r);
	if (commands)
		fprintf(f,
			"\n# commands are for root, in one shell, and last until the next boot\n");
	return render_flush(f, false);
}

static json_t *text(const char *s)
{
	json_t *v = s ? json_string(s) : NULL;

	return v ? v : json_null();
}

static json_t *numbers(const uint32_t *v, size_t n)
{
	json_t *a = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(a, json_integer(v[i]));
	return a;
}

static json_t *one(const struct doctor_finding *v)
{
	static const char *const severities[] = { [DOCTOR_DISTURBS] = "disturbs",
						  [DOCTOR_UNKNOWN] = "cannot-tell",
						  [DOCTOR_NOTE] = "note",
						  [DOCTOR_OK] = "ok" };
	json_t *commands = json_array();

	for (size_t i = 0; i < v->nr_commands; i++)
		json_array_append_new(commands, text(v->commands[i]));
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "check", v->check, "severity",
			 severities[v->severity], "state", text(v->state), "effect",
			 text(v->effect), "advice", text(v->advice), "commands", commands);
}

static json_int_t count(const struct doctor_report *r, enum doctor_severity severity)
{
	return (json_int_t)doctor_count(r, severity);
}

int render_doctor_json(const struct doctor_report *r, FILE *f)
{
	json_t *findings = json_array(), *o;
	bool bad;

	for (size_t i = 0; i < r->n; i++)
		json_array_append_new(findings, one(&r->v[i]));
	o = json_pack("{s:s, s:s, s:o, s:o, s:f, s:I, s:I, s:I, s:I, s:o}", "schema",
		      "mprobe-doctor/1", "tool", MPROBE_VERSION, "cpus",
		      numbers(r->cpus, r->nr_cpus), "nodes", numbers(r->nodes, r->nr_nodes),
		      "observed_s", r->seconds, "disturbs", count(r, DOCTOR_DISTURBS),
		      "cannot_tell", count(r, DOCTOR_UNKNOWN), "note", count(r, DOCTOR_NOTE), "ok",
		      count(r, DOCTOR_OK), "findings", findings);
	if (!o)
		return -ENOMEM;
	errno = 0;
	bad = json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) || fputc('\n', f) < 0;
	json_decref(o);
	return render_flush(f, bad);
}
