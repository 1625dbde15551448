// SPDX-License-Identifier: GPL-2.0
/* What came after version 0.1 of the module: read where it is there, unknown where it is not. */
#include <errno.h>
#include <string.h>

#include <check.h>

#include "proto.h"
#include "replies.h"

static _Alignas(8) char room[65536];

static struct nlmsghdr *begin(void)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(room);

	nlh->nlmsg_type = WIRE_FAMILY;
	mnl_nlmsg_put_extra_header(nlh, GENL_HDRLEN);
	return nlh;
}

START_TEST(info_says_how_prefetchers_are_switched)
{
	struct nlmsghdr *nlh = begin();
	struct engine_info i;

	reply_info(nlh, MPROBE_PROTOCOL);
	ck_assert_int_eq(proto_parse_info(nlh, &i), 0);
	ck_assert_int_eq(i.prefetch_control, 0);
	mnl_attr_put_u32(nlh, MPROBE_A_PREFETCH_CONTROL, MPROBE_PREFETCH_CONTROL_AMD);
	ck_assert_int_eq(proto_parse_info(nlh, &i), 0);
	ck_assert_int_eq(i.prefetch_control, MPROBE_PREFETCH_CONTROL_AMD);
}
END_TEST

START_TEST(range_says_what_is_mapped_to_users)
{
	struct nlmsghdr *nlh = begin();
	struct range_info r;

	reply_range(nlh, 7, 1);
	mnl_attr_put_u32(nlh, MPROBE_A_USER_MAPS, 2);
	mnl_attr_put_u64(nlh, MPROBE_A_USER_4K, 4096);
	mnl_attr_put_u64(nlh, MPROBE_A_USER_2M, 2 << 20);
	mnl_attr_put_u64(nlh, MPROBE_A_USER_1G, 1 << 30);
	ck_assert_int_eq(proto_parse_range(nlh, &r), 0);
	ck_assert_uint_eq(r.user_maps, 2);
	ck_assert(r.user_4k == 4096 && r.user_2m == 2 << 20 && r.user_1g == 1 << 30);
	range_info_free(&r);
}
END_TEST

START_TEST(job_says_prefetchers_and_counters)
{
	static const uint32_t off[] = { MPROBE_PREFETCH_F_L2_STREAM, SAMPLE_UNKNOWN },
			      counters[] = { MPROBE_COUNTER_PAGE_WALKS, 77 };
	static const uint32_t many[SAMPLE_COUNTERS + 1];
	struct nlmsghdr *nlh = begin();
	struct job_state j;

	reply_job(nlh, 7, MPROBE_STATE_RUN, 10);
	ck_assert_int_eq(proto_parse_job(nlh, &j), 0);
	ck_assert(!j.nr_prefetch && !j.prefetch_state && !j.nr_counters);
	job_state_free(&j);
	mnl_attr_put_u32(nlh, MPROBE_A_PREFETCH, MPROBE_PREFETCH_OFF);
	mnl_attr_put(nlh, MPROBE_A_PREFETCH_STATE, sizeof(off), off);
	mnl_attr_put(nlh, MPROBE_A_COUNTERS, sizeof(counters), counters);
	ck_assert_int_eq(proto_parse_job(nlh, &j), 0);
	ck_assert_uint_eq(j.nr_prefetch, 2);
	ck_assert_mem_eq(j.prefetch_state, off, sizeof(off));
	ck_assert_uint_eq(j.nr_counters, 2);
	ck_assert_mem_eq(j.counters, counters, sizeof(counters));
	job_state_free(&j);
	mnl_attr_put(nlh, MPROBE_A_COUNTERS, sizeof(many), many);
	ck_assert_int_eq(proto_parse_job(nlh, &j), -EBADMSG);
	ck_assert(!j.closed && !j.prefetch_state);
}
END_TEST

