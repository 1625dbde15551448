// SPDX-License-Identifier: GPL-2.0
/* The user engine for real: threads, memory, loops. Asserts no speed, so load does not matter. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine.h"

#define BYTES (1u << 20)
#define LINES (BYTES / 64)

static struct engine e;
static struct range_info range;
static struct sample_set set;
static struct job_state state;
static uint32_t cpus[2], nr_cpus; /* that this process may use, two at most */

static void setup(void)
{
	const struct target t = { .name = "anon", .kind = TARGET_ANON, .node = -1 };
	const struct claim_spec c = { .bytes = 4 * BYTES, .page_bytes = 4096 };
	cpu_set_t mask;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(mask), &mask), 0);
	nr_cpus = 0;
	for (int i = 0; i < CPU_SETSIZE && nr_cpus < 2; i++)
		if (CPU_ISSET(i, &mask))
			cpus[nr_cpus++] = i;
	e = (struct engine){ .ops = &engine_user };
	ck_assert_int_eq(e.ops->open(&e), 0);
	ck_assert_msg(!e.ops->claim(&e, &t, &c, &range), "%s", e.error);
}

static void teardown(void)
{
	range_info_free(&range);
	sample_free(&set);
	job_state_free(&state);
	if (e.priv)
		e.ops->close(&e);
}

static struct worker_spec worker(enum mprobe_loop_id loop, enum mprobe_variant variant,
				 uint32_t nth)
{
	return (struct worker_spec){ .cpu = cpus[nth % nr_cpus],
				     .range_id = range.id,
				     .loop = loop,
				     .variant = variant,
				     .offset = (uint64_t)nth * BYTES,
				     .bytes = BYTES,
				     .seed = 3,
				     .object_bytes = 64 };
}

static uint32_t start(struct worker_spec *w, uint32_t n, uint64_t time_ns, uint64_t passes,
		      uint64_t windows)
{
	const struct job_spec j = { .time_ns = time_ns,
				    .passes = passes,
				    .max_windows = windows,
				    .nr_workers = n,
				    .workers = w };
	uint32_t id = 0;

	ck_assert_msg(!e.ops->start(&e, &j, &id), "%s", e.error);
	return id;
}

static void finish(uint32_t id)
{
	do {
		job_state_free(&state);
		memset(&state, 0, sizeof(state));
		ck_assert_int_eq(e.ops->poll(&e, id, 50, &set, &state), 0);
	} while (state.state != MPROBE_STATE_DONE);
}

static uint64_t work_of(uint32_t nth)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < set.n; i++)
		sum += set.v[i].worker == nth ? set.v[i].work : 0;
	return sum;
}

static const struct {
	enum mprobe_loop_id loop;
	enum mprobe_variant variant;
} loops[] = {
	{ MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO },   { MPROBE_LOOP_CHASE, MPROBE_VARIANT_WB },
	{ MPROBE_LOOP_STREAM, MPROBE_VARIANT_RO },  { MPROBE_LOOP_STREAM, MPROBE_VARIANT_WB },
	{ MPROBE_LOOP_STREAM, MPROBE_VARIANT_NT },  { MPROBE_LOOP_STREAM, MPROBE_VARIANT_STORE },
	{ MPROBE_LOOP_ORDER, MPROBE_VARIANT_STORE }
};

/* N passes are N times the units, exactly, and each pass of a chase closes its cycle. */
START_TEST(test_passes)
{
	struct worker_spec w = worker(loops[_i].loop, loops[_i].variant, 0);

	finish(start(&w, 1, 60000000000, 7, 0));
	ck_assert_int_eq(state.reason, MPROBE_REASON_PASSES);
	ck_assert_uint_eq(work_of(0), 7 * LINES);
	ck_assert_uint_eq(state.nr_closed, 1);
	ck_assert_uint_eq(state.closed[0], loops[_i].loop == MPROBE_LOOP_CHASE ? 7 : 0);
	ck_assert_uint_gt(state.elapsed_ns, 0);
	ck_assert_uint_eq(state.prepare_done, loops[_i].loop == MPROBE_LOOP_CHASE ? BYTES : 0);
	ck_assert_uint_eq(state.prepare_total, state.prepare_done);
}
END_TEST

/* A chase of any size comes back to its first object, also where time ends it. */
START_TEST(test_time_and_closing)
{
	static const uint64_t bytes[] = { 64, 4096, 16384, 3 * 4096 + 64, BYTES, 3 * BYTES + 64 };
	struct worker_spec w = worker(MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO, 0);

	w.bytes = bytes[_i];
	finish(start(&w, 1, 100000000, 0, 0));
	ck_assert_int_eq(state.reason, MPROBE_REASON_TIME);
	ck_assert_uint_ge(state.elapsed_ns, 100000000);
	ck_assert_uint_ge(work_of(0), w.bytes / 64);
	ck_assert_uint_ge(state.closed[0], 1);
	ck_assert_uint_le(state.closed[0], work_of(0) / (w.bytes / 64) + 1);
}
END_TEST

