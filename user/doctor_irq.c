// SPDX-License-Identifier: GPL-2.0
/* Interrupts on the chosen CPUs: those that came between the readings, and those that may come. */
#include "doctor_checks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define RATE   10.0 /* a second and CPU: one window of 1 ms in a hundred */
#define NAMED  4    /* interrupts in a sentence */
#define BANNED "IRQBALANCE_BANNED_CPULIST="

static const char hit[] = "a window that one falls into is dropped and repeated";

struct rate {
	const struct sample_row *row;
	double most; /* a second, of the CPU that has most */
	int cpu;     /* that one */
};

static int by_rate(const void *a, const void *b)
{
	const struct rate *x = a, *y = b;

	return x->most < y->most ? 1 : x->most > y->most ? -1 : strcmp(x->row->name, y->row->name);
}

static struct rate rate_of(const struct doctor *d, const struct sample_table *before,
			   const struct sample_table *after, const struct sample_row *row)
{
	struct rate r = { .row = row, .cpu = -1 };
	int cpu;

	hwloc_bitmap_foreach_begin(cpu, d->chosen)
	{
		double one = doctor_sample_grown(before, after, row, cpu) / d->r->seconds;

		if (one > r.most) {
			r.most = one;
			r.cpu = cpu;
		}
	}
	hwloc_bitmap_foreach_end();
	return r;
}

static bool is_device(const struct sample_row *row)
{
	return isdigit((unsigned char)row->name[0]);
}

static bool is_timer(const struct sample_row *row)
{
	return !strcmp(row->name, "LOC") || !strcmp(row->name, "HVS") ||
	       strstr(row->what, "timer") != NULL;
}

static bool is_ipi(const struct sample_row *row)
{
	return !is_device(row) && !is_timer(row);
}

static bool is_fired_device(const struct sample_row *row)
{
	return is_device(row) && !is_timer(row);
}

static bool is_softirq(const struct sample_row *row)
{
	return row->name[0] != '\0';
}

/* Rows of a kind that came on a chosen CPU, most first; the caller's. NULL: no memory. */
static struct rate *came(struct doctor *d, const struct sample_table *before,
			 const struct sample_table *after,
			 bool (*kind)(const struct sample_row *row), size_t *n)
{
	struct rate *v = calloc(after->n + 1, sizeof(*v));

	*n = 0;
	if (!v) {
		d->r->failed = true;
		return NULL;
	}
	for (size_t i = 0; d->r->seconds > 0 && i < after->n; i++) {
		if (!kind(&after->rows[i]))
			continue;
		v[*n] = rate_of(d, before, after, &after->rows[i]);
		*n += v[*n].cpu >= 0;
	}
	qsort(v, *n, sizeof(*v), by_rate);
	return v;
}

static const char *names(char *out, size_t len, const struct rate *v, size_t n)
{
	out[0] = '\0';
	for (size_t i = 0; i < n && i < NAMED; i++)
		doctor_join(out, len, "%s%s%s %.0f/s on CPU %d", v[i].row->name,
			    is_device(v[i].row) && v[i].row->what[0] ? " " : "",
			    is_device(v[i].row) ? v[i].row->what : "", v[i].most, v[i].cpu);
	if (n > NAMED)
		doctor_join(out, len, "and %zu more", n - NAMED);
	return out;
}

/* The most that one chosen CPU got of all of them. */
static double worst(const struct doctor *d, const struct sample_table *before,
		    const struct sample_table *after, const struct rate *v, size_t n)
{
	double most = 0;
	int cpu;

	hwloc_bitmap_foreach_begin(cpu, d->chosen)
	{
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += doctor_sample_grown(before, after, v[i].row, cpu);
		sum /= d->r->seconds;
		most = sum > most ? sum : most;
	}
	hwloc_bitmap_foreach_end();
	return most;
}

/* Its driver fixes the affinity of a managed interrupt; kernels of today then let nobody write it. */
static bool is_fixed(const struct doctor *d, int irq)
{
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), "%s/proc/irq/%d/smp_affinity_list", d->q->root, irq);
	return !stat(path, &st) && !(st.st_mode & S_IWUSR);
}

