/* SPDX-License-Identifier: GPL-2.0 */
/* Mapping memory by physical address and looking at page tables, by architecture. Kernel only. */
#ifndef _MPROBE_MAPPING_H
#define _MPROBE_MAPPING_H

#include <linux/types.h>

struct mprobe_mapping { /* the page at an address */
	u64 phys;	/* of the address, not of the page's start */
	u64 bytes;	/* of the page */
	bool cached;	/* write-back */
};

/*
 * Each provides
 *   bool mprobe_mapping_has_phys(void)		are there the next three?
 *   unsigned long mprobe_mapping_map(base, bytes)	write-back, 0: no memory
 *   void mprobe_mapping_unmap(va)
 *   void mprobe_mapping_flush(at, bytes)	out of all caches, ordered
 *   int mprobe_mapping_node(base)		NUMA node, -1 unknown
 *   bool mprobe_mapping_look(va, &page)	false: not mapped
 */
#ifdef CONFIG_X86
#include "mapping_x86.h"
#else
#include "mapping_any.h"
#endif
#endif