START_TEST(test_samples)
{
	struct worker_spec w = worker(MPROBE_LOOP_STREAM, MPROBE_VARIANT_RO, 0);
	uint64_t last = 0;
	size_t told = 0;

	finish(start(&w, 1, 60000000000, 0, 20));
	ck_assert_int_eq(state.reason, MPROBE_REASON_WINDOWS);
	ck_assert_uint_eq(state.windows, 20);
	ck_assert_uint_eq(set.n, 20);
	ck_assert_uint_ne(set.v[0].flags & MPROBE_SAMPLE_F_WARMUP, 0);
	for (size_t i = 0; i < set.n; i++) {
		const struct sample *s = &set.v[i];

		ck_assert_uint_eq(s->round, i);
		ck_assert_uint_eq(s->irqs, SAMPLE_UNKNOWN);
		ck_assert_uint_eq(s->nmis, SAMPLE_UNKNOWN);
		ck_assert_uint_gt(s->work, 0);
		ck_assert_uint_gt(s->ticks, 0);
		ck_assert_uint_gt(s->reads, 0);
		ck_assert_uint_ge(s->start, last);
		ck_assert_uint_eq(s->flags & MPROBE_SAMPLE_F_MIGRATED, 0);
		ck_assert_uint_eq(s->mces & s->smis, SAMPLE_UNKNOWN);
		ck_assert_uint_eq(s->aperf & s->mperf & s->counts[0], SAMPLE_UNKNOWN64);
		told += s->gap != SAMPLE_UNKNOWN64;
		last = s->start + s->ticks;
	}
	ck_assert_uint_ge(told, 5); /* the CPU may be taken from most of them, not from all */
	ck_assert_uint_ge(set.v[0].start, state.clock_ticks[0]);
	ck_assert_uint_le(last, state.clock_ticks[1]);
	ck_assert_uint_gt(state.clock_raw_ns[1], state.clock_raw_ns[0]);
}
END_TEST

/* Two workers run every round together: same rounds, same start within the lateness flagged. */
START_TEST(test_together)
{
	struct worker_spec w[2] = { worker(MPROBE_LOOP_STREAM, MPROBE_VARIANT_WB, 0),
				    worker(MPROBE_LOOP_STREAM, MPROBE_VARIANT_WB, 1) };
	size_t rounds[2] = { 0 };

	if (nr_cpus < 2) /* nothing to put together on such a machine */
		return;
	finish(start(w, 2, 200000000, 0, 0));
	for (size_t i = 0; i < set.n; i++)
		ck_assert_uint_eq(set.v[i].round, rounds[set.v[i].worker]++);
	ck_assert_uint_gt(rounds[0], 0);
	ck_assert_uint_eq(rounds[0], rounds[1]);
	for (size_t i = 0; i < set.n; i++)
		for (size_t k = 0; k < i; k++)
			if (set.v[i].round == set.v[k].round &&
			    !((set.v[i].flags | set.v[k].flags) & MPROBE_SAMPLE_F_LATE))
				ck_assert_uint_le(
					llabs((long long)(set.v[i].start - set.v[k].start)),
					state.clock_khz / 1000 * 4);
}
END_TEST

/* The one that is done first waits for the other, and neither does more than its passes. */
START_TEST(test_unequal_passes)
{
	struct worker_spec w[2] = { worker(MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO, 0),
				    worker(MPROBE_LOOP_CHASE, MPROBE_VARIANT_WB, 1) };

	if (nr_cpus < 2)
		return;
	w[0].bytes = 4096;
	finish(start(w, 2, 60000000000, 9, 0));
	ck_assert_int_eq(state.reason, MPROBE_REASON_PASSES);
	ck_assert_uint_eq(work_of(0), 9 * 64);
	ck_assert_uint_eq(work_of(1), 9 * LINES);
	ck_assert_uint_eq(state.closed[0], 9);
	ck_assert_uint_eq(state.closed[1], 9);
}
END_TEST

START_TEST(test_helper)
{
	struct worker_spec w[2] = { worker(MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO, 0),
				    { .cpu = cpus[nr_cpus - 1], .loop = MPROBE_LOOP_BUILD } };

	if (nr_cpus < 2)
		return;
	w[0].bytes = 4 * BYTES;
	finish(start(w, 2, 60000000000, 2, 0));
	ck_assert_uint_eq(work_of(0), 8 * LINES);
	ck_assert_uint_eq(state.closed[0], 2);
	ck_assert_uint_eq(state.prepare_done, 4 * BYTES);
}
END_TEST

