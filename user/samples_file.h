/* SPDX-License-Identifier: GPL-2.0 */
/* --samples: each job's windows go to a file as soon as it is done; the file takes its name at the end. */
#ifndef MPROBE_SAMPLES_FILE_H
#define MPROBE_SAMPLES_FILE_H

#include "cmd.h"
#include "measure.h"
#include "output.h"

struct samples_file {
	struct output_file o;
	bool open;
};

/* Opens it, where it is asked for, and has m feed it. 0 or an enum cmd_exit, after a sentence. */
int samples_file_begin(struct samples_file *s, const struct cmd *c, struct measure *m);
/* keep: else the file does not come to be, and nothing is said. */
int samples_file_end(struct samples_file *s, const struct cmd *c, bool keep);

#endif
