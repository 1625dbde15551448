// SPDX-License-Identifier: GPL-2.0
#include "rigtest.h"

#include <linux/errno.h>
#include <linux/hardirq.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <asm/fpu/api.h>

#define TIME(name, n, ...)                                    \
	do {                                                  \
		u64 t0, t1;                                   \
                                                              \
		local_irq_disable();                          \
		t0 = rigtest_clock();                         \
		__VA_ARGS__;                                  \
		t1 = rigtest_clock();                         \
		local_irq_enable();                           \
		rigtest_report(name, rigtest_ps(t1 - t0, n)); \
	} while (0)

/* Loops of one asm body, run with p (and q) in registers. */
#define LOOP(body, p, q, n)                                                                 \
	do {                                                                                \
		void *p_ = (p);                                                             \
		u64 q_ = (u64)(q), n_ = (n);                                                \
                                                                                            \
		asm volatile("1:\n\t" body "\n\t"                                           \
			     "dec %2\n\t"                                                   \
			     "jnz 1b"                                                       \
			     : "+r"(p_), "+r"(q_), "+r"(n_)::"rax", "rcx", "memory", "cc"); \
	} while (0)

static int compare(const void *a, const void *b)
{
	return *(const u32 *)a < *(const u32 *)b ? -1 : *(const u32 *)a > *(const u32 *)b;
}

static u32 median(u32 *v, int n)
{
	sort(v, n, sizeof(*v), compare, NULL);
	return v[n / 2];
}

static void chases(void *near, void *far)
{
	u64 hops = 100000, ns, t;

	TIME("near", hops, near = rigtest_chase(near, hops));
	TIME("far", hops, far = rigtest_chase(far, hops));
	t = rigtest_clock();
	far = rigtest_chase(far, hops);
	rigtest_report("far_irqs", rigtest_ps(rigtest_clock() - t, hops));
	ns = ktime_get_raw_ns();
	rigtest_chase(far, hops);
	rigtest_report("far_ktime", (ktime_get_raw_ns() - ns) * 1000 / hops);
}

/* Each load timed by itself, less the cost of an empty pair. */
static void one_by_one(void *far)
{
	static u32 with[101], without[101];

	for (int i = 0; i < 101; i++) {
		u64 t = rigtest_clock();

		far = rigtest_chase(far, 1);
		with[i] = rigtest_clock() - t;
		t = rigtest_clock();
		without[i] = rigtest_clock() - t;
	}
	rigtest_report("far_single", rigtest_ps(median(with, 101) - median(without, 101), 1));
}

static void ticks(void *far)
{
	u64 irqs, j, ns;

	preempt_disable();
	irqs = this_cpu_read(irq_stat.apic_timer_irqs);
	ns = ktime_get_raw_ns();
	j = get_jiffies_64();
	for (int i = 0; i < 300; i++)
		far = rigtest_chase(far, 1000);
	j = get_jiffies_64() - j;
	ns = ktime_get_raw_ns() - ns;
	irqs = this_cpu_read(irq_stat.apic_timer_irqs) - irqs;
	preempt_enable();
	rigtest_report("ticks_ns", ns);
	rigtest_report("ticks_jiffies", j);
	rigtest_report("ticks_irqs", irqs);
	rigtest_report("ticks_hz", HZ);
}

/* Independent chains, through registers and through pointers that live in memory. */
static void chains(char *near)
{
	u64 n = 20000, seg = 4 << 20;
	void *p[16];

	for (int i = 0; i < 16; i++)
		p[i] = near + i * 8 * LINE; /* places in one cycle */
	TIME("chains_2", 2 * n, LOOP("mov (%0), %0; mov (%1), %1", near, near + seg, n));
	for (int c = 1; c <= 16; c *= 2) {
		char name[16];
		u64 t;

		local_irq_disable();
		t = rigtest_clock();
		for (u64 i = 0; i < n / c; i++)
			for (int k = 0; k < c; k++)
				WRITE_ONCE(p[k], *(void **)READ_ONCE(p[k]));
		t = rigtest_clock() - t;
		local_irq_enable();
		snprintf(name, sizeof(name), "memchains_%d", c);
		rigtest_report(name, rigtest_ps(t, n / c * c));
	}
}

