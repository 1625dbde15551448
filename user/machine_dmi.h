/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory devices of the SMBIOS table (DMTF DSP0134, structure type 17). hwloc
 * gives neither their speed nor, without the dmi-sysfs module, anything.
 */
#ifndef MPROBE_MACHINE_DMI_H
#define MPROBE_MACHINE_DMI_H

#include <stddef.h>

#include "machine.h"

/* How many populated devices went to out; whatever the table holds, nothing beyond it is read. */
int machine_dmi_parse(const void *table, size_t bytes, struct machine_dimm *out, int max);
int machine_dmi_read(const char *path, struct machine_dimm *out, int max); /* 0: not readable */

#endif
