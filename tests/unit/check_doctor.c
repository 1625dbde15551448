// SPDX-License-Identifier: GPL-2.0
/* Each check of doctor in all its states, on a made-up machine in which one thing is changed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <check.h>

#include "doctor_rows.h"
#include "golden.h"
#include "render_doctor.h"
#include <mprobe/version.h>

static struct doctor_report r;
static struct doctor_request q;
static const uint32_t one[] = { 1 }, pair[] = { 1, 3 }, all[] = { 0, 2, 1, 3 };

static void reset(void)
{
	memset(&q, 0, sizeof(q));
	q.cpuid.known = 1;
	q.module.reached = true;
	q.module.prefetch_control = MPROBE_PREFETCH_CONTROL_INTEL;
	snprintf(q.module.version, sizeof(q.module.version), "%s", MPROBE_VERSION);
}

/* All that finding says in one text. */
static const char *words(const struct doctor_finding *f)
{
	static char text[4096];
	size_t at = snprintf(text, sizeof(text), "%s|%s|%s", f->state, f->effect ? f->effect : "",
			     f->advice ? f->advice : "");

	for (size_t i = 0; i < f->nr_commands; i++)
		at += snprintf(text + at, sizeof(text) - at, "|# %s", f->commands[i]);
	return text;
}

static void check_finding(const char *check, int severity, const char *part)
{
	const struct doctor_finding *f = tree_find(&r, check);

	if (severity == NONE) {
		ck_assert_msg(!f, "%s: %s", check, f ? words(f) : "");
		return;
	}
	ck_assert_msg(f != NULL, "there is no %s", check);
	ck_assert_msg((int)f->severity == severity, "%s is '%s': %s", check,
		      doctor_severity_name(f->severity), words(f));
	ck_assert_msg(strstr(words(f), part), "%s: wanted '%s', got '%s'", check, part, words(f));
	ck_assert_msg(severity == OK ? !f->nr_commands && !f->effect && !f->advice :
				       f->effect != NULL || severity == HUH,
		      "%s: %s", check, words(f));
}

static int as_text(const void *what, FILE *f)
{
	return render_doctor_text(what, f);
}

static int as_json(const void *what, FILE *f)
{
	return render_doctor_json(what, f);
}

START_TEST(quiet_machine)
{
	reset();
	tree_begin(tree_quiet);
	ck_assert_int_eq(tree_examine(one, 1, NULL, &q, &r), 0);
	for (size_t i = 0; i < r.n; i++)
		check_finding(r.v[i].check, OK, "");
	ck_assert_uint_ge(r.n, 28);
	ck_assert_uint_eq(r.nr_nodes, 1);
	ck_assert_uint_eq(r.nodes[0], 1);
	golden("doctor-quiet.txt", as_text, &r);
	doctor_report_free(&r);
	tree_end();
}
END_TEST

static void check_row(const struct doctor_row *w)
{
	const struct tree_file then[] = { w->then[0], w->then[1], { NULL, NULL } };

	reset();
	if (w->virtual)
		q.cpuid = (struct machine_cpuid){ 1, 1, "KVMKVMKVM" };
	tree_begin(tree_quiet);
	for (size_t i = 0; i < 3 && w->first[i].path; i++)
		tree_put(w->first[i].path, w->first[i].text);
	ck_assert_int_eq(tree_examine(one, 1, then, &q, &r), 0);
	check_finding(w->check, w->severity, w->part);
	for (size_t i = 1; i < r.n; i++)
		ck_assert_int_le(r.v[i - 1].severity, r.v[i].severity);
	doctor_report_free(&r);
	tree_end();
}

START_TEST(rows)
{
	size_t n = 0;

	for (const struct doctor_row *w = _i ? doctor_rows_kernel : doctor_rows_cpu; w->check;
	     w++) {
		check_row(w);
		n++;
	}
	ck_assert_uint_ge(n, 40);
}
END_TEST

