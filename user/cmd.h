/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands: one const table (cmd.c) drives lookup, help and completion; one
 * file for each in cmd/. By the time a command runs, its options are parsed,
 * those it does not take are refused, and the number of its operands is right.
 */
#ifndef MPROBE_CMD_H
#define MPROBE_CMD_H

#include <stdbool.h>
#include <stdio.h>

#include "engine.h"
#include "options.h"

enum cmd_exit {
	CMD_OK = 0,
	CMD_FAILED = 1,	     /* nothing, or not all, was done; a sentence says why */
	CMD_USAGE = 2,	     /* the command line is wrong; nothing was touched */
	CMD_TAINTED = 3,     /* --strict and a result is tainted, or something disturbs */
	CMD_CANCELLED = 130, /* Ctrl-C or SIGTERM; what was measured is kept */
};

struct command;

struct cmd {
	const struct command *command;
	const struct options *opt;
	int argc; /* operands, after the options */
	char **argv;
	int all_argc; /* the whole command line, for result.argv */
	char **all_argv;
	const struct engine_ops *kernel, *user; /* replaced by tests */
	FILE *out;				/* stdout; flushed and checked by main */
};

struct command {
	const char *name;
	int (*run)(const struct cmd *c);      /* enum cmd_exit */
	const char *operands;		      /* "TARGET...", "" none */
	int min_operands, max_operands;	      /* max -1: any */
	const char *help;		      /* one line */
	unsigned int options;		      /* enum option_set bits that it takes, besides: */
	bool needs_module, json, destructive; /* --json; --overwrite */
};

extern const struct command cmd_table[];	   /* ends with name NULL */
const struct command *cmd_find(const char *name);  /* exact names only; NULL */
unsigned int cmd_options(const struct command *c); /* all that it takes */

int cmd_doctor(const struct cmd *c);
int cmd_info(const struct cmd *c), cmd_list(const struct cmd *c), cmd_status(const struct cmd *c),
	cmd_cancel(const struct cmd *c), cmd_lat(const struct cmd *c), cmd_bw(const struct cmd *c),
	cmd_run(const struct cmd *c), cmd_compare(const struct cmd *c);

/* "mprobectl NAME: sentence\n" on stderr; returns code */
int cmd_fail(const struct cmd *c, enum cmd_exit code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int cmd_main(int argc, char **argv, const struct engine_ops *kernel, const struct engine_ops *user,
	     FILE *out); /* the whole program but exit() */

#endif
