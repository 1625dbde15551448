/* SPDX-License-Identifier: GPL-2.0 */
/* One change to the quiet machine of doctor_tree.h, and what one check of doctor says to it. */
#ifndef MPROBE_TEST_DOCTOR_ROWS_H
#define MPROBE_TEST_DOCTOR_ROWS_H

#include "doctor_tree.h"

#define CPU  "/sys/devices/system/cpu/"
#define MM   "/sys/kernel/mm/"
#define NODE "/sys/devices/system/node/"
#define OK   DOCTOR_OK
#define NOTE DOCTOR_NOTE
#define BAD  DOCTOR_DISTURBS
#define HUH  DOCTOR_UNKNOWN
#define NONE 99 /* no such finding */

#define STAT(one)                                                          \
	"cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 1100 0 0 0 0 0 0\ncpu1 " one \
	" 0 0\ncpu2 0 0 0 1100 0 0 0 0 0 0\ncpu3 0 0 0 1100 0 0 0 0 0 0\nintr 0\n"
#define IRQ_HEAD "           CPU0       CPU1       CPU2       CPU3\n"

struct doctor_row {
	const char *check;
	int severity;
	const char *part;		    /* of what it says */
	struct tree_file first[3], then[2]; /* before the readings, and between them */
	bool virtual;			    /* the CPU says that it is KVM's */
};

/* CPU 1 is measured on. Both end with check NULL. */
extern const struct doctor_row doctor_rows_cpu[], doctor_rows_kernel[];

#endif
