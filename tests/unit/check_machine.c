// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "machine_dmi.h"
#include "machine_kernel.h"

#define FIXTURE(name) "tests/unit/fixtures/" name

static struct machine m;

static void read_kernel(const char *root, int hypervisor, const char *vendor)
{
	struct machine_cpuid id = { .known = 1, .hypervisor = hypervisor };

	snprintf(id.vendor, sizeof(id.vendor), "%s", vendor);
	memset(&m, 0, sizeof(m));
	machine_kernel_read(&m, root, &id);
}

START_TEST(kernel_under_tcg)
{
	read_kernel(FIXTURE("machine-tcg"), 1, "TCGTCGTCGTCG");
	ck_assert_str_eq(m.cpu_model, "QEMU TCG CPU version 2.5+");
	ck_assert_str_eq(m.kernel_cmdline, "console=ttyS0 memmap=2G!4G");
	ck_assert_str_eq(m.mitigations,
			 "meltdown: Mitigation: PTI | spec_store_bypass: Vulnerable");
	ck_assert_str_eq(m.thp, "never");
	ck_assert_str_eq(m.governor, "performance");
	ck_assert_str_eq(m.turbo, "off"); /* cpufreq's boost is 0 */
	ck_assert_str_eq(m.hypervisor, "QEMU TCG");
	ck_assert_int_eq(m.virtualised, 1);
	ck_assert_int_eq(m.emulated, 1);
	ck_assert_uint_gt(strlen(m.kernel_release), 0);
}
END_TEST

