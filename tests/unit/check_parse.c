// SPDX-License-Identifier: GPL-2.0
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

#define N(table) (int)(sizeof(table) / sizeof(*(table)))

/* A refusal is a sentence that quotes the word (its start) and leaves the output alone. */
static void check_error(const char *word, const char *error)
{
	char quoted[16];

	snprintf(quoted, sizeof(quoted), "'%.12s", word);
	ck_assert_msg(strstr(error, quoted), "'%s' is not quoted in: %s", word, error);
	ck_assert_uint_lt(strlen(error), PARSE_ERROR - 1);
	ck_assert_uint_gt(strlen(error), strlen(word) < 40 ? strlen(word) + 20 : 40);
}

struct number_row {
	const char *word;
	int ret;
	uint64_t value;
};

static const struct number_row sizes_of_one[] = {
	{ "0", 0, 0 },
	{ "4096", 0, 4096 },
	{ "16K", 0, 16384 },
	{ "16k", 0, 16384 },
	{ "1M", 0, 1 << 20 },
	{ "2G", 0, 2ull << 30 },
	{ "1T", 0, 1ull << 40 },
	{ "0x1000", 0, 4096 },
	{ "0x10K", 0, 16384 },
	{ "007", 0, 7 },
	{ "18446744073709551615", 0, UINT64_MAX },
	{ "18446744073709551616", -ERANGE, 0 },
	{ "0x10000000000000000", -ERANGE, 0 },
	{ "99999999999999999999999999999999999999", -ERANGE, 0 },
	{ "16777215T", 0, 16777215ull << 40 },
	{ "16777216T", -ERANGE, 0 },
	{ "18014398509481984K", -ERANGE, 0 },
	{ "", -EINVAL, 0 },
	{ " ", -EINVAL, 0 },
	{ " 4096", -EINVAL, 0 },
	{ "4096 ", -EINVAL, 0 },
	{ "16 K", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "+1", -EINVAL, 0 },
	{ "K", -EINVAL, 0 },
	{ "0x", -EINVAL, 0 },
	{ "16KB", -EINVAL, 0 },
	{ "16KiB", -EINVAL, 0 },
	{ "16KK", -EINVAL, 0 },
	{ "1.5M", -EINVAL, 0 },
	{ "1e6", -EINVAL, 0 },
	{ "12abc", -EINVAL, 0 },
	{ "4096\n", -EINVAL, 0 },
};

START_TEST(size_words)
{
	const struct number_row *row = &sizes_of_one[_i];
	char error[PARSE_ERROR] = "";
	uint64_t v = 77;
	int ret = parse_size(row->word, &v, error);

	ck_assert_msg(ret == row->ret, "'%s': %d, %s", row->word, ret, error);
	ck_assert_uint_eq(v, ret ? 77 : row->value);
	if (ret)
		check_error(row->word, error);
}
END_TEST

static const struct number_row u64s[] = {
	{ "0", 0, 0 },
	{ "42", 0, 42 },
	{ "0x2a", 0, 42 },
	{ "0X2A", 0, 42 },
	{ "010", 0, 10 },
	{ "18446744073709551615", 0, UINT64_MAX },
	{ "0xffffffffffffffff", 0, UINT64_MAX },
	{ "18446744073709551616", -ERANGE, 0 },
	{ "184467440737095516150", -ERANGE, 0 },
	{ "0x1ffffffffffffffff", -ERANGE, 0 },
	{ "", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ " 1", -EINVAL, 0 },
	{ "1 ", -EINVAL, 0 },
	{ "1K", -EINVAL, 0 },
	{ "0x", -EINVAL, 0 },
	{ "0xg", -EINVAL, 0 },
	{ "2a", -EINVAL, 0 },
};

START_TEST(u64_words)
{
	const struct number_row *row = &u64s[_i];
	char error[PARSE_ERROR] = "";
	uint64_t v = 77;
	int ret = parse_u64(row->word, &v, error);

	ck_assert_msg(ret == row->ret, "'%s': %d, %s", row->word, ret, error);
	ck_assert_uint_eq(v, ret ? 77 : row->value);
	if (ret)
		check_error(row->word, error);
}
END_TEST