/* How to send these away; fixed: numbers of those that can't be sent. */
static void move(struct doctor *d, hwloc_const_bitmap_t irqs)
{
	hwloc_bitmap_t fixed = hwloc_bitmap_alloc(), movable = hwloc_bitmap_alloc();
	char rest[DOCTOR_LIST], words[DOCTOR_LIST];
	int irq;

	if (!fixed || !movable) {
		d->r->failed = true;
		goto out;
	}
	hwloc_bitmap_foreach_begin(irq, irqs)
		hwloc_bitmap_set(is_fixed(d, irq) ? fixed : movable, irq);
	hwloc_bitmap_foreach_end();
	if (hwloc_bitmap_iszero(d->rest)) {
		doctor_advise_cpus(d);
		goto out;
	}
	doctor_list(rest, sizeof(rest), d->rest);
	if (hwloc_bitmap_weight(movable) == 1)
		doctor_command(d, "echo %s > /proc/irq/%d/smp_affinity_list", rest,
			       hwloc_bitmap_first(movable));
	else if (!hwloc_bitmap_iszero(movable))
		doctor_command(d, "for i in %s; do echo %s > /proc/irq/$i/smp_affinity_list; done",
			       doctor_words(words, sizeof(words), movable), rest);
	if (!hwloc_bitmap_iszero(fixed))
		doctor_advise(
			d, "not to be moved on this kernel: %s; choose other CPUs, or --irqs off",
			doctor_list(words, sizeof(words), fixed));
out:
	hwloc_bitmap_free(movable);
	hwloc_bitmap_free(fixed);
}

void doctor_interrupts(struct doctor *d)
{
	const struct sample_table *a = &d->q->before->interrupts, *b = &d->q->after->interrupts;
	hwloc_bitmap_t irqs;
	char text[DOCTOR_SHOWN];
	struct rate *v;
	size_t n;

	if (a->err || b->err) {
		doctor_unknown(d, "interrupts", hit, "/proc/interrupts", b->err ? b->err : a->err);
		return;
	}
	v = came(d, a, b, is_fired_device, &n);
	irqs = hwloc_bitmap_alloc();
	if (!v || !irqs) {
		d->r->failed = true;
	} else if (!n) {
		doctor_add(d, "interrupts", DOCTOR_OK, NULL, "none of a device came");
	} else {
		doctor_add(d, "interrupts",
			   worst(d, a, b, v, n) < RATE ? DOCTOR_NOTE : DOCTOR_DISTURBS, hit, "%s",
			   names(text, sizeof(text), v, n));
		for (size_t i = 0; i < n; i++)
			hwloc_bitmap_set(irqs, atoi(v[i].row->name));
		move(d, irqs);
	}
	hwloc_bitmap_free(irqs);
	free(v);
}

void doctor_ipis(struct doctor *d)
{
	const struct sample_table *a = &d->q->before->interrupts, *b = &d->q->after->interrupts;
	char text[DOCTOR_SHOWN];
	struct rate *v;
	size_t n;

	if (a->err || b->err)
		return; /* said of interrupts */
	v = came(d, a, b, is_ipi, &n);
	if (!v)
		return;
	if (!n) {
		doctor_add(d, "ipis", DOCTOR_OK, NULL, "none came from other CPUs");
	} else {
		doctor_add(d, "ipis", worst(d, a, b, v, n) < RATE ? DOCTOR_NOTE : DOCTOR_DISTURBS,
			   hit, "%s", names(text, sizeof(text), v, n));
		doctor_advise(d, "other programs' work causes them: keep it off these CPUs%s",
			      hwloc_bitmap_iszero(d->rest) ? "" : " (isolation)");
	}
	free(v);
}

