// SPDX-License-Identifier: GPL-2.0
#include "machine_kernel.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

void machine_cpuid_read(struct machine_cpuid *out)
{
	unsigned int a, b, c, d;

	memset(out, 0, sizeof(*out));
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return;
	out->known = 1;
	out->hypervisor = c >> 31;
	if (!out->hypervisor)
		return;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(out->vendor, &b, 4);
	memcpy(out->vendor + 4, &c, 4);
	memcpy(out->vendor + 8, &d, 4);
}
#else
void machine_cpuid_read(struct machine_cpuid *out)
{
	memset(out, 0, sizeof(*out));
}
#endif

/* First line of a file; "" where it cannot be read. */
static void first_line(const char *root, const char *path, char *out, size_t len)
{
	char full[512];
	FILE *f;

	out[0] = '\0';
	snprintf(full, sizeof(full), "%s%s", root, path);
	f = fopen(full, "re");
	if (!f)
		return;
	if (fgets(out, len, f))
		out[strcspn(out, "\n")] = '\0';
	fclose(f);
}

static void read_model(struct machine *m, const char *root)
{
	static const char *const keys[] = { "model name", "Model", "cpu model", "cpu\t" };
	char path[512], line[512], *value;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
	f = fopen(path, "re");
	while (f && !m->cpu_model[0] && fgets(line, sizeof(line), f)) {
		value = strchr(line, ':');
		if (!value)
			continue;
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (!strncmp(line, keys[i], strlen(keys[i])))
				snprintf(m->cpu_model, sizeof(m->cpu_model), "%.*s",
					 (int)strcspn(value + 1 + (value[1] == ' '), "\n"),
					 value + 1 + (value[1] == ' '));
	}
	if (f)
		fclose(f);
}

/* "always [madvise] never": the word in brackets */
static void chosen(char *s)
{
	char *open = strchr(s, '['), *close = open ? strchr(open, ']') : NULL;

	if (close) {
		*close = '\0';
		memmove(s, open + 1, strlen(open + 1) + 1);
	}
}

static int is_name(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int is_cpu(const struct dirent *d)
{
	return !strncmp(d->d_name, "cpu", 3) && d->d_name[3] >= '0' && d->d_name[3] <= '9';
}

/* "spectre_v2: Mitigation: Retpolines | ..."; those that the CPU is not affected by are left out */
static void read_mitigations(struct machine *m, const char *root)
{
	static const char dir[] = "/sys/devices/system/cpu/vulnerabilities";
	char path[512], state[512];
	struct dirent **v;
	size_t at = 0;
	int n;

	snprintf(path, sizeof(path), "%s%s", root, dir);
	n = scandir(path, &v, is_name, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%.128s", dir, v[i]->d_name);
		first_line(root, path, state, sizeof(state));
		if (state[0] && strcmp(state, "Not affected") && at < sizeof(m->mitigations))
			at += snprintf(m->mitigations + at, sizeof(m->mitigations) - at, "%s%s: %s",
				       at ? " | " : "", v[i]->d_name, state);
		free(v[i]);
	}
	if (n >= 0)
		free(v);
	if (n > 0 && !at)
		snprintf(m->mitigations, sizeof(m->mitigations), "not affected");
}

static void read_governor(struct machine *m, const char *root)
{
	static const char dir[] = "/sys/devices/system/cpu";
	char path[512], one[64];
	struct dirent **v;
	int n;

	snprintf(path, sizeof(path), "%s%s", root, dir);
	n = scandir(path, &v, is_cpu, versionsort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%.32s/cpufreq/scaling_governor", dir,
			 v[i]->d_name);
		first_line(root, path, one, sizeof(one));
		free(v[i]);
		if (!one[0])
			continue;
		if (m->governor[0] && strcmp(m->governor, one))
			snprintf(m->governor, sizeof(m->governor), "mixed");
		else
			snprintf(m->governor, sizeof(m->governor), "%s", one);
	}
	if (n >= 0)
		free(v);
}

