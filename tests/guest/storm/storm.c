// SPDX-License-Identifier: GPL-2.0
/*
 * For the guest tests: disturbs one CPU by timer interrupts and by calls from another CPU, and notes when each of its
 * handlers ran there. /sys/kernel/debug/storm/times: a line a handler, in order: `t` or `c` (timer, call), and the
 * time at which it began, by CLOCK_MONOTONIC_RAW in ns and by the TSC. A timer's interrupt may run
 * its handler more than once; a call's interrupt runs it once.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include <asm/tsc.h>

#define MOST 65536u

static unsigned int cpu = 1, from, timer_us = 5000, call_us = 7000, busy_us = 1000;
module_param(cpu, uint, 0444);
module_param(from, uint, 0444);
module_param(timer_us, uint, 0444);
module_param(call_us, uint, 0444);
module_param(busy_us, uint, 0444);

struct hit {
	u64 raw_ns, tsc;
	char kind;
};

static struct hit *hits;
static unsigned int nr; /* by the handlers only, which are all on one CPU with interrupts off */
static struct hrtimer timer;
static struct task_struct *caller;
static struct dentry *dir;

static void handle(char kind)
{
	struct hit h = { .raw_ns = ktime_get_raw_ns(), .tsc = rdtsc_ordered(), .kind = kind };

	if (nr < MOST) {
		hits[nr] = h;
		smp_store_release(&nr, nr + 1);
	}
	while (ktime_get_raw_ns() - h.raw_ns < busy_us * (u64)NSEC_PER_USEC)
		cpu_relax();
}

static enum hrtimer_restart on_timer(struct hrtimer *t)
{
	handle('t');
	hrtimer_forward_now(t, ns_to_ktime(timer_us * (u64)NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static void on_call(void *unused)
{
	handle('c');
}

static void start_timer(void *unused)
{
	hrtimer_start(&timer, ns_to_ktime(timer_us * (u64)NSEC_PER_USEC),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static int call_again_and_again(void *unused)
{
	while (!kthread_should_stop()) {
		smp_call_function_single(cpu, on_call, NULL, 1);
		usleep_range(call_us, call_us + call_us / 4);
	}
	return 0;
}

static int times_show(struct seq_file *m, void *unused)
{
	unsigned int i, n = smp_load_acquire(&nr);

	for (i = 0; i < n; i++)
		seq_printf(m, "%c %llu %llu\n", hits[i].kind, hits[i].raw_ns, hits[i].tsc);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(times);

static int __init storm_init(void)
{
	hits = vzalloc(MOST * sizeof(*hits));
	if (!hits)
		return -ENOMEM;
	caller = kthread_create(call_again_and_again, NULL, "storm/%u", from);
	if (IS_ERR(caller)) {
		vfree(hits);
		return PTR_ERR(caller);
	}
	kthread_bind(caller, from);
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(&timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer.function = on_timer;
#endif
	smp_call_function_single(cpu, start_timer, NULL, 1);
	wake_up_process(caller);
	dir = debugfs_create_dir("storm", NULL);
	debugfs_create_file("times", 0400, dir, NULL, &times_fops);
	return 0;
}

static void __exit storm_exit(void)
{
	debugfs_remove_recursive(dir);
	kthread_stop(caller);
	hrtimer_cancel(&timer);
	vfree(hits);
}

module_init(storm_init);
module_exit(storm_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("interrupts on one CPU, with a note of each");
