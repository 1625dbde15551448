// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "proto.h"
#include "replies.h"

static _Alignas(8) char room[65536];

static struct proto_buf buf(size_t bytes)
{
	memset(room, 0xa5, sizeof(room));
	return (struct proto_buf){ .data = room, .bytes = bytes, .family = WIRE_FAMILY };
}

static const struct nlmsghdr *sent(uint8_t cmd, uint16_t flags)
{
	const struct nlmsghdr *nlh = (const void *)room;
	const struct genlmsghdr *g = mnl_nlmsg_get_payload(nlh);

	ck_assert_int_eq(nlh->nlmsg_type, WIRE_FAMILY);
	ck_assert_int_eq(nlh->nlmsg_flags, flags);
	ck_assert_int_eq(g->cmd, cmd);
	ck_assert_int_eq(g->version, MPROBE_GENL_VERSION);
	return nlh;
}

/* The attributes of one level as "type:value " words, the way the protocol's text lists them. */
static const char *spell(const struct nlattr *a, int left)
{
	static char out[512];
	size_t at = 0;

	out[0] = '\0';
	for (; mnl_attr_ok(a, left); left -= MNL_ALIGN(a->nla_len), a = mnl_attr_next(a)) {
		uint64_t v = 0;

		memcpy(&v, mnl_attr_get_payload(a),
		       mnl_attr_get_payload_len(a) < 8 ? mnl_attr_get_payload_len(a) : 8);
		if (mnl_attr_get_type(a) == MPROBE_A_WORKERS ||
		    mnl_attr_get_type(a) == MPROBE_A_WORKER)
			v = 0;
		at += snprintf(out + at, sizeof(out) - at, "%u/%u:%llu ", mnl_attr_get_type(a),
			       mnl_attr_get_payload_len(a), (unsigned long long)v);
	}
	ck_assert_int_eq(left, 0);
	return out;
}

static const char *spell_message(const struct nlmsghdr *nlh)
{
	return spell(mnl_nlmsg_get_payload_offset(nlh, GENL_HDRLEN),
		     nlh->nlmsg_len - MNL_NLMSG_HDRLEN - GENL_HDRLEN);
}

static void expect(const struct nlmsghdr *nlh, const char *words)
{
	ck_assert_str_eq(spell_message(nlh), words);
}

#define WORD(attr, len, value)                                                              \
	(snprintf(one, sizeof(one), "%d/%d:%llu ", attr, len, (unsigned long long)(value)), \
	 strcat(want, one))

START_TEST(claims)
{
	struct proto_claim c = {
		.kind = MPROBE_RANGE_NODE, .node = 3, .bytes = 1u << 30, .base = 5
	};
	char want[512] = "", one[64];
	struct proto_buf b = buf(512);

	ck_assert_int_eq(proto_claim(&b, &c), 0);
	WORD(MPROBE_A_RANGE_KIND, 4, 1);
	WORD(MPROBE_A_NODE, 4, 3);
	WORD(MPROBE_A_BYTES, 8, 1u << 30);
	expect(sent(MPROBE_CMD_RANGE_CLAIM, 0), want);

	c = (struct proto_claim){ .kind = MPROBE_RANGE_PHYS,
				  .base = 0x140000000,
				  .bytes = 4096,
				  .page_bytes = 2097152,
				  .flags = MPROBE_RANGE_F_OVERWRITE };
	b = buf(512);
	ck_assert_int_eq(proto_claim(&b, &c), 0);
	want[0] = '\0';
	WORD(MPROBE_A_RANGE_KIND, 4, 2);
	WORD(MPROBE_A_BASE, 8, 0x140000000);
	WORD(MPROBE_A_BYTES, 8, 4096);
	WORD(MPROBE_A_PAGE_BYTES, 8, 2097152);
	WORD(MPROBE_A_RANGE_FLAGS, 4, 1);
	expect(sent(MPROBE_CMD_RANGE_CLAIM, 0), want);
}
END_TEST

