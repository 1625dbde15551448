// SPDX-License-Identifier: GPL-2.0
/*
 * The threads of a job go together: all of them prepare, pass one barrier, and
 * then all of those that measure go through the same rounds. None ever leaves
 * on its own: a stop is a request, which the leader turns into the number of
 * the first round not to be run before it arrives at that round's gate.
 * So whoever waits, waits for threads that are on their way, and a round has
 * been run by all or by none.
 */
#include "worker.h"
#include "counters.h"
#include "job.h"
#include "prefetch.h"
#include "range.h"
#include <cpu.h>

#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/nmi.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/topology.h>

#define SLICE_OBJECTS 8192 /* of an order, built between two looks at the scheduler */

/* A waiting worker polls so long, then sleeps between polls, in naps shorter than the gate's lead. */
#define PATIENCE_NS  (2 * NSEC_PER_MSEC)
#define POLLS_A_LOOK 16
#define NAP_US	     10

/* After windows of so much time a worker sleeps an eighth of it: 11 % of any stretch are free. */
#define BUSY_NS	   (45 * NSEC_PER_MSEC)
#define REST_SHARE 8

static bool same_chase(const struct mprobe_worker *a, const struct mprobe_worker *b)
{
	return a->loop && b->loop && (a->loop->flags & b->loop->flags & MPROBE_LOOP_F_ORDER) &&
	       a->range == b->range && a->offset == b->offset;
}

/* Workers of one chase share its order and begin spread evenly over it. */
static void share(struct mprobe_job *job, struct mprobe_worker *w)
{
	const struct mprobe_order *o = &w->cursor.order;
	u32 i, before = 0, all = 0;

	for (i = 0; i < job->nr_workers; i++) {
		if (!same_chase(&job->workers[i], w))
			continue;
		all++;
		before += i < w->index;
	}
	if (!before) {
		w->first_slice = job->slices;
		w->slices = DIV_ROUND_UP_ULL(o->n, SLICE_OBJECTS);
		job->slices += w->slices;
		job->prepare_total += o->n * w->object_bytes;
	}
	w->cursor.at = mprobe_view_addr(
		&w->cursor.view, mprobe_order_at(o, div_u64(o->n * before, all)) * w->object_bytes);
}

void mprobe_worker_setup(struct mprobe_job *job)
{
	enum mprobe_loop_missing none;
	struct mprobe_view view;
	struct mprobe_worker *w;

	job->builder = mprobe_loop_find(MPROBE_LOOP_ORDER, MPROBE_VARIANT_STORE, 0, &none);
	for (w = job->workers; w < job->workers + job->nr_workers; w++) {
		if (!w->loop)
			continue;
		view = w->range->view;
		view.base += w->offset;
		view.bytes = w->bytes;
		mprobe_cursor_init(&w->cursor, w->loop, &view, w->object_bytes, w->seed);
		if (w->order_window)
			mprobe_cursor_confine(&w->cursor, w->loop, w->order_window);
		if (w->loop->flags & MPROBE_LOOP_F_ORDER)
			share(job, w);
		mprobe_passes_init(&w->passes, &w->cursor, w->loop, job->passes, job->warmup_bytes,
				   job->window_ticks, job->time_ticks);
	}
}

static void build(struct mprobe_job *job, u64 slice)
{
	struct mprobe_worker *w = job->workers;
	u64 first, count;

	while (slice - w->first_slice >= w->slices)
		w++;
	first = (slice - w->first_slice) * SLICE_OBJECTS;
	count = min_t(u64, SLICE_OBJECTS, w->cursor.order.n - first);
	if (job->builder->flags & MPROBE_LOOP_F_FPU)
		mprobe_fpu_begin();
	mprobe_order_slice(job->builder, &w->cursor, first, count);
	if (job->builder->flags & MPROBE_LOOP_F_FPU)
		mprobe_fpu_end();
	atomic64_add(count * w->object_bytes, &job->prepare_done);
}

/*
 * The barrier is passed once all threads are out of the slices. A thread leaves them
 * when none is left or at a stop, so each arrives in bounded time. A chase
 * whose order was cut short is not run: the stop is seen before round 0.
 */
