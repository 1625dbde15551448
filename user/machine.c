// SPDX-License-Identifier: GPL-2.0
#include "machine.h"

#include <stdio.h>
#include <string.h>

#include <hwloc.h>

#include "machine_dmi.h"
#include "machine_kernel.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int known(int n)
{
	return n > 0 ? n : -1;
}

/* Threads a core; -1 where cores differ (hybrid CPUs) or there are none to be seen. */
static int threads_a_core(hwloc_topology_t t)
{
	hwloc_obj_t core = NULL;
	int smt = -1, n;

	while ((core = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_CORE, core))) {
		n = hwloc_bitmap_weight(core->cpuset);
		if (smt > 0 && n != smt)
			return -1;
		smt = n;
	}
	return smt;
}

static void add_cache(struct machine *m, hwloc_obj_t o)
{
	const struct hwloc_cache_attr_s *a = &o->attr->cache;
	struct machine_cache c = { .level = a->depth,
				   .bytes = a->size,
				   .shared_by_cpus = hwloc_bitmap_weight(o->cpuset) };

	snprintf(c.type, sizeof(c.type), "%s",
		 a->type == HWLOC_OBJ_CACHE_DATA ? "data" : "unified");
	for (int i = 0; i < m->nr_caches; i++)
		if (m->caches[i].level == c.level && m->caches[i].bytes == c.bytes &&
		    m->caches[i].shared_by_cpus == c.shared_by_cpus)
			return;
	if (m->nr_caches < (int)COUNT(m->caches))
		m->caches[m->nr_caches++] = c;
}

static void read_caches(struct machine *m, hwloc_topology_t t)
{
	static const hwloc_obj_type_t levels[] = { HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
						   HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE,
						   HWLOC_OBJ_L5CACHE };
	hwloc_obj_t o = NULL;

	for (size_t i = 0; i < COUNT(levels); i++) {
		while ((o = hwloc_get_next_obj_by_type(t, levels[i], o))) {
			add_cache(m, o);
			if (!i && !m->l1d_bytes)
				m->l1d_bytes = o->attr->cache.size;
			if (o->attr->cache.size > m->llc_bytes)
				m->llc_bytes = o->attr->cache.size;
		}
	}
}

/* The kernel's own list: hwloc lets a node without CPUs have those near to it. */
static void read_cpulist(struct machine_node *n, hwloc_obj_t o)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", n->node);
	f = fopen(path, "re");
	if (!f) {
		hwloc_bitmap_list_snprintf(n->cpus, sizeof(n->cpus), o->cpuset);
		return;
	}
	if (fgets(n->cpus, sizeof(n->cpus), f))
		n->cpus[strcspn(n->cpus, "\n")] = '\0';
	fclose(f);
}

static void read_nodes(struct machine *m, hwloc_topology_t t)
{
	hwloc_obj_t o = NULL;

	while ((o = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, o)) &&
	       m->nr_nodes < (int)COUNT(m->nodes)) {
		struct machine_node *n = &m->nodes[m->nr_nodes++];

		n->node = o->os_index;
		n->bytes = o->attr->numanode.local_memory;
		read_cpulist(n, o);
	}
}

static void read_topology(struct machine *m)
{
	hwloc_topology_t t;

	m->sockets = m->cores = m->cpus = m->smt = -1;
	if (hwloc_topology_init(&t))
		return;
	hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (!hwloc_topology_load(t)) {
		m->sockets = known(hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PACKAGE));
		m->cores = known(hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE));
		m->cpus = known(hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU));
		m->smt = threads_a_core(t);
		read_caches(m, t);
		read_nodes(m, t);
	}
	hwloc_topology_destroy(t);
}

void machine_read(struct machine *m)
{
	struct machine_cpuid id;

	memset(m, 0, sizeof(*m));
	machine_cpuid_read(&id);
	machine_kernel_read(m, "", &id);
	read_topology(m);
	m->nr_dimms = machine_dmi_read("/sys/firmware/dmi/tables/DMI", m->dimms, COUNT(m->dimms));
}
