/* SPDX-License-Identifier: GPL-2.0 */
/* What a job may ask for. Knows no CPU's state: that is looked at when the CPUs are taken (job.c). */
#ifndef _MPROBE_CHECK_H
#define _MPROBE_CHECK_H

#include "job.h"

/*
 * Fill in the job from its specification, and take its ranges into use. On an error, of the uapi
 * header's list, those taken so far stand in job->ranges for the caller to give back.
 */
int mprobe_check_job(const struct mprobe_job_spec *spec, struct mprobe_job *job,
		     struct mprobe_refusal *no);

#endif