START_TEST(small_requests)
{
	char want[512] = "", one[64];
	struct proto_buf b = buf(512);

	ck_assert_int_eq(proto_get_info(&b), 0);
	expect(sent(MPROBE_CMD_GET_INFO, 0), "");
	b = buf(512);
	ck_assert_int_eq(proto_ranges(&b), 0);
	expect(sent(MPROBE_CMD_RANGE_GET, NLM_F_DUMP), "");
	b = buf(512);
	ck_assert_int_eq(proto_jobs(&b), 0);
	expect(sent(MPROBE_CMD_JOB_GET, NLM_F_DUMP), "");
	b = buf(512);
	ck_assert_int_eq(proto_release(&b, 9), 0);
	WORD(MPROBE_A_RANGE_ID, 4, 9);
	expect(sent(MPROBE_CMD_RANGE_RELEASE, 0), want);
	b = buf(512);
	ck_assert_int_eq(proto_job(&b, 12), 0);
	want[0] = '\0';
	WORD(MPROBE_A_JOB_ID, 4, 12);
	expect(sent(MPROBE_CMD_JOB_GET, 0), want);
	b = buf(512);
	ck_assert_int_eq(proto_samples(&b, 12, 1ull << 40), 0);
	WORD(MPROBE_A_FROM, 8, 1ull << 40);
	expect(sent(MPROBE_CMD_SAMPLE_GET, NLM_F_DUMP), want);
	b = buf(512);
	ck_assert_int_eq(proto_cancel(&b, 12, MPROBE_REASON_PRECISION, true), 0);
	want[0] = '\0';
	WORD(MPROBE_A_JOB_ID, 4, 12);
	WORD(MPROBE_A_REASON, 4, MPROBE_REASON_PRECISION);
	WORD(MPROBE_A_JOB_FLAGS, 4, MPROBE_JOB_F_FORGET);
	expect(sent(MPROBE_CMD_JOB_CANCEL, 0), want);
}
END_TEST

START_TEST(start_nests_workers)
{
	const struct worker_spec w[2] = {
		{ .cpu = 5,
		  .range_id = 1,
		  .loop = MPROBE_LOOP_CHASE,
		  .variant = MPROBE_VARIANT_WB,
		  .isa = MPROBE_ISA_SCALAR,
		  .offset = 4096,
		  .bytes = 8192,
		  .seed = 0,
		  .object_bytes = 64 },
		{ .cpu = 6, .loop = MPROBE_LOOP_BUILD, .range_id = 1, .bytes = 5 },
	};
	const struct job_spec j = { .time_ns = 10,
				    .window_ns = 20,
				    .passes = 3,
				    .irqs_off = true,
				    .nr_workers = 2,
				    .workers = w };
	char want[512] = "", one[64];
	struct proto_buf b = buf(4096);
	const struct nlattr *workers, *first;

	ck_assert_int_eq(proto_start(&b, &j), 0);
	WORD(MPROBE_A_TIME_NS, 8, 10);
	WORD(MPROBE_A_WINDOW_NS, 8, 20);
	WORD(MPROBE_A_PASSES, 8, 3);
	WORD(MPROBE_A_JOB_FLAGS, 4, MPROBE_JOB_F_IRQS_OFF);
	WORD(MPROBE_A_WORKERS, 108, 0);
	expect(sent(MPROBE_CMD_JOB_START, 0), want);
	workers = (const void *)((const char *)mnl_nlmsg_get_payload_tail((void *)room) - 112);
	ck_assert_int_eq(mnl_attr_get_type(workers), MPROBE_A_WORKERS);
	ck_assert(workers->nla_type & NLA_F_NESTED);

	first = mnl_attr_get_payload(workers);
	want[0] = '\0';
	WORD(MPROBE_A_CPU, 4, 5);
	WORD(MPROBE_A_LOOP, 4, MPROBE_LOOP_CHASE);
	WORD(MPROBE_A_RANGE_ID, 4, 1);
	WORD(MPROBE_A_VARIANT, 4, MPROBE_VARIANT_WB);
	WORD(MPROBE_A_OFFSET, 8, 4096);
	WORD(MPROBE_A_BYTES, 8, 8192);
	WORD(MPROBE_A_SEED, 8, 0);
	WORD(MPROBE_A_ISA, 4, MPROBE_ISA_SCALAR);
	WORD(MPROBE_A_OBJECT_BYTES, 4, 64);
	ck_assert_str_eq(spell(mnl_attr_get_payload(first), mnl_attr_get_payload_len(first)), want);

	/* a builder has nothing but its CPU */
	first = mnl_attr_next(first);
	want[0] = '\0';
	WORD(MPROBE_A_CPU, 4, 6);
	WORD(MPROBE_A_LOOP, 4, MPROBE_LOOP_BUILD);
	ck_assert_str_eq(spell(mnl_attr_get_payload(first), mnl_attr_get_payload_len(first)), want);
}
END_TEST