void doctor_timer(struct doctor *d)
{
	const struct sample_table *a = &d->q->before->interrupts, *b = &d->q->after->interrupts;
	char text[DOCTOR_SHOWN];
	struct rate *v;
	size_t n;

	if (a->err || b->err)
		return;
	v = came(d, a, b, is_timer, &n);
	if (!v)
		return;
	if (!n || v[0].most < RATE) {
		doctor_add(d, "timer", DOCTOR_OK, NULL, "at most %.0f/s now", n ? v[0].most : 0.0);
	} else {
		doctor_add(d, "timer", DOCTOR_NOTE,
			   "the default window is a quarter of a tick, so that most see none", "%s",
			   names(text, sizeof(text), v, n));
		doctor_advise(d, "fewer on CPUs that are idle or nohz_full; none with --irqs off");
	}
	free(v);
}

void doctor_softirqs(struct doctor *d)
{
	static const char effect[] = "each makes the interrupt before it longer";
	const struct sample_table *a = &d->q->before->softirqs, *b = &d->q->after->softirqs;
	char text[DOCTOR_SHOWN];
	struct rate *v;
	size_t n;

	if (a->err || b->err) {
		doctor_unknown(d, "softirqs", effect, "/proc/softirqs", b->err ? b->err : a->err);
		return;
	}
	v = came(d, a, b, is_softirq, &n);
	if (!v)
		return;
	if (!n || worst(d, a, b, v, n) < RATE) {
		doctor_add(d, "softirqs", DOCTOR_OK, NULL, "fewer than %.0f/s", RATE);
	} else {
		doctor_add(d, "softirqs", DOCTOR_NOTE, effect, "%s",
			   names(text, sizeof(text), v, n));
		doctor_advise(d, "they follow timer and interrupts, RCU also rcu_nocbs");
	}
	free(v);
}

static int is_number(const struct dirent *e)
{
	return isdigit((unsigned char)e->d_name[0]);
}

static int read_affinity(const struct doctor *d, const char *irq, const char *file,
			 hwloc_bitmap_t out)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/irq/%.32s/%s", irq, file);
	return doctor_read_list(d->q->root, path, out);
}

struct affinity {
	hwloc_bitmap_t may, goes; /* of all CPUs that it may go to, where it goes */
};

/* Will it come to a chosen CPU? 1, 0 or -errno; a: to work in */
static int reaches(const struct doctor *d, const char *irq, const struct affinity *a)
{
	int err = read_affinity(d, irq, "smp_affinity_list", a->may);

	if (err)
		return err == -ENOENT ? 0 : err;
	err = read_affinity(d, irq, "effective_affinity_list", a->goes);
	if (err && err != -ENOENT)
		return err;
	/* not said by older kernels and some chips; elsewhere until it comes once more after a change */
	if (err || hwloc_bitmap_iszero(a->goes) || !hwloc_bitmap_isincluded(a->goes, a->may))
		return hwloc_bitmap_intersects(a->may, d->chosen);
	return hwloc_bitmap_intersects(a->goes, d->chosen);
}

/* Those that may be delivered to a chosen CPU; 0 or -errno */
static int reaching(const struct doctor *d, hwloc_bitmap_t out)
{
	const struct affinity a = { hwloc_bitmap_alloc(), hwloc_bitmap_alloc() };
	struct dirent **v = NULL;
	char path[512];
	int n, err;

	snprintf(path, sizeof(path), "%s/proc/irq", d->q->root);
	n = scandir(path, &v, is_number, versionsort);
	err = n < 0 ? -errno : a.may && a.goes ? 0 : -ENOMEM;
	for (int i = 0; i < n; i++) {
		int yes = err ? 0 : reaches(d, v[i]->d_name, &a);

		if (yes < 0)
			err = yes;
		else if (yes)
			hwloc_bitmap_set(out, atoi(v[i]->d_name));
		free(v[i]);
	}
	free(v);
	hwloc_bitmap_free(a.goes);
	hwloc_bitmap_free(a.may);
	return err;
}

