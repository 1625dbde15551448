/* SPDX-License-Identifier: GPL-2.0 */
/* Which CPUs measure: those named, checked; or those of the target's node. */
#ifndef MPROBE_CPUS_H
#define MPROBE_CPUS_H

#include <stddef.h>
#include <stdint.h>

/*
 * All there, online, allowed to this process, none twice. 0, or -ENODEV,
 * -EHOSTDOWN, -EACCES, -ENOTUNIQ and a sentence.
 */
int cpus_check(const uint32_t *cpus, size_t n, char *error, size_t len);
/*
 * CPUs near `node` (-1: near the first one allowed) that this process may use: one of each core
 * first, their siblings last. *from is the node that they are of: another one where
 * `node` has none. 0, or -errno and a sentence.
 */
int cpus_near(int node, uint32_t *out, size_t max, size_t *n, int *from, char *error, size_t len);
int cpus_node_of(uint32_t cpu); /* -1 unknown */
/* Keep the calling thread away from these CPUs, where there are others. */
void cpus_avoid(const uint32_t *cpus, size_t n);

#endif
