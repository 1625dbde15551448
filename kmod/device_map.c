// SPDX-License-Identifier: GPL-2.0
/*
 * A mapping: filled page by page as it is touched, never by pages of another size. Its parts, after a munmap()
 * in the middle, share one struct, which goes with the last of them.
 */
#include "device.h"
#include "range.h"
#include "usermap.h"

#include <linux/bitmap.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>

struct user_map {
	struct kref ref;
	struct mprobe_range *range;
	u64 page;	     /* bytes */
	u32 size;	     /* index of user_bytes */
	unsigned long first; /* vm_pgoff of its first byte */
	struct mprobe_extent *extents;
	u32 nr;
	u64 at;			/* of its first byte in the range */
	unsigned long *entered; /* a bit for each page, so that it counts once */
	atomic64_t bytes;	/* its share of the range's user_bytes */
};

static void free_map(struct kref *ref)
{
	struct user_map *m = container_of(ref, struct user_map, ref);

	atomic64_sub(atomic64_read(&m->bytes), &m->range->user_bytes[m->size]);
	mprobe_range_user_unmap(m->range);
	kvfree(m->entered);
	kvfree(m->extents);
	kfree(m);
}

static void on_open(struct vm_area_struct *vma)
{
	struct user_map *m = vma->vm_private_data;

	kref_get(&m->ref);
}

static void on_close(struct vm_area_struct *vma)
{
	struct user_map *m = vma->vm_private_data;

	kref_put(&m->ref, free_map);
}

static int on_split(struct vm_area_struct *vma, unsigned long addr)
{
	const struct user_map *m = vma->vm_private_data;

	return IS_ALIGNED(addr, m->page) ? 0 : -EINVAL;
}

#ifdef MPROBE_HAVE_VM_MPROTECT
static int on_mprotect(struct vm_area_struct *vma, unsigned long start, unsigned long end,
		       unsigned long flags)
{
	return -EACCES;
}
#endif

static u64 offset(const struct user_map *m, const struct vm_area_struct *vma, unsigned long addr)
{
	return (vma->vm_pgoff - m->first + ((addr - vma->vm_start) >> PAGE_SHIFT)) << PAGE_SHIFT;
}

static unsigned long pfn_at(const struct user_map *m, u64 byte)
{
	u32 low = 0, high = m->nr, mid;

	byte += m->at;
	while (high - low > 1) { /* extents[low].at <= byte */
		mid = low + (high - low) / 2;
		if (m->extents[mid].at <= byte)
			low = mid;
		else
			high = mid;
	}
	return PHYS_PFN(m->extents[low].base + (byte - m->extents[low].at));
}

static void count(struct user_map *m, u64 byte)
{
	if (test_and_set_bit(byte / m->page, m->entered))
		return;
	atomic64_add(m->page, &m->bytes);
	atomic64_add(m->page, &m->range->user_bytes[m->size]);
}

/* As many as stand in one page table: a fault for each would take long. */
static vm_fault_t enter_small(struct vm_fault *vmf, struct user_map *m)
{
	struct vm_area_struct *vma = vmf->vma;
	unsigned long addr = max(vma->vm_start, ALIGN_DOWN(vmf->address, PMD_SIZE));
	unsigned long end = min(vma->vm_end, ALIGN_DOWN(vmf->address, PMD_SIZE) + PMD_SIZE);
	vm_fault_t ret = VM_FAULT_NOPAGE;
	u64 byte;

	for (; addr < end && ret == VM_FAULT_NOPAGE; addr += PAGE_SIZE) {
		byte = offset(m, vma, addr);
		ret = vmf_insert_pfn(vma, addr, pfn_at(m, byte));
		if (ret == VM_FAULT_NOPAGE)
			count(m, byte);
	}
	return ret;
}

static vm_fault_t enter_large(struct vm_fault *vmf, struct user_map *m)
{
	u64 byte = offset(m, vmf->vma, ALIGN_DOWN(vmf->address, m->page));
	vm_fault_t ret = mprobe_usermap_enter(vmf, m->page, pfn_at(m, byte));

	if (ret == VM_FAULT_NOPAGE)
		count(m, byte);
	return ret;
}

/* A page of 1 GiB can't be entered any more here: its place is taken by a table. */
static vm_fault_t on_fault(struct vm_fault *vmf)
{
	struct user_map *m = vmf->vma->vm_private_data;

	if (m->page == PAGE_SIZE)
		return enter_small(vmf, m);
	return m->page == SZ_2M ? enter_large(vmf, m) : VM_FAULT_SIGBUS;
}

static vm_fault_t on_huge_fault(struct vm_fault *vmf, MPROBE_FAULT_SIZE size)
{
	struct user_map *m = vmf->vma->vm_private_data;

	if ((m->page == SZ_2M && MPROBE_FAULT_IS_2M(size)) ||
	    (m->page == SZ_1G && MPROBE_FAULT_IS_1G(size)))
		return enter_large(vmf, m);
	return VM_FAULT_FALLBACK;
}

static const struct vm_operations_struct operations = {
	.open = on_open,
	.close = on_close,
	.may_split = on_split,
#ifdef MPROBE_HAVE_VM_MPROTECT
	.mprotect = on_mprotect,
#endif
	.fault = on_fault,
	.huge_fault = on_huge_fault,
};

static bool fits(const struct user_map *m)
{
	u32 i;

	for (i = 0; i < m->nr; i++)
		if (!IS_ALIGNED(m->extents[i].at | m->extents[i].base | m->extents[i].bytes,
				m->page))
			return false;
	return true;
}

int mprobe_device_map_make(struct vm_area_struct *vma, struct mprobe_range *r, u64 at,
			   u64 page_bytes)
{
	const u64 bytes = vma->vm_end - vma->vm_start;
	struct user_map *m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;

	if (!m)
		return ret;
	kref_init(&m->ref);
	m->range = r;
	m->page = page_bytes;
	m->size = page_bytes == SZ_1G ? 2 : page_bytes == SZ_2M ? 1 : 0;
	m->first = vma->vm_pgoff;
	m->at = at;
	m->entered = kvcalloc(BITS_TO_LONGS(div64_u64(bytes, page_bytes)), sizeof(long),
			      GFP_KERNEL_ACCOUNT);
	if (!m->entered)
		goto free;
	ret = mprobe_range_extents(r, at, bytes, &m->extents, &m->nr);
	if (ret)
		goto free;
	ret = -EMEDIUMTYPE;
	if (!fits(m))
		goto free;
	/* its pages are nobody's to count, copy, dump or pin */
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	if (page_bytes > PAGE_SIZE)
		vm_flags_set(vma, VM_HUGEPAGE); /* whatever transparent_hugepage/enabled says */
	vma->vm_private_data = m;
	vma->vm_ops = &operations;
	return 0;

free:
	kvfree(m->extents);
	kvfree(m->entered);
	kfree(m);
	return ret;
}