/* Dependence is through registers, arithmetic, the stack; a sum depends on nothing. */
static void dependence(void *near)
{
	u64 n = 20000;
	u64 spill;

	TIME("through_arithmetic", n,
	     LOOP("mov (%0), %%rax; xor %%ecx, %%ecx; add %%rax, %%rcx; lea (%%rcx), %0", near, 0,
		  n));
	TIME("through_stack", n,
	     LOOP("mov (%0), %%rax; mov %%rax, (%1); xor %%eax, %%eax; mov (%1), %0", near, &spill,
		  n));
	TIME("through_vector", n, LOOP("movq (%0), %%xmm0; movq %%xmm0, %0", near, 0, n));
	TIME("through_cmov", n, LOOP("mov (%0), %%rax; test %0, %0; cmovnz %%rax, %0", near, 0, n));
	/* dec lies across a page boundary */
	TIME("across_pages", n,
	     LOOP("jmp 2f; .p2align 12, 0xcc; .skip 4091, 0xcc; 2: mov (%0), %0", near, 0, n));
	TIME("sum", n, LOOP("add (%0), %1; add $64, %0", near, 0, n));
	TIME("overwritten", n,
	     LOOP("mov (%0), %%rax; xor %%eax, %%eax; lea 64(%0,%%rax), %0", near, 0, n));
	TIME("vector_stream", n,
	     LOOP("vmovdqa (%0), %%ymm0; vmovdqa 32(%0), %%ymm1; add $64, %0", near, 0, n));
	TIME("split", n, LOOP("mov 60(%0), %%rax; add $128, %0", near, 0, n));
}

static void plateau(void *base, u64 bytes, const char *ro, const char *wb)
{
	u64 n = bytes / LINE, laps = max_t(u64, 1, 65536 / n);
	void *p;

	rigtest_link(base, n, LINE);
	p = rigtest_chase(base, 2 * n);
	TIME(ro, laps * n, p = rigtest_chase(p, laps * n));
	if (!wb)
		return;
	p = rigtest_chase_wb(p, n);
	TIME(wb, laps * n, p = rigtest_chase_wb(p, laps * n));
}

static void caches(void *deep)
{
	plateau(deep, 16 << 10, "l1", "l1_wb");
	plateau(deep, 32 << 10, "l1_full", NULL);
	plateau(deep, 128 << 10, "l2", "l2_wb");
	plateau(deep, 2 << 20, "l3", "l3_wb");
	plateau(deep, 16 << 20, "memory", "memory_wb");
}

/* One line a page: which buffer holds the pages, and how large they are. */
static void pages(char *small, char *large)
{
	static const struct {
		const char *name;
		bool small;
		u64 pages, step;
	} rows[] = {
		{ "page4K_hit", true, 8, 4096 },       { "page4K_second", true, 16, 4096 },
		{ "page4K_walk", true, 1024, 4096 },   { "page4K_as_2M", false, 1024, 4096 },
		{ "page2M_hit", false, 4, 2 << 20 },   { "page2M_second", false, 16, 2 << 20 },
		{ "page2M_walk", false, 32, 2 << 20 },
	};

	for (int i = 0; i < ARRAY_SIZE(rows); i++) {
		void *p = rows[i].small ? small : large;
		u64 hops = 8 * rows[i].pages;

		rigtest_link(p, rows[i].pages, rows[i].step);
		p = rigtest_chase(p, hops);
		TIME(rows[i].name, hops, p = rigtest_chase(p, hops));
	}
}

