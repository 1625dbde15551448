// SPDX-License-Identifier: GPL-2.0
/*
 * Every access is a call on the worker's CPU. Mostly that is where its thread runs, but a CPU that is going offline
 * sends its threads elsewhere before it waits for the job to end (hotplug.c); it then still takes calls.
 * Nothing is written but the bits that the model documents, and those only while a job holds the CPU.
 */
#include "prefetch.h"
#include "job.h"
#include <prefetcher.h>

#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/topology.h>

static const struct mprobe_switch *here; /* NULL: none that is documented */
static u64 mask;			 /* its bits */

struct access {
	u64 want;  /* of the mask's bits; set() */
	u64 value; /* of the mask's bits, as read back */
	int error;
};

void mprobe_prefetch_init(void)
{
	u64 value;
	u32 i;

	here = mprobe_switch_find();
	/* A hypervisor may show the model and not its registers. */
	if (here && mprobe_switch_read(here, &value))
		here = NULL;
	for (i = 0; here && i < MPROBE_SWITCH_BITS; i++) {
		if (here->prefetcher[i])
			mask |= BIT_ULL(i);
	}
}

u32 mprobe_prefetch_control(void)
{
	return here ? here->control : MPROBE_PREFETCH_CONTROL_NONE;
}

int mprobe_prefetch_check(u32 wanted, struct mprobe_job *job, struct mprobe_refusal *no)
{
	u32 i;

	if (wanted != MPROBE_PREFETCH_ASIS && !here) {
		no->why =
			"no switch for its prefetchers is documented for this CPU; leave A_PREFETCH out";
		return -EOPNOTSUPP;
	}
	job->prefetch = wanted;
	atomic_set(&job->measuring, job->nr_measuring);
	init_completion(&job->measured);
	for (i = 0; i < job->nr_workers; i++)
		job->workers[i].prefetch_state = U32_MAX;
	return 0;
}

static bool measures_on(const struct mprobe_job *job, u32 cpu)
{
	u32 i;

	for (i = 0; i < job->nr_workers; i++) {
		if (job->workers[i].cpu == cpu)
			return job->workers[i].loop;
	}
	return false;
}

int mprobe_prefetch_conflict(const struct mprobe_worker *w, struct mprobe_job *const *busy,
			     const char **why)
{
	const struct mprobe_job *other;
	u32 cpu;

	if (!w->loop)
		return 0;
	for_each_cpu(cpu, topology_sibling_cpumask(w->cpu)) {
		other = busy[cpu];
		if (!other || other == w->job || !measures_on(other, cpu))
			continue;
		if (other->prefetch != MPROBE_PREFETCH_ASIS) {
			*why = "another job has switched the prefetchers of this CPU's core; "
			       "wait, cancel it or choose another core";
			return -EBUSY;
		}
		if (w->job->prefetch != MPROBE_PREFETCH_ASIS) {
			*why = "another job measures on this CPU's core, whose prefetchers it shares; "
			       "wait, cancel it or choose another core";
			return -EBUSY;
		}
	}
	return 0;
}

static void read_here(void *arg)
{
	struct access *a = arg;
	u64 value;

	a->error = mprobe_switch_read(here, &value);
	if (!a->error)
		a->value = value & mask;
}

static void write_here(void *arg)
{
	struct access *a = arg;
	u64 value;

	a->error = mprobe_switch_read(here, &value);
	if (!a->error && (value & mask) != a->want)
		a->error = mprobe_switch_write(here, (value & ~mask) | a->want);
	if (!a->error)
		read_here(a);
}

static bool read_on(u32 cpu, struct access *a)
{
	return !smp_call_function_single(cpu, read_here, a, 1) && !a->error;
}

static bool set_on(u32 cpu, struct access *a)
{
	return !smp_call_function_single(cpu, write_here, a, 1) && !a->error;
}

static u32 prefetchers_off(u64 value)
{
	u32 i, off = 0;

	for (i = 0; i < MPROBE_SWITCH_BITS; i++) {
		if (value & BIT_ULL(i))
			off |= here->prefetcher[i];
	}
	return off;
}

void mprobe_prefetch_look(struct mprobe_worker *w)
{
	struct access a = {};

	if (!here || !w->loop)
		return;
	w->prefetch_seen = read_on(w->cpu, &a);
	w->prefetch_before = a.value;
}

void mprobe_prefetch_set(struct mprobe_worker *w)
{
	struct mprobe_job *job = w->job;
	struct access a = { .want = job->prefetch == MPROBE_PREFETCH_OFF ? mask : 0 };
	bool known, as_is = job->prefetch == MPROBE_PREFETCH_ASIS;

	if (!here)
		return;
	if (as_is)
		known = read_on(w->cpu, &a);
	else
		known = w->prefetch_seen && set_on(w->cpu, &a);
	if (known)
		WRITE_ONCE(w->prefetch_state, prefetchers_off(a.value));
	if (!as_is && (!known || a.value != a.want))
		mprobe_job_stop(job, MPROBE_REASON_PREFETCH);
}

/* What has changed meanwhile by another hand is not known for the time of the measuring. */
static void look_again(struct mprobe_worker *w)
{
	struct access a = {};

	if (read_on(w->cpu, &a) && prefetchers_off(a.value) == w->prefetch_state)
		return;
	WRITE_ONCE(w->prefetch_state, U32_MAX);
	if (w->job->prefetch != MPROBE_PREFETCH_ASIS)
		mprobe_job_stop(w->job, MPROBE_REASON_PREFETCH);
}

void mprobe_prefetch_put_back(struct mprobe_worker *w)
{
	struct mprobe_job *job = w->job;
	struct access a = { .want = w->prefetch_before };

	if (!here)
		return;
	look_again(w);
	if (!atomic_dec_and_test(&job->measuring))
		wait_for_completion(&job->measured);
	else
		complete_all(&job->measured);
	if (job->prefetch == MPROBE_PREFETCH_ASIS || !w->prefetch_seen)
		return;
	if (!set_on(w->cpu, &a) || a.value != a.want)
		pr_err("mprobe: CPU %u: MSR %#x could not be put back: set its bits %#llx to %#llx, or reboot\n",
		       w->cpu, here->msr, mask, a.want);
}
