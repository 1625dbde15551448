// SPDX-License-Identifier: GPL-2.0
#include "cpus.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <hwloc.h>

#define MAX_NODES 1024

/* What this process may use, before cpus_avoid() made its own thread's mask smaller. */
static hwloc_bitmap_t allowed_to_us(void)
{
	static cpu_set_t mask; /* read once */
	static bool known;
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	if (!known)
		known = !sched_getaffinity(0, sizeof(mask), &mask);
	if (!known) /* more CPUs than a cpu_set_t holds: the kernel refuses what is not allowed */
		hwloc_bitmap_fill(set);
	for (int i = 0; known && i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &mask))
			hwloc_bitmap_set(set, i);
	return set;
}

static int refuse(char *error, size_t len, int err, const char *format, uint32_t cpu)
{
	snprintf(error, len, format, cpu);
	return err;
}

static int check_one(uint32_t cpu, char *error, size_t len)
{
	char path[80];
	FILE *f;
	int c;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", cpu);
	if (access(path, F_OK))
		return refuse(
			error, len, -ENODEV,
			"there is no CPU %u here (lscpu -e lists them): choose others by --cpus",
			cpu);
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	f = fopen(path, "re"); /* a CPU that can't go offline has none */
	c = f ? fgetc(f) : '1';
	if (f)
		fclose(f);
	if (c == '0')
		return refuse(error, len, -EHOSTDOWN,
			      "CPU %u is offline: echo 1 > /sys/devices/system/cpu/cpuN/online, or "
			      "choose others by --cpus",
			      cpu);
	return 0;
}

int cpus_check(const uint32_t *cpus, size_t n, char *error, size_t len)
{
	hwloc_bitmap_t allowed = allowed_to_us();
	int ret = 0;

	for (size_t i = 0; !ret && i < n; i++) {
		for (size_t k = 0; !ret && k < i; k++)
			if (cpus[k] == cpus[i])
				ret = refuse(error, len, -ENOTUNIQ,
					     "CPU %u is given twice: each worker needs its own",
					     cpus[i]);
		if (!ret)
			ret = check_one(cpus[i], error, len);
		if (!ret && !hwloc_bitmap_isset(allowed, cpus[i]))
			ret = refuse(
				error, len, -EACCES,
				"CPU %u is not allowed to this process (taskset, cpuset): choose "
				"others by --cpus",
				cpus[i]);
	}
	hwloc_bitmap_free(allowed);
	return ret;
}

int cpus_node_of(uint32_t cpu)
{
	char path[96];

	for (int node = 0; node < MAX_NODES; node++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/node%d", cpu, node);
		if (!access(path, F_OK))
			return node;
	}
	return -1;
}

/* The node with CPUs that is least far; -1: the kernel gives no distances. */
static int nearest(hwloc_topology_t topo, int node)
{
	hwloc_obj_t o = NULL;
	char path[80];
	int best = -1, least = INT_MAX, far;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/distance", node);
	f = fopen(path, "re");
	if (!f)
		return -1;
	/* one number for each node, ascending, as hwloc lists them by logical index */
	for (int i = 0; i < MAX_NODES && fscanf(f, "%d", &far) == 1; i++) {
		o = hwloc_get_obj_by_type(topo, HWLOC_OBJ_NUMANODE, i);
		if (o && far < least && !hwloc_bitmap_iszero(o->cpuset)) {
			least = far;
			best = o->os_index;
		}
	}
	fclose(f);
	return best;
}

static void take(hwloc_topology_t topo, hwloc_const_bitmap_t set, uint32_t *out, size_t max,
		 size_t *n)
{
	bool more = true;

	*n = 0;
	for (int nth = 0; more; nth++) {
		hwloc_obj_t core = NULL;

		more = false;
		while ((core = hwloc_get_next_obj_by_type(topo, HWLOC_OBJ_CORE, core))) {
			int cpu = hwloc_bitmap_first(core->cpuset);

			for (int i = 0; i < nth && cpu >= 0; i++)
				cpu = hwloc_bitmap_next(core->cpuset, cpu);
			if (cpu < 0)
				continue;
			more = true;
			if (hwloc_bitmap_isset(set, cpu) && *n < max)
				out[(*n)++] = cpu;
		}
	}
}

static int near(hwloc_topology_t topo, int node, uint32_t *out, size_t max, size_t *n, int *from,
		char *error, size_t len)
{
	hwloc_bitmap_t allowed = allowed_to_us();
	hwloc_obj_t o;

	hwloc_bitmap_and(allowed, allowed, hwloc_topology_get_allowed_cpuset(topo));
	*from = node;
	if (node < 0)
		*from = cpus_node_of(hwloc_bitmap_first(allowed));
	o = *from < 0 ? NULL : hwloc_get_numanode_obj_by_os_index(topo, *from);
	if (o && hwloc_bitmap_iszero(o->cpuset)) {
		*from = nearest(topo, node);
		o = *from < 0 ? NULL : hwloc_get_numanode_obj_by_os_index(topo, *from);
	}
	if (o)
		hwloc_bitmap_and(allowed, allowed, o->cpuset);
	take(topo, allowed, out, max, n);
	hwloc_bitmap_free(allowed);
	if (*n)
		return 0;
	snprintf(error, len,
		 "this process may use no CPU of node %d (taskset, cpuset): choose CPUs "
		 "by --cpus",
		 *from);
	return -ENOENT;
}

int cpus_near(int node, uint32_t *out, size_t max, size_t *n, int *from, char *error, size_t len)
{
	hwloc_topology_t topo;
	int ret = -ENODEV;

	if (hwloc_topology_init(&topo)) {
		snprintf(error, len,
			 "hwloc cannot read this machine's topology: choose CPUs by --cpus");
		return ret;
	}
	if (hwloc_topology_load(topo))
		snprintf(error, len,
			 "hwloc cannot read this machine's topology: choose CPUs by --cpus");
	else
		ret = near(topo, node, out, max, n, from, error, len);
	hwloc_topology_destroy(topo);
	return ret;
}

void cpus_avoid(const uint32_t *cpus, size_t n)
{
	hwloc_bitmap_t set = allowed_to_us();
	cpu_set_t mask;
	int cpu;

	for (size_t i = 0; i < n; i++)
		hwloc_bitmap_clr(set, cpus[i]);
	if (hwloc_bitmap_iszero(set) || hwloc_bitmap_isfull(set))
		goto out;
	CPU_ZERO(&mask);
	hwloc_bitmap_foreach_begin(cpu, set) if (cpu < CPU_SETSIZE) CPU_SET(cpu, &mask);
	hwloc_bitmap_foreach_end();
	sched_setaffinity(0, sizeof(mask), &mask); /* a courtesy: where it fails nothing is wrong */
out:
	hwloc_bitmap_free(set);
}
