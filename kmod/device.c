// SPDX-License-Identifier: GPL-2.0
#include "device.h"
#include "range.h"
#include "usermap.h"

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/security.h>
#include <linux/sizes.h>

struct place { /* what MPROBE_MMAP_OFFSET says */
	u32 id;
	u64 page_bytes; /* 0: no such code */
	u64 at;
};

static struct place place_of(unsigned long pgoff)
{
	static const u64 page_bytes[] = { 0, SZ_4K, SZ_2M, SZ_1G };
	u64 offset = (u64)pgoff << PAGE_SHIFT;

	return (struct place){
		.id = offset >> 48,
		.page_bytes = page_bytes[offset >> 46 & 3],
		.at = offset & (BIT_ULL(46) - 1),
	};
}

static int may_use(void)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return security_locked_down(LOCKDOWN_DEV_MEM) ? -EKEYREJECTED : 0;
}

static int on_open(struct inode *inode, struct file *file)
{
	int ret = may_use();

	if (!ret)
		mprobe_device_inode_adopt(file);
	return ret;
}

/*
 * mremap() to a fixed address asks here as well, and it would tear a page of 1 GiB apart. Only MAP_FIXED_NOREPLACE
 * tells mmap() from it.
 */
static unsigned long find_area(struct file *file, unsigned long addr, unsigned long len,
			       unsigned long pgoff, unsigned long flags)
{
	u64 page = place_of(pgoff).page_bytes ?: PAGE_SIZE;
	unsigned long at;

	if (flags & MAP_FIXED)
		return flags & MAP_FIXED_NOREPLACE && IS_ALIGNED(addr, page) ? addr : -EINVAL;
	at = mprobe_unmapped_area(file, addr, len, pgoff, flags);
	if (IS_ERR_VALUE(at) || IS_ALIGNED(at, page))
		return at;
	at = mprobe_unmapped_area(file, 0, len + page - PAGE_SIZE, pgoff, flags);
	return IS_ERR_VALUE(at) ? at : ALIGN(at, page);
}

static int check_shape(const struct vm_area_struct *vma, const struct place *p)
{
	/* a file that is open for reading has a shared mapping without VM_SHARED */
	if (!(vma->vm_flags & VM_MAYSHARE) || !p->page_bytes)
		return -EINVAL;
	if (!mprobe_usermap_has(p->page_bytes) ||
	    (p->page_bytes == SZ_1G && mprobe_huge_faults_off(vma->vm_mm)))
		return -EOPNOTSUPP;
	if (!IS_ALIGNED(vma->vm_start | vma->vm_end | p->at, p->page_bytes))
		return -EINVAL;
	return 0;
}

static int check_range(struct vm_area_struct *vma, const struct mprobe_range *r, u64 at)
{
	u64 bytes = vma->vm_end - vma->vm_start;

	if (r->kind == MPROBE_RANGE_PHYS && !capable(CAP_SYS_RAWIO))
		return -EPERM;
	if (bytes > r->bytes || at > r->bytes - bytes)
		return -EOVERFLOW;
	if (!mprobe_range_holds_data(r))
		return 0;
	if (vma->vm_flags & VM_WRITE)
		return -EROFS;
	vm_flags_clear(vma, VM_MAYWRITE);
	return 0;
}

static int on_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct place p = place_of(vma->vm_pgoff);
	struct mprobe_range *r;
	int ret = may_use();

	if (!ret)
		ret = check_shape(vma, &p);
	if (ret)
		return ret;
	r = mprobe_range_user_map(p.id);
	if (!r)
		return -ENXIO;
	ret = check_range(vma, r, p.at);
	if (!ret)
		ret = mprobe_device_map_make(vma, r, p.at, p.page_bytes);
	if (ret)
		mprobe_range_user_unmap(r);
	return ret;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = on_open,
	.mmap = on_mmap,
	.get_unmapped_area = find_area,
	.llseek = noop_llseek,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "mprobe",
	.mode = 0600,
	.fops = &operations,
};

int mprobe_device_init(void)
{
	int ret = mprobe_device_inode_init();

	if (ret)
		return ret;
	ret = misc_register(&device);
	if (ret)
		mprobe_device_inode_uninit();
	return ret;
}

void mprobe_device_uninit(void)
{
	misc_deregister(&device);
	mprobe_device_inode_uninit();
}