START_TEST(requests_too_large)
{
	static struct worker_spec w[4096];
	struct job_spec j = { .nr_workers = 4096, .workers = w };
	struct proto_buf b = buf(sizeof(room));

	for (size_t i = 0; i < 4096; i++)
		w[i].loop = MPROBE_LOOP_STREAM;
	ck_assert_int_eq(proto_start(&b, &j), -EMSGSIZE);
	j.nr_workers = 700;
	b = buf(sizeof(room));
	ck_assert_int_eq(proto_start(&b, &j), 0);
	for (size_t bytes = 0; bytes < 200; bytes++) {
		j.nr_workers = 3;
		b = buf(bytes);
		ck_assert_int_eq(proto_start(&b, &j), -EMSGSIZE);
		for (size_t i = bytes; i < 256; i++)
			ck_assert_int_eq((unsigned char)room[i], 0xa5);
	}
}
END_TEST

/* replies */

static const struct job_state none; /* a job without counters */

enum reply_kind { INFO, RANGE, JOB, SAMPLES, NR_REPLIES };

static int parse(const struct nlmsghdr *nlh, enum reply_kind kind)
{
	struct engine_info info;
	struct sample_set set = { 0 };
	struct range_info range;
	struct job_state job;
	uint64_t from;
	int err;

	switch (kind) {
	case INFO:
		return proto_parse_info(nlh, &info);
	case RANGE:
		err = proto_parse_range(nlh, &range);
		ck_assert(!err || (!range.segments && !range.nr_segments));
		range_info_free(&range);
		return err;
	case JOB:
		err = proto_parse_job(nlh, &job);
		ck_assert(!err || (!job.closed && !job.nr_closed));
		job_state_free(&job);
		return err;
	default:
		err = proto_parse_samples(nlh, &none, &from, &set);
		sample_free(&set);
		return err;
	}
}

static struct nlmsghdr *make(enum reply_kind kind)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(room);

	nlh->nlmsg_type = WIRE_FAMILY;
	mnl_nlmsg_put_extra_header(nlh, GENL_HDRLEN);
	if (kind == INFO)
		reply_info(nlh, MPROBE_PROTOCOL);
	else if (kind == RANGE)
		reply_range(nlh, 7, 3);
	else if (kind == JOB)
		reply_job(nlh, 7, MPROBE_STATE_RUN, 10);
	else
		reply_samples(nlh, 64, 5);
	return nlh;
}

/* Parsed from memory that ends where the message does, so that valgrind and ASan see any step beyond. */
static int parse_exactly(const void *p, size_t n, enum reply_kind kind)
{
	struct nlmsghdr *copy = malloc(n);
	int err;

	memcpy(copy, p, n);
	err = parse(copy, kind);
	free(copy);
	return err;
}

START_TEST(replies_cut_off)
{
	for (int kind = 0; kind < NR_REPLIES; kind++) {
		struct nlmsghdr *nlh = make(kind);
		size_t whole = nlh->nlmsg_len;

		ck_assert_int_eq(parse_exactly(nlh, whole, kind), 0);
		for (size_t n = MNL_NLMSG_HDRLEN; n < whole; n++) {
			nlh->nlmsg_len = n;
			ck_assert_int_eq(parse_exactly(nlh, n, kind), -EBADMSG);
		}
	}
}
END_TEST

