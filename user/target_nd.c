// SPDX-License-Identifier: GPL-2.0
#include "target_sources.h"

#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>

#include <daxctl/libdaxctl.h>
#include <linux/ndctl.h>
#include <ndctl/libndctl.h>

#define SECTOR 512u

/* The library's complaints about what this machine has not. */
static void silent(struct ndctl_ctx *ctx, int priority, const char *file, int line, const char *fn,
		   const char *format, va_list args)
{
	(void)ctx, (void)priority, (void)file, (void)line, (void)fn, (void)format, (void)args;
}

static struct ndctl_ctx *open_nd(void)
{
	struct ndctl_ctx *ctx;

	if (ndctl_new(&ctx))
		return NULL;
	ndctl_set_log_fn(ctx, silent);
	return ctx;
}

static uint64_t known(unsigned long long v)
{
	return v == ULLONG_MAX ? 0 : v;
}

static uint64_t bad_sectors(struct ndctl_region *r, uint64_t base, uint64_t bytes)
{
	uint64_t start = known(ndctl_region_get_resource(r)), limit, bad = 0;
	struct badblock *b;

	if (!start || __builtin_add_overflow(base, bytes, &limit))
		return 0;
	ndctl_region_badblock_foreach(r, b)
	{
		uint64_t first = start + b->offset * SECTOR;
		uint64_t end = first + (uint64_t)b->len * SECTOR;

		first = first < base ? base : first;
		end = end > limit ? limit : end;
		if (first < end)
			bad += (end - first + SECTOR - 1) / SECTOR;
	}
	return bad;
}

uint64_t target_nd_badblocks(uint64_t base, uint64_t bytes)
{
	struct ndctl_ctx *ctx = open_nd();
	struct ndctl_region *r;
	struct ndctl_bus *bus;
	uint64_t bad = 0;

	if (!ctx)
		return 0;
	ndctl_bus_foreach(ctx, bus)
		ndctl_region_foreach(bus, r)
			bad += bad_sectors(r, base, bytes);
	ndctl_unref(ctx);
	return bad;
}

static const char *block_device(struct ndctl_namespace *n)
{
	struct ndctl_btt *btt = ndctl_namespace_get_btt(n);
	struct ndctl_pfn *pfn = ndctl_namespace_get_pfn(n);

	if (btt)
		return ndctl_btt_get_block_device(btt);
	if (pfn)
		return ndctl_pfn_get_block_device(pfn);
	return ndctl_namespace_get_block_device(n);
}

static const char *mode_name(struct ndctl_namespace *n)
{
	switch (ndctl_namespace_get_mode(n)) {
	case NDCTL_NS_MODE_FSDAX:
		return "fsdax";
	case NDCTL_NS_MODE_SECTOR:
		return "sector";
	case NDCTL_NS_MODE_RAW:
		return "raw";
	case NDCTL_NS_MODE_DEVDAX:
		return "devdax";
	default:
		return "unknown mode";
	}
}

/* Where the block device or a partition of it is mounted first. */
static bool mounted(const char *device, char *where, size_t len)
{
	size_t n = strlen(device);
	FILE *f = setmntent("/proc/self/mounts", "re");
	struct mntent *m;

	if (!f)
		return false;
	while ((m = getmntent(f))) {
		const char *name = m->mnt_fsname + (strncmp(m->mnt_fsname, "/dev/", 5) ? 0 : 5);

		if (strncmp(name, device, n) || (name[n] && name[n] != 'p'))
			continue;
		snprintf(where, len, "%s", m->mnt_dir);
		endmntent(f);
		return true;
	}
	endmntent(f);
	return false;
}

/* A namespace in mode devdax whose memory the kernel took as System RAM; its device's name. */
static bool is_system_ram(struct ndctl_namespace *n, char *dax, size_t len)
{
	struct ndctl_dax *d = ndctl_namespace_get_dax(n);
	struct daxctl_region *r = d ? ndctl_dax_get_daxctl_region(d) : NULL;
	struct daxctl_dev *dev;

	dax[0] = '\0';
	if (!r)
		return false;
	daxctl_dev_foreach(r, dev) {
		snprintf(dax, len, "%s", daxctl_dev_get_devname(dev));
		if (daxctl_dev_get_memory(dev))
			return true;
	}
	return false;
}