static void streams(const char *name, void *base)
{
	u64 n = 4 * 65536;
	char full[32];
	u64 t;

#define STREAM(what, body, tail)                                \
	do {                                                    \
		local_irq_disable();                            \
		t = rigtest_clock();                            \
		LOOP(body "; add $64, %0", base, 0, n);         \
		asm volatile(tail ::: "memory");                \
		t = rigtest_clock() - t;                        \
		local_irq_enable();                             \
		snprintf(full, sizeof(full), "%s_" what, name); \
		rigtest_report(full, rigtest_ps(t, n));         \
	} while (0)

	rigtest_read(base, n);
	rigtest_read(base, n);
	STREAM("read", "mov (%0), %%rax", "lfence");
	rigtest_read(base, n);
	STREAM("store", "mov %%rax, (%0)", "sfence");
	STREAM("update", "mov (%0), %%rax; mov %%rax, 8(%0)", "sfence");
	STREAM("nt",
	       "movnti %%rax, (%0); movnti %%rax, 8(%0); movnti %%rax, 16(%0); movnti %%rax, 24(%0);"
	       "movnti %%rax, 32(%0); movnti %%rax, 40(%0); movnti %%rax, 48(%0); movnti %%rax, 56(%0)",
	       "sfence");
	STREAM("nt_vector", "vmovntdq %%ymm0, (%0); vmovntdq %%ymm0, 32(%0)", "sfence");
	rigtest_read(base, n);
	STREAM("clwb", "mov %%rax, (%0); clwb (%0)", "sfence");
	rigtest_read(base, n);
	STREAM("copy", "mov (%0), %%rax; movnti %%rax, (%0)", "sfence");
#undef STREAM
}

int rigtest_single(void)
{
	void *near = rigtest_map(NEAR, 0), *far = rigtest_map(FAR, 0);
	void *deep = rigtest_map(DEEP, 0), *narrow = rigtest_map(NARROW, 0);
	void *small = rigtest_map(PAGES, 4096), *large = rigtest_map(PAGES, 0);
	void *shared = rigtest_map(SHARED, 0);

	if (!near || !far || !deep || !narrow || !small || !large || !shared)
		return -ENOMEM;
	rigtest_link(near, 262144, LINE);
	rigtest_link(far, 262144, LINE);
	chases(near, far);
	one_by_one(far);
	ticks(far);
	chains(near);
	kernel_fpu_begin();
	dependence(near);
	streams("deep", deep);
	streams("narrow", narrow);
	streams("shared", shared);
	kernel_fpu_end();
	caches(deep);
	pages(small, large);
	return 0;
}

static void letter(const char *name, u64 phys)
{
	const u64 size = 64 << 20, n = size / LINE;
	void *base = rigtest_map_at(phys, size), *p;
	char full[32];

	if (!base)
		return;
	/* Two laps: in the first, what is dirty and hit stays so. */
	rigtest_link(base, n, LINE);
	p = rigtest_chase(base, 2 * n);
	snprintf(full, sizeof(full), "%s_ro", name);
	TIME(full, n / 2, p = rigtest_chase(p, n / 2));
	snprintf(full, sizeof(full), "%s_wb", name);
	p = rigtest_chase_wb(p, n);
	TIME(full, n / 2, p = rigtest_chase_wb(p, n / 2));
	snprintf(full, sizeof(full), "%s_read", name);
	rigtest_read(base, n);
	rigtest_read(base, n);
	TIME(full, n, rigtest_read(base, n));
	snprintf(full, sizeof(full), "%s_update", name);
	rigtest_update(base, n);
	TIME(full, n, rigtest_update(base, n));
}

int rigtest_letter(void)
{
	letter("dcpmm", 0x40000000);
	letter("dcpmm-1", 0x50000000);
	return 0;
}

int rigtest_paced(void)
{
	void *near = rigtest_map(NEAR, 0), *far = rigtest_map(FAR, 0);

	if (!near || !far)
		return -ENOMEM;
	rigtest_link(near, 65536, LINE);
	rigtest_link(far, 65536, LINE);
	for (int i = 0; i < 5; i++) {
		TIME("near", 20000, near = rigtest_chase(near, 20000));
		cond_resched();
		TIME("far", 10000, far = rigtest_chase(far, 10000));
		cond_resched();
	}
	return 0;
}
