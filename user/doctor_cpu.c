// SPDX-License-Identifier: GPL-2.0
/* How fast the chosen CPUs run, how they sleep, what time they keep, and what else may run on them. */
#include "doctor_checks.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEP_US	   10 /* exit latency of an idle state */
#define DEEPEST_US 50 /* caches are flushed, and the socket slows down with its cores */
#define LATENCY	   "/dev/cpu_dma_latency"
#define CLOCK	   "/sys/devices/system/clocksource/clocksource0/"

static int cpufreq(const struct doctor *d, int cpu, const char *file, char *out, size_t len)
{
	char path[128];

	snprintf(path, sizeof(path), DOCTOR_CPU "/cpu%d/cpufreq/%s", cpu, file);
	return doctor_read_line(d->q->root, path, out, len);
}

/* echo WORD into a file of each of these CPUs */
static void write_each(struct doctor *d, const char *word, const char *file,
		       hwloc_const_bitmap_t set)
{
	char words[DOCTOR_LIST];

	if (hwloc_bitmap_weight(set) == 1) {
		doctor_command(d, "echo %s > " DOCTOR_CPU "/cpu%d/%s", word,
			       hwloc_bitmap_first(set), file);
		return;
	}
	doctor_command(d, "d=" DOCTOR_CPU);
	doctor_command(d, "for c in %s; do echo %s > $d/cpu$c/%s; done",
		       doctor_words(words, sizeof(words), set), word, file);
}

/* A frequency that has nowhere to go is as good as the right governor. */
static bool is_fixed(const struct doctor *d, int cpu)
{
	char min[32], max[32];

	return !cpufreq(d, cpu, "scaling_min_freq", min, sizeof(min)) &&
	       !cpufreq(d, cpu, "scaling_max_freq", max, sizeof(max)) && !strcmp(min, max);
}

static void no_frequency(struct doctor *d)
{
	if (d->machine.virtualised == 1)
		doctor_add(d, "governor", DOCTOR_NOTE,
			   "clock and temperature of the core are the host's: ns may drift",
			   "the host sets the frequency");
	else
		doctor_add(d, "governor", DOCTOR_UNKNOWN,
			   "clock and temperature of the core may change: ns may drift",
			   "no cpufreq driver: firmware sets the frequency");
}

static void say_governor(struct doctor *d, hwloc_const_bitmap_t bad, const char *name)
{
	char driver[64] = "", list[DOCTOR_LIST], there[256];
	const int first = hwloc_bitmap_first(bad);

	if (cpufreq(d, first, "scaling_driver", driver, sizeof(driver)))
		snprintf(driver, sizeof(driver), "driver unknown");
	doctor_add(d, "governor", DOCTOR_DISTURBS,
		   "the clock follows the load: the first windows are slow, ns drift",
		   "%s (%s) on CPU%s %s", name, driver, hwloc_bitmap_weight(bad) > 1 ? "s" : "",
		   doctor_list(list, sizeof(list), bad));
	if (!cpufreq(d, first, "scaling_available_governors", there, sizeof(there)) &&
	    !strstr(there, "performance"))
		doctor_command(d, "modprobe cpufreq_performance");
	write_each(d, "performance", "cpufreq/scaling_governor", bad);
}

void doctor_governor(struct doctor *d)
{
	hwloc_bitmap_t bad = hwloc_bitmap_alloc();
	char name[64] = "", one[64];
	int cpu, err = 0, n = 0;

	if (!bad) {
		d->r->failed = true;
		return;
	}
	hwloc_bitmap_foreach_begin(cpu, d->chosen)
	{
		int got = cpufreq(d, cpu, "scaling_governor", one, sizeof(one));

		if (got) {
			n += got == -ENOENT;
			err = got == -ENOENT ? err : got;
		} else if (strcmp(one, "performance") && !is_fixed(d, cpu)) {
			hwloc_bitmap_set(bad, cpu);
			snprintf(name, sizeof(name), "%s",
				 name[0] && strcmp(name, one) ? "mixed" : one);
		}
	}
	hwloc_bitmap_foreach_end();
	if (err)
		doctor_unknown(d, "governor", "the clock may follow the load",
			       DOCTOR_CPU "/cpu*/cpufreq/scaling_governor", err);
	else if (name[0])
		say_governor(d, bad, name);
	else if (n)
		no_frequency(d);
	else
		doctor_add(d, "governor", DOCTOR_OK, NULL, "performance, or a fixed frequency");
	hwloc_bitmap_free(bad);
}

