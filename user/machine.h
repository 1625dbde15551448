/* SPDX-License-Identifier: GPL-2.0 */
/* The machine as the result document describes it. Unknown: "" or -1. */
#ifndef MPROBE_MACHINE_H
#define MPROBE_MACHINE_H

#include <stdint.h>

struct machine_cache {
	int level;
	char type[16]; /* "data", "unified" */
	uint64_t bytes;
	int shared_by_cpus;
};

struct machine_node {
	int node;
	uint64_t bytes;
	char cpus[256]; /* list; "" none */
};

struct machine_dimm {
	char locator[64], type[32];
	char speed[32]; /* as configured: "3200 MT/s"; "" unknown */
	uint64_t bytes; /* 0 unknown */
};

struct machine {
	char cpu_model[128];
	int sockets, cores, cpus, smt; /* smt: threads a core, -1 unknown */
	struct machine_cache caches[16];
	int nr_caches;
	struct machine_node nodes[64];
	int nr_nodes;
	struct machine_dimm dimms[64]; /* where SMBIOS is readable */
	int nr_dimms;
	char kernel_release[128], kernel_cmdline[2048], mitigations[2048];
	char thp[64], governor[64], prefetchers[128], hypervisor[64];
	char turbo[8];		   /* "on", "off" */
	int virtualised, emulated; /* 1 yes, 0 no, -1 unknown */
	uint64_t llc_bytes;	   /* the largest cache one CPU can reach; 0 unknown */
	uint64_t l1d_bytes;
};

void machine_read(struct machine *m);

#endif