static const struct number_row durations[] = {
	{ "1ns", 0, 1 },
	{ "200us", 0, 200000 },
	{ "10ms", 0, 10000000 },
	{ "3s", 0, 3000000000 },
	{ "2m", 0, 120000000000 },
	{ "0.5s", 0, 500000000 },
	{ "1.5ms", 0, 1500000 },
	{ ".5s", 0, 500000000 },
	{ "0.1us", 0, 100 },
	{ "0s", -ERANGE, 0 },
	{ "0.0ms", -ERANGE, 0 },
	{ "0.4ns", -ERANGE, 0 },
	{ "9000000000s", 0, 9000000000000000000 },
	{ "10000000000s", -ERANGE, 0 },
	{ "99999999999999999999999999999999s", -ERANGE, 0 },
	{ "", -EINVAL, 0 },
	{ ".", -EINVAL, 0 },
	{ ".s", -EINVAL, 0 },
	{ "s", -EINVAL, 0 },
	{ "10", -EINVAL, 0 },
	{ "10 ms", -EINVAL, 0 },
	{ "10ms ", -EINVAL, 0 },
	{ " 10ms", -EINVAL, 0 },
	{ "-10ms", -EINVAL, 0 },
	{ "10MS", -EINVAL, 0 },
	{ "10h", -EINVAL, 0 },
	{ "1.2.3s", -EINVAL, 0 },
	{ "1,5s", -EINVAL, 0 },
	{ "1e3s", -EINVAL, 0 },
	{ "nan", -EINVAL, 0 },
	{ "infs", -EINVAL, 0 },
};

START_TEST(duration_words)
{
	const struct number_row *row = &durations[_i];
	char error[PARSE_ERROR] = "";
	uint64_t v = 77;
	int ret = parse_duration(row->word, &v, error);

	ck_assert_msg(ret == row->ret, "'%s': %d, %s", row->word, ret, error);
	ck_assert_uint_eq(v, ret ? 77 : row->value);
	if (ret)
		check_error(row->word, error);
}
END_TEST

static const struct {
	const char *word;
	int ret;
	double value;
} shares[] = {
	{ "0.5%", 0, 0.005 },	 { "0.005", 0, 0.005 },	  { "0", 0, 0 },
	{ "0%", 0, 0 },		 { "99.9%", 0, 0.999 },	  { "1%", 0, 0.01 },
	{ "0.999", 0, 0.999 },	 { "100%", -ERANGE, 0 },  { "1", -ERANGE, 0 },
	{ "5", -ERANGE, 0 },	 { "", -EINVAL, 0 },	  { "%", -EINVAL, 0 },
	{ "-0.1", -EINVAL, 0 },	 { "+0.1", -EINVAL, 0 },  { "0.5 %", -EINVAL, 0 },
	{ "0.5%%", -EINVAL, 0 }, { " 0.5%", -EINVAL, 0 }, { "0.5%x", -EINVAL, 0 },
	{ "nan", -EINVAL, 0 },	 { "inf", -EINVAL, 0 },	  { "1e-3", -EINVAL, 0 },
	{ "0x1", -EINVAL, 0 },	 { "0,005", -EINVAL, 0 },
};

START_TEST(share_words)
{
	char error[PARSE_ERROR] = "";
	double v = 77;
	int ret = parse_share(shares[_i].word, &v, error);

	ck_assert_msg(ret == shares[_i].ret, "'%s': %d, %s", shares[_i].word, ret, error);
	ck_assert_double_eq_tol(v, ret ? 77 : shares[_i].value, 1e-15);
	if (ret)
		check_error(shares[_i].word, error);
}
END_TEST

struct list_row {
	const char *word;
	int ret;
	size_t n;
	uint64_t v[12]; /* the first of them */
};

