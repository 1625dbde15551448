// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include <check.h>

#include "kmod.h"
#include "replies.h"

static struct engine e;

static void push_info(uint32_t protocol)
{
	reply_info(wire_message(WIRE_FAMILY, 0, MPROBE_CMD_GET_INFO), protocol);
	wire_push();
	wire_ack(0, NULL);
}

static void setup(void)
{
	wire_install();
	push_info(MPROBE_PROTOCOL);
	e = (struct engine){ .ops = &engine_kmod };
	ck_assert_int_eq(e.ops->open(&e), 0);
}

static void teardown(void)
{
	e.ops->close(&e);
	wire_remove();
}

START_TEST(absent_module)
{
	struct engine other = { .ops = &engine_kmod };

	wire.absent = true;
	ck_assert_int_eq(other.ops->open(&other), -ENOENT);
	ck_assert_str_eq(other.error,
			 "the mprobe module is not loaded: insmod mprobe.ko (make module); "
			 "without it there is anon");
	other.ops->close(&other);
}
END_TEST

START_TEST(other_protocol)
{
	struct engine other = { .ops = &engine_kmod };

	push_info(42);
	ck_assert_int_eq(other.ops->open(&other), -EPROTO);
	ck_assert_str_eq(other.error,
			 "the module speaks protocol 42, this mprobectl 1: install both "
			 "from one build (EPROTO)");
}
END_TEST

START_TEST(close_closes_both_sockets)
{
	int before = wire.closed;

	e.ops->close(&e);
	ck_assert_int_eq(wire.closed, before + 2);
}
END_TEST

static const struct target pmem = {
	.name = "pmem0",
	.kind = TARGET_PMEM,
	.base = 0x140000000,
	.bytes = 1u << 30,
	.holder = "namespace0.0 (fsdax)",
	.free_command = "ndctl disable-namespace namespace0.0",
};

START_TEST(claim_of_a_node)
{
	const struct target t = {
		.name = "dram1", .kind = TARGET_DRAM, .node = 1, .bytes = 1u << 30
	};
	const struct claim_spec c = { .bytes = 8192, .overwrite = true };
	struct range_info r;

	reply_range(wire_message(WIRE_FAMILY, 0, MPROBE_CMD_RANGE_CLAIM), 7, 2);
	wire_push();
	wire_ack(0, NULL);
	ck_assert_int_eq(e.ops->claim(&e, &t, &c, &r), 0);
	ck_assert_int_eq(wire_sent_cmd(), MPROBE_CMD_RANGE_CLAIM);
	ck_assert_uint_eq(mnl_attr_get_u32(wire_sent_attr(MPROBE_A_NODE)), 1);
	ck_assert_uint_eq(mnl_attr_get_u64(wire_sent_attr(MPROBE_A_BYTES)), 8192);
	ck_assert_ptr_null(wire_sent_attr(MPROBE_A_BASE));
	ck_assert_uint_eq(r.id, 7);
	ck_assert_uint_eq(r.nr_segments, 2);
	range_info_free(&r);
}
END_TEST

START_TEST(busy_names_holder_and_command)
{
	const struct claim_spec c = { 0 };
	struct range_info r;

	wire_ack(-EBUSY, "a driver holds this range");
	ck_assert_int_eq(e.ops->claim(&e, &pmem, &c, &r), -EBUSY);
	ck_assert_str_eq(e.error,
			 "pmem0: a driver holds this range (EBUSY). namespace0.0 (fsdax) holds "
			 "it; to free it: ndctl disable-namespace namespace0.0");
	ck_assert_uint_eq(mnl_attr_get_u64(wire_sent_attr(MPROBE_A_BASE)), pmem.base);
	ck_assert_uint_eq(mnl_attr_get_u64(wire_sent_attr(MPROBE_A_BYTES)), pmem.bytes);
	ck_assert_ptr_null(wire_sent_attr(MPROBE_A_RANGE_FLAGS));
}
END_TEST