START_TEST(replies_with_an_attribute_missing_or_of_wrong_length)
{
	for (int kind = 0; kind < NR_REPLIES; kind++) {
		const struct nlattr *a;
		struct nlmsghdr *nlh = make(kind);
		int n = 0, i;

		mnl_attr_for_each(a, nlh, GENL_HDRLEN)
			n++;
		ck_assert_int_gt(n, 8);
		for (i = 0; i < n; i++) {
			struct nlattr *victim;
			uint16_t type;

			nlh = make(kind);
			victim = mnl_nlmsg_get_payload_offset(nlh, GENL_HDRLEN);
			for (int j = 0; j < i; j++)
				victim = mnl_attr_next(victim);
			type = victim->nla_type;
			victim->nla_type = MPROBE_A_MAX + 1;
			ck_assert_int_eq(parse_exactly(nlh, nlh->nlmsg_len, kind), -EBADMSG);
			victim->nla_type = type;
			/* one byte less: the padding hides it from the message's own length */
			victim->nla_len--;
			ck_assert_int_eq(parse_exactly(nlh, nlh->nlmsg_len, kind), -EBADMSG);
		}
	}
}
END_TEST

START_TEST(replies_of_random_bytes)
{
	srand(1);
	for (int i = 0; i < 20000; i++) {
		int kind = i % NR_REPLIES;
		struct nlmsghdr *nlh = make(kind);
		size_t len = nlh->nlmsg_len;

		for (int j = rand() % 6; j >= 0; j--)
			room[MNL_NLMSG_HDRLEN + rand() % (len - MNL_NLMSG_HDRLEN)] = rand();
		parse_exactly(nlh, len, kind);
	}
}
END_TEST

START_TEST(info_is_read)
{
	struct nlmsghdr *nlh = make(INFO);
	struct engine_info i;

	ck_assert_int_eq(proto_parse_info(nlh, &i), 0);
	ck_assert_str_eq(i.version, "9.8.7");
	ck_assert_uint_eq(i.clock_khz, 2600000);
	ck_assert_uint_eq(i.max_bytes, 1ull << 34);
	ck_assert_uint_eq(i.window_default_irqs_off_ns, 2000000);
	ck_assert(!i.locked_down);
	mnl_attr_put(nlh, MPROBE_A_LOCKED_DOWN, 0, NULL);
	ck_assert_int_eq(proto_parse_info(nlh, &i), 0);
	ck_assert(i.locked_down);
}
END_TEST

START_TEST(other_protocol_need_not_be_understood)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(room);
	struct engine_info i;

	mnl_nlmsg_put_extra_header(nlh, GENL_HDRLEN);
	mnl_attr_put_u32(nlh, MPROBE_A_PROTOCOL, MPROBE_PROTOCOL + 1);
	ck_assert_int_eq(proto_parse_info(nlh, &i), -EPROTO);
	ck_assert_uint_eq(i.protocol, MPROBE_PROTOCOL + 1);
}
END_TEST

START_TEST(string_without_end)
{
	struct nlmsghdr *nlh = make(INFO);
	struct nlattr *a = mnl_nlmsg_get_payload_offset(nlh, GENL_HDRLEN);
	struct engine_info i;

	a = mnl_attr_next(a);
	ck_assert_int_eq(mnl_attr_get_type(a), MPROBE_A_MODULE_VERSION);
	memset(mnl_attr_get_payload(a), 'x', mnl_attr_get_payload_len(a));
	ck_assert_int_eq(proto_parse_info(nlh, &i), -EBADMSG);
}
END_TEST

START_TEST(range_is_read)
{
	struct range_info r;

	ck_assert_int_eq(proto_parse_range(make(RANGE), &r), 0);
	ck_assert_uint_eq(r.id, 7);
	ck_assert_int_eq(r.node, -1);
	ck_assert_uint_eq(r.mapped_1g, 1u << 30);
	ck_assert_uint_eq(r.nr_segments, 3);
	ck_assert_uint_eq(r.segments[2].base, 2ull << 32);
	ck_assert_uint_eq(r.segments[2].bytes, 16384);
	range_info_free(&r);
}
END_TEST

START_TEST(segments_that_do_not_match)
{
	struct nlmsghdr *nlh = make(RANGE);
	const uint64_t two[2] = { 0 };
	struct range_info r;

	mnl_attr_put(nlh, MPROBE_A_SEGMENT_BYTES, sizeof(two), two); /* the last one counts */
	ck_assert_int_eq(proto_parse_range(nlh, &r), -EBADMSG);
	nlh = make(RANGE);
	mnl_attr_put_u32(nlh, MPROBE_A_SEGMENTS_TOTAL, 2);
	ck_assert_int_eq(proto_parse_range(nlh, &r), -EBADMSG);
}
END_TEST