/* Of all CPUs: intel_pstate says what is off, other drivers what is on. */
static void read_turbo(struct machine *m, const char *root)
{
	static const struct {
		const char *path, *on;
	} from[] = {
		{ "/sys/devices/system/cpu/intel_pstate/no_turbo", "0" },
		{ "/sys/devices/system/cpu/cpufreq/boost", "1" },
	};
	char word[16];

	for (size_t i = 0; i < sizeof(from) / sizeof(*from) && !m->turbo[0]; i++) {
		first_line(root, from[i].path, word, sizeof(word));
		if (word[0])
			snprintf(m->turbo, sizeof(m->turbo), "%s",
				 strcmp(word, from[i].on) ? "off" : "on");
	}
}

struct vendor {
	const char *id, *name;
	int emulated;
};

static const struct vendor vendors[] = {
	{ "KVMKVMKVM", "KVM", 0 },	    { "TCGTCGTCGTCG", "QEMU TCG", 1 },
	{ "Microsoft Hv", "Hyper-V", 0 },   { "VMwareVMware", "VMware", 0 },
	{ "XenVMMXenVMM", "Xen", 0 },	    { "bhyve bhyve ", "bhyve", 0 },
	{ "ACRNACRNACRN", "ACRN", 0 },	    { "Jailhouse", "Jailhouse", 0 },
	{ "prl hyperv  ", "Parallels", 0 }, { "VBoxVBoxVBox", "VirtualBox", 0 },
};

static void set_hypervisor(struct machine *m, const char *name, int emulated)
{
	snprintf(m->hypervisor, sizeof(m->hypervisor), "%.60s", name);
	m->virtualised = 1;
	m->emulated = emulated;
}

/* User-Mode Linux executes CPUID on its host, whose own hypervisor is not meant. */
static int seen_in_model(struct machine *m)
{
	if (!strcmp(m->cpu_model, "UML"))
		set_hypervisor(m, "User-Mode Linux", 0);
	else if (strstr(m->cpu_model, "QEMU TCG"))
		set_hypervisor(m, "QEMU TCG", 1);
	else
		return 0;
	return 1;
}

/* Signs that stay when the hypervisor hides its bit. */
static int seen_elsewhere(struct machine *m, const char *root)
{
	/* Not Amazon or Google, which also let whole machines. */
	static const char *const makers[] = { "QEMU",	 "VMware",    "Xen",	   "Bochs",
					      "innotek", "Parallels", "OpenStack", "KubeVirt" };
	char word[64];

	first_line(root, "/sys/hypervisor/type", word, sizeof(word));
	if (word[0]) {
		set_hypervisor(m, word, 0);
		return 1;
	}
	first_line(root, "/sys/class/dmi/id/sys_vendor", word, sizeof(word));
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (!strncmp(word, makers[i], strlen(makers[i]))) {
			set_hypervisor(m, word, -1);
			return 1;
		}
	return 0;
}

static void read_hypervisor(struct machine *m, const char *root, const struct machine_cpuid *id)
{
	m->virtualised = m->emulated = -1;
	if (seen_in_model(m))
		return;
	for (size_t i = 0; id->hypervisor && i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (!strcmp(id->vendor, vendors[i].id)) {
			set_hypervisor(m, vendors[i].name, vendors[i].emulated);
			return;
		}
	if (seen_elsewhere(m, root))
		return;
	if (id->hypervisor)
		set_hypervisor(m, id->vendor, -1);
	else if (id->known)
		m->virtualised = m->emulated = 0;
}

void machine_kernel_read(struct machine *m, const char *root, const struct machine_cpuid *id)
{
	struct utsname u;

	if (!uname(&u))
		snprintf(m->kernel_release, sizeof(m->kernel_release), "%s", u.release);
	first_line(root, "/proc/cmdline", m->kernel_cmdline, sizeof(m->kernel_cmdline));
	first_line(root, "/sys/kernel/mm/transparent_hugepage/enabled", m->thp, sizeof(m->thp));
	chosen(m->thp);
	read_model(m, root);
	read_mitigations(m, root);
	read_governor(m, root);
	read_turbo(m, root);
	read_hypervisor(m, root, id);
}
