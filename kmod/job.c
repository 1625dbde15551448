// SPDX-License-Identifier: GPL-2.0
/*
 * Locks: cpus_read_lock() before `lock`; neither is held while ranges are taken or given back, which
 * may wait for the memory manager. A job's threads take no lock at all.
 */
#include "job.h"
#include "check.h"
#include "counters.h"
#include "limits.h"
#include "prefetch.h"
#include "range.h"

#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#define PROGRESS_JIFFIES (HZ / 10)
#define LEAD_ALONE_NS	 10000 /* to set up a window */
#define LEAD_NS		 60000 /* and for the others to see the gate open, also out of a nap */

static DEFINE_MUTEX(lock); /* jobs, last_id, nr_jobs, busy, closed; state, forget
			    * and, once it runs, nr_ranges of each job */
static DEFINE_XARRAY_ALLOC1(jobs);
static u32 last_id, nr_jobs;
static struct mprobe_job **busy; /* by CPU: the job that runs there */
static enum mprobe_reason closed;
static atomic_t generation = ATOMIC_INIT(0);

static atomic_t live = ATOMIC_INIT(0); /* jobs whose end has not been announced */
static DECLARE_WAIT_QUEUE_HEAD(ended); /* some job's threads have gone, or live fell */
static struct workqueue_struct *works;
static void (*announce)(struct mprobe_job *job, bool done);

static void give_back_ranges(struct mprobe_job *job, u32 nr)
{
	while (nr--) {
		mprobe_range_unuse(job->ranges[nr]);
		mprobe_range_put(job->ranges[nr]);
	}
}

static void destroy(struct mprobe_job *job)
{
	give_back_ranges(job, job->nr_ranges);
	mprobe_sample_free(&job->samples);
	kvfree(job->ranges);
	kvfree(job);
}

static void free_job(struct kref *ref)
{
	destroy(container_of(ref, struct mprobe_job, ref));
}

void mprobe_job_put(struct mprobe_job *job)
{
	kref_put(&job->ref, free_job);
}

/* Under the lock. The caller puts the table's reference. */
static void unlink_job(struct mprobe_job *job)
{
	xa_erase(&jobs, job->id);
	nr_jobs--;
	atomic_inc(&generation);
}

u32 mprobe_job_generation(void)
{
	return (u32)atomic_read(&generation) ?: 1;
}

void mprobe_job_stop(struct mprobe_job *job, enum mprobe_reason reason)
{
	atomic_cmpxchg(&job->reason, 0, reason);
}

u64 mprobe_job_elapsed(const struct mprobe_job *job)
{
	u64 elapsed = READ_ONCE(job->elapsed_ns);

	if (elapsed || smp_load_acquire(&job->state) == MPROBE_STATE_PREPARE)
		return elapsed;
	return ktime_get_ns() - READ_ONCE(job->began_ns);
}

/* The last thread's last act; the work joins it before it touches the job's memory. */
void mprobe_job_threads_gone(struct mprobe_job *job)
{
	mod_delayed_work(works, &job->work, 0);
	wake_up_all(&ended);
}

/* Not where somebody waits for the memory or the machine: to walk many small pages takes seconds. */
static bool pages_changed(const struct mprobe_job *job)
{
	u32 i;

	switch (atomic_read(&job->reason)) {
	case MPROBE_REASON_OWNER:
	case MPROBE_REASON_SUSPEND:
	case MPROBE_REASON_UNLOAD:
	case MPROBE_REASON_MEMORY:
		return false;
	}
	for (i = 0; i < job->nr_ranges; i++) {
		if (!mprobe_range_verify(job->ranges[i]))
			return true;
	}
	return false;
}