/* An interrupt without a handler has a directory all the same, and never comes. */
static void keep_used(const struct doctor *d, hwloc_bitmap_t irqs)
{
	const struct sample_table *t = &d->q->after->interrupts;
	hwloc_bitmap_t used = hwloc_bitmap_alloc();

	for (size_t i = 0; used && i < t->n; i++)
		if (is_fired_device(&t->rows[i]) && t->rows[i].what[0])
			hwloc_bitmap_set(used, atoi(t->rows[i].name));
	if (used && !t->err)
		hwloc_bitmap_and(irqs, irqs, used);
	hwloc_bitmap_free(used);
}

void doctor_affinity(struct doctor *d)
{
	hwloc_bitmap_t irqs = hwloc_bitmap_alloc();
	char list[DOCTOR_LIST];
	int err;

	if (!irqs) {
		d->r->failed = true;
		return;
	}
	err = reaching(d, irqs);
	if (!err)
		keep_used(d, irqs);
	if (err) {
		doctor_unknown(d, "affinity", hit, "/proc/irq", err);
	} else if (hwloc_bitmap_iszero(irqs)) {
		doctor_add(d, "affinity", DOCTOR_OK, NULL, "no device's interrupt comes here");
	} else {
		doctor_add(d, "affinity", DOCTOR_NOTE, hit, "may come here: interrupt%s %s",
			   hwloc_bitmap_weight(irqs) > 1 ? "s" : "",
			   doctor_list(list, sizeof(list), irqs));
		move(d, irqs);
	}
	hwloc_bitmap_free(irqs);
}

static const struct sample_process *find(const struct doctor *d, const char *name)
{
	const struct doctor_sample *s = d->q->after;

	for (size_t i = 0; i < s->nr_processes; i++)
		if (!strcmp(s->processes[i].name, name) && !s->processes[i].of_kernel)
			return &s->processes[i];
	return NULL;
}

/* CPUs that it keeps its hands off by its environment; those isolated at boot it leaves alone anyway. */
static void add_banned(const struct doctor *d, int pid, hwloc_bitmap_t out)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	char path[64], *text;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	if (set && !doctor_read_text(d->q->root, path, &text, &len)) {
		for (size_t at = 0; at < len; at += strlen(text + at) + 1)
			if (!strncmp(text + at, BANNED, strlen(BANNED)) &&
			    !hwloc_bitmap_list_sscanf(set, text + at + strlen(BANNED)))
				hwloc_bitmap_or(out, out, set);
		free(text);
	}
	hwloc_bitmap_free(set);
}

void doctor_irqbalance(struct doctor *d)
{
	static const char *const isolated[] = { DOCTOR_CPU "/isolated", DOCTOR_CPU "/nohz_full" };
	const struct sample_process *p = find(d, "irqbalance");
	hwloc_bitmap_t left = hwloc_bitmap_alloc(), set = hwloc_bitmap_alloc();

	if (!left || !set) {
		d->r->failed = true;
		goto out;
	}
	for (size_t i = 0; i < sizeof(isolated) / sizeof(isolated[0]); i++)
		if (!doctor_read_list(d->q->root, isolated[i], set))
			hwloc_bitmap_or(left, left, set);
	if (p)
		add_banned(d, p->pid, left);
	if (!d->q->after->nr_processes) {
		doctor_add(d, "irqbalance", DOCTOR_UNKNOWN, "it moves interrupts to these CPUs",
			   "no process is visible in /proc");
	} else if (!p) {
		doctor_add(d, "irqbalance", DOCTOR_OK, NULL, "not running");
	} else if (hwloc_bitmap_isincluded(d->chosen, left)) {
		doctor_add(d, "irqbalance", DOCTOR_OK, NULL,
			   "running (%d), and leaves these CPUs alone", p->pid);
	} else {
		doctor_add(d, "irqbalance", DOCTOR_DISTURBS,
			   "it moves interrupts to these CPUs, also those you moved away",
			   "running (%d)", p->pid);
		if (!doctor_read_there(d->q->root, "/run/systemd/system"))
			doctor_command(d, "systemctl stop irqbalance");
		else
			doctor_command(d, "kill %d", p->pid);
	}
out:
	hwloc_bitmap_free(set);
	hwloc_bitmap_free(left);
}
