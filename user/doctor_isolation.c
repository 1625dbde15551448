// SPDX-License-Identifier: GPL-2.0
/* Which of the chosen CPUs the kernel keeps free of other work by itself. */
#include "doctor_checks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -ENOENT: the kernel has no such file, and the set is empty */
static int add_file(const struct doctor *d, const char *path, hwloc_bitmap_t out)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int err = set ? doctor_read_list(d->q->root, path, set) : -ENOMEM;

	if (!err)
		hwloc_bitmap_or(out, out, set);
	hwloc_bitmap_free(set);
	return err;
}

/* rcu_nocbs=LIST, rcu_nocbs=all or rcu_nocbs by itself, of the kernel's command line */
static int add_nocbs(const struct doctor *d, hwloc_bitmap_t out)
{
	static const char key[] = "rcu_nocbs";
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	char *text = NULL;
	size_t len;
	int err = set ? doctor_read_text(d->q->root, "/proc/cmdline", &text, &len) : -ENOMEM;

	for (char *w = err ? NULL : strtok(text, " \n"); w; w = strtok(NULL, " \n")) {
		if (strncmp(w, key, strlen(key)))
			continue;
		w += strlen(key);
		if (!*w || !strcmp(w, "=all"))
			hwloc_bitmap_or(out, out, d->online);
		else if (*w == '=' && !hwloc_bitmap_list_sscanf(set, w + 1))
			hwloc_bitmap_or(out, out, set);
	}
	free(text);
	hwloc_bitmap_free(set);
	return err;
}

static const char *state(const struct doctor *d, hwloc_const_bitmap_t set, int err)
{
	return err == -ENOENT			       ? "not built in" :
	       hwloc_bitmap_isincluded(d->chosen, set) ? "all" :
	       hwloc_bitmap_intersects(d->chosen, set) ? "some" :
							 "none";
}

struct sets {
	hwloc_bitmap_t isolated, tickless, nocbs;
	int tickless_err;
};

static void advise(struct doctor *d, const struct sets *s)
{
	char list[DOCTOR_LIST], rest[DOCTOR_LIST], nohz[DOCTOR_LIST + 16] = "";

	if (hwloc_bitmap_iszero(d->rest)) {
		doctor_advise_cpus(d);
		return;
	}
	doctor_list(list, sizeof(list), d->chosen);
	if (s->tickless_err != -ENOENT)
		snprintf(nohz, sizeof(nohz), " nohz_full=%s", list);
	doctor_advise(d, "boot with isolcpus=managed_irq,domain,%s%s rcu_nocbs=%s irqaffinity=%s",
		      list, nohz, list, doctor_list(rest, sizeof(rest), d->rest));
}

static void judge(struct doctor *d, struct sets *s)
{
	static const char effect[] =
		"scheduler, timers, RCU and unbound work may use these CPUs too";
	int err = add_file(d, DOCTOR_CPU "/isolated", s->isolated);

	if (err && err != -ENOENT) {
		doctor_unknown(d, "isolation", effect, DOCTOR_CPU "/isolated", err);
		return;
	}
	add_file(d, "/sys/fs/cgroup/cpuset.cpus.isolated", s->isolated); /* since 6.7 */
	s->tickless_err = add_file(d, DOCTOR_CPU "/nohz_full", s->tickless);
	if (s->tickless_err && s->tickless_err != -ENOENT) {
		doctor_unknown(d, "isolation", effect, DOCTOR_CPU "/nohz_full", s->tickless_err);
		return;
	}
	err = add_nocbs(d, s->nocbs);
	if (err) {
		doctor_unknown(d, "isolation", effect, "/proc/cmdline", err);
		return;
	}
	hwloc_bitmap_or(s->nocbs, s->nocbs, s->tickless); /* the kernel does so */
	err = !hwloc_bitmap_isincluded(d->chosen, s->isolated) ||
	      !hwloc_bitmap_isincluded(d->chosen, s->nocbs) ||
	      (!s->tickless_err && !hwloc_bitmap_isincluded(d->chosen, s->tickless));
	doctor_add(d, "isolation", err ? DOCTOR_NOTE : DOCTOR_OK, effect,
		   "of these CPUs: isolcpus %s, nohz_full %s, rcu_nocbs %s",
		   state(d, s->isolated, 0), state(d, s->tickless, s->tickless_err),
		   state(d, s->nocbs, 0));
	if (err)
		advise(d, s);
}

void doctor_isolation(struct doctor *d)
{
	struct sets s = { .isolated = hwloc_bitmap_alloc(),
			  .tickless = hwloc_bitmap_alloc(),
			  .nocbs = hwloc_bitmap_alloc() };

	if (s.isolated && s.tickless && s.nocbs)
		judge(d, &s);
	else
		d->r->failed = true;
	hwloc_bitmap_free(s.nocbs);
	hwloc_bitmap_free(s.tickless);
	hwloc_bitmap_free(s.isolated);
}
