// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include <check.h>

#include "nl.h"
#include "wire.h"

static struct nl nl;
static int rows, restarts;

static void setup(void)
{
	wire_install();
	ck_assert_int_eq(nl_open(&nl, MPROBE_GENL_NAME, MPROBE_GENL_GROUP), 0);
	rows = restarts = 0;
}

static void teardown(void)
{
	nl_close(&nl);
	wire_remove();
}

static int count(const struct nlmsghdr *nlh, void *arg)
{
	const int *fail_at = arg;

	(void)nlh;
	rows++;
	return fail_at && rows == *fail_at ? -ENOMEM : 0;
}

static void restart(void *arg)
{
	(void)arg;
	restarts++;
	rows = 0;
}

static const struct nl_sink counting = { count, restart, NULL };

static int ask(uint16_t flags, const struct nl_sink *sink)
{
	_Alignas(8) char buf[64];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);

	nlh->nlmsg_type = nl.family;
	nlh->nlmsg_flags = flags;
	return nl_request(&nl, nlh, sink);
}

static void row(uint16_t flags)
{
	wire_message(WIRE_FAMILY, NLM_F_MULTI | flags, MPROBE_CMD_JOB_GET);
}

START_TEST(open_resolves_family_and_group)
{
	ck_assert_int_eq(nl.family, WIRE_FAMILY);
	ck_assert_uint_eq(nl.port, WIRE_PORT);
	ck_assert_int_eq(wire.opened, 2);
}
END_TEST

START_TEST(open_without_family_leaves_nothing_open)
{
	struct nl other;

	wire_install();
	wire.absent = true;
	ck_assert_int_eq(nl_open(&other, MPROBE_GENL_NAME, MPROBE_GENL_GROUP), -ENOENT);
	ck_assert_int_eq(wire.opened, 1);
	ck_assert_int_eq(wire.closed, 1);
}
END_TEST

START_TEST(open_without_group_fails)
{
	struct nl other;

	ck_assert_int_eq(nl_open(&other, MPROBE_GENL_NAME, "elsewhere"), -EBADMSG);
}
END_TEST

START_TEST(request_is_acknowledged_and_numbered)
{
	const struct nlmsghdr *sent = (const void *)wire.last;
	uint32_t seq;

	wire_ack(0, NULL);
	ck_assert_int_eq(ask(0, &counting), 0);
	ck_assert_int_eq(sent->nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK);
	seq = sent->nlmsg_seq;
	wire_ack(0, NULL);
	ck_assert_int_eq(ask(0, &counting), 0);
	ck_assert_uint_eq(sent->nlmsg_seq, seq + 1);
}
END_TEST

START_TEST(refusal_carries_its_sentence)
{
	wire_ack(-EBUSY, "namespace0.0 holds it");
	ck_assert_int_eq(ask(0, NULL), -EBUSY);
	ck_assert_str_eq(nl.error, "namespace0.0 holds it");
	wire_ack(-EINVAL, NULL);
	ck_assert_int_eq(ask(0, NULL), -EINVAL);
	ck_assert_str_eq(nl.error, "");
}
END_TEST

START_TEST(sentence_behind_a_quoted_request)
{
	struct nlmsghdr *nlh = wire_message(NLMSG_ERROR, NLM_F_ACK_TLVS, 0);
	struct nlmsgerr *e = mnl_nlmsg_put_extra_header(nlh, sizeof(*e) + 20);

	e->error = -EPERM;
	e->msg.nlmsg_len = MNL_NLMSG_HDRLEN + 20;
	mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, "root only");
	wire_push();
	ck_assert_int_eq(ask(0, NULL), -EPERM);
	ck_assert_str_eq(nl.error, "root only");
}
END_TEST

START_TEST(quoted_request_longer_than_message)
{
	struct nlmsghdr *nlh = wire_message(NLMSG_ERROR, NLM_F_ACK_TLVS, 0);
	struct nlmsgerr *e = mnl_nlmsg_put_extra_header(nlh, sizeof(*e));

	e->error = -EPERM;
	e->msg.nlmsg_len = 0xfffffff0;
	wire_push();
	ck_assert_int_eq(ask(0, NULL), -EPERM);
	ck_assert_str_eq(nl.error, "");
}
END_TEST

START_TEST(dump_over_several_datagrams)
{
	row(0);
	row(0);
	wire_push();
	row(0);
	wire_push();
	wire_done(0, NULL);
	ck_assert_int_eq(ask(NLM_F_DUMP, &counting), 0);
	ck_assert_int_eq(rows, 3);
}
END_TEST

START_TEST(failed_dump_is_not_a_short_one)
{
	row(0);
	wire_push();
	wire_done(-ESRCH, "no such job");
	ck_assert_int_eq(ask(NLM_F_DUMP, &counting), -ESRCH);
	ck_assert_str_eq(nl.error, "no such job");
}
END_TEST

START_TEST(inconsistent_dump_is_repeated_and_drained)
{
	row(0);
	row(NLM_F_DUMP_INTR);
	row(0);
	wire_push();
	wire_done(0, NULL);
	row(0);
	wire_push();
	wire_done(0, NULL);
	ck_assert_int_eq(ask(NLM_F_DUMP, &counting), 0);
	ck_assert_int_eq(restarts, 1);
	ck_assert_int_eq(rows, 1);
	ck_assert_int_eq(wire.sent, 3); /* the family's, and the dump twice */
}
END_TEST

