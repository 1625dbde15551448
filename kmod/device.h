/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/mprobe: the memory of claimed ranges for processes of root. An open file, and so each mapping,
 * holds the module.
 */
#ifndef _MPROBE_DEVICE_H
#define _MPROBE_DEVICE_H

#include <linux/types.h>

struct file;
struct mprobe_range;
struct vm_area_struct;

int mprobe_device_init(void);
void mprobe_device_uninit(void);

/* Within the device's files. device_inode.c: gives the file the inode that huge faults need, where they need one. */
int mprobe_device_inode_init(void);
void mprobe_device_inode_uninit(void);
void mprobe_device_inode_adopt(struct file *file);

/*
 * device_map.c: all of the vma maps the range from byte `at` on by pages of page_bytes; the caller has
 * checked that it may. Takes over the caller's user mapping of r when it returns 0. -EMEDIUMTYPE, -ENOMEM.
 */
int mprobe_device_map_make(struct vm_area_struct *vma, struct mprobe_range *r, u64 at,
			   u64 page_bytes);
#endif
