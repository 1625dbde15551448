/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where targets come from, one file a source. Each adds what it finds; what it
 * does not find on this machine is no error. 0 or -ENOMEM.
 */
#ifndef MPROBE_TARGET_SOURCES_H
#define MPROBE_TARGET_SOURCES_H

#include "iomem.h"
#include "target.h"

int target_add(struct target_list *l, const struct target *t);	      /* to the end */
void target_free_dax(struct target *t, const char *dax, bool as_ram); /* sets free_command */

int target_nodes_add(struct target_list *l); /* hwloc: dramN, anon, anon:N */
int target_nd_add(struct target_list *l);    /* libndctl: pmemN, regionN, namespaceN.M */
int target_dax_add(struct target_list *l);   /* libdaxctl: daxN.M */
int target_cxl_add(struct target_list *l, const char *dir); /* sysfs: cxl-regionN */
int target_iomem_add(struct target_list *l,
		     const struct iomem *m);			 /* pmemN without a region, softN */
int target_allowed_add(struct target_list *l, const char *path); /* allow=: phys:BASE+SIZE */

/* Who holds it, from the resource tree, and what would free it; after all sources. */
void target_settle(struct target_list *l, const struct iomem *m);
uint64_t target_nd_badblocks(uint64_t base, uint64_t bytes); /* 512-byte sectors */

#endif