START_TEST(claims_refused_before_the_module)
{
	static const struct {
		struct target t;
		struct claim_spec c;
		int err;
		const char *says;
	} rows[] = {
		{ { .name = "anon", .kind = TARGET_ANON },
		  { .bytes = 1 },
		  -EOPNOTSUPP,
		  "--engine user" },
		{ { .name = "dram0", .kind = TARGET_DRAM, .bytes = 5 }, { 0 }, -EINVAL, "how much" },
		{ { .name = "pmem0", .kind = TARGET_PMEM, .bytes = 4096 },
		  { 0 },
		  -EACCES,
		  "run as root" },
		{ { .name = "pmem0", .kind = TARGET_PMEM, .base = 1u << 30, .bytes = 4096 },
		  { .bytes = 8192 },
		  -EFBIG,
		  "has 4096 bytes, 8192" },
		{ { .name = "pmem0",
		    .kind = TARGET_PMEM,
		    .base = 1u << 30,
		    .bytes = 4096,
		    .badblocks = 3 },
		  { 0 },
		  -EIO,
		  "ndctl clear-errors" },
	};
	struct range_info r;
	int before = wire.sent;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_int_eq(e.ops->claim(&e, &rows[i].t, &rows[i].c, &r), rows[i].err);
		ck_assert_msg(strstr(e.error, rows[i].says), "%s", e.error);
	}
	ck_assert_int_eq(wire.sent, before);
}
END_TEST

static uint32_t start(uint32_t id)
{
	const struct worker_spec w[2] = { { .cpu = 0, .loop = MPROBE_LOOP_STREAM },
					  { .cpu = 1, .loop = MPROBE_LOOP_STREAM } };
	const struct job_spec j = { .nr_workers = 2, .workers = w };
	uint32_t got;

	mnl_attr_put_u32(wire_message(WIRE_FAMILY, 0, MPROBE_CMD_JOB_START), MPROBE_A_JOB_ID, id);
	wire_push();
	wire_ack(0, NULL);
	ck_assert_int_eq(e.ops->start(&e, &j, &got), 0);
	return got;
}

static void push_state(uint32_t id, enum mprobe_state state, uint64_t samples)
{
	reply_job(wire_message(WIRE_FAMILY, 0, MPROBE_CMD_JOB_GET), id, state, samples);
	wire_push();
	wire_ack(0, NULL);
}

static void push_samples(uint64_t from, uint32_t rows)
{
	reply_samples(wire_message(WIRE_FAMILY, NLM_F_MULTI, MPROBE_CMD_SAMPLE_GET), from, rows);
	wire_push();
}

START_TEST(poll_goes_on_where_it_stopped)
{
	uint32_t id = start(3);
	struct sample_set s = { 0 };
	struct job_state j;

	push_state(id, MPROBE_STATE_RUN, 60);
	push_samples(0, 64); /* more came in between */
	push_samples(64, 6);
	wire_done(0, NULL);
	ck_assert_int_eq(e.ops->poll(&e, id, 0, &s, &j), 0);
	ck_assert_int_eq(j.state, MPROBE_STATE_RUN);
	ck_assert_uint_eq(s.n, 70);
	job_state_free(&j);

	push_state(id, MPROBE_STATE_DONE, 72);
	push_samples(70, 2);
	wire_done(0, NULL);
	ck_assert_int_eq(e.ops->poll(&e, id, 0, &s, &j), 0);
	ck_assert_uint_eq(mnl_attr_get_u64(wire_sent_attr(MPROBE_A_FROM)), 70);
	ck_assert_int_eq(j.state, MPROBE_STATE_DONE);
	ck_assert_int_eq(j.reason, MPROBE_REASON_TIME);
	ck_assert_uint_eq(s.n, 72);
	ck_assert_uint_eq(s.v[71].work, 72);
	job_state_free(&j);
	sample_free(&s);
}
END_TEST

START_TEST(inconsistent_sample_dump_has_no_doubles)
{
	uint32_t id = start(3);
	struct sample_set s = { 0 };
	struct job_state j;

	push_state(id, MPROBE_STATE_RUN, 4);
	reply_samples(wire_message(WIRE_FAMILY, NLM_F_MULTI | NLM_F_DUMP_INTR,
				   MPROBE_CMD_SAMPLE_GET),
		      0, 4);
	wire_push();
	wire_done(0, NULL);
	push_samples(0, 4);
	wire_done(0, NULL);
	ck_assert_int_eq(e.ops->poll(&e, id, 0, &s, &j), 0);
	ck_assert_uint_eq(s.n, 4);
	job_state_free(&j);
	sample_free(&s);
}
END_TEST

