/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words of the command line. All return 0, or -EINVAL (not such a word), -ERANGE (too large, too
 * small, too many), -ENOTUNIQ (a CPU twice) or -ENOMEM and a sentence in error that quotes the word
 * and says what would be right. Where one fails, what it was to fill in is left as it was.
 */
#ifndef MPROBE_PARSE_H
#define MPROBE_PARSE_H

#include <stddef.h>
#include <stdint.h>

#define PARSE_ERROR	256  /* bytes of a sentence */
#define PARSE_MAX_SIZES 4096 /* of a list of sizes */
#define PARSE_MAX_COUNT 1024 /* largest number of workers, and of such numbers */

/* 4096, 16K, 1M, 2G, 1T: powers of 1024; 0x1000 */
int parse_size(const char *s, uint64_t *out, char *error);
/*
 * 16K,64M or 16K..1G (two points an octave: 16K, 24K, 32K, ...) or 16K..1G:4 (16K, 20K, 24K, 28K,
 * 32K, ...; 1 to 64). An octave is divided evenly and rounded down to a multiple of 64; both ends
 * are points. Ascending, multiples of 64, no doubles; *out is malloc'ed.
 */
int parse_sizes(const char *s, uint64_t **out, size_t *n, char *error);
/* 0-3,8,10-14:2 as in taskset, in the order given; doubles and more than max are refused */
int parse_cpus(const char *s, uint32_t *out, size_t max, size_t *n, char *error);
int parse_duration(const char *s, uint64_t *ns, char *error); /* 200us, 10ms, 1.5s, 2m; not 0 */
int parse_share(const char *s, double *out, char *error);     /* 0.5% or 0.005; 0 <= share < 1 */
/* workers: 4, 1..8, 1,2,4; ascending, no doubles, 1 to PARSE_MAX_COUNT; *out is malloc'ed */
int parse_counts(const char *s, uint32_t **out, size_t *n, char *error);
int parse_u64(const char *s, uint64_t *out, char *error); /* decimal or 0x */

#endif
