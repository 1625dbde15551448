/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Targets as `mprobectl list` shows them. 0, or -errno where f could not take
 * all of it (it is flushed).
 *
 * JSON, schema "mprobe-list/1": tool, addresses_hidden (not root: base and
 * holder are unknown), targets[] of name, kind ("anon", "dram", "pmem", "dax",
 * "cxl", "reserved"), node, size_bytes, free_bytes, physical_ranges[] {base, bytes},
 * interleave_ways, holds_data (writing needs --overwrite), bad_sectors (512 bytes each), holder,
 * free_command.
 * null: unknown, or there is none. CSV: the same fields (base in place of
 * physical_ranges), one target a line.
 */
#ifndef MPROBE_RENDER_LIST_H
#define MPROBE_RENDER_LIST_H

#include <stdio.h>

#include "target.h"

int render_list_table(const struct target_list *l, FILE *f);
int render_list_csv(const struct target_list *l, FILE *f);
int render_list_json(const struct target_list *l, FILE *f);

#endif