START_TEST(samples_that_do_not_fit)
{
	uint32_t id = start(3);
	struct sample_set s = { 0 };
	struct job_state j;

	/* a hole */
	push_state(id, MPROBE_STATE_RUN, 8);
	push_samples(1, 4);
	wire_done(0, NULL);
	ck_assert_int_eq(e.ops->poll(&e, id, 0, &s, &j), -EBADMSG);
	ck_assert_uint_eq(s.n, 0);
	/* finished, and yet samples are missing */
	push_state(id, MPROBE_STATE_DONE, 8);
	push_samples(0, 4);
	wire_done(0, NULL);
	ck_assert_int_eq(e.ops->poll(&e, id, 0, &s, &j), -EBADMSG);
	ck_assert_uint_eq(s.n, 0);
	sample_free(&s);
}
END_TEST

START_TEST(worker_that_the_job_has_not)
{
	const struct worker_spec w = { .loop = MPROBE_LOOP_STREAM };
	const struct job_spec one = { .nr_workers = 1, .workers = &w };
	struct sample_set s = { 0 };
	struct job_state j;
	uint32_t id;

	mnl_attr_put_u32(wire_message(WIRE_FAMILY, 0, MPROBE_CMD_JOB_START), MPROBE_A_JOB_ID, 5);
	wire_push();
	wire_ack(0, NULL);
	ck_assert_int_eq(e.ops->start(&e, &one, &id), 0);
	push_state(id, MPROBE_STATE_RUN, 2);
	push_samples(0, 2); /* of workers 0 and 1 */
	wire_done(0, NULL);
	ck_assert_int_eq(e.ops->poll(&e, id, 0, &s, &j), -EBADMSG);
	ck_assert_uint_eq(s.n, 0);
	sample_free(&s);
}
END_TEST

START_TEST(failed_sample_dump_keeps_what_was_there)
{
	uint32_t id = start(3);
	struct sample_set s = { 0 };
	struct sample old = { .round = 77 };
	struct job_state j;

	sample_append(&s, &old);
	push_state(id, MPROBE_STATE_RUN, 8);
	push_samples(0, 4);
	wire_done(-ESRCH, "job 3 is gone");
	ck_assert_int_eq(e.ops->poll(&e, id, 0, &s, &j), -ESRCH);
	ck_assert_str_eq(e.error, "job 3 is gone (ESRCH)");
	ck_assert_uint_eq(s.n, 1);
	ck_assert_uint_eq(s.v[0].round, 77);
	sample_free(&s);
}
END_TEST

START_TEST(done_event_ends_waiting)
{
	uint32_t id = start(3);
	struct sample_set s = { 0 };
	struct job_state j;

	reply_job(wire_message(WIRE_FAMILY, 0, MPROBE_CMD_PROGRESS), 99, MPROBE_STATE_RUN, 1);
	wire_event();
	reply_job(wire_message(WIRE_FAMILY, 0, MPROBE_CMD_DONE), id, MPROBE_STATE_DONE, 2);
	wire_event();
	push_state(id, MPROBE_STATE_DONE, 2);
	push_samples(0, 2);
	wire_done(0, NULL);
	ck_assert_int_eq(e.ops->poll(&e, id, 1000, &s, &j), 0);
	ck_assert_int_eq(j.state, MPROBE_STATE_DONE);
	job_state_free(&j);
	sample_free(&s);
}
END_TEST

START_TEST(unknown_job_is_not_asked_for)
{
	struct sample_set s = { 0 };
	struct job_state j;
	int before = wire.sent;

	ck_assert_int_eq(e.ops->poll(&e, 1234, 0, &s, &j), -ESRCH);
	ck_assert_int_eq(wire.sent, before);
}
END_TEST

