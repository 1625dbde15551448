// SPDX-License-Identifier: GPL-2.0
/*
 * Some kernels offer huge faults to the mappings of DAX files only. The device's node in /dev outlives the
 * module and is not ours to mark: so its open files get the pages of an inode of a file system that nobody sees.
 */
#include "device.h"
#include "usermap.h"

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>

static struct vfsmount *mount;
static struct inode *inode; /* NULL: none is needed */

static int init_context(struct fs_context *fc)
{
	return init_pseudo(fc, ANON_INODE_FS_MAGIC) ? 0 : -ENOMEM;
}

/* Without an owner: the mount lives as long as the module, and must not hold it. */
static struct file_system_type type = {
	.name = "mprobe",
	.init_fs_context = init_context,
	.kill_sb = kill_anon_super,
};

int mprobe_device_inode_init(void)
{
	struct inode *i;

	if (!mprobe_usermap_by_dax())
		return 0;
	mount = kern_mount(&type);
	if (IS_ERR(mount))
		return PTR_ERR(mount);
	i = alloc_anon_inode(mount->mnt_sb);
	if (IS_ERR(i)) {
		kern_unmount(mount);
		return PTR_ERR(i);
	}
	i->i_flags |= S_DAX;
	inode = i;
	return 0;
}

void mprobe_device_inode_uninit(void)
{
	if (!inode)
		return;
	iput(inode);
	kern_unmount(mount);
}

void mprobe_device_inode_adopt(struct file *file)
{
	if (inode)
		file->f_mapping = inode->i_mapping;
}
