/* SPDX-License-Identifier: GPL-2.0 */
/* A result into what the options ask for: JSON first, then table or CSV on standard output. */
#ifndef MPROBE_PAPER_H
#define MPROBE_PAPER_H

#include "cmd.h"
#include "result.h"

int paper_write(const struct cmd *c, struct result *r); /* enum cmd_exit, after a sentence */

#endif
