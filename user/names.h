/* SPDX-License-Identifier: GPL-2.0 */
/* The words of the result document for the protocol's and the result's numbers. NULL: no such. */
#ifndef MPROBE_NAMES_H
#define MPROBE_NAMES_H

#include "result.h"

const char *names_loop(enum mprobe_loop_id loop);	  /* "chase" */
const char *names_variant(enum mprobe_variant variant);	  /* "ro" */
const char *names_operation(enum mprobe_variant variant); /* "read-only", for people */
const char *names_clock(enum mprobe_clock clock);	  /* "tsc" */
const char *names_reason(enum mprobe_reason reason);	  /* "cpu-offline" */
const char *names_stopped_by(enum stopped_by why);	  /* "precision" */
const char *names_disturbance(enum disturbance one);	  /* "irq" */

#endif