static void finish(struct mprobe_job *job)
{
	u32 i, nr_ranges;
	bool leave;

	mprobe_worker_join(job);
	cancel_delayed_work(&job->work); /* the last thread may have queued it once more */
	job->remapped = pages_changed(job);

	mutex_lock(&lock);
	for (i = 0; i < job->nr_workers; i++)
		busy[job->workers[i].cpu] = NULL;
	nr_ranges = job->nr_ranges;
	job->nr_ranges = 0; /* nobody looks at them any more */
	mutex_unlock(&lock);
	give_back_ranges(job, nr_ranges);

	mutex_lock(&lock);
	/* After all that a reader looks at then. */
	smp_store_release(&job->state, MPROBE_STATE_DONE);
	leave = job->forget;
	if (leave)
		unlink_job(job);
	mutex_unlock(&lock);
	announce(job, true);
	if (leave)
		mprobe_job_put(job);
	mprobe_job_put(job);
	atomic_dec(&live);
	wake_up_all(&ended);
}

static void tend(struct work_struct *work)
{
	struct mprobe_job *job = container_of(to_delayed_work(work), struct mprobe_job, work);

	if (!atomic_read_acquire(&job->running)) {
		finish(job);
		return;
	}
	announce(job, false);
	queue_delayed_work(works, &job->work, PROGRESS_JIFFIES);
}

static u64 samples_needed(const struct mprobe_job *job)
{
	/* with the warming up four times as long; a window that ends with a pass may be half one */
	u64 rounds = 8 * div64_u64(job->time_ns, job->window_ns) + 2;
	u64 need;

	if (job->max_windows)
		rounds = min(rounds, job->max_windows);
	if (check_mul_overflow(rounds, (u64)job->nr_measuring, &need))
		need = mprobe_limits.samples;
	/* The leader ends the job while a round in hand and one more still fit. */
	if (check_add_overflow(need, 2ull * job->nr_measuring, &need))
		need = mprobe_limits.samples;
	return min(need, mprobe_limits.samples);
}

static int prepare(const struct mprobe_job_spec *spec, struct mprobe_job *job,
		   struct mprobe_refusal *no)
{
	int ret;

	kref_init(&job->ref);
	INIT_DELAYED_WORK(&job->work, tend);
	init_completion(&job->prepared);
	job->state = MPROBE_STATE_PREPARE;
	job->end_round = U64_MAX;
	job->created_ns = ktime_get_ns();
	job->nr_workers = spec->nr_workers;
	job->ranges = kvcalloc(spec->nr_workers, sizeof(*job->ranges), GFP_KERNEL_ACCOUNT);
	if (!job->ranges)
		return -ENOMEM;
	ret = mprobe_check_job(spec, job, no);
	if (ret)
		return ret;
	mprobe_ticks_choose(&job->clock);
	job->ticks_per_us = div_u64(job->clock.khz, 1000);
	job->time_ticks = mprobe_ticks_from_ns(&job->clock, job->time_ns);
	job->window_ticks = mprobe_ticks_from_ns(&job->clock, job->window_ns);
	mprobe_gate_init(&job->gate, job->nr_measuring, job->clock.clock,
			 mprobe_ticks_from_ns(&job->clock,
					      job->nr_measuring > 1 ? LEAD_NS : LEAD_ALONE_NS));
	atomic_set(&job->preparing, job->nr_workers);
	atomic_set(&job->running, job->nr_workers);
	mprobe_worker_setup(job);
	ret = mprobe_sample_init(&job->samples, samples_needed(job), mprobe_counters_most());
	if (ret)
		no->why = "no memory for the samples; ask for less time or longer windows";
	return ret;
}

