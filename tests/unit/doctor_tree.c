// SPDX-License-Identifier: GPL-2.0
#include "doctor_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <check.h>

#define CPU  "/sys/devices/system/cpu/"
#define MM   "/sys/kernel/mm/"
#define NODE "/sys/devices/system/node/"

/* Two nodes of two CPUs each, 0 and 2, 1 and 3; no SMT. What is measured on is CPU 1. */
const struct tree_file tree_quiet[] = {
	{ "/proc/stat", "cpu  0 0 0 4000 0 0 0 0 0 0\n"
			"cpu0 0 0 0 1000 0 0 0 0 0 0\n"
			"cpu1 0 0 0 1000 0 0 0 0 0 0\n"
			"cpu2 0 0 0 1000 0 0 0 0 0 0\n"
			"cpu3 0 0 0 1000 0 0 0 0 0 0\nintr 0\n" },
	{ "/proc/interrupts",
	  "           CPU0       CPU1       CPU2       CPU3\n"
	  "   0:         40          0          0          0  IO-APIC   2-edge      timer\n"
	  "  24:          5          0          0          0  PCI-MSI 512-edge      nvme0q0\n"
	  "  25:          5          0          0          0  PCI-MSI 513-edge      eth0\n"
	  " NMI:          0          0          0          0   Non-maskable interrupts\n"
	  " LOC:        100        100        100        100   Local timer interrupts\n"
	  " RES:         10         10         10         10   Rescheduling interrupts\n"
	  " ERR:          0\n" },
	{ "/proc/softirqs", "                    CPU0       CPU1       CPU2       CPU3\n"
			    "       TIMER:         10         10         10         10\n"
			    "         RCU:         10         10         10         10\n" },
	{ "/proc/vmstat", "pswpin 0\npswpout 0\ncompact_migrate_scanned 0\n" },
	{ "/proc/cpuinfo", "processor\t: 0\nmodel name\t: A CPU\n"
			   "flags\t\t: fpu tsc constant_tsc nonstop_tsc avx2\n" },
	{ "/proc/cmdline", "root=/dev/sda1 rcu_nocbs=1,3\n" },
	{ "/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n" },
	{ "/proc/modules", "ext4 1 0 - Live 0x0\n" },
	{ "/proc/1/stat", "1 (init) S 0 1 1 0 -1 4194560 1 1 1 1 10 10 0 0 20 0\n" },
	{ "/proc/irq/24/smp_affinity_list", "0-3\n" },
	{ "/proc/irq/24/effective_affinity_list", "0\n" },
	{ "/proc/irq/25/smp_affinity_list", "0,2\n" },
	{ "/proc/irq/26/smp_affinity_list", "0-3\n" }, /* nobody handles it */
	{ "/proc/sys/kernel/numa_balancing", "0\n" },
	{ "/proc/sys/kernel/nmi_watchdog", "0\n" },
	{ "/proc/sys/kernel/soft_watchdog", "0\n" },
	{ "/proc/sys/kernel/watchdog_cpumask", "0-3\n" },
	{ "/proc/sys/kernel/modules_disabled", "0\n" },
	{ "/proc/sys/vm/compaction_proactiveness", "0\n" },
	{ CPU "online", "0-3\n" },
	{ CPU "isolated", "1,3\n" },
	{ CPU "nohz_full", "1,3\n" },
	{ CPU "cpu1/topology/thread_siblings_list", "1\n" },
	{ CPU "cpu3/topology/thread_siblings_list", "3\n" },
	{ CPU "cpu0/node0/here", "" },
	{ CPU "cpu1/node1/here", "" },
	{ CPU "cpu2/node0/here", "" },
	{ CPU "cpu3/node1/here", "" },
	{ CPU "cpu1/cpufreq/scaling_governor", "performance\n" },
	{ CPU "cpu1/cpufreq/scaling_driver", "intel_pstate\n" },
	{ CPU "cpu1/cpufreq/scaling_min_freq", "800000\n" },
	{ CPU "cpu1/cpufreq/scaling_max_freq", "3000000\n" },
	{ CPU "cpu1/cpufreq/energy_performance_preference", "performance\n" },
	{ CPU "cpu3/cpufreq/scaling_governor", "performance\n" },
	{ CPU "cpu3/cpufreq/scaling_driver", "intel_pstate\n" },
	{ CPU "cpu3/cpufreq/energy_performance_preference", "performance\n" },
	{ CPU "intel_pstate/no_turbo", "1\n" },
	{ CPU "cpu1/cpuidle/state0/name", "POLL\n" },
	{ CPU "cpu1/cpuidle/state0/latency", "0\n" },
	{ CPU "cpu1/cpuidle/state0/disable", "0\n" },
	{ CPU "cpu1/cpuidle/state1/name", "C1\n" },
	{ CPU "cpu1/cpuidle/state1/latency", "2\n" },
	{ CPU "cpu1/cpuidle/state1/disable", "0\n" },
	{ CPU "cpu1/cpuidle/state2/name", "C6\n" },
	{ CPU "cpu1/cpuidle/state2/latency", "133\n" },
	{ CPU "cpu1/cpuidle/state2/disable", "1\n" },
	{ CPU "vulnerabilities/meltdown", "Not affected\n" },
	{ CPU "vulnerabilities/spec_store_bypass", "Vulnerable\n" },
	{ "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n" },
	{ NODE "node0/meminfo", "Node 0 MemTotal: 8388608 kB\nNode 0 MemFree: 6291456 kB\n"
				"Node 0 FilePages: 1048576 kB\n" },
	{ NODE "node1/meminfo", "Node 1 MemTotal: 8388608 kB\nNode 1 MemFree: 6291456 kB\n"
				"Node 1 FilePages: 1048576 kB\n" },
	{ NODE "node1/hugepages/hugepages-2048kB/nr_hugepages", "600\n" },
	{ NODE "node1/hugepages/hugepages-2048kB/free_hugepages", "512\n" },
	{ NODE "node1/hugepages/hugepages-1048576kB/nr_hugepages", "1\n" },
	{ NODE "node1/hugepages/hugepages-1048576kB/free_hugepages", "1\n" },
	{ MM "transparent_hugepage/enabled", "always [madvise] never\n" },
	{ MM "transparent_hugepage/defrag", "always defer defer+madvise [madvise] never\n" },
	{ MM "ksm/run", "0\n" },
	{ MM "damon/admin/kdamonds/nr_kdamonds", "1\n" },
	{ MM "damon/admin/kdamonds/0/state", "off\n" },
	{ "/sys/module/damon_stat/parameters/enabled", "N\n" },
	{ "/sys/module/zswap/parameters/enabled", "N\n" },
	{ "/sys/module/mprobe/version", "x\n" },
	{ "/sys/kernel/security/lockdown", "[none] integrity confidentiality\n" },
	{ NULL, NULL }
};

