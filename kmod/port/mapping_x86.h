/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MPROBE_MAPPING_X86_H
#define _MPROBE_MAPPING_X86_H

#include <linux/io.h>
#include <linux/numa.h>
#include <linux/pgtable.h>
#include <linux/sizes.h>
#include <asm/cacheflush.h>

static inline bool mprobe_mapping_has_phys(void)
{
	return true;
}

static inline unsigned long mprobe_mapping_map(u64 base, u64 bytes)
{
	return (unsigned long)memremap(base, bytes, MEMREMAP_WB);
}

static inline void mprobe_mapping_unmap(unsigned long va)
{
	memunmap((void *)va);
}

static inline void mprobe_mapping_flush(void *at, u32 bytes)
{
	clflush_cache_range(at, bytes);
}

static inline int mprobe_mapping_node(u64 base)
{
	return phys_to_target_node(base);
}

static inline bool mprobe_mapping_look(unsigned long va, struct mprobe_mapping *page)
{
	unsigned int level;
	pte_t *entry = lookup_address(va, &level);
	u64 pat = _PAGE_PAT_LARGE, pfn;

	if (!entry || !(pte_flags(*entry) & _PAGE_PRESENT))
		return false;
	switch (level) {
	case PG_LEVEL_4K:
		page->bytes = SZ_4K;
		pfn = pte_pfn(*entry);
		pat = _PAGE_PAT;
		break;
	case PG_LEVEL_2M:
		page->bytes = SZ_2M;
		pfn = pmd_pfn(*(pmd_t *)entry);
		break;
	case PG_LEVEL_1G:
		page->bytes = SZ_1G;
		pfn = pud_pfn(*(pud_t *)entry);
		break;
	default:
		return false;
	}
	page->phys = (pfn << PAGE_SHIFT) + (va & (page->bytes - 1));
	/* entry 0 of the PAT is write-back on Linux */
	page->cached = !(pte_val(*entry) & (_PAGE_PWT | _PAGE_PCD | pat));
	return true;
}
#endif
