/* SPDX-License-Identifier: GPL-2.0 */
/* Shell completion, generated from the tables of commands and options. */
#ifndef MPROBE_COMPLETE_H
#define MPROBE_COMPLETE_H

#include <stdio.h>

void complete_bash(FILE *f);

#endif
