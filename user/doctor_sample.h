/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of the kernel at one time: what a machine does shows in two such readings. */
#ifndef MPROBE_DOCTOR_SAMPLE_H
#define MPROBE_DOCTOR_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample_row {    /* of /proc/interrupts or /proc/softirqs */
	char name[16]; /* "36", "RES" */
	char what[64]; /* "virtio1-req.0" */
	uint64_t *v;   /* owned; one for each CPU of the table */
};

struct sample_table {
	int err;	/* 0, or -errno: not readable */
	uint32_t *cpus; /* owned; of the columns */
	size_t nr_cpus;
	struct sample_row *rows; /* owned */
	size_t n;
};

struct sample_cpu { /* of /proc/stat; in ticks */
	uint32_t cpu;
	uint64_t total, idle, steal; /* idle: also while waiting for a disk */
};

struct sample_process {
	int pid;
	char name[32];
	uint64_t ticks; /* user and kernel */
	bool of_kernel; /* one of its threads */
};

struct doctor_sample {
	double at; /* seconds */
	struct sample_table interrupts, softirqs;
	struct sample_cpu *cpus; /* owned */
	size_t nr_cpus;
	int cpus_err;
	struct sample_process *processes; /* owned */
	size_t nr_processes;
	char *vmstat; /* owned; NULL: not readable */
};

int doctor_sample_read(struct doctor_sample *s, const char *root); /* 0 or -ENOMEM */
void doctor_sample_free(struct doctor_sample *s);

/* By how much a row's counter of one CPU grew; 0 where it was not there. */
uint64_t doctor_sample_grown(const struct sample_table *before, const struct sample_table *after,
			     const struct sample_row *row, uint32_t cpu);
/* The same of a line of /proc/vmstat; -1: not known */
int64_t doctor_sample_vmstat(const struct doctor_sample *before, const struct doctor_sample *after,
			     const char *name);
struct sample_share { /* of a CPU's time; -1 unknown */
	double busy, steal, steal_ever;
};
struct sample_share doctor_sample_share(const struct doctor_sample *before,
					const struct doctor_sample *after, uint32_t cpu);

#endif
