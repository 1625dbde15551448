/* SPDX-License-Identifier: GPL-2.0 */
/* Options: one table (options.c) feeds getopt_long, --help and completion. */
#ifndef MPROBE_OPTIONS_H
#define MPROBE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "orders.h"
#include "plan.h"

/* Which commands take an option. */
enum option_set {
	OPT_ALWAYS = 1 << 0,	/* --help */
	OPT_JSON = 1 << 1,	/* --json */
	OPT_CSV = 1 << 2,	/* --csv */
	OPT_MEASURE = 1 << 3,	/* what lat, bw and run share */
	OPT_SWEEP = 1 << 4,	/* --sizes: lat */
	OPT_WORKERS = 1 << 5,	/* --workers as a list: bw, run */
	OPT_SIZE = 1 << 6,	/* --size: bw, run */
	OPT_POINT = 1 << 7,	/* --loop, --object, --passes: run */
	OPT_OVERWRITE = 1 << 8, /* --overwrite: what may destroy */
	OPT_COMPARE = 1 << 10,	/* --order, --rounds, and what it takes of OPT_MEASURE: compare */
	OPT_DOCTOR = 1 << 9,	/* --cpus and --strict, without the rest of OPT_MEASURE */
};

struct options {
	bool help, quiet, csv, strict, overwrite, irqs_off;
	const char *json;    /* file, "-" stdout, NULL */
	const char *samples; /* the same */
	bool freq;
	enum mprobe_prefetch prefetch; /* 0: not given */
	const char *engine;	       /* "kernel", "user", NULL: by target */
	uint32_t cpus[PLAN_MAX_CPUS];
	size_t nr_cpus;	   /* 0: not given */
	uint32_t *workers; /* owned */
	size_t nr_workers;
	uint64_t *sizes; /* owned; --sizes */
	size_t nr_sizes;
	uint64_t size;				   /* --size; 0: not given */
	uint64_t time_ns, window_ns, seed, passes; /* 0: not given */
	uint64_t warmup_bytes;			   /* UINT64_MAX: not given */
	double precision;
	uint64_t page_bytes; /* 0: not given */
	bool thp;	     /* --page thp */
	enum mprobe_loop_id loop;
	enum mprobe_variant variant; /* 0: not given */
	enum mprobe_isa isa;
	uint32_t object_bytes;
	uint64_t order_window_bytes; /* 0: not given */
	uint64_t orders[ORDERS_MAX]; /* as orders_parse() */
	size_t nr_orders;	     /* 0: not given */
	uint64_t rounds;	     /* 0: not given */
};

struct option_entry {
	const char *name;
	int letter;	   /* short form, 0 none */
	const char *arg;   /* "SIZE"; NULL: none */
	const char *words; /* values for completion, "off on"; NULL */
	unsigned int sets; /* enum option_set */
	const char *help;
	int (*set)(struct options *o, const char *value, char *error);
};

extern const struct option_entry option_table[]; /* ends with name NULL */

/*
 * Parse argv[1..] (argv[0] is the command). Operands end up at argv[*first..]. 0, or -EINVAL
 * and a sentence in error (PARSE_ERROR bytes).
 */
int options_parse(struct options *o, int argc, char **argv, unsigned int sets, int *first,
		  char *error);
void options_free(struct options *o);
void options_help(FILE *f, unsigned int sets);

#endif