START_TEST(hypervisors)
{
	static const struct {
		const char *root;
		int bit;
		const char *vendor, *name;
		int virtualised, emulated;
	} rows[] = {
		{ FIXTURE("machine-kvm"), 0, "", "", 0, 0 },
		{ FIXTURE("machine-kvm"), 1, "KVMKVMKVM", "KVM", 1, 0 },
		{ FIXTURE("machine-kvm"), 1, "TCGTCGTCGTCG", "QEMU TCG", 1, 1 },
		{ FIXTURE("machine-kvm"), 1, "bhyve bhyve ", "bhyve", 1, 0 },
		{ FIXTURE("machine-kvm"), 1, "unheard-of", "unheard-of", 1, -1 },
		/* the bit is hidden: the model or the maker gives it away */
		{ FIXTURE("machine-tcg"), 0, "", "QEMU TCG", 1, 1 },
		{ FIXTURE("machine-hidden"), 0, "", "QEMU", 1, -1 },
		/* CPUID there is the host's */
		{ FIXTURE("machine-uml"), 1, "KVMKVMKVM", "User-Mode Linux", 1, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		read_kernel(rows[i].root, rows[i].bit, rows[i].vendor);
		ck_assert_str_eq(m.hypervisor, rows[i].name);
		ck_assert_int_eq(m.virtualised, rows[i].virtualised);
		ck_assert_int_eq(m.emulated, rows[i].emulated);
	}
}
END_TEST

START_TEST(unknown_is_not_zero)
{
	const struct machine_cpuid none = { 0 };

	memset(&m, 0, sizeof(m));
	machine_kernel_read(&m, FIXTURE("there-is-none"), &none);
	ck_assert_int_eq(m.virtualised, -1);
	ck_assert_int_eq(m.emulated, -1);
	ck_assert_str_eq(m.cpu_model, "");
	ck_assert_str_eq(m.mitigations, "");
	ck_assert_str_eq(m.governor, "");
	ck_assert_str_eq(m.turbo, "");
	ck_assert_str_eq(m.thp, "");
}
END_TEST

START_TEST(governors_that_differ)
{
	read_kernel(FIXTURE("machine-kvm"), 0, "");
	ck_assert_str_eq(m.governor, "mixed");
	ck_assert_str_eq(m.turbo, "on"); /* intel_pstate's no_turbo is 0 */
	ck_assert_str_eq(m.cpu_model, "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz");
}
END_TEST

/* SMBIOS structures, one after the other */
static unsigned char table[1024];
static size_t used;

struct device {
	unsigned char length; /* of the formatted part */
	unsigned int size;    /* field 0x0c */
	unsigned int extended, type, speed, configured, technology;
};

static void put16(size_t at, unsigned int v)
{
	table[at] = v;
	table[at + 1] = v >> 8;
}

static void device(const struct device *d, const char *locator)
{
	size_t at = used;

	memset(table + at, 0, d->length);
	table[at] = 17;
	table[at + 1] = d->length;
	put16(at + 0x0c, d->size);
	table[at + 0x10] = 2; /* the second string */
	table[at + 0x12] = d->type;
	put16(at + 0x15, d->speed);
	if (d->length >= 0x22) {
		put16(at + 0x1c, d->extended);
		put16(at + 0x1e, d->extended >> 16);
		put16(at + 0x20, d->configured);
	}
	if (d->length >= 0x29)
		table[at + 0x28] = d->technology;
	used += d->length;
	used += sprintf((char *)table + used, "Bank 0") + 1;
	used += sprintf((char *)table + used, "%s", locator) + 1;
	table[used++] = '\0';
}

static void other(unsigned char type)
{
	const unsigned char v[] = { type, 4, 0, 0, 0, 0 };

	memcpy(table + used, v, sizeof(v));
	used += sizeof(v);
}

static void fill_table(void)
{
	used = 0;
	other(1);
	device(&(struct device){ 0x28, 0x4000, 0, 0x1a, 3200, 2933, 0 }, "DIMM_A1  ");
	device(&(struct device){ 0x28, 0, 0, 0x02, 0, 0, 0 }, "empty slot");
	device(&(struct device){ 0x54, 0x7fff, 131072, 0x1f, 2666, 2666, 7 }, "DIMM_A2");
	device(&(struct device){ 0x1c, 0x8200, 0, 0x18, 1600, 0, 0 }, "old");
	device(&(struct device){ 0x28, 0xffff, 0, 0x44, 0, 0, 0 }, "odd");
	other(127);
	device(&(struct device){ 0x28, 1, 0, 0x1a, 1, 1, 0 }, "behind the end");
}

START_TEST(memory_devices)
{
	struct machine_dimm d[8];

	fill_table();
	ck_assert_int_eq(machine_dmi_parse(table, used, d, 8), 4);
	ck_assert_str_eq(d[0].locator, "DIMM_A1");
	ck_assert_uint_eq(d[0].bytes, 16ull << 30);
	ck_assert_str_eq(d[0].type, "DDR4");
	ck_assert_str_eq(d[0].speed, "2933 MT/s");
	ck_assert_str_eq(d[1].locator, "DIMM_A2");
	ck_assert_uint_eq(d[1].bytes, 128ull << 30);
	ck_assert_str_eq(d[1].type, "Intel Optane persistent memory");
	ck_assert_uint_eq(d[2].bytes, 512 << 10);
	ck_assert_str_eq(d[2].speed, "1600 MT/s"); /* it does not say how it is configured */
	ck_assert_uint_eq(d[3].bytes, 0);
	ck_assert_str_eq(d[3].type, "");
	ck_assert_str_eq(d[3].speed, "");
	ck_assert_int_eq(machine_dmi_parse(table, used, d, 2), 2);
}
END_TEST

START_TEST(tables_cut_off_or_damaged)
{
	struct machine_dimm d[64];

	fill_table();
	for (size_t n = 0; n < used; n++) {
		unsigned char *copy = malloc(n ? n : 1);

		memcpy(copy, table, n);
		ck_assert_int_le(machine_dmi_parse(copy, n, d, 64), 4);
		free(copy);
	}
	srand(2);
	for (int i = 0; i < 20000; i++) {
		unsigned char *copy = malloc(used);

		memcpy(copy, table, used);
		for (int j = rand() % 8; j >= 0; j--)
			copy[rand() % used] = rand();
		ck_assert_int_le(machine_dmi_parse(copy, used, d, 64), 64);
		free(copy);
	}
}
END_TEST

START_TEST(this_machine)
{
	machine_read(&m);
	ck_assert_int_ge(m.sockets, 1);
	ck_assert_int_ge(m.cores, m.sockets);
	ck_assert_int_ge(m.cpus, m.cores);
	ck_assert_int_ge(m.nr_nodes, 1);
	ck_assert_uint_gt(m.nodes[0].bytes, 0);
	for (int i = 0; i < m.nr_caches; i++) {
		ck_assert_int_ge(m.caches[i].shared_by_cpus, 1);
		ck_assert_uint_le(m.caches[i].bytes, m.llc_bytes);
	}
}
END_TEST

Suite *machine_suite(void)
{
	Suite *s = suite_create("machine");
	TCase *c = tcase_create("machine");

	tcase_set_timeout(c, 60); /* under valgrind */
	tcase_add_test(c, kernel_under_tcg);
	tcase_add_test(c, hypervisors);
	tcase_add_test(c, unknown_is_not_zero);
	tcase_add_test(c, governors_that_differ);
	tcase_add_test(c, memory_devices);
	tcase_add_test(c, tables_cut_off_or_damaged);
	tcase_add_test(c, this_machine);
	suite_add_tcase(s, c);
	return s;
}
