// SPDX-License-Identifier: GPL-2.0
/*
 * Memory by physical address. The claim in the resource tree is the only lock there is against drivers,
 * and it succeeds also where there is no memory: hence the checks around it. Not seen from here:
 * poisoned lines (a client reads the badblocks lists first) and, without leave to write, memory that
 * answers no store. Whoever removes the parent resource under a claim takes the memory away.
 */
#include "range_allow.h"
#include "range_hold.h"
#include "range_iomem.h"
#include "mapping.h"

#include <linux/memory_hotplug.h>
#include <linux/mm.h>

#define PROBES 16u

/* Pages that the kernel uses though no System RAM stands in the tree (5.10: memory onlined by kmem). */
static bool in_use(u64 base, u64 bytes)
{
	u64 at, end = base + bytes;
	struct page *page;

	if (page_is_ram(PHYS_PFN(base)) || page_is_ram(PHYS_PFN(end - 1)))
		return true;
	for (at = base; at < end; at = ALIGN(at + 1, SZ_2M)) {
		page = pfn_to_online_page(PHYS_PFN(at));
		if (page && !PageReserved(page))
			return true;
		cond_resched();
	}
	return false;
}

static int judge(const struct mprobe_hold *h, const struct resource *claim, u32 *class,
		 const char **why)
{
	int ret = mprobe_range_iomem_judge(h->base, h->bytes, claim, class, why);

	if (*class == MPROBE_CLASS_ALLOWED && (!ret || ret == -EBUSY) &&
	    !mprobe_range_allow_covers(h->base, h->bytes)) {
		*why = "reserved memory that no allow= of the module names: load it with allow=SIZE@BASE if you know what lies there";
		ret = -EACCES;
	}
	return ret;
}

int mprobe_range_phys_take(struct mprobe_hold *h, u32 *class, const char **why)
{
	struct resource *claim;
	int ret;

	if (!mprobe_mapping_has_phys()) {
		*why = "this architecture's build measures no memory by address: use a node";
		ret = -EOPNOTSUPP;
		goto none;
	}
	ret = judge(h, NULL, class, why);
	if (ret)
		goto none;
	if (in_use(h->base, h->bytes)) {
		*why = "System RAM: it is measured by its node, not by address";
		ret = -EADDRINUSE;
		goto none;
	}
	claim = request_mem_region_exclusive(h->base, h->bytes, "mprobe");
	if (!claim) {
		*why = "a driver or another claim holds it (/proc/iomem): unbind or release it";
		ret = -EBUSY;
		goto none;
	}
	return judge(h, claim, class, why); /* the tree may have changed meanwhile */

none:
	h->bytes = 0;
	return ret;
}

void mprobe_range_phys_give(struct mprobe_hold *h)
{
	if (h->bytes)
		release_mem_region(h->base, h->bytes);
}

static u64 *probe_at(const struct mprobe_view *v, u32 i)
{
	u64 lines = v->bytes / MPROBE_LINE;
	u64 line = min(lines / (PROBES - 1) * i, lines - 1);

	return (u64 *)(unsigned long)mprobe_view_addr(v, line * MPROBE_LINE);
}

static void store(u64 *line, u64 value)
{
	WRITE_ONCE(*line, value);
	mprobe_mapping_flush(line, MPROBE_LINE);
}

/* Every line gets a value of its own before any is read again, so aliases show as well. */
int mprobe_range_phys_probe(const struct mprobe_view *v, const char **why)
{
	u64 saved[PROBES];
	u32 i, kept = 0;

	for (i = 0; i < PROBES; i++)
		saved[i] = READ_ONCE(*probe_at(v, i));
	for (i = 0; i < PROBES; i++)
		store(probe_at(v, i), ~saved[i] ^ (u64)i << 56);
	for (i = 0; i < PROBES; i++)
		kept += READ_ONCE(*probe_at(v, i)) == (~saved[i] ^ (u64)i << 56);
	for (i = 0; i < PROBES; i++)
		store(probe_at(v, i), saved[i]);
	if (kept == PROBES)
		return 0;
	*why = "what is written there cannot be read back: no working memory behind the range";
	return -ENXIO;
}
