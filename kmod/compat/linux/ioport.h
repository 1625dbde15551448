/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MPROBE_COMPAT_LINUX_IOPORT_H
#define _MPROBE_COMPAT_LINUX_IOPORT_H

#include_next <linux/ioport.h>

/* 7.2: soft-reserved memory has a tree of its own. Before, it stands in iomem_resource. */
#if !defined(MPROBE_HAVE_SOFT_RESERVE_TREE) || !defined(CONFIG_EFI_SOFT_RESERVE)
#define region_intersects_soft_reserve(start, size) REGION_DISJOINT
#endif

/* The head of a function that allocate_resource() calls: 7.x added the gap before alignment. */
#ifdef MPROBE_HAVE_ALIGNF_EMPTY
#define MPROBE_ALIGNF(name, data, gap)                                                             \
	resource_size_t name(void *data, const struct resource *gap, const struct resource *empty, \
			     resource_size_t size, resource_size_t align)
#else
#define MPROBE_ALIGNF(name, data, gap)                                                     \
	resource_size_t name(void *data, const struct resource *gap, resource_size_t size, \
			     resource_size_t align)
#endif
#endif
