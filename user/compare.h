/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hop in userspace taken apart into what causes its time. The same lines in the same order are
 * measured in several ways, in turns: each round measures all ways, every second one backwards, so
 * that what drifts evenly falls out of an even number of them. A part is a difference of ways
 * within each round, and its figure the median over the rounds with the interval of stats.h. The
 * parts are, from the kernel engine with the largest pages K(L) to the loaded userspace X:
 *   base	K(L)
 *   pages	K(2M) - K(L), K(4K) - K(2M): page walks, and what goes with them
 *   user	U(c) - K(c), c the largest pages that both have
 *   load	X - U(4K)
 *   rest	(U(4K) - U(c)) - (K(4K) - K(c)): what pages cost more, or less, in userspace
 * so that in each round they add up to X. Their medians need not: they do when the sum differs from
 * X by no more than the root of the sum of the squares of all half intervals. Where the kernel
 * engine lacks 4K pages, or is not there, pages are told by userspace, and there is no rest.
 * K and U are medians of clean windows, X all time by all hops.
 */
#ifndef MPROBE_COMPARE_H
#define MPROBE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "stats.h"

enum compare_way_id { /* in the order of a round */
		      WAY_KERNEL_1G,
		      WAY_KERNEL_2M,
		      WAY_KERNEL_4K,
		      WAY_USER_1G,
		      WAY_USER_2M,
		      WAY_USER_4K,
		      WAY_LOADED,
		      WAYS,
};

struct compare_way {
	bool kernel, loaded;
	uint64_t page_bytes;
	bool planned;	/* anon has no kernel ways */
	bool available; /* planned, and the memory can be mapped so */
	char why[384];	/* not, as a sentence */
};

/* One order on one working set. */
struct compare_case {
	uint64_t bytes, window_bytes; /* window 0: random over all of it */
	double *ns;		      /* WAYS x rounds, NAN not measured; owned */
	double *walks;		      /* the same: page walks a hop, NAN unknown; owned */
};

enum compare_part_kind { PART_BASE, PART_PAGES, PART_USER, PART_LOAD, PART_REST };
#define COMPARE_PARTS 6

struct compare_part {
	enum compare_part_kind kind;
	int sign[WAYS];			/* of each way in it: -1, 0, 1 */
	uint64_t page_bytes, was_bytes; /* its pages; PART_PAGES: in place of these */
};

struct compare {
	char target[64];
	const char *variant; /* "ro" */
	uint32_t cpu;
	uint64_t seed;
	struct compare_way ways[WAYS];
	struct compare_case *cases; /* owned; by order, then size */
	size_t nr_cases;
	uint32_t rounds, done; /* asked for; whole ones */
	struct compare_part parts[COMPARE_PARTS];
	size_t nr_parts;
	bool whole; /* the parts lead to WAY_LOADED */
};

struct compare_sum {
	double total, parts, within; /* ns: X, the medians' sum, the interval of their difference */
	int adds_up;		     /* -1: it can't be told, of less than 6 rounds */
};

void compare_init(struct compare *c, bool kernel, uint32_t rounds);
/* 0 or -ENOMEM */
int compare_add_case(struct compare *c, uint64_t bytes, uint64_t window_bytes);
void compare_free(struct compare *c);
void compare_put(struct compare *c, size_t nth, enum compare_way_id way, uint32_t round, double ns,
		 double walks);
void compare_split(
	struct compare *c); /* which parts there are, once it is known what is available */
/* Over the rounds. */
void compare_way_figure(const struct compare *c, size_t nth, enum compare_way_id way,
			struct summary *out);
void compare_part_figure(const struct compare *c, size_t nth, size_t part, struct summary *out);
double compare_way_walks(const struct compare *c, size_t nth, enum compare_way_id way);
double compare_part_walks(const struct compare *c, size_t nth, size_t part);
void compare_add_up(const struct compare *c, size_t nth, struct compare_sum *out);

#endif