/* Under the lock and cpus_read_lock(). */
static int take_cpus(struct mprobe_job *job, struct mprobe_refusal *no)
{
	u32 i, cpu;
	int ret;

	for (i = 0; i < job->nr_workers; i++) {
		cpu = job->workers[i].cpu;
		no->worker = i;
		ret = -ENODEV;
		no->why = "there is no such CPU";
		if (cpu >= nr_cpu_ids || !cpu_present(cpu))
			goto give_back;
		ret = -EHOSTDOWN;
		no->why = "the CPU is offline; bring it online or choose another";
		if (!cpu_online(cpu))
			goto give_back;
		ret = -ENOTUNIQ;
		no->why = "two workers on one CPU; give each its own";
		if (busy[cpu] == job)
			goto give_back;
		ret = -EALREADY;
		no->why = "another job runs on this CPU; wait, cancel it or choose another";
		if (busy[cpu])
			goto give_back;
		ret = mprobe_prefetch_conflict(&job->workers[i], busy, &no->why);
		if (ret)
			goto give_back;
		busy[cpu] = job;
	}
	no->worker = -1;
	return 0;

give_back:
	while (i--)
		busy[job->workers[i].cpu] = NULL;
	return ret;
}

/* Under cpus_read_lock(). On success the threads run, and the table and the work have a reference. */
static int launch(struct mprobe_job *job, u32 *id, struct mprobe_refusal *no)
{
	u32 i;
	int ret;

	mutex_lock(&lock);
	ret = -ESHUTDOWN;
	no->why = "no job can start while the module is unloaded or the machine suspends";
	if (closed)
		goto unlock;
	ret = -EMFILE;
	no->why = "too many jobs; let finished ones be forgotten (see max_jobs)";
	if (nr_jobs >= mprobe_limits.jobs)
		goto unlock;
	ret = take_cpus(job, no);
	if (ret)
		goto unlock;
	no->why = "the job's threads could not be created";
	ret = mprobe_worker_create(job);
	if (ret)
		goto give_back_cpus;
	ret = xa_alloc_cyclic(&jobs, &job->id, job, XA_LIMIT(1, INT_MAX), &last_id, GFP_KERNEL);
	if (ret < 0)
		goto join;
	*id = job->id;
	nr_jobs++;
	atomic_inc(&generation);
	atomic_inc(&live);
	kref_get(&job->ref); /* the work's */
	queue_delayed_work(works, &job->work, PROGRESS_JIFFIES);
	mprobe_worker_wake(job); /* from here on the job may end at any time */
	mutex_unlock(&lock);
	return 0;

join:
	mprobe_worker_join(job);
give_back_cpus:
	for (i = 0; i < job->nr_workers; i++)
		busy[job->workers[i].cpu] = NULL;
unlock:
	mutex_unlock(&lock);
	return ret;
}

int mprobe_job_start(const struct mprobe_job_spec *spec, u32 *id, struct mprobe_refusal *no)
{
	struct mprobe_job *job;
	int ret;

	no->worker = -1;
	no->why = "more workers than the module allows (see max_workers)";
	if (spec->nr_workers > mprobe_limits.workers)
		return -EUSERS;
	no->why = "no memory for the job";
	job = kvzalloc(struct_size(job, workers, spec->nr_workers), GFP_KERNEL_ACCOUNT);
	if (!job)
		return -ENOMEM;
	ret = prepare(spec, job, no);
	if (ret)
		goto destroy;
	cpus_read_lock();
	ret = launch(job, id, no);
	cpus_read_unlock();
	if (ret)
		goto destroy;
	return 0;

destroy:
	destroy(job);
	return ret;
}

struct mprobe_job *mprobe_job_next(u32 *id)
{
	unsigned long at = *id;
	struct mprobe_job *job;

	mutex_lock(&lock);
	job = xa_find(&jobs, &at, ULONG_MAX, XA_PRESENT);
	if (job)
		kref_get(&job->ref);
	mutex_unlock(&lock);
	*id = at;
	return job;
}

struct mprobe_job *mprobe_job_get(u32 id)
{
	struct mprobe_job *job;

	mutex_lock(&lock);
	job = xa_load(&jobs, id);
	if (job)
		kref_get(&job->ref);
	mutex_unlock(&lock);
	return job;
}

/* Under the lock. */
static void forget(struct mprobe_job *job)
{
	if (job->state != MPROBE_STATE_DONE) {
		job->forget = true;
		return;
	}
	unlink_job(job);
	mprobe_job_put(job);
}

