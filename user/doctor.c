// SPDX-License-Identifier: GPL-2.0
#include "doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor_checks.h"

/* The order among those of one severity. */
static void (*const checks[])(struct doctor *d) = {
	doctor_load,
	doctor_room,
	doctor_smt,
	doctor_steal,
	doctor_hypervisor,
	doctor_interrupts,
	doctor_affinity,
	doctor_ipis,
	doctor_timer,
	doctor_softirqs,
	doctor_irqbalance,
	doctor_isolation,
	doctor_governor,
	doctor_epp,
	doctor_turbo,
	doctor_idle,
	doctor_clock,
	doctor_watchdogs,
	doctor_numa_balancing,
	doctor_damon,
	doctor_ksm,
	doctor_swap,
	doctor_zswap,
	doctor_compaction,
	doctor_thp,
	doctor_free_memory,
	doctor_hugepages,
	doctor_module,
	doctor_lockdown,
	doctor_mitigations,
	doctor_prefetchers,
};

static char *put(struct doctor *d, const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) >= 0)
		return text;
	d->r->failed = true;
	return NULL;
}

void doctor_add(struct doctor *d, const char *check, enum doctor_severity severity,
		const char *effect, const char *format, ...)
{
	struct doctor_report *r = d->r;
	struct doctor_finding *v = reallocarray(r->v, r->n + 1, sizeof(*v));
	va_list args;

	if (!v) {
		r->failed = true;
		return;
	}
	r->v = v;
	v += r->n++;
	*v = (struct doctor_finding){ .check = check, .severity = severity };
	va_start(args, format);
	v->state = put(d, format, args);
	va_end(args);
	if (effect && severity != DOCTOR_OK) {
		v->effect = strdup(effect);
		r->failed |= !v->effect;
	}
}

void doctor_unknown(struct doctor *d, const char *check, const char *effect, const char *path,
		    int err)
{
	if (err == -ENODATA)
		doctor_add(d, check, DOCTOR_UNKNOWN, effect, "%s: empty, or not mounted", path);
	else if (err == -EBADMSG)
		doctor_add(d, check, DOCTOR_UNKNOWN, effect, "%s says nothing known", path);
	else
		doctor_add(d, check, DOCTOR_UNKNOWN, effect, "%s: %s", path, strerror(-err));
	if (err == -EACCES || err == -EPERM)
		doctor_advise(d, "run mprobectl doctor as root");
}

void doctor_command(struct doctor *d, const char *format, ...)
{
	struct doctor_finding *f = d->r->n ? &d->r->v[d->r->n - 1] : NULL;
	char **v = f ? reallocarray(f->commands, f->nr_commands + 1, sizeof(*v)) : NULL;
	va_list args;

	if (!v) {
		d->r->failed = true;
		return;
	}
	f->commands = v;
	va_start(args, format);
	v[f->nr_commands] = put(d, format, args);
	va_end(args);
	f->nr_commands += v[f->nr_commands] != NULL;
}

void doctor_advise(struct doctor *d, const char *format, ...)
{
	struct doctor_finding *f = d->r->n ? &d->r->v[d->r->n - 1] : NULL;
	va_list args;

	if (!f) {
		d->r->failed = true;
		return;
	}
	free(f->advice);
	va_start(args, format);
	f->advice = put(d, format, args);
	va_end(args);
}

void doctor_advise_cpus(struct doctor *d)
{
	doctor_advise(d, "leave CPUs for them: --cpus with fewer, see room");
}

char *doctor_list(char *out, size_t len, hwloc_const_bitmap_t set)
{
	hwloc_bitmap_list_snprintf(out, len, set);
	return out;
}

char *doctor_words(char *out, size_t len, hwloc_const_bitmap_t set)
{
	size_t at = 0;
	int end, i = hwloc_bitmap_first(set);

	out[0] = '\0';
	for (; i >= 0 && at < len; i = hwloc_bitmap_next(set, end)) {
		for (end = i; hwloc_bitmap_isset(set, end + 1); end++)
			;
		if (end == i + 1) /* two are shorter as they are */
			end = i;
		at += snprintf(out + at, len - at, end > i ? "%s$(seq %d %d)" : "%s%d",
			       at ? " " : "", i, end);
	}
	return out;
}

void doctor_join(char *out, size_t len, const char *format, ...)
{
	static const char more[] = ", ...";
	const size_t used = strlen(out);
	char one[256];
	va_list args;

	va_start(args, format);
	vsnprintf(one, sizeof(one), format, args);
	va_end(args);
	if (used >= sizeof(more) - 1 && !strcmp(out + used - (sizeof(more) - 1), more))
		return;
	if (used + strlen(one) + 2 + sizeof(more) <= len)
		snprintf(out + used, len - used, "%s%s", used ? ", " : "", one);
	else
		snprintf(out + used, len - used, "%s", more);
}

