/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `mprobectl doctor` shows. 0, or -errno where f could not take all of it
 * (it is flushed).
 *
 * JSON, schema "mprobe-doctor/1": tool; cpus[], nodes[]; observed_s (between the two readings that
 * rates are taken from); disturbs, cannot_tell, note, ok (how many findings of each); findings[],
 * the most serious first, of check, severity ("disturbs", "cannot-tell", "note", "ok"), state,
 * effect, advice (sentences, or null), commands[] (for a POSIX shell of root's, in this order).
 */
#ifndef MPROBE_RENDER_DOCTOR_H
#define MPROBE_RENDER_DOCTOR_H

#include <stdio.h>

#include "doctor.h"

int render_doctor_text(const struct doctor_report *r, FILE *f);
int render_doctor_json(const struct doctor_report *r, FILE *f);

#endif