static char root[] = "/tmp/check_doctor.XXXXXX";

static void remove_all(const char *path)
{
	char command[512];

	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	ck_assert_int_eq(system(command), 0);
}

static void make_directories(char *path)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
}

void tree_put_bytes(const char *path, const void *bytes, size_t len)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	make_directories(full);
	f = fopen(full, "we");
	ck_assert_msg(f != NULL, "%s", full);
	ck_assert_uint_eq(fwrite(bytes, 1, len, f), len);
	ck_assert_int_eq(fclose(f), 0);
}

void tree_put(const char *path, const char *text)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", root, path);
	if (!text || !strcmp(text, TREE_DIR))
		remove_all(full);
	if (!text)
		return;
	if (strcmp(text, TREE_DIR)) {
		tree_put_bytes(path, text, strlen(text));
		return;
	}
	make_directories(full);
	ck_assert_int_eq(mkdir(full, 0755), 0);
}

const char *tree_begin(const struct tree_file *files)
{
	snprintf(root, sizeof(root), "/tmp/check_doctor.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	for (; files->path; files++)
		tree_put(files->path, files->text);
	return root;
}

void tree_end(void)
{
	remove_all(root);
}

int tree_examine(const uint32_t *cpus, size_t n, const struct tree_file *then,
		 struct doctor_request *q, struct doctor_report *r)
{
	static const char later[] = "cpu  0 0 0 4400 0 0 0 0 0 0\n"
				    "cpu0 0 0 0 1100 0 0 0 0 0 0\n"
				    "cpu1 0 0 0 1100 0 0 0 0 0 0\n"
				    "cpu2 0 0 0 1100 0 0 0 0 0 0\n"
				    "cpu3 0 0 0 1100 0 0 0 0 0 0\nintr 0\n";
	struct doctor_sample before, after;
	int ret;

	q->root = root;
	q->cpus = cpus;
	q->nr_cpus = n;
	ck_assert_int_eq(doctor_sample_read(&before, root), 0);
	if (!before.cpus_err) /* a second has gone by in which nobody ran */
		tree_put("/proc/stat", later);
	for (; then && then->path; then++)
		tree_put(then->path, then->text);
	ck_assert_int_eq(doctor_sample_read(&after, root), 0);
	before.at = 0;
	after.at = 1;
	q->before = &before;
	q->after = &after;
	ret = doctor_examine(q, r);
	doctor_sample_free(&after);
	doctor_sample_free(&before);
	return ret;
}

const struct doctor_finding *tree_find(const struct doctor_report *r, const char *check)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->v[i].check, check))
			return &r->v[i];
	return NULL;
}
