/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What lat, bw and run have in common: operands into targets with engine and
 * CPUs, options into points, a plan into a result on paper. Calls return 0 or
 * an enum cmd_exit, after a sentence on stderr.
 */
#ifndef MPROBE_SESSION_H
#define MPROBE_SESSION_H

#include "cmd.h"
#include "measure.h"

struct session_target {
	struct target target;
	struct engine *engine;
	const struct engine_info *info;
	uint32_t cpus[PLAN_MAX_CPUS]; /* in the order in which workers take them */
	size_t nr_cpus;
	uint64_t page_bytes;  /* to be asked for */
	uint64_t room;	      /* bytes that can be measured; 0 unknown */
	uint64_t claim_bytes; /* grows with the points added; 0: the whole target */
};

struct session {
	const struct cmd *cmd;
	struct session_target *targets; /* owned; in the order of the operands */
	size_t n;
	struct engine kernel, user; /* open where ops is set */
	struct engine_info kernel_info, user_info;
	struct plan plan;
	struct result result;
};

int session_begin(struct session *s, const struct cmd *c);
int session_open_user(struct session *s); /* the user engine, whatever the targets need */
void session_end(struct session *s);

/* What the options and the target say; the caller sets what its command is about. */
void session_point(const struct session *s, const struct session_target *t, struct point *p);
/* Refuses what can't be, before anything is touched; else the plan has one more. bytes: each worker's. */
int session_add(struct session *s, struct session_target *t, struct point *p, uint64_t bytes);
/* Measures the plan and writes table or CSV, and JSON. */
int session_run(struct session *s);
void session_note(const struct session *s, const char *format, ...)
	__attribute__((format(printf, 2, 3))); /* on stderr, unless --quiet */

#endif
