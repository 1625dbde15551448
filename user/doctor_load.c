// SPDX-License-Identifier: GPL-2.0
/* What else runs: programs on the chosen CPUs, on their siblings, and below in the hypervisor. */
#include "doctor_checks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUSY	    0.05  /* of a CPU's time: five windows of a hundred */
#define BUSY_NOTED  0.015 /* one tick of a second is 0.01 */
#define STOLEN	    0.005
#define STOLEN_EVER 0.001
#define TOP	    3 /* programs named */

static struct sample_share share(const struct doctor *d, int cpu)
{
	return doctor_sample_share(d->q->before, d->q->after, cpu);
}

/* "CPU 0 97 %, CPU 1 3 %" of those that are at least `least`; returns the largest, -1 unknown */
static double busy(const struct doctor *d, hwloc_const_bitmap_t set, double least, char *out,
		   size_t len)
{
	double most = -1;
	int cpu;

	out[0] = '\0';
	hwloc_bitmap_foreach_begin(cpu, set)
	{
		double b = share(d, cpu).busy;

		if (b < 0)
			return -1;
		if (b >= least)
			doctor_join(out, len, "CPU %d %.0f %%", cpu, 100 * b);
		most = b > most ? b : most;
	}
	hwloc_bitmap_foreach_end();
	return most;
}

struct used {
	const struct sample_process *p;
	double cpus; /* of time, so many at once */
};

static int by_use(const void *a, const void *b)
{
	const struct used *x = a, *y = b;

	return x->cpus < y->cpus ? 1 : x->cpus > y->cpus ? -1 : x->p->pid - y->p->pid;
}

static uint64_t ticks_before(const struct doctor *d, int pid)
{
	const struct doctor_sample *s = d->q->before;

	for (size_t i = 0; i < s->nr_processes; i++)
		if (s->processes[i].pid == pid)
			return s->processes[i].ticks;
	return 0;
}

/* The programs that used most time, wherever: which CPU each took is not known. */
static size_t top(const struct doctor *d, struct used *out)
{
	const struct doctor_sample *s = d->q->after;
	struct used *v = calloc(s->nr_processes + 1, sizeof(*v));
	const double ticks = d->r->seconds * sysconf(_SC_CLK_TCK);
	size_t n = 0;

	for (size_t i = 0; v && ticks > 0 && i < s->nr_processes; i++) {
		const struct sample_process *p = &s->processes[i];
		uint64_t was = ticks_before(d, p->pid);

		v[n].p = p;
		v[n].cpus = p->ticks > was ? (p->ticks - was) / ticks : 0;
		n += v[n].cpus >= BUSY && p->pid != getpid();
	}
	if (!v)
		d->r->failed = true;
	else
		qsort(v, n, sizeof(*v), by_use);
	n = n < TOP ? n : TOP;
	if (v)
		memcpy(out, v, n * sizeof(*v));
	free(v);
	return n;
}