void doctor_epp(struct doctor *d)
{
	static const char file[] = "cpufreq/energy_performance_preference";
	hwloc_bitmap_t bad = hwloc_bitmap_alloc();
	char one[64], name[64] = "", path[128];
	int cpu, err = 0, n = 0;

	if (!bad) {
		d->r->failed = true;
		return;
	}
	hwloc_bitmap_foreach_begin(cpu, d->chosen)
	{
		int got;

		snprintf(path, sizeof(path), DOCTOR_CPU "/cpu%d/%s", cpu, file);
		got = doctor_read_line(d->q->root, path, one, sizeof(one));
		if (got && got != -ENOENT)
			err = got;
		n += !got;
		if (!got && strcmp(one, "performance") && strcmp(one, "0")) {
			hwloc_bitmap_set(bad, cpu);
			snprintf(name, sizeof(name), "%s", one);
		}
	}
	hwloc_bitmap_foreach_end();
	if (err) {
		doctor_unknown(d, "epp", "the CPU may save power", path, err);
	} else if (name[0]) {
		doctor_add(d, "epp", DOCTOR_DISTURBS, "the CPU itself trades clock for power", "%s",
			   name);
		write_each(d, "performance", file, bad);
	} else if (n) {
		doctor_add(d, "epp", DOCTOR_OK, NULL, "performance");
	}
	hwloc_bitmap_free(bad);
}

void doctor_turbo(struct doctor *d)
{
	static const struct {
		const char *path;
		int on;
	} switches[] = { { DOCTOR_CPU "/intel_pstate/no_turbo", 0 },
			 { DOCTOR_CPU "/cpufreq/boost", 1 } };
	static const char effect[] =
		"the clock depends on heat and on how many cores run: ns of caches drift";
	long long v;

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		const char *path = switches[i].path;
		int err = doctor_read_number(d->q->root, path, &v);

		if (err == -ENOENT)
			continue;
		if (err) {
			doctor_unknown(d, "turbo", effect, path, err);
		} else if (v == switches[i].on) {
			doctor_add(d, "turbo", DOCTOR_NOTE, effect, "on");
			doctor_command(d, "echo %d > %s", !switches[i].on, path);
		} else {
			doctor_add(d, "turbo", DOCTOR_OK, NULL, "off");
		}
		return;
	}
}

struct idle {
	char names[DOCTOR_SHOWN]; /* of the deep ones that are enabled */
	long long worst;	  /* us */
	hwloc_bitmap_t states;	  /* their numbers */
	int err;
};

static int is_state(const struct dirent *e)
{
	return !strncmp(e->d_name, "state", 5);
}

static void add_state(const struct doctor *d, struct idle *s, int cpu, const char *state)
{
	char path[160], name[32], label[64];
	long long latency, disabled;
	int err;

	snprintf(path, sizeof(path), DOCTOR_CPU "/cpu%d/cpuidle/%.16s/latency", cpu, state);
	err = doctor_read_number(d->q->root, path, &latency);
	snprintf(path, sizeof(path), DOCTOR_CPU "/cpu%d/cpuidle/%.16s/disable", cpu, state);
	err = err ? err : doctor_read_number(d->q->root, path, &disabled);
	snprintf(path, sizeof(path), DOCTOR_CPU "/cpu%d/cpuidle/%.16s/name", cpu, state);
	err = err ? err : doctor_read_line(d->q->root, path, name, sizeof(name));
	if (err) {
		s->err = err;
		return;
	}
	if (disabled || latency < DEEP_US)
		return;
	snprintf(label, sizeof(label), "%s %lld us", name, latency);
	if (!strstr(s->names, label))
		doctor_join(s->names, sizeof(s->names), "%s", label);
	s->worst = latency > s->worst ? latency : s->worst;
	hwloc_bitmap_set(s->states, atoi(state + 5));
}

static void read_idle(const struct doctor *d, struct idle *s)
{
	struct dirent **v = NULL;
	char path[512];
	int cpu, n;

	hwloc_bitmap_foreach_begin(cpu, d->chosen)
	{
		snprintf(path, sizeof(path), "%s" DOCTOR_CPU "/cpu%d/cpuidle", d->q->root, cpu);
		n = scandir(path, &v, is_state, versionsort);
		if (n < 0)
			s->err = -errno;
		if (s->err == -ENOENT) {
			snprintf(path, sizeof(path), DOCTOR_CPU "/cpu%d/cpuidle", cpu);
			s->err = doctor_read_there(d->q->root, path);
			s->err = s->err == -ENOENT ? 0 : s->err;
		}
		for (int i = 0; i < n; i++) {
			add_state(d, s, cpu, v[i]->d_name);
			free(v[i]);
		}
		if (n >= 0)
			free(v);
	}
	hwloc_bitmap_foreach_end();
}