static void prepare(struct mprobe_job *job)
{
	u64 slice;

	while (!mprobe_job_stopping(job)) {
		slice = atomic64_fetch_inc(&job->slice_next);
		if (slice >= job->slices)
			break;
		build(job, slice);
		cond_resched();
	}
	if (!atomic_dec_and_test(&job->preparing)) {
		wait_for_completion(&job->prepared);
		return;
	}
	mprobe_counters_agree(job);
	mprobe_clock_pair(job->clock.clock, &job->ticks[0], &job->raw_ns[0]);
	WRITE_ONCE(job->began_ns, ktime_get_ns());
	WRITE_ONCE(job->prepare_ns, job->began_ns - job->created_ns);
	smp_store_release(&job->state, MPROBE_STATE_RUN);
	complete_all(&job->prepared);
}

/*
 * The leader, before it arrives at the gate of this round. The others may still be about
 * to store the samples of the round before.
 */
static void decide(struct mprobe_job *job, u64 round)
{
	struct mprobe_worker *leader = job->leader;
	u64 elapsed = ktime_get_ns() - job->began_ns;

	/* Its time begins when the leader is warm; warming up may take three times as long. */
	if (mprobe_passes_warming(&leader->passes, &leader->cursor) && elapsed < 3 * job->time_ns)
		job->warm_ns = elapsed;

	if (job->passes && atomic_read(&job->finished) == job->nr_measuring)
		mprobe_job_stop(job, MPROBE_REASON_PASSES);
	else if (job->max_windows && round >= job->max_windows)
		mprobe_job_stop(job, MPROBE_REASON_WINDOWS);
	else if (elapsed - job->warm_ns >= job->time_ns)
		mprobe_job_stop(job, MPROBE_REASON_TIME);
	else if (!mprobe_sample_room(&job->samples, 2ull * job->nr_measuring))
		mprobe_job_stop(job, MPROBE_REASON_SAMPLES);
	WRITE_ONCE(job->rounds, round);
	if (!mprobe_job_stopping(job))
		return;
	mprobe_clock_pair(job->clock.clock, &job->ticks[1], &job->raw_ns[1]);
	WRITE_ONCE(job->elapsed_ns, elapsed ?: 1);
	WRITE_ONCE(job->end_round, round);
}

static u64 wait_at_gate(struct mprobe_gate *g)
{
	u64 ticket = mprobe_gate_arrive(g);
	u64 until = ktime_get_ns() + PATIENCE_NS;
	bool patient = true;
	u32 polls = 0;
	u64 start;

	while (!(start = mprobe_gate_poll(g, ticket))) {
		if (++polls % POLLS_A_LOOK) {
			cpu_relax();
			continue;
		}
		patient = patient && ktime_get_ns() < until;
		if (patient)
			cond_resched();
		else
			usleep_range(NAP_US, 2 * NAP_US);
	}
	smp_rmb(); /* end_round was written before the leader arrived */
	return start;
}

struct look {
	struct mprobe_ledger ledger;
	u64 counts[MPROBE_COUNTERS];
};

/* What may take long is read outside the wait and the window; the order after mirrors the one before. */
static void run_watched(const struct mprobe_job *job, struct mprobe_worker *w,
			struct mprobe_window *win, struct look *before, struct look *after)
{
	mprobe_ledger_smis(&before->ledger);
	mprobe_window_wait(win, job->ticks_per_us);
	mprobe_ledger_irqs(&before->ledger, w->cpu);
	mprobe_counters_read(w, before->counts);
	mprobe_ledger_cycles(&before->ledger);
	mprobe_window_run(w->loop, &w->cursor, win, job->ticks_per_us);
	mprobe_ledger_cycles(&after->ledger);
	mprobe_counters_read(w, after->counts);
	mprobe_ledger_irqs(&after->ledger, w->cpu);
	mprobe_ledger_smis(&after->ledger);
}

static void store(struct mprobe_job *job, const struct mprobe_window *win, struct mprobe_sample *s,
		  const struct look *before, struct look *after)
{
	struct mprobe_ledger l = mprobe_ledger_since(&before->ledger, &after->ledger);
	u32 i;

	s->start = win->t0;
	s->ticks = win->t1 - win->t0;
	s->work = win->work;
	s->reads = win->reads;
	s->gap = win->gap;
	s->irqs = l.irqs;
	s->nmis = l.nmis;
	s->mces = l.mces;
	s->smis = l.smis;
	s->aperf = l.aperf;
	s->mperf = l.mperf;
	if (win->late)
		s->flags |= MPROBE_SAMPLE_F_LATE;
	if (s->ticks > 2 * win->length)
		s->flags |= MPROBE_SAMPLE_F_OVERRUN;
	for (i = 0; i < job->nr_counters; i++)
		after->counts[i] = mprobe_count_since(before->counts[i], after->counts[i]);
	mprobe_sample_append(&job->samples, s, after->counts, job->nr_counters);
}

