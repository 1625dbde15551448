/* SPDX-License-Identifier: GPL-2.0 */
/* What all renderers end with. */
#ifndef MPROBE_RENDER_H
#define MPROBE_RENDER_H

#include <stdbool.h>
#include <stdio.h>

/* errno was 0 when the writing began; failed: a call says that it did. 0 or -errno. */
int render_flush(FILE *f, bool failed);

#endif
