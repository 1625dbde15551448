/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MPROBE_COMPAT_LINUX_GFP_H
#define _MPROBE_COMPAT_LINUX_GFP_H

#include_next <linux/gfp.h>

/* Before 7.x alloc_contig_range() takes the type of the pageblocks here. */
#ifndef ACR_FLAGS_NONE
#define ACR_FLAGS_NONE MIGRATE_MOVABLE
#endif

/* A kernel without CONFIG_CONTIG_ALLOC has no gigabyte to give. */
#ifndef CONFIG_CONTIG_ALLOC
#define alloc_contig_range(start, end, type, gfp) (-EOPNOTSUPP)
#endif
#endif
