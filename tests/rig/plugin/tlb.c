// SPDX-License-Identifier: GPL-2.0
#include "tlb.h"

#include <stdlib.h>

#include "ram.h"

static const unsigned int page_shift[RIG_PAGES] = { 12, 21, 30 };

struct entry {
	uint64_t tag; /* virtual page number * RIG_PAGES + size, + 1; 0: empty */
	uint64_t frame;
	uint64_t used, checked;
};

struct buffer {
	unsigned int sets, ways;
	struct entry *entry;
};

struct rig_tlb {
	struct buffer first[RIG_PAGES], second;
	uint64_t now, epoch;
};

static void make(struct buffer *b, const struct rig_tlb_shape *shape)
{
	b->ways = shape->ways;
	b->sets = shape->entries ? shape->entries / shape->ways : 0;
	b->entry = calloc(shape->entries + 1, sizeof(*b->entry));
}

struct rig_tlb *rig_tlb_new(void)
{
	struct rig_tlb *tlb;

	if (!rig_machine.has_tlb)
		return NULL;
	tlb = calloc(1, sizeof(*tlb));
	for (int i = 0; i < RIG_PAGES; i++)
		make(&tlb->first[i], &rig_machine.tlb[i]);
	make(&tlb->second, &rig_machine.stlb);
	tlb->epoch = 1;
	return tlb;
}

void rig_tlb_doubt(struct rig_tlb *tlb)
{
	tlb->epoch++;
}

/* Folding the page number keeps aligned runs of pages spread evenly over the sets. */
static struct entry *set_of(struct buffer *b, uint64_t vpn)
{
	uint64_t set = b->sets & (b->sets - 1) ? vpn % b->sets : (vpn ^ vpn / b->sets) % b->sets;

	return b->entry + set * b->ways;
}

static struct entry *find(struct buffer *b, uint64_t vpn, uint64_t tag, struct entry **victim)
{
	struct entry *e;

	if (!b->sets)
		return NULL;
	e = set_of(b, vpn);
	*victim = e;
	for (unsigned int i = 0; i < b->ways; i++, e++) {
		if (e->tag == tag)
			return e;
		if (e->used < (*victim)->used)
			*victim = e;
	}
	return NULL;
}

static void enter(struct rig_tlb *tlb, struct entry *e, uint64_t tag, uint64_t frame)
{
	if (e)
		*e = (struct entry){ tag, frame, tlb->now, tlb->epoch };
}

/* A hit in the first level whose mapping was looked at since the last doubt needs no walk. */
static bool quick(struct rig_tlb *tlb, uint64_t vaddr, uint64_t phys, enum rig_page *page)
{
	for (int i = 0; i < RIG_PAGES; i++) {
		uint64_t vpn = vaddr >> page_shift[i];
		struct entry *victim, *e;

		e = find(&tlb->first[i], vpn, vpn * RIG_PAGES + i + 1, &victim);
		if (e && e->checked == tlb->epoch && e->frame == phys >> page_shift[i]) {
			e->used = tlb->now;
			*page = i;
			return true;
		}
	}
	return false;
}

enum rig_tlb_answer rig_tlb_access(struct rig_tlb *tlb, uint64_t vaddr, uint64_t phys,
				   enum rig_page *page, bool *sound)
{
	struct entry *victim1 = NULL, *victim2 = NULL, *e;
	struct rig_walk walk;
	uint64_t vpn, tag, frame;

	tlb->now++;
	*sound = true;
	if (quick(tlb, vaddr, phys, page))
		return RIG_TLB_HIT;

	if (!rig_ram_walk(vaddr, &walk) || walk.phys != phys) {
		*sound = false;
		return RIG_TLB_HIT;
	}
	*page = walk.page;
	vpn = vaddr >> page_shift[walk.page];
	tag = vpn * RIG_PAGES + walk.page + 1;
	frame = phys >> page_shift[walk.page];

	e = find(&tlb->first[walk.page], vpn, tag, &victim1);
	if (e) {
		bool same = e->frame == frame;

		enter(tlb, e, tag, frame);
		if (same)
			return RIG_TLB_HIT;
	} else {
		enter(tlb, victim1, tag, frame);
	}
	e = find(&tlb->second, vpn, tag, &victim2);
	if (e && e->frame == frame) {
		e->used = tlb->now;
		return RIG_TLB_SECOND;
	}
	enter(tlb, e ? e : victim2, tag, frame);
	return RIG_TLB_WALK;
}
