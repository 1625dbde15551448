// SPDX-License-Identifier: GPL-2.0
#include "doctor_sample.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "doctor_read.h"

#define PF_KTHREAD 0x00200000u

/* One more of `size` bytes behind n; NULL: no memory, and *v is as it was. */
static void *grow(void **v, size_t n, size_t size)
{
	char *more = reallocarray(*v, n + 1, size);

	if (!more)
		return NULL;
	*v = more;
	memset(more + n * size, 0, size);
	return more + n * size;
}

/* "      CPU0       CPU1 ..." */
static int parse_columns(struct sample_table *t, char *line)
{
	unsigned int cpu;
	uint32_t *one;

	for (char *w = strtok(line, " "); w; w = strtok(NULL, " ")) {
		if (sscanf(w, "CPU%u", &cpu) != 1)
			return -EBADMSG;
		one = grow((void **)&t->cpus, t->nr_cpus, sizeof(*t->cpus));
		if (!one)
			return -ENOMEM;
		*one = cpu;
		t->nr_cpus++;
	}
	return t->nr_cpus ? 0 : -EBADMSG;
}

/* "IO-APIC 5-edge eth0": without chip and number, "eth0"; a word by itself stays */
static void name_of(char *out, size_t len, const char *s, bool numbered)
{
	for (int skip = numbered ? 2 : 0; skip; skip--) {
		const char *next = s + strcspn(s, " ");

		next += strspn(next, " ");
		if (!*next)
			break;
		s = next;
	}
	if (!strncmp(s, "Level ", 6) || !strncmp(s, "Edge ", 5))
		s += strcspn(s, " ");
	snprintf(out, len, "%s", s + strspn(s, " "));
}

/* "36: 1 2 chip 1-edge name"; ERR and MIS have one number for all CPUs and are left out */
static int parse_row(struct sample_table *t, char *line)
{
	struct sample_row *row;
	char *colon = strchr(line, ':'), *at, *end;
	size_t i;

	if (!colon)
		return 0;
	*colon = '\0';
	line += strspn(line, " ");
	row = grow((void **)&t->rows, t->n, sizeof(*t->rows));
	if (row)
		row->v = calloc(t->nr_cpus, sizeof(*row->v));
	if (!row || !row->v)
		return -ENOMEM;
	snprintf(row->name, sizeof(row->name), "%s", line);
	for (i = 0, at = colon + 1; i < t->nr_cpus; i++, at = end) {
		row->v[i] = strtoull(at, &end, 10);
		if (end == at)
			break;
	}
	if (i < t->nr_cpus) {
		free(row->v);
		return 0;
	}
	name_of(row->what, sizeof(row->what), at + strspn(at, " "),
		isdigit((unsigned char)row->name[0]));
	t->n++;
	return 0;
}

static void read_table(struct sample_table *t, const char *root, const char *path)
{
	char *text = NULL, *next, *line;
	size_t len;

	t->err = doctor_read_text(root, path, &text, &len);
	if (t->err)
		return;
	for (line = text; !t->err && line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		t->err = t->nr_cpus ? parse_row(t, line) : parse_columns(t, line);
	}
	free(text);
}

static int add_cpu(struct doctor_sample *s, const char *line)
{
	uint64_t v[8] = { 0 };
	unsigned int cpu;
	struct sample_cpu *c;

	if (sscanf(line,
		   "cpu%u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &cpu, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) < 9)
		return 0;
	c = grow((void **)&s->cpus, s->nr_cpus, sizeof(*s->cpus));
	if (!c)
		return -ENOMEM;
	c->cpu = cpu;
	c->idle = v[3] + v[4];
	c->steal = v[7];
	for (int i = 0; i < 8; i++)
		c->total += v[i];
	s->nr_cpus++;
	return 0;
}

static void read_cpus(struct doctor_sample *s, const char *root)
{
	char *text = NULL, *line;
	size_t len;

	s->cpus_err = doctor_read_text(root, "/proc/stat", &text, &len);
	if (s->cpus_err)
		return;
	for (line = text; !s->cpus_err && line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, "cpu", 3) && isdigit((unsigned char)line[3]))
			s->cpus_err = add_cpu(s, line);
	}
	if (!s->cpus_err && !s->nr_cpus)
		s->cpus_err = -EBADMSG;
	free(text);
}

static int is_process(const struct dirent *d)
{
	return isdigit((unsigned char)d->d_name[0]);
}

/* "12 (a name) S ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime" */
static bool parse_process(struct sample_process *p, const char *line)
{
	const char *open = strchr(line, '('), *close = strrchr(line, ')');
	uint64_t user, kernel;
	unsigned int flags;

	if (!open || !close || close < open)
		return false;
	if (sscanf(close + 1, " %*c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
		   &flags, &user, &kernel) != 3)
		return false;
	p->pid = atoi(line);
	snprintf(p->name, sizeof(p->name), "%.*s", (int)(close - open - 1), open + 1);
	p->ticks = user + kernel;
	p->of_kernel = flags & PF_KTHREAD;
	return true;
}

