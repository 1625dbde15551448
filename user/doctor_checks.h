/* SPDX-License-Identifier: GPL-2.0 */
/* Between doctor.c and its checks, doctor_*.c. */
#ifndef MPROBE_DOCTOR_CHECKS_H
#define MPROBE_DOCTOR_CHECKS_H

#include <hwloc.h>

#include "doctor.h"
#include "doctor_read.h"
#include "machine.h"

#define DOCTOR_CPU   "/sys/devices/system/cpu"
#define DOCTOR_LIST  4096 /* bytes of a list of CPUs in a command, which must be whole */
#define DOCTOR_SHOWN 160  /* of one for people, which need not */

struct doctor {
	const struct doctor_request *q;
	struct doctor_report *r;
	struct machine machine; /* its hypervisor */
	hwloc_bitmap_t chosen, online;
	hwloc_bitmap_t siblings;      /* that share a core with chosen CPUs, online, not chosen */
	hwloc_bitmap_t rest;	      /* online, and no part of a chosen core */
	int online_err, siblings_err; /* 0, or why these are not known */
};

/* One more finding; its state. effect NULL: nothing. Where memory runs out r->failed is set. */
void doctor_add(struct doctor *d, const char *check, enum doctor_severity severity,
		const char *effect, const char *format, ...) __attribute__((format(printf, 5, 6)));
/* A finding that can't be made: path's state is not readable. */
void doctor_unknown(struct doctor *d, const char *check, const char *effect, const char *path,
		    int err);
/* To the last finding. */
void doctor_command(struct doctor *d, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void doctor_advise(struct doctor *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What to do where others have to go to other CPUs, and there are none. */
void doctor_advise_cpus(struct doctor *d);

/* "0-3,8" for people and the kernel; "0 1 8" or "$(seq 0 23)" for a shell's for. In out, returned. */
char *doctor_list(char *out, size_t len, hwloc_const_bitmap_t set);
char *doctor_words(char *out, size_t len, hwloc_const_bitmap_t set);
/* Appends, with ", " between; what does not fit is left out as a whole and "..." takes its place. */
void doctor_join(char *out, size_t len, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void doctor_load(struct doctor *d);
void doctor_steal(struct doctor *d);
void doctor_hypervisor(struct doctor *d);
void doctor_smt(struct doctor *d);
void doctor_room(struct doctor *d);
void doctor_isolation(struct doctor *d);
void doctor_interrupts(struct doctor *d);
void doctor_affinity(struct doctor *d);
void doctor_ipis(struct doctor *d);
void doctor_timer(struct doctor *d);
void doctor_softirqs(struct doctor *d);
void doctor_irqbalance(struct doctor *d);
void doctor_governor(struct doctor *d);
void doctor_epp(struct doctor *d);
void doctor_turbo(struct doctor *d);
void doctor_idle(struct doctor *d);
void doctor_clock(struct doctor *d);
void doctor_watchdogs(struct doctor *d);
void doctor_mitigations(struct doctor *d);
void doctor_lockdown(struct doctor *d);
void doctor_module(struct doctor *d);
void doctor_prefetchers(struct doctor *d);
void doctor_thp(struct doctor *d);
void doctor_numa_balancing(struct doctor *d);
void doctor_damon(struct doctor *d);
void doctor_ksm(struct doctor *d);
void doctor_swap(struct doctor *d);
void doctor_zswap(struct doctor *d);
void doctor_compaction(struct doctor *d);
void doctor_hugepages(struct doctor *d);
void doctor_free_memory(struct doctor *d);

#endif