/* Whatever can't be read, it is never said that all is well: something can't be told. */
START_TEST(unreadable_is_not_well)
{
	static const char *const beside[] = {
		"scaling_driver", "scaling_min_freq", "scaling_max_freq", "defrag",
		"/here",	  "/proc/irq/26/",    "version",	  "/proc/1/",
		"/node0/",	  "/cpu3/",	      "/proc/modules",
	};
	size_t asked = 0;

	for (const struct tree_file *f = tree_quiet; f->path; f++) {
		bool skip = false;

		for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++)
			skip |= strstr(f->path, beside[i]) != NULL;
		if (skip)
			continue;
		reset();
		q.module.reached = !strstr(f->path, "modules_disabled");
		tree_begin(tree_quiet);
		if (!q.module.reached)
			tree_put("/sys/module/mprobe", NULL);
		if (strstr(f->path, "vmstat"))
			tree_put("/proc/swaps", "Filename\n/dev/sda2 partition 9 0 -2\n");
		tree_put(f->path, TREE_DIR);
		ck_assert_int_eq(tree_examine(one, 1, NULL, &q, &r), 0);
		ck_assert_msg(doctor_count(&r, DOCTOR_UNKNOWN) > 0, "%s", f->path);
		doctor_report_free(&r);
		tree_end();
		asked++;
	}
	ck_assert_uint_gt(asked, 40);
}
END_TEST

/* /sys is not mounted: that its files are missing says nothing of the machine. */
START_TEST(no_sysfs)
{
	reset();
	tree_begin(tree_quiet);
	tree_put("/sys", NULL);
	ck_assert_int_eq(tree_examine(one, 1, NULL, &q, &r), 0);
	check_finding("thp", HUH, "not mounted");
	check_finding("damon", HUH, "not mounted");
	check_finding("ksm", HUH, "not mounted");
	check_finding("zswap", HUH, "not mounted");
	check_finding("smt", HUH, "not mounted");
	check_finding("governor", HUH, "not mounted");
	check_finding("turbo", HUH, "not mounted");
	check_finding("idle", HUH, "not mounted");
	check_finding("mitigations", HUH, "not mounted");
	check_finding("isolation", HUH, "not mounted");
	check_finding("room", HUH, "not mounted");
	check_finding("memory", HUH, "not known");
	doctor_report_free(&r);
	tree_put("/proc", NULL);
	ck_assert_int_eq(tree_examine(one, 1, NULL, &q, &r), -ENODATA);
	doctor_report_free(&r);
	tree_end();
}
END_TEST

START_TEST(module_states)
{
	static const struct tree_file present[] = { { "/sys/module/mprobe/version", "x" },
						    { NULL, NULL } };
	static const struct {
		bool reached;
		const char *version;
		const struct tree_file tree[2];
		int severity;
		const char *part;
	} how[] = {
		{ true, "0.0.1", { { NULL, NULL } }, NOTE, "install both from one build" },
		{ false, "", { { present[0].path, "x" } }, HUH, "refuses to talk" },
		{ false, "", { { "/sys/module/mprobe", NULL } }, NOTE, "# insmod mprobe.ko" },
		{ false,
		  "",
		  { { "/sys/module/mprobe", NULL }, { "/proc/modules", NULL } },
		  NOTE,
		  "built without modules" },
		{ false,
		  "",
		  { { "/sys/module/mprobe", NULL },
		    { "/proc/sys/kernel/modules_disabled", "1\n" } },
		  NOTE,
		  "reboot" },
		{ false,
		  "",
		  { { "/sys/module/mprobe", NULL },
		    { "/sys/module/module/parameters/sig_enforce", "Y\n" } },
		  NOTE,
		  "sign-file" },
		{ false,
		  "",
		  { { "/sys/module/mprobe", NULL },
		    { "/sys/module/module/parameters/sig_enforce", "N\n" } },
		  NOTE,
		  "# insmod" },
	};

	reset();
	q.module.reached = how[_i].reached;
	snprintf(q.module.version, sizeof(q.module.version), "%s", how[_i].version);
	snprintf(q.module.error, sizeof(q.module.error), "it refuses to talk");
	tree_begin(tree_quiet);
	for (size_t i = 0; i < 2 && how[_i].tree[i].path; i++)
		tree_put(how[_i].tree[i].path, how[_i].tree[i].text);
	ck_assert_int_eq(tree_examine(one, 1, NULL, &q, &r), 0);
	check_finding("module", how[_i].severity, how[_i].part);
	check_finding("prefetchers", how[_i].reached ? OK : NONE, "");
	doctor_report_free(&r);
	tree_end();
}
END_TEST

