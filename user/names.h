/* SPDX-License-Identifier: GPL-2.0 */
/* The words of the result document for the protocol's and the result's numbers. NULL: no such. */
#ifndef MPROBE_NAMES_H
#define MPROBE_NAMES_H

#include "result.h"

const char *names_loop(enum mprobe_loop_id loop);	   /* "chase" */
const char *names_variant(enum mprobe_variant variant);	   /* "ro" */
const char *names_operation(enum mprobe_variant variant);  /* "read-only", for people */
const char *names_clock(enum mprobe_clock clock);	   /* "tsc" */
const char *names_reason(enum mprobe_reason reason);	   /* "cpu-offline" */
const char *names_stopped_by(enum stopped_by why);	   /* "precision" */
const char *names_disturbance(enum disturbance one);	   /* "irq" */
const char *names_verdict(enum verdict verdict);	   /* "clean" */
const char *names_counter(enum mprobe_counter counter);	   /* "dtlb_load_misses" */
const char *names_prefetch(enum mprobe_prefetch prefetch); /* "off" */
const char *names_prefetch_control(enum mprobe_prefetch_control control); /* "intel-msr-0x1a4" */
const char *names_prefetcher(unsigned int bit); /* of MPROBE_PREFETCH_F_*: "l2-stream" */

#endif