/* Three samples, of two counters: one that this build does not know, and page walks. */
static struct nlmsghdr *samples(void)
{
	static const uint32_t mces[] = { 0, 1, SAMPLE_UNKNOWN }, smis[] = { 4, 5, 6 };
	static const uint64_t gap[] = { 1, 2, SAMPLE_UNKNOWN64 }, aperf[] = { 10, 20, 30 },
			      mperf[] = { 11, 21, 31 },
			      counts[] = { 900, 90, 901, 91, 902, SAMPLE_UNKNOWN64 };
	struct nlmsghdr *nlh = begin();

	reply_samples(nlh, 0, 3);
	mnl_attr_put(nlh, MPROBE_A_SAMPLE_MCES, sizeof(mces), mces);
	mnl_attr_put(nlh, MPROBE_A_SAMPLE_SMIS, sizeof(smis), smis);
	mnl_attr_put(nlh, MPROBE_A_SAMPLE_GAP, sizeof(gap), gap);
	mnl_attr_put(nlh, MPROBE_A_SAMPLE_APERF, sizeof(aperf), aperf);
	mnl_attr_put(nlh, MPROBE_A_SAMPLE_MPERF, sizeof(mperf), mperf);
	mnl_attr_put(nlh, MPROBE_A_SAMPLE_COUNTS, sizeof(counts), counts);
	return nlh;
}

START_TEST(samples_say_all_that_is_counted)
{
	const struct job_state two = { .nr_counters = 2,
				       .counters = { 77, MPROBE_COUNTER_PAGE_WALKS } };
	const struct job_state three = { .nr_counters = 3 };
	struct sample_set s = { 0 };
	uint64_t from;

	ck_assert_int_eq(proto_parse_samples(samples(), &two, &from, &s), 0);
	ck_assert_uint_eq(s.n, 3);
	ck_assert_uint_eq(s.v[1].mces, 1);
	ck_assert_uint_eq(s.v[2].mces, SAMPLE_UNKNOWN);
	ck_assert_uint_eq(s.v[2].smis, 6);
	ck_assert_uint_eq(s.v[1].gap, 2);
	ck_assert_uint_eq(s.v[2].gap, SAMPLE_UNKNOWN64);
	ck_assert(s.v[2].aperf == 30 && s.v[2].mperf == 31);
	ck_assert_uint_eq(s.v[1].counts[MPROBE_COUNTER_PAGE_WALKS - 1], 91);
	ck_assert_uint_eq(s.v[2].counts[MPROBE_COUNTER_PAGE_WALKS - 1], SAMPLE_UNKNOWN64);
	ck_assert_uint_eq(s.v[1].counts[MPROBE_COUNTER_CYCLES - 1], SAMPLE_UNKNOWN64);
	sample_free(&s);
	ck_assert_int_eq(proto_parse_samples(samples(), &three, &from, &s), -EBADMSG);
	ck_assert_uint_eq(s.n, 0);
}
END_TEST

START_TEST(samples_of_an_older_module)
{
	const struct job_state none = { 0 };
	struct nlmsghdr *nlh = begin();
	struct sample_set s = { 0 };
	uint64_t from;

	reply_samples(nlh, 0, 3);
	ck_assert_int_eq(proto_parse_samples(nlh, &none, &from, &s), 0);
	ck_assert(s.v[2].mces == SAMPLE_UNKNOWN && s.v[2].smis == SAMPLE_UNKNOWN);
	ck_assert(s.v[2].gap == SAMPLE_UNKNOWN64 && s.v[2].aperf == SAMPLE_UNKNOWN64);
	ck_assert(s.v[2].mperf == SAMPLE_UNKNOWN64 && s.v[2].counts[0] == SAMPLE_UNKNOWN64);
	sample_free(&s);
}
END_TEST

