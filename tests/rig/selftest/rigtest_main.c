// SPDX-License-Identifier: GPL-2.0
#include "rigtest.h"

#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <asm/tsc.h>

#include "rigmail.h"

static char *part = "single";
module_param(part, charp, 0400);

static const u64 bases[RANGES] = {
	0x40000000, 0x42000000, 0x44000000, 0x48000000, 0x4c000000, 0x4e000000, 0x50000000,
};

void *rigtest_map(enum rigtest_range range, u64 offset)
{
	u64 size = range == DEEP || range == PAGES ? 2 * RANGE_BYTES : RANGE_BYTES;

	return rigtest_map_at(bases[range] + offset, size - offset);
}

void *rigtest_map_at(u64 phys, u64 size)
{
	void *p = memremap(phys, size, MEMREMAP_WB);

	if (!p)
		pr_err("rigtest: no mapping of %#llx\n", phys);
	return p;
}

void rigtest_link(void *base, u64 n, u64 step)
{
	/* x -> 1664525 x + 1013904223 runs through all residues modulo a power of two. */
	for (u64 x = 0; x < n; x++)
		*(void **)(base + x * step) = base + ((1664525 * x + 1013904223) & (n - 1)) * step;
	asm volatile("mfence" ::: "memory");
}

void rigtest_report(const char *name, u64 value)
{
	pr_info("rigtest %s %llu\n", name, value);
}

u64 rigtest_ps(u64 ticks, u64 n)
{
	return div64_u64(ticks * 1000000, (u64)tsc_khz * n / 1000);
}

u64 rigtest_clock(void)
{
	u32 lo, hi;

	asm volatile("lfence; rdtsc; lfence" : "=a"(lo), "=d"(hi)::"memory");
	return (u64)hi << 32 | lo;
}

void *rigtest_chase(void *p, u64 hops)
{
	asm volatile("1: mov (%0), %0\n\t"
		     "dec %1\n\t"
		     "jnz 1b"
		     : "+r"(p), "+r"(hops)::"memory", "cc");
	return p;
}

void *rigtest_chase_wb(void *p, u64 hops)
{
	asm volatile("1: mov (%0), %%rax\n\t"
		     "mov %%rax, 8(%0)\n\t"
		     "mov %%rax, %0\n\t"
		     "dec %1\n\t"
		     "jnz 1b"
		     : "+r"(p), "+r"(hops)::"rax", "memory", "cc");
	return p;
}

void rigtest_read(const void *p, u64 lines)
{
	asm volatile("1: mov (%0), %%rax\n\t"
		     "add $64, %0\n\t"
		     "dec %1\n\t"
		     "jnz 1b"
		     : "+r"(p), "+r"(lines)::"rax", "memory", "cc");
}

void rigtest_update(void *p, u64 lines)
{
	asm volatile("1: mov (%0), %%rax\n\t"
		     "mov %%rax, 8(%0)\n\t"
		     "add $64, %0\n\t"
		     "dec %1\n\t"
		     "jnz 1b"
		     : "+r"(p), "+r"(lines)::"rax", "memory", "cc");
}

/* 3000 instructions in the loop and eight beside it, 1000 loads. */
int rigtest_count(void)
{
	void *p = rigtest_map(NEAR, 0);
	u64 hops = 1000;

	if (!p)
		return -ENOMEM;
	rigtest_link(p, 1024, LINE);
	asm volatile(".byte 0x0f, 0x1f, 0x80, 0x01, 0x00, 0x49, 0x52\n\t"
		     "nop; nop; nop; nop; nop; nop; nop\n\t"
		     "1: mov (%0), %0\n\t"
		     "dec %1\n\t"
		     "jnz 1b\n\t"
		     ".byte 0x0f, 0x1f, 0x80, 0x02, 0x00, 0x49, 0x52"
		     : "+r"(p), "+r"(hops)::"memory", "cc");
	return 0;
}

/* Of 4 MiB of each node, every line once, after all were flushed. */
static int nodes(void)
{
	const u64 n = 65536;

	for (int node = 0; node < 2; node++) {
		struct page *page = alloc_pages_node(node, GFP_KERNEL | __GFP_THISNODE, 10);
		u64 left = n, t;
		void *p, *q;

		if (!page)
			return -ENOMEM;
		p = q = page_address(page);
		rigtest_link(p, n, LINE);
		asm volatile("1: mov (%0), %%rax\n\t"
			     "clflushopt (%0)\n\t"
			     "add $64, %0\n\t"
			     "dec %1\n\t"
			     "jnz 1b\n\t"
			     "mfence"
			     : "+r"(q), "+r"(left)::"rax", "memory", "cc");
		local_irq_disable();
		t = rigtest_clock();
		rigtest_chase(p, n);
		t = rigtest_clock() - t;
		local_irq_enable();
		pr_info("rigtest node%d %llu\n", node, rigtest_ps(t, n));
		__free_pages(page, 10);
	}
	return 0;
}

static int __init run(void)
{
	if (!strcmp(part, "nodes"))
		return nodes();
	if (!strcmp(part, "count"))
		return rigtest_count();
	if (!strcmp(part, "paced"))
		return rigtest_paced();
	if (!strcmp(part, "smp"))
		return rigtest_smp();
	if (!strcmp(part, "letter"))
		return rigtest_letter();
	return rigtest_single();
}

static void __exit leave(void)
{
}

module_init(run);
module_exit(leave);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("self-test of the truth rig");