static void run_window(struct mprobe_job *job, struct mprobe_worker *w, u64 round, u64 start)
{
	struct mprobe_window win = { .clock = job->clock.clock,
				     .start = start,
				     .length = job->window_ticks,
				     .overhead = job->clock.overhead,
				     .max_units = mprobe_passes_most(&w->passes, &w->cursor) };
	struct mprobe_sample s = { .round = round, .worker = w->index };
	bool fpu = w->loop->flags & MPROBE_LOOP_F_FPU,
	     irqs_off = job->flags & MPROBE_JOB_F_IRQS_OFF;
	struct look before, after;
	unsigned long flags = 0;
	bool here;

	if (mprobe_passes_warming(&w->passes, &w->cursor))
		s.flags |= MPROBE_SAMPLE_F_WARMUP;
	if (fpu)
		mprobe_fpu_begin(); /* and end: in the same state of the interrupts */
	preempt_disable();
	if (irqs_off)
		local_irq_save(flags);
	here = smp_processor_id() == w->cpu; /* not, once the CPU is going offline */
	if (here)
		run_watched(job, w, &win, &before, &after);
	if (here && smp_processor_id() != w->cpu)
		s.flags |= MPROBE_SAMPLE_F_MIGRATED;
	if (irqs_off)
		local_irq_restore(flags);
	preempt_enable();
	if (fpu)
		mprobe_fpu_end();
	touch_softlockup_watchdog();
	if (!here) {
		mprobe_job_stop(job, MPROBE_REASON_CPU);
		return;
	}
	store(job, &win, &s, &before, &after);
	w->finished = mprobe_passes_add(&w->passes, &w->cursor, win.work);
	if (w->finished)
		atomic_inc(&job->finished);
}

/*
 * All workers count alike, by the nominal length, so they rest after the same round. A window of
 * 45 ms or more is followed by a rest at once; RCU, which wants one quiet state
 * in 21 s, gets it from the switch to another task.
 */
static void rest(const struct mprobe_job *job, u64 *busy_ns)
{
	u64 rest_us;

	*busy_ns += job->window_ns;
	if (*busy_ns < BUSY_NS) {
		cond_resched();
		return;
	}
	rest_us = div_u64(*busy_ns, REST_SHARE * NSEC_PER_USEC);
	usleep_range(rest_us, rest_us + rest_us / 8);
	*busy_ns = 0;
}

static void measure(struct mprobe_job *job, struct mprobe_worker *w)
{
	u64 round, start, busy_ns = 0;

	for (round = 0;; round++) {
		if (w == job->leader)
			decide(job, round);
		start = wait_at_gate(&job->gate);
		if (READ_ONCE(job->end_round) <= round)
			return;
		if (!w->finished)
			run_window(job, w, round, start);
		rest(job, &busy_ns);
	}
}

static int work(void *arg)
{
	struct mprobe_worker *w = arg;
	struct mprobe_job *job = w->job;

	mprobe_prefetch_look(w);
	mprobe_counters_open(w);
	prepare(job);
	if (w->loop) {
		mprobe_prefetch_set(w);
		measure(job, w);
		mprobe_prefetch_put_back(w);
	}
	mprobe_counters_close(w);
	if (atomic_dec_and_test(&job->running))
		mprobe_job_threads_gone(job);
	return 0;
}

int mprobe_worker_create(struct mprobe_job *job)
{
	struct task_struct *task;
	struct mprobe_worker *w;

	for (w = job->workers; w < job->workers + job->nr_workers; w++) {
		task = kthread_create_on_node(work, w, cpu_to_node(w->cpu), "mprobe/%u", w->cpu);
		if (IS_ERR(task)) {
			mprobe_worker_join(job);
			return PTR_ERR(task);
		}
		kthread_bind(task, w->cpu);
		w->task = get_task_struct(task);
	}
	return 0;
}

void mprobe_worker_wake(struct mprobe_job *job)
{
	u32 i;

	for (i = 0; i < job->nr_workers; i++)
		wake_up_process(job->workers[i].task);
}

void mprobe_worker_join(struct mprobe_job *job)
{
	struct mprobe_worker *w;

	for (w = job->workers; w < job->workers + job->nr_workers; w++) {
		if (!w->task)
			continue;
		kthread_stop(w->task);
		put_task_struct(w->task);
		w->task = NULL;
	}
}