static int read_processes(struct doctor_sample *s, const char *root)
{
	struct sample_process p, *one;
	struct dirent **v = NULL;
	char path[512], line[1024];
	int n, err = 0;

	snprintf(path, sizeof(path), "%s/proc", root);
	n = scandir(path, &v, is_process, versionsort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/proc/%.32s/stat", v[i]->d_name);
		free(v[i]);
		if (err || doctor_read_line(root, path, line, sizeof(line)) ||
		    !parse_process(&p, line))
			continue;
		one = grow((void **)&s->processes, s->nr_processes, sizeof(*s->processes));
		if (one) {
			*one = p;
			s->nr_processes++;
		} else {
			err = -ENOMEM;
		}
	}
	free(v);
	return err;
}

int doctor_sample_read(struct doctor_sample *s, const char *root)
{
	struct timespec now;
	size_t len;
	int err;

	memset(s, 0, sizeof(*s));
	read_table(&s->interrupts, root, "/proc/interrupts");
	read_table(&s->softirqs, root, "/proc/softirqs");
	read_cpus(s, root);
	clock_gettime(CLOCK_MONOTONIC, &now);
	s->at = now.tv_sec + now.tv_nsec / 1e9;
	err = read_processes(s, root);
	if (doctor_read_text(root, "/proc/vmstat", &s->vmstat, &len))
		s->vmstat = NULL;
	if (s->interrupts.err == -ENOMEM || s->softirqs.err == -ENOMEM || s->cpus_err == -ENOMEM)
		err = -ENOMEM;
	return err;
}

static void free_table(struct sample_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->rows[i].v);
	free(t->rows);
	free(t->cpus);
}

void doctor_sample_free(struct doctor_sample *s)
{
	free_table(&s->interrupts);
	free_table(&s->softirqs);
	free(s->cpus);
	free(s->processes);
	free(s->vmstat);
	memset(s, 0, sizeof(*s));
}

static uint64_t value(const struct sample_table *t, const struct sample_row *row, uint32_t cpu)
{
	if (cpu < t->nr_cpus && t->cpus[cpu] == cpu) /* so where all CPUs are online */
		return row->v[cpu];
	for (size_t i = 0; i < t->nr_cpus; i++)
		if (t->cpus[i] == cpu)
			return row->v[i];
	return 0;
}

static const struct sample_row *find_row(const struct sample_table *t, const char *name,
					 size_t guess)
{
	if (guess < t->n && !strcmp(t->rows[guess].name, name))
		return &t->rows[guess];
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->rows[i].name, name))
			return &t->rows[i];
	return NULL;
}

uint64_t doctor_sample_grown(const struct sample_table *before, const struct sample_table *after,
			     const struct sample_row *row, uint32_t cpu)
{
	const struct sample_row *old = find_row(before, row->name, row - after->rows);
	uint64_t now = value(after, row, cpu), was = old ? value(before, old, cpu) : 0;

	return now > was ? now - was : 0;
}

static int64_t vmstat_of(const struct doctor_sample *s, const char *name)
{
	const size_t len = strlen(name);

	for (const char *at = s->vmstat; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (!strncmp(at, name, len) && at[len] == ' ')
			return strtoll(at + len, NULL, 10);
	}
	return -1;
}

int64_t doctor_sample_vmstat(const struct doctor_sample *before, const struct doctor_sample *after,
			     const char *name)
{
	int64_t was = vmstat_of(before, name), now = vmstat_of(after, name);

	return was < 0 || now < was ? -1 : now - was;
}

static const struct sample_cpu *cpu_of(const struct doctor_sample *s, uint32_t cpu)
{
	for (size_t i = 0; i < s->nr_cpus; i++)
		if (s->cpus[i].cpu == cpu)
			return &s->cpus[i];
	return NULL;
}

struct sample_share doctor_sample_share(const struct doctor_sample *before,
					const struct doctor_sample *after, uint32_t cpu)
{
	const struct sample_cpu *a = cpu_of(before, cpu), *b = cpu_of(after, cpu);
	struct sample_share s = { -1, -1, -1 };
	double total, idle;

	if (b && b->total)
		s.steal_ever = (double)b->steal / b->total;
	if (!a || !b || b->total <= a->total)
		return s;
	total = b->total - a->total;
	s.steal = b->steal > a->steal ? (b->steal - a->steal) / total : 0;
	idle = b->idle > a->idle ? (b->idle - a->idle) / total : 0;
	s.busy = 1 - idle - s.steal;
	if (s.busy < 0)
		s.busy = 0;
	return s;
}