START_TEST(test_stop)
{
	struct worker_spec w = worker(MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO, 0);
	uint32_t id = start(&w, 1, 600000000000 / 10, 0, 0);

	ck_assert_int_eq(e.ops->release(&e, range.id), -ETXTBSY);
	ck_assert_int_eq(e.ops->stop(&e, id, MPROBE_REASON_PRECISION), 0);
	ck_assert_int_eq(e.ops->stop(&e, id, MPROBE_REASON_CANCEL), 0);
	finish(id);
	ck_assert_int_eq(state.reason, MPROBE_REASON_PRECISION); /* the first one stays */
	ck_assert_int_eq(e.ops->release(&e, range.id), 0);
	ck_assert_int_eq(e.ops->release(&e, range.id), -EBADF);
	ck_assert_int_eq(e.ops->forget(&e, id), 0);
	ck_assert_int_eq(e.ops->forget(&e, id), -ESRCH);
}
END_TEST

static int threads(void)
{
	DIR *d = opendir("/proc/self/task");
	int n = -2; /* "." and ".." */

	while (d && readdir(d))
		n++;
	closedir(d);
	return n;
}

/* A thread that was joined may stand in /proc for a moment more. */
static bool alone_within_a_second(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (int i = 0; i < 1000 && threads() > 1; i++)
		nanosleep(&pause, NULL);
	return threads() == 1;
}

/* What is made dies with the engine, at once. */
START_TEST(test_close_while_running)
{
	struct worker_spec w = worker(MPROBE_LOOP_STREAM, MPROBE_VARIANT_WB, 0);
	struct timespec t0, t1;
	uint32_t id = start(&w, 1, 1000000, 0, 0);

	finish(id);
	ck_assert_int_eq(e.ops->forget(&e, id), 0);
	ck_assert(alone_within_a_second());
	start(&w, 1, 60000000000, 0, 0);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	e.ops->close(&e);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	ck_assert_int_lt(t1.tv_sec - t0.tv_sec, 5);
	ck_assert(alone_within_a_second());
	ck_assert_ptr_null(e.priv);
}
END_TEST

enum wrong {
	NO_WORKER,
	CPU_TWICE,
	CPU_ABSENT,
	NO_RANGE,
	OUTSIDE,
	FAR_OUTSIDE,
	UNALIGNED,
	TOO_SMALL,
	BAD_OBJECT,
	OVERLAP,
	ODD_WINDOW,
	SMALL_WINDOW,
	STREAM_WINDOW,
	NO_LOOP,
	NO_VARIANT,
	NO_ISA,
	LONG_WINDOW,
	IRQS_OFF,
	PREFETCH_OFF,
	ONLY_HELPERS,
	WRONGS
};

static const int errors[WRONGS] = {
	[NO_WORKER] = -ENODATA,	      [CPU_TWICE] = -ENOTUNIQ,	    [CPU_ABSENT] = -ENODEV,
	[NO_RANGE] = -EBADF,	      [OUTSIDE] = -EFBIG,	    [FAR_OUTSIDE] = -EFBIG,
	[UNALIGNED] = -EADDRNOTAVAIL, [TOO_SMALL] = -EADDRNOTAVAIL, [BAD_OBJECT] = -EADDRNOTAVAIL,
	[OVERLAP] = -EMLINK,	      [NO_LOOP] = -EBADRQC,	    [NO_VARIANT] = -EBADSLT,
	[NO_ISA] = -ENOEXEC,	      [LONG_WINDOW] = -ETIME,	    [IRQS_OFF] = -EOPNOTSUPP,
	[ODD_WINDOW] = -EINVAL,	      [SMALL_WINDOW] = -EINVAL,	    [STREAM_WINDOW] = -EINVAL,
	[PREFETCH_OFF] = -EOPNOTSUPP, [ONLY_HELPERS] = -ENODATA,
};

static void spoil(enum wrong how, struct job_spec *j, struct worker_spec *w)
{
	j->nr_workers = 1;
	switch (how) {
	case NO_WORKER:
		j->nr_workers = 0;
		break;
	case CPU_TWICE:
		w[1].cpu = w[0].cpu;
		j->nr_workers = 2;
		break;
	case CPU_ABSENT:
		w->cpu = 100000;
		break;
	case NO_RANGE:
		w->range_id += 100;
		break;
	case OUTSIDE:
		w->bytes = 4 * BYTES + 64;
		break;
	case FAR_OUTSIDE:
		w->offset = UINT64_MAX & ~63ull;
		break;
	case UNALIGNED:
		w->bytes += 8;
		break;
	case TOO_SMALL:
		w->bytes = 0;
		break;
	case BAD_OBJECT:
		w->object_bytes = 96;
		break;
	case OVERLAP:
		w[1].offset = w->offset + w->bytes - 64;
		j->nr_workers = 2;
		break;
	case ODD_WINDOW:
		w->order_window_bytes = 3000;
		break;
	case SMALL_WINDOW:
		w->order_window_bytes = 64;
		break;
	case STREAM_WINDOW:
		w->loop = MPROBE_LOOP_STREAM;
		w->order_window_bytes = 4096;
		break;
	case NO_LOOP:
		w->loop = 99;
		break;
	case NO_VARIANT:
		w->variant = MPROBE_VARIANT_NT;
		break;
	case NO_ISA:
		w->isa = MPROBE_ISA_AVX2; /* a chase has none such */
		break;
	case LONG_WINDOW:
		j->window_ns = 600000000;
		break;
	case IRQS_OFF:
		j->irqs_off = true;
		break;
	case PREFETCH_OFF:
		j->prefetch = MPROBE_PREFETCH_OFF;
		break;
	default:
		w->loop = MPROBE_LOOP_BUILD;
	}
}