static void find_siblings(struct doctor *d)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	char path[128];
	int cpu, err = 0;

	hwloc_bitmap_foreach_begin(cpu, d->chosen)
	{
		snprintf(path, sizeof(path), DOCTOR_CPU "/cpu%d/topology/thread_siblings_list",
			 cpu);
		err = doctor_read_list(d->q->root, path, set);
		if (!err)
			hwloc_bitmap_or(d->siblings, d->siblings, set);
		else if (err != -ENOENT)
			d->siblings_err = err;
	}
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_and(d->siblings, d->siblings, d->online);
	hwloc_bitmap_andnot(d->siblings, d->siblings, d->chosen);
	hwloc_bitmap_free(set);
}

static void find_nodes(struct doctor *d)
{
	struct doctor_report *r = d->r;
	char path[128];
	int cpu;

	for (uint32_t node = 0; node < 1024 && r->nr_nodes < sizeof(r->nodes) / sizeof(r->nodes[0]);
	     node++) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%u", node);
		if (doctor_read_there(d->q->root, path))
			continue;
		hwloc_bitmap_foreach_begin(cpu, d->chosen)
		{
			snprintf(path, sizeof(path), DOCTOR_CPU "/cpu%d/node%u", cpu, node);
			if (!doctor_read_there(d->q->root, path)) {
				r->nodes[r->nr_nodes++] = node;
				break;
			}
		}
		hwloc_bitmap_foreach_end();
	}
}

/* By severity; what was found first of one severity stays first. */
static void sort(struct doctor_report *r)
{
	struct doctor_finding *v = calloc(r->n + 1, sizeof(*v));
	size_t n = 0;

	if (!v) {
		r->failed = true;
		return;
	}
	for (enum doctor_severity severity = DOCTOR_DISTURBS; severity <= DOCTOR_OK; severity++)
		for (size_t i = 0; i < r->n; i++)
			if (r->v[i].severity == severity)
				v[n++] = r->v[i];
	free(r->v);
	r->v = v;
}

static void examine(struct doctor *d)
{
	const struct doctor_request *q = d->q;

	for (size_t i = 0; i < q->nr_cpus; i++)
		hwloc_bitmap_set(d->chosen, q->cpus[i]);
	d->online_err = doctor_read_list(q->root, DOCTOR_CPU "/online", d->online);
	if (d->online_err)
		hwloc_bitmap_copy(d->online, d->chosen);
	find_siblings(d);
	find_nodes(d);
	hwloc_bitmap_andnot(d->rest, d->online, d->chosen);
	hwloc_bitmap_andnot(d->rest, d->rest, d->siblings);
	machine_kernel_read(&d->machine, q->root, &q->cpuid);
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		checks[i](d);
	sort(d->r);
}

int doctor_examine(const struct doctor_request *q, struct doctor_report *r)
{
	struct doctor d = { .q = q, .r = r };

	*r = (struct doctor_report){ .cpus = q->cpus,
				     .nr_cpus = q->nr_cpus,
				     .seconds = q->after->at - q->before->at };
	if (doctor_read_there(q->root, "/proc/stat") && doctor_read_there(q->root, DOCTOR_CPU))
		return -ENODATA;
	d.chosen = hwloc_bitmap_alloc();
	d.online = hwloc_bitmap_alloc();
	d.siblings = hwloc_bitmap_alloc();
	d.rest = hwloc_bitmap_alloc();
	if (d.chosen && d.online && d.siblings && d.rest)
		examine(&d);
	else
		r->failed = true;
	hwloc_bitmap_free(d.rest);
	hwloc_bitmap_free(d.siblings);
	hwloc_bitmap_free(d.online);
	hwloc_bitmap_free(d.chosen);
	return r->failed ? -ENOMEM : 0;
}

void doctor_report_free(struct doctor_report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct doctor_finding *f = &r->v[i];

		for (size_t k = 0; k < f->nr_commands; k++)
			free(f->commands[k]);
		free(f->commands);
		free(f->advice);
		free(f->effect);
		free(f->state);
	}
	free(r->v);
	r->v = NULL;
	r->n = 0;
}

size_t doctor_count(const struct doctor_report *r, enum doctor_severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->v[i].severity == severity;
	return n;
}

const char *doctor_severity_name(enum doctor_severity severity)
{
	static const char *const names[] = { [DOCTOR_DISTURBS] = "disturbs",
					     [DOCTOR_UNKNOWN] = "cannot tell",
					     [DOCTOR_NOTE] = "note",
					     [DOCTOR_OK] = "ok" };

	return names[severity];
}