static void describe_one(struct target *t, struct ndctl_namespace *n)
{
	const char *name = ndctl_namespace_get_devname(n), *device = block_device(n);
	char where[96], dax[32];

	if (is_system_ram(n, dax, sizeof(dax))) {
		snprintf(t->holder, sizeof(t->holder), "%s (devdax, %s as System RAM)", name, dax);
		snprintf(t->free_command, sizeof(t->free_command),
			 "daxctl offline-memory %s && ndctl disable-namespace %s", dax, name);
		return;
	}
	if (device && device[0] && mounted(device, where, sizeof(where))) {
		snprintf(t->holder, sizeof(t->holder), "%s (%s, %s, mounted)", name, mode_name(n),
			 device);
		snprintf(t->free_command, sizeof(t->free_command),
			 "umount %s && ndctl disable-namespace %s", where, name);
		return;
	}
	if (device && device[0])
		snprintf(dax, sizeof(dax), "%s", device);
	snprintf(t->holder, sizeof(t->holder), "%s (%s%s%s)", name, mode_name(n),
		 dax[0] ? ", " : "", dax);
	snprintf(t->free_command, sizeof(t->free_command), "ndctl disable-namespace %s", name);
}

/* Several namespaces: the first by name; the command frees all of them. */
static void describe(struct target *t, struct ndctl_region *r)
{
	struct ndctl_namespace *n;
	unsigned int held = 0;
	size_t at;

	ndctl_namespace_foreach(r, n) {
		if (!ndctl_namespace_get_size(n) || !ndctl_namespace_is_active(n))
			continue;
		if (!held++) {
			describe_one(t, n);
			continue;
		}
		at = strlen(t->free_command);
		if (at + 16 + strlen(ndctl_namespace_get_devname(n)) < sizeof(t->free_command))
			snprintf(t->free_command + at, sizeof(t->free_command) - at, " %s",
				 ndctl_namespace_get_devname(n));
		else
			snprintf(t->free_command, sizeof(t->free_command),
				 "ndctl disable-region %s", ndctl_region_get_devname(r));
	}
	at = strlen(t->holder);
	if (held > 1)
		snprintf(t->holder + at, sizeof(t->holder) - at, " and %u more", held - 1);
}

static int add_namespaces(struct target_list *l, struct ndctl_region *r, const struct target *whole)
{
	struct ndctl_namespace *n;
	int err = 0;

	ndctl_namespace_foreach(r, n) {
		struct target t = *whole;

		t.bytes = known(ndctl_namespace_get_size(n));
		if (!t.bytes || err)
			continue;
		t.base = known(ndctl_namespace_get_resource(n));
		t.badblocks = bad_sectors(r, t.base, t.bytes);
		t.alias = t.bytes == whole->bytes;
		t.holder[0] = t.free_command[0] = '\0';
		snprintf(t.name, sizeof(t.name), "%s", ndctl_namespace_get_devname(n));
		if (ndctl_namespace_is_active(n))
			describe_one(&t, n);
		err = target_add(l, &t);
	}
	return err;
}

static int add_region(struct target_list *l, struct ndctl_region *r)
{
	struct target t = { .kind = TARGET_PMEM, .holds_data = true };
	int err;

	t.bytes = known(ndctl_region_get_size(r));
	if (ndctl_region_get_type(r) != ND_DEVICE_REGION_PMEM || !t.bytes)
		return 0;
	t.base = known(ndctl_region_get_resource(r));
	t.node = ndctl_region_get_target_node(r);
	if (t.node < 0)
		t.node = ndctl_region_get_numa_node(r);
	if (t.node < 0)
		t.node = -1;
	t.interleave_ways = ndctl_region_get_mappings(r);
	t.badblocks = bad_sectors(r, t.base, t.bytes);
	describe(&t, r);
	snprintf(t.name, sizeof(t.name), "pmem%u", ndctl_region_get_id(r));
	err = target_add(l, &t);
	if (err)
		return err;
	err = add_namespaces(l, r, &t);
	t.alias = true;
	snprintf(t.name, sizeof(t.name), "region%u", ndctl_region_get_id(r));
	return err ? err : target_add(l, &t);
}

int target_nd_add(struct target_list *l)
{
	struct ndctl_ctx *ctx = open_nd();
	struct ndctl_region *r;
	struct ndctl_bus *bus;
	int err = 0;

	if (!ctx)
		return 0;
	ndctl_bus_foreach(ctx, bus)
		ndctl_region_foreach(bus, r)
			if (!err)
				err = add_region(l, r);
	ndctl_unref(ctx);
	return err;
}
