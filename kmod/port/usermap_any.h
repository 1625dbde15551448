/* SPDX-License-Identifier: GPL-2.0 */
/* An architecture of which only its pages are known. */
#ifndef _MPROBE_USERMAP_ANY_H
#define _MPROBE_USERMAP_ANY_H

static inline bool mprobe_usermap_has(u64 bytes)
{
	return bytes == PAGE_SIZE;
}

static inline bool mprobe_usermap_by_dax(void)
{
	return false;
}

static inline vm_fault_t mprobe_usermap_enter(struct vm_fault *vmf, u64 bytes, unsigned long pfn)
{
	return VM_FAULT_SIGBUS;
}
#endif