START_TEST(dump_that_never_settles_ends)
{
	for (int i = 0; i < 16; i++) {
		row(NLM_F_DUMP_INTR);
		wire_push();
		wire_done(0, NULL);
	}
	ck_assert_int_eq(ask(NLM_F_DUMP, &counting), -EINTR);
	ck_assert(strstr(nl.error, "try again"));
}
END_TEST

START_TEST(failing_sink_leaves_the_socket_usable)
{
	int second = 2;
	const struct nl_sink failing = { count, NULL, &second };

	row(0);
	row(0);
	row(0);
	wire_push();
	wire_done(0, NULL);
	ck_assert_int_eq(ask(NLM_F_DUMP, &failing), -ENOMEM);
	wire_ack(0, NULL);
	ck_assert_int_eq(ask(0, NULL), 0);
}
END_TEST

START_TEST(signal_while_reading_goes_on)
{
	wire_push_error(-EINTR);
	wire_ack(0, NULL);
	ck_assert_int_eq(ask(0, NULL), 0);
}
END_TEST

START_TEST(receive_errors_are_passed_on)
{
	wire_push_error(-ENOBUFS);
	ck_assert_int_eq(ask(0, NULL), -ENOBUFS);
	wire_push_error(-ENOSPC);
	ck_assert_int_eq(ask(0, NULL), -ENOSPC);
}
END_TEST

START_TEST(foreign_answers_are_refused)
{
	struct nlmsghdr *nlh = wire_message(NLMSG_NOOP, 0, 0);

	nlh->nlmsg_type = WIRE_FAMILY;
	nlh->nlmsg_seq = 99999;
	wire_push();
	ck_assert_int_eq(ask(0, &counting), -EBADMSG);
	ck_assert_int_eq(rows, 0);
	nlh = wire_message(WIRE_FAMILY, 0, 0);
	nlh->nlmsg_pid = WIRE_PORT + 1;
	wire_push();
	ck_assert_int_eq(ask(0, &counting), -EBADMSG);
	ck_assert_int_eq(rows, 0);
}
END_TEST

START_TEST(cut_off_answers_are_refused)
{
	struct nlmsghdr *whole;
	_Alignas(8) char copy[256];
	size_t len;

	wire_ack(-EBUSY, "a sentence");
	ck_assert_int_eq(ask(0, NULL), -EBUSY);
	whole = wire_message(NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS, 0);
	mnl_nlmsg_put_extra_header(whole, sizeof(struct nlmsgerr));
	mnl_attr_put_strz(whole, NLMSGERR_ATTR_MSG, "a sentence");
	len = whole->nlmsg_len;
	memcpy(copy, whole, len);
	for (size_t cut = 0; cut < len; cut++) {
		wire_push_bytes(copy, cut);
		ck_assert_int_eq(ask(0, NULL), -EBADMSG);
	}
	/* the header says it is short: the error code itself is missing */
	((struct nlmsghdr *)(void *)copy)->nlmsg_len = MNL_NLMSG_HDRLEN + 4;
	wire_push_bytes(copy, MNL_NLMSG_HDRLEN + 4);
	ck_assert_int_eq(ask(0, NULL), -EBADMSG);
}
END_TEST

START_TEST(events_are_taken_until_none_is_left)
{
	wire_message(WIRE_FAMILY, 0, MPROBE_CMD_PROGRESS);
	wire_event();
	wire_message(WIRE_FAMILY, 0, MPROBE_CMD_DONE);
	wire_event();
	ck_assert_int_eq(nl_events(&nl, 100, &counting), 2);
	ck_assert_int_eq(rows, 2);
	ck_assert_int_eq(nl_events(&nl, 100, &counting), 0);
}
END_TEST

Suite *nl_suite(void)
{
	Suite *s = suite_create("nl");
	TCase *c = tcase_create("nl");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_test(c, open_resolves_family_and_group);
	tcase_add_test(c, open_without_family_leaves_nothing_open);
	tcase_add_test(c, open_without_group_fails);
	tcase_add_test(c, request_is_acknowledged_and_numbered);
	tcase_add_test(c, refusal_carries_its_sentence);
	tcase_add_test(c, sentence_behind_a_quoted_request);
	tcase_add_test(c, quoted_request_longer_than_message);
	tcase_add_test(c, dump_over_several_datagrams);
	tcase_add_test(c, failed_dump_is_not_a_short_one);
	tcase_add_test(c, inconsistent_dump_is_repeated_and_drained);
	tcase_add_test(c, dump_that_never_settles_ends);
	tcase_add_test(c, failing_sink_leaves_the_socket_usable);
	tcase_add_test(c, signal_while_reading_goes_on);
	tcase_add_test(c, receive_errors_are_passed_on);
	tcase_add_test(c, foreign_answers_are_refused);
	tcase_add_test(c, cut_off_answers_are_refused);
	tcase_add_test(c, events_are_taken_until_none_is_left);
	suite_add_tcase(s, c);
	return s;
}
