/* SPDX-License-Identifier: GPL-2.0 */
/* Translation buffers of one CPU: one a page size, and a second level shared by the sizes. */
#ifndef RIG_TLB_H
#define RIG_TLB_H

#include "machine.h"

struct rig_tlb;

enum rig_tlb_answer { RIG_TLB_HIT, RIG_TLB_SECOND, RIG_TLB_WALK };

struct rig_tlb *rig_tlb_new(void); /* NULL if the machine has none */

/*
 * Looks vaddr up and enters it. page: of the real mapping, from the guest's tables.
 * Returns where it was found; *page is set always. A false *sound says that the
 * tables do not lead to phys: the root or the RAM layout is wrong.
 */
enum rig_tlb_answer rig_tlb_access(struct rig_tlb *tlb, uint64_t vaddr, uint64_t phys,
				   enum rig_page *page, bool *sound);

/* Mappings may have changed: entries are checked against the tables once more. */
void rig_tlb_doubt(struct rig_tlb *tlb);

#endif
