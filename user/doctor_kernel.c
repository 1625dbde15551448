// SPDX-License-Identifier: GPL-2.0
/* What the kernel does of itself, and whether it takes the module. */
#include "doctor_checks.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mprobe/version.h>

#define SYSCTL		"/proc/sys/kernel/"
#define SECURITY	"/sys/kernel/security"
#define VULNERABILITIES DOCTOR_CPU "/vulnerabilities"

/* Are the kernel's watchdogs on chosen CPUs at all? 1, 0 or -errno */
static int watched(const struct doctor *d)
{
	hwloc_bitmap_t mask = hwloc_bitmap_alloc();
	int ret = mask ? doctor_read_list(d->q->root, SYSCTL "watchdog_cpumask", mask) : -ENOMEM;

	if (!ret)
		ret = hwloc_bitmap_intersects(mask, d->chosen);
	else if (ret == -ENOENT)
		ret = 1; /* an old kernel: all CPUs */
	hwloc_bitmap_free(mask);
	return ret;
}

static void watchdog(struct doctor *d, const char *check, const char *name, const char *effect)
{
	char path[64], rest[DOCTOR_LIST];
	long long on;
	int err, here;

	snprintf(path, sizeof(path), SYSCTL "%s", name);
	err = doctor_read_number(d->q->root, path, &on);
	if (err == -ENOENT)
		return;
	here = watched(d);
	if (err || here < 0) {
		doctor_unknown(d, check, effect, err ? path : SYSCTL "watchdog_cpumask",
			       err ? err : here);
	} else if (!on || !here) {
		doctor_add(d, check, DOCTOR_OK, NULL, on ? "not on these CPUs" : "off");
	} else {
		doctor_add(d, check, DOCTOR_NOTE, effect, "on");
		if (hwloc_bitmap_iszero(d->rest))
			doctor_command(d, "sysctl -w kernel.%s=0", name);
		else
			doctor_command(d, "sysctl -w kernel.watchdog_cpumask=%s",
				       doctor_list(rest, sizeof(rest), d->rest));
	}
}

void doctor_watchdogs(struct doctor *d)
{
	watchdog(d, "nmi-watchdog", "nmi_watchdog",
		 "an NMI every few seconds, also with --irqs off; takes a hardware counter");
	watchdog(d, "soft-watchdog", "soft_watchdog", "a timer and a short task every few seconds");
}

