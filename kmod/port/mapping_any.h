/* SPDX-License-Identifier: GPL-2.0 */
/* An architecture of which only its pages are known, such as User-Mode Linux: node memory only. */
#ifndef _MPROBE_MAPPING_ANY_H
#define _MPROBE_MAPPING_ANY_H

#include <linux/mm.h>
#include <linux/vmalloc.h>

static inline bool mprobe_mapping_has_phys(void)
{
	return false;
}

static inline unsigned long mprobe_mapping_map(u64 base, u64 bytes)
{
	return 0;
}

static inline void mprobe_mapping_unmap(unsigned long va)
{
}

static inline void mprobe_mapping_flush(void *at, u32 bytes)
{
}

static inline int mprobe_mapping_node(u64 base)
{
	return -1;
}

static inline bool mprobe_mapping_look(unsigned long va, struct mprobe_mapping *page)
{
	void *at = (void *)va;
	struct page *p = is_vmalloc_addr(at) ? vmalloc_to_page(at) : virt_to_page(at);

	page->bytes = PAGE_SIZE;
	page->phys = p ? PFN_PHYS(page_to_pfn(p)) + offset_in_page(at) : 0;
	page->cached = true;
	return p;
}
#endif
