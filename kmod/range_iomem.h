/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel's resource tree says about a physical range. */
#ifndef _MPROBE_RANGE_IOMEM_H
#define _MPROBE_RANGE_IOMEM_H

#include <linux/ioport.h>

/*
 * May [base, base + bytes) be claimed? `claim` is the caller's own claim on it, which does not
 * count, or NULL. *class is set (0: unknown) also when the answer is no:
 * -EADDRINUSE, -EIO, -ENXIO, -EXDEV, -EBUSY as in the uapi header.
 */
int mprobe_range_iomem_judge(u64 base, u64 bytes, const struct resource *claim, u32 *class,
			     const char **why);
#endif
