/* SPDX-License-Identifier: GPL-2.0 */
/* Entering pages of one size into a process's page tables, by architecture. Kernel only. */
#ifndef _MPROBE_USERMAP_H
#define _MPROBE_USERMAP_H

#include <linux/mm.h>
#include <linux/types.h>

/*
 * Each provides
 *   bool mprobe_usermap_has(bytes)		can this machine and kernel map by pages of that size?
 *   bool mprobe_usermap_by_dax()		do huge faults reach DAX files only?
 *   vm_fault_t mprobe_usermap_enter(vmf, bytes, pfn)	the page of 2M or 1G that holds vmf->address,
 *	such that nobody can take references to it; VM_FAULT_NOPAGE: done
 */
#ifdef CONFIG_X86
#include "usermap_x86.h"
#else
#include "usermap_any.h"
#endif
#endif