int mprobe_job_cancel(u32 id, enum mprobe_reason reason, bool forget_it)
{
	struct mprobe_job *job;

	mutex_lock(&lock);
	job = xa_load(&jobs, id);
	if (job) {
		mprobe_job_stop(job, reason);
		if (forget_it)
			forget(job);
	}
	mutex_unlock(&lock);
	return job ? 0 : -ESRCH;
}

void mprobe_job_drop_owner(u32 owner)
{
	struct mprobe_job *job;
	unsigned long id;

	mutex_lock(&lock);
	xa_for_each(&jobs, id, job)
	{
		if (job->owner != owner)
			continue;
		mprobe_job_stop(job, MPROBE_REASON_OWNER);
		forget(job);
	}
	mutex_unlock(&lock);
}

int mprobe_job_close(enum mprobe_reason reason, long timeout)
{
	struct mprobe_job *job;
	unsigned long id;

	mutex_lock(&lock);
	/* Unloading is for good: the end of a suspend must not open it again. */
	if (closed != MPROBE_REASON_UNLOAD)
		closed = reason;
	xa_for_each(&jobs, id, job) mprobe_job_stop(job, reason);
	mutex_unlock(&lock);
	return wait_event_timeout(ended, !atomic_read(&live), timeout) ? 0 : -EBUSY;
}

void mprobe_job_open(enum mprobe_reason reason)
{
	mutex_lock(&lock);
	if (closed == reason)
		closed = 0;
	mutex_unlock(&lock);
}

int mprobe_job_stop_cpu(u32 cpu, long timeout)
{
	struct mprobe_job *job;
	long left;

	mutex_lock(&lock);
	job = busy[cpu];
	if (job)
		kref_get(&job->ref);
	mutex_unlock(&lock);
	if (!job)
		return 0;
	mprobe_job_stop(job, MPROBE_REASON_CPU);
	left = wait_event_timeout(ended, !atomic_read(&job->running), timeout);
	mprobe_job_put(job);
	return left ? 0 : -EBUSY;
}

static bool on_pfns(const struct mprobe_job *job, unsigned long pfn, unsigned long nr)
{
	u32 i;

	for (i = 0; i < job->nr_ranges; i++) {
		if (mprobe_range_on_pfns(job->ranges[i], pfn, nr))
			return true;
	}
	return false;
}

int mprobe_job_stop_pfns(unsigned long pfn, unsigned long nr, long timeout)
{
	struct mprobe_job *job;
	unsigned long id = 0;
	long left;

	for (;;) {
		mutex_lock(&lock);
		xa_for_each_start(&jobs, id, job, id + 1)
		{
			if (on_pfns(job, pfn, nr)) {
				kref_get(&job->ref);
				break;
			}
		}
		mutex_unlock(&lock);
		if (!job)
			return 0;
		mprobe_job_stop(job, MPROBE_REASON_MEMORY);
		left = wait_event_timeout(ended, READ_ONCE(job->state) == MPROBE_STATE_DONE,
					  timeout);
		mprobe_job_put(job);
		if (!left)
			return -EBUSY;
	}
}

int mprobe_job_init(void (*event)(struct mprobe_job *job, bool done))
{
	announce = event;
	busy = kcalloc(nr_cpu_ids, sizeof(*busy), GFP_KERNEL);
	if (!busy)
		return -ENOMEM;
	works = alloc_workqueue("mprobe", WQ_UNBOUND, 0);
	if (!works) {
		kfree(busy);
		return -ENOMEM;
	}
	return 0;
}

void mprobe_job_uninit(void)
{
	struct mprobe_job *job;
	unsigned long id;

	destroy_workqueue(works);
	xa_for_each(&jobs, id, job)
	{
		xa_erase(&jobs, id);
		mprobe_job_put(job);
	}
	xa_destroy(&jobs);
	kfree(busy);
}
