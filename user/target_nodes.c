// SPDX-License-Identifier: GPL-2.0
#include "target_sources.h"

#include <inttypes.h>
#include <stdio.h>

#include <hwloc.h>

/* kB behind the line's `key`; 0 where it is not there */
static uint64_t meminfo_bytes(const char *path, const char *key)
{
	FILE *f = fopen(path, "re");
	char line[256], *at;
	uint64_t kb = 0;

	while (f && fgets(line, sizeof(line), f)) {
		at = strstr(line, key);
		if (at && sscanf(at + strlen(key), " %" SCNu64, &kb) == 1)
			break;
	}
	if (f)
		fclose(f);
	return kb * 1024;
}

static int add_node(struct target_list *l, const struct hwloc_obj *o)
{
	struct target t = { .kind = TARGET_DRAM, .node = o->os_index };
	char path[96];
	int err;

	t.bytes = o->attr->numanode.local_memory;
	if (!t.bytes)
		return 0;
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/meminfo", o->os_index);
	t.free_bytes = meminfo_bytes(path, "MemFree:");
	if (!t.free_bytes) /* a kernel without NUMA */
		t.free_bytes = meminfo_bytes("/proc/meminfo", "MemFree:");
	snprintf(t.name, sizeof(t.name), "dram%u", o->os_index);
	err = target_add(l, &t);
	t.kind = TARGET_ANON;
	t.alias = true;
	snprintf(t.name, sizeof(t.name), "anon:%u", o->os_index);
	return err ? err : target_add(l, &t);
}

int target_nodes_add(struct target_list *l)
{
	struct target anon = { .name = "anon", .kind = TARGET_ANON, .node = -1 };
	hwloc_topology_t topology;
	hwloc_obj_t o = NULL;
	int err = 0;

	if (hwloc_topology_init(&topology))
		return 0;
	hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (hwloc_topology_load(topology))
		goto destroy;
	while (!err && (o = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, o)))
		err = add_node(l, o);
	anon.bytes = meminfo_bytes("/proc/meminfo", "MemTotal:");
	anon.free_bytes = meminfo_bytes("/proc/meminfo", "MemAvailable:");
	if (!err)
		err = target_add(l, &anon);
destroy:
	hwloc_topology_destroy(topology);
	return err;
}
