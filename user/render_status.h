/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's jobs and ranges, of all clients, as `mprobectl status` shows
 * them. 0, or -errno where f could not take all of it (it is flushed).
 *
 * JSON, schema "mprobe-status/1": tool, module, jobs[] of id, owner (port id of the client's
 * socket), process (its name, or null), state ("prepare", "run", "done"), reason, elapsed_ns,
 * time_ns, prepared_bytes, prepare_bytes, windows, samples, samples_lost;
 * ranges[] of id, owner, process, kind ("node", "phys"), class, node, bytes,
 * page_size_bytes {4K, 2M, 1G: bytes mapped so}, overwrite, jobs, segments, physical_ranges[].
 */
#ifndef MPROBE_RENDER_STATUS_H
#define MPROBE_RENDER_STATUS_H

#include <stdio.h>

#include "engine.h"

struct status_owner {
	uint32_t port;
	char process[32]; /* "" unknown */
};

struct status {
	char module[64];
	struct job_state *jobs;
	struct range_info *ranges;
	struct status_owner *job_owners, *range_owners; /* as many */
	size_t nr_jobs, nr_ranges;
};

int render_status_table(const struct status *s, FILE *f);
int render_status_json(const struct status *s, FILE *f);

#endif
