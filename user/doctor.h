/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What on this machine will disturb a measurement on some CPUs, and how to stop it. All is found in
 * files below a root, most of it as it stands, rates from two readings (doctor_sample.h). What
 * can't be read is DOCTOR_UNKNOWN, never DOCTOR_OK; what a kernel or CPU does not have is no finding.
 */
#ifndef MPROBE_DOCTOR_H
#define MPROBE_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/mprobe.h>

#include "doctor_sample.h"
#include "machine_kernel.h"

enum doctor_severity { /* the most serious first */
		       DOCTOR_DISTURBS,
		       DOCTOR_UNKNOWN,
		       DOCTOR_NOTE, /* disturbs some measurements only, or a little, or can't be changed from here */
		       DOCTOR_OK,
};

struct doctor_finding {
	const char *check; /* "interrupts" */
	enum doctor_severity severity;
	char *state;	 /* owned, as all below; the rest NULL where there is nothing to say */
	char *effect;	 /* on a figure */
	char *advice;	 /* what no command does */
	char **commands; /* for a POSIX shell of root's, in this order */
	size_t nr_commands;
};

struct doctor_report {
	struct doctor_finding *v; /* owned; the most serious first */
	size_t n;
	const uint32_t *cpus; /* the request's */
	size_t nr_cpus;
	uint32_t nodes[64]; /* that these CPUs are of */
	size_t nr_nodes;
	double seconds; /* between the readings */
	bool failed;	/* memory ran out: not to be shown */
};

struct doctor_module {
	bool reached; /* it answers */
	char version[64];
	enum mprobe_prefetch_control prefetch_control; /* 0 unknown */
	char error[512];			       /* why not */
};

struct doctor_request {
	const char *root; /* "" on a real machine */
	const uint32_t *cpus;
	size_t nr_cpus;
	struct machine_cpuid cpuid;
	struct doctor_module module;
	const struct doctor_sample *before, *after;
};

/* 0; -ENODATA: neither /proc nor /sys can be read; -ENOMEM. To be freed in any case. */
int doctor_examine(const struct doctor_request *q, struct doctor_report *r);
void doctor_report_free(struct doctor_report *r);
size_t doctor_count(const struct doctor_report *r, enum doctor_severity severity);
const char *doctor_severity_name(enum doctor_severity severity); /* "cannot tell" */

#endif