static const struct list_row size_lists[] = {
	{ "64", 0, 1, { 64 } },
	{ "16K,64M", 0, 2, { 16384, 64 << 20 } },
	{ "64M,16K", 0, 2, { 16384, 64 << 20 } },
	{ "16K,16K", 0, 1, { 16384 } },
	{ "16K..64K", 0, 5, { 16384, 24576, 32768, 49152, 65536 } },
	{ "16K..32K:4", 0, 5, { 16384, 20480, 24576, 28672, 32768 } },
	{ "16K..50K:1", 0, 3, { 16384, 32768, 51200 } },
	{ "16K..16K", 0, 1, { 16384 } },
	{ "64..192", 0, 3, { 64, 128, 192 } },
	{ "64..256:64", 0, 4, { 64, 128, 192, 256 } },
	{ "16K..64K,32K,20K", 0, 6, { 16384, 20480, 24576, 32768, 49152, 65536 } },
	/* 16 + 32 + 28 x 64 + 1: below 4K the steps are lines */
	{ "1K..1T:64", 0, 1841, { 1024, 1088, 1152 } },
	{ "64..18446744073709551552", 0, 116, { 64, 128, 192, 256, 384 } },
	{ "64..18446744073709551552:64", 0, 3392, { 64, 128, 192 } },
	{ "64..18446744073709551552:64,96M..18446744073709551552:63", -ERANGE, 0, {} },
	{ "", -EINVAL, 0, {} },
	{ ",", -EINVAL, 0, {} },
	{ "16K,", -EINVAL, 0, {} },
	{ ",16K", -EINVAL, 0, {} },
	{ "16K,,32K", -EINVAL, 0, {} },
	{ "16K 32K", -EINVAL, 0, {} },
	{ "16K, 32K", -EINVAL, 0, {} },
	{ "16K..", -EINVAL, 0, {} },
	{ "..16K", -EINVAL, 0, {} },
	{ "16K.32K", -EINVAL, 0, {} },
	{ "16K...32K", -EINVAL, 0, {} },
	{ "16K..32K..64K", -EINVAL, 0, {} },
	{ "16K..32K:", -EINVAL, 0, {} },
	{ "16K..32K:x", -EINVAL, 0, {} },
	{ "16K..32K:0", -ERANGE, 0, {} },
	{ "16K..32K:65", -ERANGE, 0, {} },
	{ "16K..32K:99999999999999999999", -ERANGE, 0, {} },
	{ "16K:4", -EINVAL, 0, {} },
	{ "32K..16K", -ERANGE, 0, {} },
	{ "0", -ERANGE, 0, {} },
	{ "0..16K", -ERANGE, 0, {} },
	{ "100", -ERANGE, 0, {} },
	{ "64..100", -ERANGE, 0, {} },
	{ "-64", -EINVAL, 0, {} },
	{ "16777216T", -ERANGE, 0, {} },
};

START_TEST(size_list_words)
{
	const struct list_row *row = &size_lists[_i];
	char error[PARSE_ERROR] = "";
	uint64_t *v = NULL;
	size_t n = 77, i;
	int ret = parse_sizes(row->word, &v, &n, error);

	ck_assert_msg(ret == row->ret, "'%s': %d, %s", row->word, ret, error);
	if (ret) {
		check_error(row->word, error);
		ck_assert_ptr_null(v);
		ck_assert_uint_eq(n, 77);
		return;
	}
	ck_assert_msg(n == row->n, "'%s': %zu sizes", row->word, n);
	for (i = 0; i < n; i++) {
		if (i < 12 && row->v[i])
			ck_assert_uint_eq(v[i], row->v[i]);
		ck_assert_uint_eq(v[i] % 64, 0);
		if (i)
			ck_assert_uint_gt(v[i], v[i - 1]);
	}
	free(v);
}
END_TEST

static const struct list_row cpu_lists[] = {
	{ "0", 0, 1, { 0 } },
	{ "0-3,8", 0, 5, { 0, 1, 2, 3, 8 } },
	{ "8,0-3", 0, 5, { 8, 0, 1, 2, 3 } },
	{ "10-14:2", 0, 3, { 10, 12, 14 } },
	{ "10-15:2", 0, 3, { 10, 12, 14 } },
	{ "0-3:4294967296", 0, 1, { 0 } },
	{ "1-3:18446744073709551615", 0, 1, { 1 } },
	{ "5-5", 0, 1, { 5 } },
	{ "0-11", 0, 12, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 } },
	{ "0-12", -ERANGE, 0, {} },
	{ "0-2147483647", -ERANGE, 0, {} },
	{ "0-4294967295", -ERANGE, 0, {} },
	{ "99999999999999999999", -ERANGE, 0, {} },
	{ "0,0", -ENOTUNIQ, 0, {} },
	{ "0-3,2", -ENOTUNIQ, 0, {} },
	{ "3-0", -ERANGE, 0, {} },
	{ "0-3:0", -ERANGE, 0, {} },
	{ "", -EINVAL, 0, {} },
	{ ",", -EINVAL, 0, {} },
	{ "0,", -EINVAL, 0, {} },
	{ ",0", -EINVAL, 0, {} },
	{ "-1", -EINVAL, 0, {} },
	{ "0-", -EINVAL, 0, {} },
	{ "0-3:", -EINVAL, 0, {} },
	{ "0:2", -EINVAL, 0, {} },
	{ "0-3-5", -EINVAL, 0, {} },
	{ "0 1", -EINVAL, 0, {} },
	{ "0, 1", -EINVAL, 0, {} },
	{ "a", -EINVAL, 0, {} },
	{ "all", -EINVAL, 0, {} },
	{ "1K", -EINVAL, 0, {} },
};

