/* SPDX-License-Identifier: GPL-2.0 */
/* Documents into files: whole or not at all. */
#ifndef MPROBE_OUTPUT_H
#define MPROBE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* writes `what` to f; 0 or -errno */
typedef int (*output_fn)(FILE *f, const void *what);

/*
 * path "-": to out. Otherwise a temporary file beside path, which takes its name only when all
 * of it is on the disk. 0, or -errno and a sentence in error.
 */
int output_write(const char *path, FILE *out, output_fn write, const void *what, char *error,
		 size_t len);
/* The same in pieces: what is written to f before output_close() is whole or not there at all. */
struct output_file {
	FILE *f;
	const char *path; /* not owned */
	FILE *out;	  /* where path is "-" */
	char *temp, *real;
};

/* 0, or -errno and a sentence; o then needs no closing. */
int output_open(struct output_file *o, const char *path, FILE *out, char *error, size_t len);
/* failed, -errno or 0: what happened meanwhile; the file then does not come to be. */
int output_close(struct output_file *o, int failed, char *error, size_t len);
/* Can path be written? Before anything is measured: 0, or -errno and a sentence. Nothing is left. */
int output_check(const char *path, char *error, size_t len);
/*
 * Standard streams that were closed are held open, so that no file or socket takes their number
 * and what is printed. Writing to them fails as before. 0 or -errno.
 */
int output_hold(void);
int output_flush(FILE *out, char *error, size_t len); /* 0, or -errno (disk full) and a sentence */

#endif