START_TEST(job_is_read)
{
	struct nlmsghdr *nlh = make(JOB);
	struct job_state j;

	ck_assert_int_eq(proto_parse_job(nlh, &j), 0);
	ck_assert(j.state == MPROBE_STATE_RUN && !j.reason);
	ck_assert_uint_eq(j.samples, 10);
	ck_assert_uint_eq(j.clock_ticks[1], 261000);
	ck_assert_uint_eq(j.clock_raw_ns[0], 5);
	ck_assert(j.nr_closed == 2 && j.closed[1] == 4 && j.broken[1] == 1);
	ck_assert(!j.remapped);
	job_state_free(&j);
	mnl_attr_put(nlh, MPROBE_A_REMAPPED, 0, NULL);
	ck_assert(!proto_parse_job(nlh, &j) && j.remapped);
	job_state_free(&j);
}
END_TEST

START_TEST(clocks_of_a_job_that_has_not_ended)
{
	static const uint64_t three[3] = { 7, 8, 9 };

	for (uint16_t n = 0; n <= 3; n++) {
		struct nlmsghdr *nlh = make(JOB);
		struct job_state j;

		mnl_attr_put(nlh, MPROBE_A_CLOCK_TICKS, 8 * n, three); /* the last one counts */
		ck_assert_int_eq(proto_parse_job(nlh, &j), n < 3 ? 0 : -EBADMSG);
		if (n < 3)
			ck_assert_uint_eq(j.clock_ticks[1], n == 2 ? 8 : 0);
		job_state_free(&j);
	}
}
END_TEST

START_TEST(samples_are_read)
{
	struct sample_set s = { 0 };
	uint64_t from;

	ck_assert_int_eq(proto_parse_samples(make(SAMPLES), &none, &from, &s), 0);
	ck_assert_uint_eq(from, 64);
	ck_assert_uint_eq(s.n, 5);
	ck_assert_uint_eq(s.v[4].round, 68);
	ck_assert_uint_eq(s.v[4].irqs, SAMPLE_UNKNOWN);
	ck_assert_uint_eq(s.v[4].nmis, 0);
	ck_assert_uint_eq(s.v[4].reads, 5);
	ck_assert_uint_eq(s.v[4].ticks, 900);
	ck_assert_uint_eq(s.v[4].work, 69);
	sample_free(&s);
}
END_TEST

START_TEST(columns_of_different_length)
{
	struct nlmsghdr *nlh = make(SAMPLES);
	const uint32_t four[4] = { 0 };
	struct sample_set s = { 0 };
	uint64_t from;

	mnl_attr_put(nlh, MPROBE_A_SAMPLE_NMIS, sizeof(four), four);
	ck_assert_int_eq(proto_parse_samples(nlh, &none, &from, &s), -EBADMSG);
	ck_assert_uint_eq(s.n, 0);
}
END_TEST

Suite *proto_suite(void)
{
	Suite *s = suite_create("proto");
	TCase *c = tcase_create("proto");

	tcase_set_timeout(c, 60); /* under valgrind */
	tcase_add_test(c, claims);
	tcase_add_test(c, small_requests);
	tcase_add_test(c, start_nests_workers);
	tcase_add_test(c, requests_too_large);
	tcase_add_test(c, replies_cut_off);
	tcase_add_test(c, replies_with_an_attribute_missing_or_of_wrong_length);
	tcase_add_test(c, replies_of_random_bytes);
	tcase_add_test(c, info_is_read);
	tcase_add_test(c, other_protocol_need_not_be_understood);
	tcase_add_test(c, string_without_end);
	tcase_add_test(c, range_is_read);
	tcase_add_test(c, segments_that_do_not_match);
	tcase_add_test(c, job_is_read);
	tcase_add_test(c, clocks_of_a_job_that_has_not_ended);
	tcase_add_test(c, samples_are_read);
	tcase_add_test(c, columns_of_different_length);
	suite_add_tcase(s, c);
	return s;
}
