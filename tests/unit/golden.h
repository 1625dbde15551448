/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts against tests/golden/. MPROBE_GOLDEN=write writes what is rendered
 * now, and fails, so that it is looked at before it becomes the truth.
 */
#ifndef MPROBE_TEST_GOLDEN_H
#define MPROBE_TEST_GOLDEN_H

#include <stdio.h>

/* name: of the file; write: as a renderer, 0 where it went well */
void golden(const char *name, int (*write)(const void *what, FILE *f), const void *what);

#endif