START_TEST(test_refused)
{
	struct worker_spec w[2] = { worker(MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO, 0),
				    worker(MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO, 1) };
	struct job_spec j = { .time_ns = 1000000, .workers = w };
	uint32_t id;

	if (_i == OVERLAP && nr_cpus < 2)
		return;
	spoil(_i, &j, w);
	ck_assert_int_eq(e.ops->start(&e, &j, &id), errors[_i]);
	ck_assert_uint_gt(strlen(e.error), 15);
	ck_assert_msg(strstr(e.error, strerrorname_np(-errors[_i])), "%s", e.error);
	/* and nothing is left behind */
	w[0] = worker(MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO, 0);
	finish(start(w, 1, 60000000000, 1, 0));
}
END_TEST

START_TEST(test_one_job_at_a_time)
{
	struct worker_spec w = worker(MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO, 0);
	const struct job_spec j = { .time_ns = 1000000, .nr_workers = 1, .workers = &w };
	uint32_t id = start(&w, 1, 1000000, 0, 0), other;

	ck_assert_int_eq(e.ops->start(&e, &j, &other), -EMFILE);
	ck_assert_int_eq(e.ops->poll(&e, id + 1, 0, &set, &state), -ESRCH);
	ck_assert_int_eq(e.ops->stop(&e, id + 1, MPROBE_REASON_CANCEL), -ESRCH);
	finish(id);
	ck_assert_int_eq(e.ops->forget(&e, id), 0);
	ck_assert_int_eq(e.ops->start(&e, &j, &other), 0);
	finish(other);
}
END_TEST

START_TEST(test_other_targets)
{
	const struct target dram = { .name = "dram1", .kind = TARGET_DRAM, .node = 1 },
			    pmem = { .name = "pmem0", .kind = TARGET_PMEM };
	const struct claim_spec c = { .bytes = BYTES, .page_bytes = 4096 };
	struct range_info r;

	ck_assert_int_eq(e.ops->claim(&e, &dram, &c, &r), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(e.error, "anon:1"));
	ck_assert_int_eq(e.ops->claim(&e, &pmem, &c, &r), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(e.error, "kernel engine only"));
}
END_TEST

/* Windows one after another: the pass is as long, and ends where it began. */
START_TEST(test_order_window)
{
	struct worker_spec w =
		worker(MPROBE_LOOP_CHASE, _i ? MPROBE_VARIANT_WB : MPROBE_VARIANT_RO, 0);
	uint64_t hops = 0;

	w.order_window_bytes = 4096;
	finish(start(&w, 1, 60000000000, 3, 0));
	ck_assert_int_eq(state.reason, MPROBE_REASON_PASSES);
	for (size_t i = 0; i < set.n; i++)
		hops += set.v[i].work;
	ck_assert_uint_eq(hops, 3 * w.bytes / 64);
	ck_assert_uint_ge(state.closed[0], 1);
	ck_assert_uint_eq(state.broken[0], 0);
}
END_TEST

Suite *engine_user_suite(void)
{
	Suite *s = suite_create("engine_user");
	TCase *c = tcase_create("engine_user");

	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_loop_test(c, test_passes, 0, sizeof(loops) / sizeof(loops[0]));
	tcase_add_loop_test(c, test_time_and_closing, 0, 6);
	tcase_add_test(c, test_samples);
	tcase_add_test(c, test_together);
	tcase_add_test(c, test_unequal_passes);
	tcase_add_test(c, test_helper);
	tcase_add_test(c, test_stop);
	tcase_add_test(c, test_close_while_running);
	tcase_add_loop_test(c, test_refused, 0, WRONGS);
	tcase_add_loop_test(c, test_order_window, 0, 2);
	tcase_add_test(c, test_one_job_at_a_time);
	tcase_add_test(c, test_other_targets);
	suite_add_tcase(s, c);
	return s;
}