static int is_entry(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

struct mitigations {
	char active[DOCTOR_SHOWN];
	bool orders_stores; /* "disabled", where "disabled via prctl" is for those that ask for it */
};

/* 0 or -errno: one of the files, whose path is left in `path` */
static int read_mitigations(const struct doctor *d, struct mitigations *m, char *path, size_t len)
{
	static const char ssb[] = "Mitigation: Speculative Store Bypass disabled";
	struct dirent **v = NULL;
	char full[512], state[256];
	int n, err = 0;

	snprintf(path, len, VULNERABILITIES);
	snprintf(full, sizeof(full), "%s%s", d->q->root, path);
	n = scandir(full, &v, is_entry, alphasort);
	if (n <= 0)
		err = n < 0 ? -errno : -ENODATA;
	for (int i = 0; i < n; i++) {
		if (!err) {
			snprintf(path, len, VULNERABILITIES "/%.64s", v[i]->d_name);
			err = doctor_read_line(d->q->root, path, state, sizeof(state));
		}
		if (!err && !strncmp(state, "Mitigation", 10))
			doctor_join(m->active, sizeof(m->active), "%s", v[i]->d_name);
		m->orders_stores |= !err && !strcmp(v[i]->d_name, "spec_store_bypass") &&
				    !strcmp(state, ssb);
		free(v[i]);
	}
	if (n >= 0)
		free(v);
	return err;
}

void doctor_mitigations(struct doctor *d)
{
	static const char effect[] =
		"system calls and interrupts cost more; the loops themselves do not";
	struct mitigations m = { 0 };
	char path[160];
	int err = doctor_read_there(d->q->root, VULNERABILITIES);

	if (err == -ENOENT)
		return;
	snprintf(path, sizeof(path), VULNERABILITIES);
	if (!err)
		err = read_mitigations(d, &m, path, sizeof(path));
	if (err) {
		doctor_unknown(d, "mitigations", effect, path, err);
	} else if (m.orders_stores) {
		doctor_add(d, "mitigations", DOCTOR_DISTURBS,
			   "loads wait for the stores before them: wb is slower",
			   "speculative store bypass is disabled for all");
		doctor_advise(d, "boot with spec_store_bypass_disable=prctl");
	} else if (m.active[0]) {
		doctor_add(d, "mitigations", DOCTOR_NOTE, effect, "%s", m.active);
		doctor_advise(d, "mitigations=off at boot, if this machine only measures");
	} else {
		doctor_add(d, "mitigations", DOCTOR_OK, NULL, "none is active");
	}
}

/* Without modules in the kernel neither its lockdown nor signatures matter. */
static bool takes_modules(const struct doctor *d)
{
	return doctor_read_there(d->q->root, "/proc/modules") != -ENOENT;
}

static bool is_empty(const struct doctor *d, const char *dir)
{
	struct dirent **v = NULL;
	char path[512];
	int n;

	snprintf(path, sizeof(path), "%s%s", d->q->root, dir);
	n = scandir(path, &v, is_entry, alphasort);
	for (int i = 0; i < n; i++)
		free(v[i]);
	if (n >= 0)
		free(v);
	return n <= 0;
}

void doctor_lockdown(struct doctor *d)
{
	static const char effect[] = "the module refuses to run where the kernel is locked down";
	char mode[64];
	int err;

	if (!takes_modules(d))
		return;
	err = doctor_read_choice(d->q->root, SECURITY "/lockdown", mode, sizeof(mode));
	if (err == -ENOENT && !is_empty(d, SECURITY))
		return;
	if (err == -ENOENT) {
		doctor_add(d, "lockdown", DOCTOR_UNKNOWN, effect, "securityfs is not mounted");
		doctor_command(d, "mount -t securityfs securityfs " SECURITY);
	} else if (err) {
		doctor_unknown(d, "lockdown", effect, SECURITY "/lockdown", err);
	} else if (!strcmp(mode, "none")) {
		doctor_add(d, "lockdown", DOCTOR_OK, NULL, "none");
	} else {
		doctor_add(d, "lockdown", DOCTOR_DISTURBS, effect, "%s", mode);
		doctor_advise(d, "Secure Boot off, or no lockdown= at boot; else measure anon");
	}
}

static void not_loaded(struct doctor *d)
{
	static const char effect[] = "only anon can be measured, by the user engine";
	long long disabled = 0;
	char enforce[16] = "";
	int err = doctor_read_number(d->q->root, SYSCTL "modules_disabled", &disabled);

	if (!err || err == -ENOENT)
		err = doctor_read_line(d->q->root, "/sys/module/module/parameters/sig_enforce",
				       enforce, sizeof(enforce));
	if (err && err != -ENOENT) {
		doctor_unknown(d, "module", effect, "what the kernel demands of modules", err);
	} else if (disabled) {
		doctor_add(d, "module", DOCTOR_NOTE, effect, "kernel.modules_disabled is set");
		doctor_advise(d, "only a reboot lifts it");
	} else if (enforce[0] == 'Y') {
		doctor_add(d, "module", DOCTOR_NOTE, effect,
			   "not loaded; this kernel takes signed modules only");
		doctor_advise(d,
			      "sign mprobe.ko (scripts/sign-file) by a key that the kernel knows");
	} else {
		doctor_add(d, "module", DOCTOR_NOTE, effect, "not loaded");
		doctor_command(d, "insmod mprobe.ko");
	}
}

void doctor_module(struct doctor *d)
{
	const struct doctor_module *m = &d->q->module;
	int loaded = doctor_read_there(d->q->root, "/sys/module/mprobe");

	if (m->reached && !strcmp(m->version, MPROBE_VERSION)) {
		doctor_add(d, "module", DOCTOR_OK, NULL, "mprobe %s is loaded", m->version);
	} else if (m->reached) {
		doctor_add(d, "module", DOCTOR_NOTE, "they may not agree on what they measure",
			   "module %s, mprobectl %s", m->version, MPROBE_VERSION);
		doctor_advise(d, "install both from one build");
	} else if (!loaded) {
		doctor_add(d, "module", DOCTOR_UNKNOWN, NULL, "%s", m->error);
	} else if (loaded != -ENOENT) {
		doctor_unknown(d, "module", NULL, "/sys/module", loaded);
	} else if (!takes_modules(d)) {
		doctor_add(d, "module", DOCTOR_NOTE,
			   "only anon can be measured, by the user engine",
			   "this kernel is built without modules");
	} else {
		not_loaded(d);
	}
}

void doctor_prefetchers(struct doctor *d)
{
	static const char effect[] =
		"lines that nobody asked for come along, as the firmware set it";

	if (!d->q->module.reached)
		return;
	switch (d->q->module.prefetch_control) {
	case MPROBE_PREFETCH_CONTROL_INTEL:
	case MPROBE_PREFETCH_CONTROL_AMD:
		doctor_add(d, "prefetchers", DOCTOR_OK, NULL, "--prefetch off switches them");
		break;
	case MPROBE_PREFETCH_CONTROL_NONE:
		doctor_add(d, "prefetchers", DOCTOR_NOTE, effect,
			   "no switch is documented for this CPU model");
		break;
	default:
		doctor_add(d, "prefetchers", DOCTOR_UNKNOWN, effect,
			   "the module does not say whether there is a switch");
	}
}
