/* SPDX-License-Identifier: GPL-2.0 */
/* A made-up machine's /proc and /sys below a directory of its own, at first one that nothing disturbs. */
#ifndef MPROBE_TEST_DOCTOR_TREE_H
#define MPROBE_TEST_DOCTOR_TREE_H

#include <stddef.h>

#include "doctor.h"

#define TREE_DIR "\1" /* in place of a text: a directory, which can't be read as a file */

struct tree_file {
	const char *path, *text; /* text NULL: there is none */
};

extern const struct tree_file tree_quiet[]; /* ends with path NULL */

const char *tree_begin(const struct tree_file *files); /* the root */
void tree_put(const char *path, const char *text);     /* as struct tree_file */
void tree_put_bytes(const char *path, const void *bytes, size_t len);
void tree_end(void);

/* The second reading is taken after `then`, a list as above or NULL, one second later. */
int tree_examine(const uint32_t *cpus, size_t n, const struct tree_file *then,
		 struct doctor_request *q, struct doctor_report *r);
const struct doctor_finding *tree_find(const struct doctor_report *r, const char *check);

#endif