START_TEST(stop_and_forget)
{
	uint32_t id = start(3);
	struct sample_set s = { 0 };
	struct job_state j;

	wire_ack(0, NULL);
	ck_assert_int_eq(e.ops->stop(&e, id, MPROBE_REASON_PRECISION), 0);
	ck_assert_uint_eq(mnl_attr_get_u32(wire_sent_attr(MPROBE_A_REASON)),
			  MPROBE_REASON_PRECISION);
	ck_assert_ptr_null(wire_sent_attr(MPROBE_A_JOB_FLAGS));
	wire_ack(0, NULL);
	ck_assert_int_eq(e.ops->forget(&e, id), 0);
	ck_assert_uint_eq(mnl_attr_get_u32(wire_sent_attr(MPROBE_A_JOB_FLAGS)),
			  MPROBE_JOB_F_FORGET);
	ck_assert_int_eq(e.ops->poll(&e, id, 0, &s, &j), -ESRCH);
}
END_TEST

START_TEST(answer_without_a_reply)
{
	struct engine_info i;

	wire_ack(0, NULL);
	ck_assert_int_eq(e.ops->info(&e, &i), -EBADMSG);
	ck_assert_msg(strstr(e.error, "from one build"), "%s", e.error);
}
END_TEST

START_TEST(tables_of_all_clients)
{
	struct range_info *r;
	struct job_state *j;
	struct kmod k;
	size_t n;

	push_info(MPROBE_PROTOCOL);
	ck_assert_int_eq(kmod_open(&k), 0);
	reply_range(wire_message(WIRE_FAMILY, NLM_F_MULTI, MPROBE_CMD_RANGE_GET), 1, 3);
	reply_range(wire_message(WIRE_FAMILY, NLM_F_MULTI | NLM_F_DUMP_INTR, MPROBE_CMD_RANGE_GET),
		    2, 1);
	wire_push();
	wire_done(0, NULL);
	reply_range(wire_message(WIRE_FAMILY, NLM_F_MULTI, MPROBE_CMD_RANGE_GET), 2, 1);
	wire_push();
	wire_done(0, NULL);
	ck_assert_int_eq(kmod_ranges(&k, &r, &n), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert_uint_eq(r[0].id, 2);
	kmod_ranges_free(r, n);

	wire_done(0, NULL);
	ck_assert_int_eq(kmod_jobs(&k, &j, &n), 0);
	ck_assert_uint_eq(n, 0);
	kmod_jobs_free(j, n);

	reply_job(wire_message(WIRE_FAMILY, NLM_F_MULTI, MPROBE_CMD_JOB_GET), 1, MPROBE_STATE_RUN,
		  1);
	wire_message(WIRE_FAMILY, NLM_F_MULTI, MPROBE_CMD_JOB_GET); /* empty */
	wire_push();
	wire_done(0, NULL);
	ck_assert_int_eq(kmod_jobs(&k, &j, &n), -EBADMSG);
	ck_assert_ptr_null(j);
	ck_assert_uint_eq(n, 0);
	kmod_close(&k);
}
END_TEST

Suite *kmod_suite(void)
{
	Suite *s = suite_create("kmod");
	TCase *c = tcase_create("kmod");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, absent_module);
	tcase_add_test(c, other_protocol);
	tcase_add_test(c, close_closes_both_sockets);
	tcase_add_test(c, claim_of_a_node);
	tcase_add_test(c, busy_names_holder_and_command);
	tcase_add_test(c, claims_refused_before_the_module);
	tcase_add_test(c, poll_goes_on_where_it_stopped);
	tcase_add_test(c, inconsistent_sample_dump_has_no_doubles);
	tcase_add_test(c, samples_that_do_not_fit);
	tcase_add_test(c, worker_that_the_job_has_not);
	tcase_add_test(c, failed_sample_dump_keeps_what_was_there);
	tcase_add_test(c, done_event_ends_waiting);
	tcase_add_test(c, unknown_job_is_not_asked_for);
	tcase_add_test(c, stop_and_forget);
	tcase_add_test(c, answer_without_a_reply);
	tcase_add_test(c, tables_of_all_clients);
	suite_add_tcase(s, c);
	return s;
}
