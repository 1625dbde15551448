/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A huge entry must be one that get_user_pages_fast(), which looks at no mapping's flags, takes no page of: a
 * special one where the kernel has those (6.12), before that one of a device's memory, whose pagemap it does not find.
 */
#ifndef _MPROBE_USERMAP_X86_H
#define _MPROBE_USERMAP_X86_H

#include <linux/fs.h>
#include <linux/huge_mm.h>
#include <linux/sizes.h>
#include <asm/cpufeature.h>
#ifdef MPROBE_HAVE_PFN_T
#include <linux/pfn_t.h>
#endif

#if defined(CONFIG_TRANSPARENT_HUGEPAGE) && \
	(defined(CONFIG_ARCH_SUPPORTS_PMD_PFNMAP) || defined(MPROBE_HAVE_PFN_T))
#define USERMAP_2M 1
#else
#define USERMAP_2M 0
#endif

/*
 * The entry of 1 GiB is made by huge_fault, which before 6.12 comes for DAX files only. mprotect() of such
 * an entry is a kernel fault before 6.12: without a say in it, none is made.
 */
#if USERMAP_2M && defined(CONFIG_HAVE_ARCH_TRANSPARENT_HUGEPAGE_PUD) && \
	defined(MPROBE_HAVE_VM_MPROTECT) &&                             \
	(defined(CONFIG_ARCH_SUPPORTS_PUD_PFNMAP) ||                    \
	 (defined(MPROBE_HAVE_DAX_SPECIAL) && defined(CONFIG_FS_DAX)))
#define USERMAP_1G 1
#else
#define USERMAP_1G 0
#endif

static inline bool mprobe_usermap_has(u64 bytes)
{
	switch (bytes) {
	case SZ_4K:
		return true;
	case SZ_2M:
		return USERMAP_2M && boot_cpu_has(X86_FEATURE_PSE);
	case SZ_1G:
		return USERMAP_1G && boot_cpu_has(X86_FEATURE_GBPAGES);
	}
	return false;
}

static inline bool mprobe_usermap_by_dax(void)
{
	/* elsewhere a DAX file's entries are taken for those of ordinary pages */
	return USERMAP_1G && IS_ENABLED(MPROBE_HAVE_DAX_SPECIAL);
}

#if USERMAP_2M
#ifdef MPROBE_HAVE_PFN_T
static inline pfn_t usermap_pfn(unsigned long pfn)
{
	const u64 map = IS_ENABLED(CONFIG_ARCH_SUPPORTS_PMD_PFNMAP) ? 0 : PFN_MAP;

	return __pfn_to_pfn_t(pfn, PFN_DEV | map);
}
#else
static inline unsigned long usermap_pfn(unsigned long pfn)
{
	return pfn;
}
#endif
#endif

/* Accessed and dirty from the first on where it is writable, as the module's own mappings are. */
static inline vm_fault_t mprobe_usermap_enter(struct vm_fault *vmf, u64 bytes, unsigned long pfn)
{
	const bool write __maybe_unused = vmf->vma->vm_flags & VM_WRITE;

#if USERMAP_1G
	if (bytes == SZ_1G)
		return vmf_insert_pfn_pud(vmf, usermap_pfn(pfn), write);
#endif
#if USERMAP_2M
	if (bytes == SZ_2M)
		return vmf_insert_pfn_pmd(vmf, usermap_pfn(pfn), write);
#endif
	return VM_FAULT_SIGBUS;
}
#endif
