/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MPROBE_COMPAT_LINUX_MM_H
#define _MPROBE_COMPAT_LINUX_MM_H

#include_next <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>

/* Before 6.3 a mapping's flags are written to directly. */
#ifndef MPROBE_HAVE_VM_FLAGS_SET
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/* vm_operations_struct.may_split: called split before 5.11. */
#ifndef MPROBE_HAVE_MAY_SPLIT
#define may_split split
#endif

/* The second argument of vm_operations_struct.huge_fault: before 6.6 no order. */
#ifdef MPROBE_HAVE_PAGE_ENTRY_SIZE
#define MPROBE_FAULT_SIZE	 enum page_entry_size
#define MPROBE_FAULT_IS_2M(size) ((size) == PE_SIZE_PMD)
#define MPROBE_FAULT_IS_1G(size) ((size) == PE_SIZE_PUD)
#else
#define MPROBE_FAULT_SIZE	 unsigned int
#define MPROBE_FAULT_IS_2M(size) ((size) == PMD_SHIFT - PAGE_SHIFT)
#define MPROBE_FAULT_IS_1G(size) ((size) == PUD_SHIFT - PAGE_SHIFT)
#endif

/* prctl(PR_SET_THP_DISABLE): such a process gets no huge_fault. */
static inline bool mprobe_huge_faults_off(const struct mm_struct *mm)
{
#ifdef MMF_DISABLE_THP_COMPLETELY
	return mm_flags_test(MMF_DISABLE_THP_COMPLETELY, mm);
#else
	return test_bit(MMF_DISABLE_THP, &mm->flags);
#endif
}

#endif
