/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MPROBE_RENDER_TABLE_H
#define MPROBE_RENDER_TABLE_H

#include <stdio.h>

#include "display.h"

/* Plain ASCII, also into a pipe. 0, or -errno where f could not take all of it (it is flushed). */
int render_table(const struct display *d, FILE *f);

#endif