START_TEST(prefetchers_and_hypervisor)
{
	static const struct {
		enum mprobe_prefetch_control control;
		int severity;
	} how[] = { { MPROBE_PREFETCH_CONTROL_NONE, NOTE },
		    { MPROBE_PREFETCH_CONTROL_AMD, OK },
		    { 0, HUH } };

	tree_begin(tree_quiet);
	for (size_t i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		reset();
		q.module.prefetch_control = how[i].control;
		q.cpuid.known = 0;
		ck_assert_int_eq(tree_examine(one, 1, NULL, &q, &r), 0);
		check_finding("prefetchers", how[i].severity, "");
		check_finding("hypervisor", HUH, "does not say");
		doctor_report_free(&r);
	}
	tree_end();
}
END_TEST

/* An interrupt that its driver fixed: no command that the kernel would refuse. */
START_TEST(fixed_interrupt)
{
	static const struct tree_file then[] = { { "/proc/interrupts", IRQ_HEAD
						   " 24: 5 80 0 0 PCI-MSI 512-edge nvme0q0\n"
						   " 25: 5 80 0 0 PCI-MSI 513-edge eth0\n" },
						 { NULL, NULL } };
	char path[256];

	reset();
	snprintf(path, sizeof(path), "%s/proc/irq/24/smp_affinity_list", tree_begin(tree_quiet));
	ck_assert_int_eq(chmod(path, 0444), 0);
	ck_assert_int_eq(tree_examine(one, 1, then, &q, &r), 0);
	check_finding("interrupts", BAD, "not to be moved on this kernel: 24;");
	check_finding("interrupts", BAD, "# echo 0,2-3 > /proc/irq/25/smp_affinity_list");
	doctor_report_free(&r);
	tree_end();
}
END_TEST

START_TEST(irqbalance_that_is_told)
{
	static const char env[] = "HOME=/\0IRQBALANCE_BANNED_CPULIST=1-2\0LANG=C";

	reset();
	tree_begin(tree_quiet);
	tree_put(CPU "isolated", "\n");
	tree_put(CPU "nohz_full", "\n");
	tree_put("/run/systemd/system", TREE_DIR);
	tree_put("/proc/9/stat", "9 (irqbalance) S 1 9 9 0 -1 4194304 1 1 1 1 1 1 0\n");
	tree_put_bytes("/proc/9/environ", env, sizeof(env));
	ck_assert_int_eq(tree_examine(one, 1, NULL, &q, &r), 0);
	check_finding("irqbalance", OK, "leaves these CPUs alone");
	doctor_report_free(&r);
	ck_assert_int_eq(tree_examine(pair, 2, NULL, &q, &r), 0);
	check_finding("irqbalance", BAD, "# systemctl stop irqbalance");
	doctor_report_free(&r);
	tree_end();
}
END_TEST

START_TEST(idle_held)
{
	const int us = 0, never = 2000000000;

	reset();
	tree_begin(tree_quiet);
	tree_put(CPU "cpu1/cpuidle/state2/disable", "0\n");
	tree_put_bytes("/dev/cpu_dma_latency", &us, sizeof(us));
	ck_assert_int_eq(tree_examine(one, 1, NULL, &q, &r), 0);
	check_finding("idle", OK, "held to 0 us");
	doctor_report_free(&r);
	tree_put_bytes("/dev/cpu_dma_latency", &never, sizeof(never));
	ck_assert_int_eq(tree_examine(one, 1, NULL, &q, &r), 0);
	check_finding("idle", BAD, "C6 133 us");
	doctor_report_free(&r);
	tree_end();
}
END_TEST