/* What somebody holds the exit latency to by keeping the device open, in us; -1 nobody, or not known */
static int held_us(const struct doctor *d)
{
	int us = -1;
	size_t len;
	char *text;

	if (doctor_read_text(d->q->root, LATENCY, &text, &len))
		return -1;
	if (len == sizeof(us))
		memcpy(&us, text, sizeof(us));
	free(text);
	return us;
}

static void shun_idle(struct doctor *d, const struct idle *s)
{
	char words[DOCTOR_LIST], states[DOCTOR_SHOWN];

	if (!doctor_read_there(d->q->root, LATENCY)) {
		/* a number in text is hexadecimal, in us */
		doctor_command(d, "exec 3> " LATENCY "; echo 0 >&3");
		doctor_advise(d, "that holds for all CPUs until this shell ends, or exec 3>&-");
		return;
	}
	doctor_command(d, "d=" DOCTOR_CPU);
	doctor_command(d,
		       "for c in %s; do for s in %s; do echo 1 > $d/cpu$c/cpuidle/state$s/disable; "
		       "done; done",
		       doctor_words(words, sizeof(words), d->chosen),
		       doctor_words(states, sizeof(states), s->states));
}

void doctor_idle(struct doctor *d)
{
	static const char effect[] = "workers wake late after pauses, idle cores slow their socket";
	struct idle s = { .states = hwloc_bitmap_alloc() };
	int held = held_us(d);

	if (!s.states) {
		d->r->failed = true;
		return;
	}
	read_idle(d, &s);
	if (s.err) {
		doctor_unknown(d, "idle", effect, DOCTOR_CPU "/cpu*/cpuidle", s.err);
	} else if (!s.names[0]) {
		doctor_add(d, "idle", DOCTOR_OK, NULL, "no state of %d us or more is enabled",
			   DEEP_US);
	} else if (held >= 0 && held < DEEP_US) {
		doctor_add(d, "idle", DOCTOR_OK, NULL, "held to %d us by " LATENCY, held);
	} else {
		doctor_add(d, "idle", s.worst < DEEPEST_US ? DOCTOR_NOTE : DOCTOR_DISTURBS, effect,
			   "enabled: %s", s.names);
		shun_idle(d, &s);
	}
	hwloc_bitmap_free(s.states);
}

/* 1, 0; -ENOENT: this architecture has no such flags, or -errno */
static int invariant(const struct doctor *d)
{
	char *text, *flags, *end;
	size_t len;
	int ret = doctor_read_text(d->q->root, "/proc/cpuinfo", &text, &len);

	if (ret)
		return ret;
	flags = strstr(text, "\nflags");
	end = flags ? strchr(flags + 1, '\n') : NULL;
	if (end)
		*end = '\0';
	ret = !flags ? -ENOENT : strstr(flags, " constant_tsc") && strstr(flags, " nonstop_tsc");
	free(text);
	return ret;
}

void doctor_clock(struct doctor *d)
{
	/* as user/port and the module judge it */
	static const char *const good[] = { "tsc", "kvm-clock", "hyperv_clocksource_tsc_page" };
	static const char effect[] = "a slower clock is read instead (taint: clock-not-invariant)";
	char now[64], all[256], words[260] = "";
	int tsc = invariant(d), err;
	bool kept = false;

	if (tsc == -ENOENT)
		return;
	if (tsc < 0) {
		doctor_unknown(d, "clock", effect, "/proc/cpuinfo", tsc);
		return;
	}
	err = doctor_read_line(d->q->root, CLOCK "current_clocksource", now, sizeof(now));
	if (err) {
		doctor_unknown(d, "clock", effect, CLOCK "current_clocksource", err);
		return;
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		kept |= !strcmp(now, good[i]);
	if (tsc && kept) {
		doctor_add(d, "clock", DOCTOR_OK, NULL, "invariant TSC, clock source %s", now);
		return;
	}
	doctor_add(d, "clock", DOCTOR_DISTURBS, effect, "TSC %s, clock source %s",
		   tsc ? "invariant" : "not invariant", now);
	if (!tsc)
		doctor_advise(
			d, "measure on another CPU model, or have the host show an invariant TSC");
	else if (!doctor_read_line(d->q->root, CLOCK "available_clocksource", all, sizeof(all)) &&
		 snprintf(words, sizeof(words), " %s ", all) && strstr(words, " tsc "))
		doctor_command(d, "echo tsc > " CLOCK "current_clocksource");
	else if (words[0])
		doctor_advise(d, "the kernel gave the TSC up: dmesg says why (clocksource, tsc)");
}
