/* SPDX-License-Identifier: GPL-2.0 */
/* A plan: points in order. A point: one loop with all its parameters. */
#ifndef MPROBE_PLAN_H
#define MPROBE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/mprobe.h>

#define PLAN_MAX_CPUS 1024

struct point {
	char target[64];
	char target_kind[16];
	enum mprobe_loop_id loop;
	enum mprobe_variant variant;
	enum mprobe_isa isa;		    /* 0: the widest */
	uint64_t working_set_bytes;	    /* of all workers together */
	uint64_t stride_bytes, block_bytes; /* 64, 64 for now */
	uint64_t window_bytes;		    /* that the order is confined to; 0: none */
	uint32_t chains, workers;
	uint32_t *cpus; /* workers of them; not owned, lives as long as the plan */
	uint64_t seed;
	uint64_t time_ns, measure_window_ns; /* at most; 0: engine's default window */
	uint64_t warmup_bytes;		     /* a worker's; 0: the engine's rule */
	uint64_t passes;		     /* 0: no limit */
	double precision;		     /* share, 0.005; 0: run for all of time_ns */
	uint64_t page_bytes;		     /* 0: the largest (kernel engine) */
	bool irqs_off, overwrite, thp;	     /* thp: user engine, page_bytes 2M */
	bool loaded;		       /* compare: another thread wants the CPU all the time */
	enum mprobe_prefetch prefetch; /* 0: not asked (ASIS) */
};

struct plan {
	struct point *v; /* owned */
	size_t n, cap;
	uint32_t cpus[PLAN_MAX_CPUS]; /* in the order in which workers take them */
	uint32_t nr_cpus;
};

int plan_add(struct plan *p, const struct point *one); /* 0 or -ENOMEM */
void plan_free(struct plan *p);

#endif