/* All CPUs are chosen: others have nowhere to go, and no command says that they had. */
START_TEST(no_room)
{
	static const struct tree_file then[] = { { "/proc/interrupts", IRQ_HEAD
						   " 25: 5 80 0 0 PCI-MSI 513-edge eth0\n" },
						 { NULL, NULL } };

	reset();
	tree_begin(tree_quiet);
	ck_assert_int_eq(tree_examine(all, 4, then, &q, &r), 0);
	check_finding("room", NOTE, "--cpus 1-3");
	check_finding("neighbours", NONE, "");
	check_finding("interrupts", BAD, "--cpus");
	ck_assert_uint_eq(tree_find(&r, "interrupts")->nr_commands, 0);
	ck_assert_uint_eq(r.nr_nodes, 2);
	doctor_report_free(&r);
	tree_end();
}
END_TEST

/* Several CPUs: a loop for the shell, and the governor that differs. */
START_TEST(many_cpus)
{
	reset();
	tree_begin(tree_quiet);
	tree_put(CPU "cpu1/cpufreq/scaling_governor", "powersave\n");
	tree_put(CPU "cpu3/cpufreq/scaling_governor", "schedutil\n");
	ck_assert_int_eq(tree_examine(pair, 2, NULL, &q, &r), 0);
	check_finding("governor", BAD, "mixed (intel_pstate) on CPUs 1,3");
	check_finding("governor", BAD,
		      "|# d=/sys/devices/system/cpu|# for c in 1 3; do echo performance > "
		      "$d/cpu$c/cpufreq/scaling_governor; done");
	doctor_report_free(&r);
	tree_end();
}
END_TEST

START_TEST(rendered)
{
	static const struct tree_file then[] = {
		{ "/proc/interrupts", IRQ_HEAD
		  " 24: 5 80 0 3 PCI-MSI 512-edge nvme0q0\n 25: 5 9 0 7 PCI-MSI 513-edge eth0\n"
		  " LOC: 100 350 100 100 Local timer interrupts\n" },
		{ "/proc/stat", STAT("90 7 0 1003 0 0 0 0") },
		{ "/proc/77/stat", "77 (postgres) R 1 7 7 0 -1 4194304 1 1 1 1 95 10 0 0 20 0\n" },
		{ NULL, NULL }
	};

	reset();
	tree_begin(tree_quiet);
	tree_put(CPU "cpu1/cpufreq/scaling_governor", "powersave\n");
	tree_put(CPU "cpu3/cpufreq/scaling_governor", "powersave\n");
	tree_put(CPU "isolated", "\n");
	tree_put(MM "ksm/run", TREE_DIR);
	ck_assert_int_eq(tree_examine(pair, 2, then, &q, &r), 0);
	if (_i)
		golden("doctor.json", as_json, &r);
	else
		golden("doctor.txt", as_text, &r);
	doctor_report_free(&r);
	tree_end();
}
END_TEST

START_TEST(rendered_to_a_full_disk)
{
	FILE *full = fopen("/dev/full", "w");

	reset();
	tree_begin(tree_quiet);
	ck_assert_int_eq(tree_examine(one, 1, NULL, &q, &r), 0);
	ck_assert_int_eq(render_doctor_text(&r, full), -ENOSPC);
	clearerr(full);
	ck_assert_int_eq(render_doctor_json(&r, full), -ENOSPC);
	fclose(full);
	doctor_report_free(&r);
	tree_end();
}
END_TEST

Suite *doctor_suite(void)
{
	Suite *s = suite_create("doctor");
	TCase *c = tcase_create("doctor");

	tcase_set_timeout(c, 120);
	tcase_add_test(c, quiet_machine);
	tcase_add_loop_test(c, rows, 0, 2);
	tcase_add_test(c, unreadable_is_not_well);
	tcase_add_test(c, no_sysfs);
	tcase_add_loop_test(c, module_states, 0, 7);
	tcase_add_test(c, prefetchers_and_hypervisor);
	tcase_add_test(c, fixed_interrupt);
	tcase_add_test(c, irqbalance_that_is_told);
	tcase_add_test(c, idle_held);
	tcase_add_test(c, no_room);
	tcase_add_test(c, many_cpus);
	tcase_add_loop_test(c, rendered, 0, 2);
	tcase_add_test(c, rendered_to_a_full_disk);
	suite_add_tcase(s, c);
	return s;
}
