// SPDX-License-Identifier: GPL-2.0
#include "range_iomem.h"
#include <linux/mprobe.h>

#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/string.h>

struct look {
	u64 base, end; /* end is the last byte */
	const struct resource *claim;
	bool done;
	int err;
	u32 class;
	const char *why;
};

static bool overlaps(const struct look *l, const struct resource *r)
{
	return r != l->claim && r->start <= l->end && l->base <= r->end;
}

static bool contains(const struct resource *r, const struct look *l)
{
	return r->start <= l->base && l->end <= r->end;
}

static bool cxl_window(const struct resource *r)
{
	return r->desc == IORES_DESC_NONE && r->name && !strncmp(r->name, "CXL Window ", 11);
}

/* 0: not memory that may be asked for. */
static u32 class_of(const struct resource *r)
{
	switch (r->desc) {
	case IORES_DESC_PERSISTENT_MEMORY:
		return MPROBE_CLASS_PMEM;
	case IORES_DESC_PERSISTENT_MEMORY_LEGACY:
		return MPROBE_CLASS_PMEM_LEGACY;
	case IORES_DESC_SOFT_RESERVED:
		return MPROBE_CLASS_SOFT_RESERVED;
	case IORES_DESC_RESERVED:
		return MPROBE_CLASS_ALLOWED;
	default:
		return cxl_window(r) ? MPROBE_CLASS_CXL : 0;
	}
}

static int refuse(struct look *l, int err, const char *why)
{
	l->why = why;
	return err;
}

static const struct resource *next(const struct resource *r)
{
	if (r->child)
		return r->child;
	while (!r->sibling && r->parent)
		r = r->parent;
	return r->sibling;
}

/* What forbids a range wherever in the tree it stands. */
static int scan(struct look *l)
{
	const struct resource *r;

	for (r = iomem_resource.child; r; r = next(r)) {
		if (!overlaps(l, r))
			continue;
		if ((r->flags & IORESOURCE_SYSTEM_RAM) == IORESOURCE_SYSTEM_RAM)
			return refuse(l, -EADDRINUSE,
				      "System RAM: it is measured by its node, not by address");
		if (r->desc == IORES_DESC_ACPI_TABLES || r->desc == IORES_DESC_ACPI_NV_STORAGE)
			return refuse(l, -EIO, "firmware tables lie there: choose another range");
	}
	for (r = iomem_resource.child; r; r = r->sibling)
		if (overlaps(l, r) && !class_of(r))
			return refuse(
				l, -EIO,
				"device registers or windows lie there: choose a memory range");
	return 0;
}

/* The range lies in `in`, but not in one child of it: may it be claimed there? */
static int settle(struct look *l, const struct resource *in, u32 hits, bool busy)
{
	if (busy)
		return refuse(
			l, -EBUSY,
			"a driver or another claim holds it (/proc/iomem): unbind or release it");
	if (hits > 1 || (hits && in != &iomem_resource))
		return refuse(l, -EXDEV,
			      "it spans two resources (/proc/iomem): claim each by itself");
	if (hits)
		return refuse(l, -ENXIO, "part of it is a hole in the address map: shorten it");
	if (in == &iomem_resource)
		return refuse(l, -ENXIO, "no memory there: /proc/iomem shows a hole");
	if (cxl_window(in))
		return refuse(l, -ENXIO,
			      "no region in the CXL window there: make one with cxl create-region");
	return 0;
}

/* Down the tree as far as one resource holds all of the range. */
static int judge(struct look *l)
{
	const struct resource *in = &iomem_resource, *r, *hit;
	bool busy, holder = false;
	u32 hits;
	int err = scan(l);

	if (err)
		return err;
	for (;; in = hit) {
		hits = 0;
		busy = false;
		hit = NULL;
		for (r = in->child; r; r = r->sibling) {
			if (!overlaps(l, r))
				continue;
			if (l->class == MPROBE_CLASS_ALLOWED && r->desc != IORES_DESC_RESERVED)
				return refuse(l, -EIO,
					      "a device lies in that memory: choose another range");
			hits++;
			hit = r;
			busy |= r->flags & IORESOURCE_BUSY;
		}
		if (hits != 1 || !contains(hit, l))
			return settle(l, in, hits, busy || holder);
		if (in == &iomem_resource)
			l->class = class_of(hit);
		else if (hit->desc == IORES_DESC_PERSISTENT_MEMORY)
			l->class = MPROBE_CLASS_PMEM;
		holder |= busy;
	}
}

/*
 * The tree's lock is not exported, but an allocation calls this under it. Nothing is allocated: the
 * answer never fits in the gap offered.
 */
static MPROBE_ALIGNF(under_lock, data, gap)
{
	struct look *l = data;

	if (!l->done)
		l->err = judge(l);
	l->done = true;
	return gap->end;
}

int mprobe_range_iomem_judge(u64 base, u64 bytes, const struct resource *claim, u32 *class,
			     const char **why)
{
	struct look l = {
		.base = base,
		.end = base + bytes - 1,
		.claim = claim,
		.err = -ENXIO,
		.why = "the resource tree has no gap to be looked at from: report this machine's /proc/iomem",
	};
	struct resource nothing = {};

	allocate_resource(&iomem_resource, &nothing, 2, 0, iomem_resource.end, 1, under_lock, &l);
	/* From 7.x soft-reserved memory that no driver adopted stands in a tree of its own. */
	if (l.done && l.err == -ENXIO &&
	    region_intersects_soft_reserve(base, bytes) == REGION_INTERSECTS) {
		l.err = 0;
		l.class = MPROBE_CLASS_SOFT_RESERVED;
	}
	*class = l.class;
	if (l.err)
		*why = l.why;
	return l.err;
}
