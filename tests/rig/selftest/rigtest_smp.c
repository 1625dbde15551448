// SPDX-License-Identifier: GPL-2.0
/* N threads read parts of their own for a fixed time; a gate starts them together. */
#include "rigtest.h"

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <asm/tsc.h>

enum { MOST = 4, WARM = 3 };

static unsigned int k = 200;
module_param(k, uint, 0400);
static unsigned int window_us = 2000; /* model time */
module_param(window_us, uint, 0400);

static unsigned long base_phys, base_size; /* another range than WIDE */
module_param_named(base, base_phys, ulong, 0400);
module_param_named(size, base_size, ulong, 0400);
static bool update;
module_param(update, bool, 0400);

static struct worker {
	char *from;
	u64 lines, bytes, place; /* place: goes on where the last window ended */
	struct completion done;
} workers[MOST];
static u64 start;

static u64 unfenced(void)
{
	u32 lo, hi;

	asm volatile("rdtsc" : "=a"(lo), "=d"(hi)::"memory");
	return (u64)hi << 32 | lo;
}

static int work(void *data)
{
	struct worker *w = data;
	unsigned int chunk = update ? 64 : 512;
	u64 window = (u64)tsc_khz * k * window_us / 1000, n = w->place, end;

	preempt_disable();
	while (rigtest_clock() < start)
		cpu_relax();
	end = start + window;
	do {
		if (update)
			rigtest_update(w->from + n % w->lines * LINE, chunk);
		else
			rigtest_read(w->from + n % w->lines * LINE, chunk);
		n += chunk;
	} while (unfenced() < end);
	preempt_enable();
	w->bytes = (n - w->place) * LINE;
	w->place = n;
	complete(&w->done);
	return 0;
}

static int run(char *base, u64 size, unsigned int n, bool warm)
{
	u64 bytes = 0;

	start = rigtest_clock() + (u64)tsc_khz * 100;
	for (unsigned int i = 0; i < n; i++) {
		struct task_struct *t;

		workers[i].lines = size / MOST / LINE;
		workers[i].from = base + i * (size / MOST);
		init_completion(&workers[i].done);
		t = kthread_create_on_cpu(work, &workers[i], i, "rigtest%u");
		if (IS_ERR(t))
			return PTR_ERR(t);
		wake_up_process(t);
	}
	for (unsigned int i = 0; i < n; i++) {
		wait_for_completion(&workers[i].done);
		bytes += workers[i].bytes;
	}
	if (!warm)
		pr_info("rigtest threads_%u%s_MBps %llu\n", n, update ? "_update" : "",
			div_u64(bytes, window_us));
	return 0;
}

int rigtest_smp(void)
{
	u64 size = base_size ? base_size : RANGE_BYTES;
	char *base = base_size ? rigtest_map_at(base_phys, size) : rigtest_map(WIDE, 0);
	int ret = base ? 0 : -ENOMEM;

	for (unsigned int n = base_size ? MOST : 1; !ret && n <= MOST && n <= num_online_cpus();
	     n++)
		for (int rep = update ? -WARM : 0; !ret && rep < 5; rep++)
			ret = run(base, size, n, rep < 0);
	return ret;
}