START_TEST(cpu_list_words)
{
	const struct list_row *row = &cpu_lists[_i];
	char error[PARSE_ERROR] = "";
	uint32_t v[12] = { 77 };
	size_t n = 77, i;
	int ret = parse_cpus(row->word, v, 12, &n, error);

	ck_assert_msg(ret == row->ret, "'%s': %d, %s", row->word, ret, error);
	if (ret) {
		check_error(row->word, error);
		ck_assert_uint_eq(v[0], 77);
		ck_assert_uint_eq(n, 77);
		return;
	}
	ck_assert_uint_eq(n, row->n);
	for (i = 0; i < n; i++)
		ck_assert_uint_eq(v[i], row->v[i]);
}
END_TEST

static const struct list_row count_lists[] = {
	{ "4", 0, 1, { 4 } },
	{ "1..8", 0, 8, { 1, 2, 3, 4, 5, 6, 7, 8 } },
	{ "1,2,4", 0, 3, { 1, 2, 4 } },
	{ "4,2,1,2", 0, 3, { 1, 2, 4 } },
	{ "1..3,8", 0, 4, { 1, 2, 3, 8 } },
	{ "1024", 0, 1, { 1024 } },
	{ "1..1024", 0, 1024, { 1, 2, 3 } },
	{ "1025", -ERANGE, 0, {} },
	{ "1..4294967297", -ERANGE, 0, {} },
	{ "18446744073709551616", -ERANGE, 0, {} },
	{ "1..1024,1..1024,1..1024,1..1024,1", -ERANGE, 0, {} },
	{ "0", -ERANGE, 0, {} },
	{ "0..4", -ERANGE, 0, {} },
	{ "8..1", -ERANGE, 0, {} },
	{ "", -EINVAL, 0, {} },
	{ "1,", -EINVAL, 0, {} },
	{ ",1", -EINVAL, 0, {} },
	{ "1..", -EINVAL, 0, {} },
	{ "1-4", -EINVAL, 0, {} },
	{ "1..4:2", -EINVAL, 0, {} },
	{ "-1", -EINVAL, 0, {} },
	{ "1 2", -EINVAL, 0, {} },
	{ "two", -EINVAL, 0, {} },
};

START_TEST(count_list_words)
{
	const struct list_row *row = &count_lists[_i];
	char error[PARSE_ERROR] = "";
	uint32_t *v = NULL;
	size_t n = 77, i;
	int ret = parse_counts(row->word, &v, &n, error);

	ck_assert_msg(ret == row->ret, "'%s': %d, %s", row->word, ret, error);
	if (ret) {
		check_error(row->word, error);
		ck_assert_ptr_null(v);
		ck_assert_uint_eq(n, 77);
		return;
	}
	ck_assert_uint_eq(n, row->n);
	for (i = 0; i < n && i < 12 && row->v[i]; i++)
		ck_assert_uint_eq(v[i], row->v[i]);
	ck_assert_uint_gt(i, 0);
	free(v);
}
END_TEST

/* Words far longer than a sentence, and lists without end, stay within their bounds. */
START_TEST(huge_words)
{
	static char word[400001];
	char error[PARSE_ERROR];
	uint32_t cpus[4], *counts = NULL;
	uint64_t v, *sizes = NULL;
	size_t n, i;
	double share;

	memset(word, '1', sizeof(word) - 1);
	ck_assert_int_eq(parse_size(word, &v, error), -ERANGE);
	ck_assert_int_eq(parse_u64(word, &v, error), -ERANGE);
	ck_assert_int_eq(parse_duration(word, &v, error), -EINVAL);
	ck_assert_int_eq(parse_share(word, &share, error), -ERANGE);
	ck_assert_int_eq(parse_cpus(word, cpus, 4, &n, error), -ERANGE);
	for (i = 0; i + 3 < sizeof(word); i += 3)
		memcpy(word + i, "64,", 3);
	word[i - 1] = 0;
	ck_assert_int_eq(parse_sizes(word, &sizes, &n, error), -ERANGE);
	ck_assert_int_eq(parse_counts(word, &counts, &n, error), -ERANGE);
	ck_assert_uint_lt(strlen(error), PARSE_ERROR);
}
END_TEST

Suite *parse_suite(void)
{
	Suite *s = suite_create("parse");
	TCase *t = tcase_create("parse");

	tcase_add_loop_test(t, size_words, 0, N(sizes_of_one));
	tcase_add_loop_test(t, u64_words, 0, N(u64s));
	tcase_add_loop_test(t, duration_words, 0, N(durations));
	tcase_add_loop_test(t, share_words, 0, N(shares));
	tcase_add_loop_test(t, size_list_words, 0, N(size_lists));
	tcase_add_loop_test(t, cpu_list_words, 0, N(cpu_lists));
	tcase_add_loop_test(t, count_list_words, 0, N(count_lists));
	tcase_add_test(t, huge_words);
	suite_add_tcase(s, t);
	return s;
}
