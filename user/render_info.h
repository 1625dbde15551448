/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `mprobectl info` shows. 0, or -errno where f could not take all of it
 * (it is flushed).
 *
 * JSON, schema "mprobe-info/1": tool, module (null where it cannot be reached)
 * of version, protocol, clock ("tsc", "monotonic-raw"), clock_khz, clock_overhead_ticks, hz,
 * isas[], max_jobs, max_ranges, max_workers, max_range_bytes, max_samples,
 * window_max_ns, window_max_irqs_off_ns, window_default_ns,
 * window_default_irqs_off_ns, locked_down; module_error (the sentence, or null);
 * machine as in "mprobe-result/1".
 */
#ifndef MPROBE_RENDER_INFO_H
#define MPROBE_RENDER_INFO_H

#include <stdio.h>

#include "engine.h"
#include "machine.h"

struct info {
	bool has_module;
	struct engine_info module;
	char module_error[512]; /* "" where there is a module */
	struct machine machine;
};

int render_info_text(const struct info *i, FILE *f);
int render_info_json(const struct info *i, FILE *f);

#endif