static void name_programs(struct doctor *d, const struct used *v, size_t n)
{
	char names[DOCTOR_SHOWN] = "", rest[DOCTOR_LIST];

	for (size_t i = 0; i < n; i++)
		doctor_join(names, sizeof(names), "%s (%d) %.0f %%", v[i].p->name, v[i].p->pid,
			    100 * v[i].cpus);
	if (hwloc_bitmap_iszero(d->rest)) {
		doctor_advise(d, "stop them, or leave CPUs for them by --cpus%s%s",
			      n ? "; busiest anywhere: " : "", names);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (!v[i].p->of_kernel)
			doctor_command(d, "taskset -apc %s %d",
				       doctor_list(rest, sizeof(rest), d->rest), v[i].p->pid);
	if (n)
		doctor_advise(d, "busiest anywhere: %s", names);
	else
		doctor_advise(d, "no long-lived program does it: see top");
}

void doctor_load(struct doctor *d)
{
	static const char effect[] = "windows are preempted; cache and bandwidth are shared";
	char list[DOCTOR_SHOWN];
	struct used v[TOP];
	double most;

	if (d->q->after->cpus_err) {
		doctor_unknown(d, "load", effect, "/proc/stat", d->q->after->cpus_err);
		return;
	}
	most = busy(d, d->chosen, BUSY_NOTED, list, sizeof(list));
	if (most < 0) {
		doctor_add(d, "load", DOCTOR_UNKNOWN, effect,
			   "/proc/stat does not know all of these CPUs");
	} else if (most < BUSY_NOTED) {
		doctor_add(d, "load", DOCTOR_OK, NULL, "idle");
	} else {
		doctor_add(d, "load", most < BUSY ? DOCTOR_NOTE : DOCTOR_DISTURBS, effect,
			   "busy with other work: %s", list);
		name_programs(d, v, top(d, v));
	}
	if (hwloc_bitmap_iszero(d->rest))
		return;
	if (busy(d, d->rest, BUSY, list, sizeof(list)) < 0)
		doctor_add(d, "neighbours", DOCTOR_UNKNOWN,
			   "their traffic shares last cache and memory",
			   "/proc/stat does not know all other CPUs");
	else if (list[0])
		doctor_add(d, "neighbours", DOCTOR_NOTE,
			   "their traffic shares last cache and memory", "other CPUs busy: %s",
			   list);
	else
		doctor_add(d, "neighbours", DOCTOR_OK, NULL, "other CPUs idle");
}

void doctor_room(struct doctor *d)
{
	static const char effect[] = "interrupts and other programs run where you measure";
	hwloc_bitmap_t fewer;
	char list[DOCTOR_LIST];

	if (d->online_err) {
		doctor_unknown(d, "room", effect, DOCTOR_CPU "/online", d->online_err);
		return;
	}
	if (hwloc_bitmap_weight(d->online) < 2)
		return;
	if (!hwloc_bitmap_iszero(d->rest)) {
		doctor_add(d, "room", DOCTOR_OK, NULL, "CPUs for all others: %s",
			   doctor_list(list, sizeof(list), d->rest));
		return;
	}
	doctor_add(d, "room", DOCTOR_NOTE, effect, "every online core is chosen");
	fewer = hwloc_bitmap_dup(d->chosen);
	if (!fewer) {
		d->r->failed = true;
		return;
	}
	/* the first takes most interrupts at boot */
	hwloc_bitmap_clr(fewer, hwloc_bitmap_first(fewer));
	if (!hwloc_bitmap_iszero(fewer) && hwloc_bitmap_iszero(d->siblings))
		doctor_advise(d,
			      "leave one out: mprobectl doctor --cpus %s, and the same to lat, bw",
			      doctor_list(list, sizeof(list), fewer));
	else
		doctor_advise(d, "leave a core out by --cpus");
	hwloc_bitmap_free(fewer);
}

void doctor_smt(struct doctor *d)
{
	static const char effect[] = "a busy sibling takes execution units, L1 and L2";
	char list[DOCTOR_LIST], words[DOCTOR_LIST];
	double most;

	if (d->siblings_err || d->online_err) {
		doctor_unknown(d, "smt", effect,
			       d->online_err ? DOCTOR_CPU "/online" :
					       DOCTOR_CPU "/cpu*/topology/thread_siblings_list",
			       d->online_err ? d->online_err : d->siblings_err);
		return;
	}
	if (hwloc_bitmap_iszero(d->siblings)) {
		doctor_add(d, "smt", DOCTOR_OK, NULL, "no online sibling outside the chosen CPUs");
		return;
	}
	most = busy(d, d->siblings, BUSY, list, sizeof(list));
	if (most < 0)
		doctor_add(d, "smt", DOCTOR_UNKNOWN, effect,
			   "siblings online; /proc/stat does not know all of them");
	else if (most >= BUSY)
		doctor_add(d, "smt", DOCTOR_DISTURBS, effect, "siblings busy: %s", list);
	else
		doctor_add(d, "smt", DOCTOR_NOTE, effect, "siblings online, idle now: CPUs %s",
			   doctor_list(list, sizeof(list), d->siblings));
	if (hwloc_bitmap_weight(d->siblings) == 1)
		doctor_command(d, "echo 0 > " DOCTOR_CPU "/cpu%d/online",
			       hwloc_bitmap_first(d->siblings));
	else
		doctor_command(d, "for c in %s; do echo 0 > " DOCTOR_CPU "/cpu$c/online; done",
			       doctor_words(words, sizeof(words), d->siblings));
}

void doctor_steal(struct doctor *d)
{
	static const char effect[] = "the host ran others on these CPUs: windows stretch unseen";
	static const char advice[] = "on the host: pin this guest's CPUs and leave them to it";
	char now[DOCTOR_SHOWN] = "";
	double worst = 0, ever = 0;
	int cpu;

	if (!d->machine.virtualised)
		return;
	if (d->q->after->cpus_err) {
		doctor_unknown(d, "steal", effect, "/proc/stat", d->q->after->cpus_err);
		return;
	}
	hwloc_bitmap_foreach_begin(cpu, d->chosen)
	{
		struct sample_share s = share(d, cpu);

		if (s.steal < 0) {
			doctor_add(d, "steal", DOCTOR_UNKNOWN, effect,
				   "/proc/stat does not know CPU %d", cpu);
			return;
		}
		if (s.steal >= STOLEN)
			doctor_join(now, sizeof(now), "CPU %d %.1f %%", cpu, 100 * s.steal);
		worst = s.steal > worst ? s.steal : worst;
		ever = s.steal_ever > ever ? s.steal_ever : ever;
	}
	hwloc_bitmap_foreach_end();
	if (worst >= STOLEN)
		doctor_add(d, "steal", DOCTOR_DISTURBS, effect, "stolen now: %s", now);
	else if (ever >= STOLEN_EVER)
		doctor_add(d, "steal", DOCTOR_NOTE, effect,
			   "none now; since boot up to %.1f %% of a CPU", 100 * ever);
	else if (ever > 0)
		doctor_add(d, "steal", DOCTOR_OK, NULL, "none now, none since boot to speak of");
	else
		doctor_add(
			d, "steal", DOCTOR_UNKNOWN, effect,
			"the host has reported none since boot: there was none, or it does not tell");
	if (worst >= STOLEN || ever >= STOLEN_EVER)
		doctor_advise(d, advice);
}

void doctor_hypervisor(struct doctor *d)
{
	const struct machine *m = &d->machine;

	if (m->virtualised < 0)
		doctor_add(d, "hypervisor", DOCTOR_UNKNOWN,
			   "a host would hide pages, frequency and other guests",
			   "this CPU does not say whether there is one");
	else if (!m->virtualised)
		doctor_add(d, "hypervisor", DOCTOR_OK, NULL, "none");
	else if (m->emulated == 1)
		doctor_add(d, "hypervisor", DOCTOR_DISTURBS,
			   "figures are the emulator's, not a memory's (taint: emulated)", "%s",
			   m->hypervisor);
	else
		doctor_add(d, "hypervisor", DOCTOR_NOTE,
			   "the host's pages and other guests are not seen (taint: virtualised)",
			   "%s", m->hypervisor[0] ? m->hypervisor : "of a kind not known");
}