START_TEST(samples_with_a_short_column)
{
	static const uint16_t types[] = { MPROBE_A_SAMPLE_MCES,	 MPROBE_A_SAMPLE_SMIS,
					  MPROBE_A_SAMPLE_GAP,	 MPROBE_A_SAMPLE_APERF,
					  MPROBE_A_SAMPLE_MPERF, MPROBE_A_SAMPLE_COUNTS };
	const struct job_state two = { .nr_counters = 2 };
	static const uint64_t few[2];
	struct nlmsghdr *nlh = samples();
	struct sample_set s = { 0 };
	uint64_t from;

	mnl_attr_put(nlh, types[_i], _i < 2 ? 8 : 16, few); /* the last one counts */
	ck_assert_int_eq(proto_parse_samples(nlh, &two, &from, &s), -EBADMSG);
	sample_free(&s);
}
END_TEST

static size_t attr_bytes(const struct nlmsghdr *nlh, uint16_t type)
{
	const struct nlattr *a;

	mnl_attr_for_each(a, nlh, GENL_HDRLEN)
		if (mnl_attr_get_type(a) == type)
			return mnl_attr_get_payload_len(a);
	return 0;
}

START_TEST(requests)
{
	struct proto_buf b = { .data = room, .bytes = sizeof(room), .family = WIRE_FAMILY };
	const struct worker_spec w = { .loop = MPROBE_LOOP_STREAM };
	struct job_spec j = { .nr_workers = 1, .workers = &w };

	ck_assert_int_eq(proto_start(&b, &j), 0);
	ck_assert_uint_eq(attr_bytes((void *)room, MPROBE_A_PREFETCH), 0);
	j.prefetch = MPROBE_PREFETCH_OFF;
	ck_assert_int_eq(proto_start(&b, &j), 0);
	ck_assert_uint_eq(attr_bytes((void *)room, MPROBE_A_PREFETCH), 4);
	ck_assert_int_eq(proto_remap(&b, 7, 4096), 0);
	ck_assert_uint_eq(attr_bytes((void *)room, MPROBE_A_RANGE_ID), 4);
	ck_assert_uint_eq(attr_bytes((void *)room, MPROBE_A_PAGE_BYTES), 8);
	ck_assert_int_eq(proto_remap(&b, 7, 0), 0);
	ck_assert_uint_eq(attr_bytes((void *)room, MPROBE_A_PAGE_BYTES), 0);
}
END_TEST

/* A worker's last attribute where it is asked for; absent where not. */
START_TEST(order_window_is_sent)
{
	struct worker_spec w = { .loop = MPROBE_LOOP_CHASE,
				 .variant = MPROBE_VARIANT_RO,
				 .object_bytes = 64 };
	const struct job_spec j = { .time_ns = 10, .nr_workers = 1, .workers = &w };
	struct proto_buf b = { .data = room, .bytes = sizeof(room), .family = WIRE_FAMILY };
	const struct nlmsghdr *nlh = (const void *)room;
	const struct nlattr *last;
	uint32_t without;

	ck_assert_int_eq(proto_start(&b, &j), 0);
	without = nlh->nlmsg_len;
	w.order_window_bytes = 1 << 18;
	ck_assert_int_eq(proto_start(&b, &j), 0);
	ck_assert_uint_eq(nlh->nlmsg_len, without + 12);
	last = (const void *)((const char *)mnl_nlmsg_get_payload_tail(nlh) - 12);
	ck_assert_int_eq(mnl_attr_get_type(last), MPROBE_A_ORDER_WINDOW);
	ck_assert_uint_eq(mnl_attr_get_u64(last), 1 << 18);
}
END_TEST

Suite *proto_since_suite(void)
{
	Suite *s = suite_create("proto_since");
	TCase *c = tcase_create("proto_since");

	tcase_add_test(c, info_says_how_prefetchers_are_switched);
	tcase_add_test(c, range_says_what_is_mapped_to_users);
	tcase_add_test(c, job_says_prefetchers_and_counters);
	tcase_add_test(c, samples_say_all_that_is_counted);
	tcase_add_test(c, samples_of_an_older_module);
	tcase_add_loop_test(c, samples_with_a_short_column, 0, 6);
	tcase_add_test(c, requests);
	tcase_add_test(c, order_window_is_sent);
	suite_add_tcase(s, c);
	return s;
}
