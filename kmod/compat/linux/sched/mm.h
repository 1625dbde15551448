/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MPROBE_COMPAT_LINUX_SCHED_MM_H
#define _MPROBE_COMPAT_LINUX_SCHED_MM_H

#include_next <linux/sched/mm.h>
#include <linux/sched.h>

/* Where the process has room. A function since 6.10, without the mm since 7.x. */
static inline unsigned long mprobe_unmapped_area(struct file *file, unsigned long addr,
						 unsigned long len, unsigned long pgoff,
						 unsigned long flags)
{
#if defined(MPROBE_HAVE_UNMAPPED_AREA_OF_FILE)
	return mm_get_unmapped_area(file, addr, len, pgoff, flags);
#elif defined(MPROBE_HAVE_UNMAPPED_AREA)
	return mm_get_unmapped_area(current->mm, file, addr, len, pgoff, flags);
#else
	return current->mm->get_unmapped_area(file, addr, len, pgoff, flags);
#endif
}

#endif
