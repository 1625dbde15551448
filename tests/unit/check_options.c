// SPDX-License-Identifier: GPL-2.0
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "options.h"
#include "parse.h"
#include "result.h"

#define ALL 0x1ffu
#define BW  (OPT_ALWAYS | OPT_JSON | OPT_CSV | OPT_MEASURE | OPT_SIZE | OPT_WORKERS | OPT_OVERWRITE)

static struct options o;
static char error[PARSE_ERROR];
static int first;

static int parse(unsigned int sets, const char *line)
{
	static char copy[256], *argv[32];
	int argc = 0;

	snprintf(copy, sizeof(copy), "cmd %s", line);
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	options_free(&o);
	error[0] = '\0';
	return options_parse(&o, argc, argv, sets, &first, error);
}

START_TEST(test_defaults)
{
	ck_assert_int_eq(parse(BW, "anon"), 0);
	ck_assert_double_eq(o.precision, 0.005);
	ck_assert_uint_eq(o.seed, 1);
	ck_assert(!o.overwrite && !o.irqs_off && !o.csv && !o.quiet && !o.strict && !o.thp);
	ck_assert_ptr_null(o.json);
	ck_assert_ptr_null(o.samples);
	ck_assert(!o.freq && !o.prefetch);
	ck_assert_ptr_null(o.engine);
	ck_assert_uint_eq(o.time_ns + o.size + o.window_ns + o.nr_cpus + o.nr_workers, 0);
	ck_assert_int_eq(first, 1);
}
END_TEST

START_TEST(test_values)
{
	ck_assert_int_eq(
		parse(BW, "anon -w 1,2 --cpus 0-1 --size 2M --time 20ms --precision 1% "
			  "--irqs off --seed 0x10 --page thp --overwrite -q -j f --strict dram0"),
		0);
	ck_assert_uint_eq(o.nr_workers, 2);
	ck_assert_uint_eq(o.workers[1], 2);
	ck_assert_uint_eq(o.nr_cpus, 2);
	ck_assert_uint_eq(o.size, 2 << 20);
	ck_assert_uint_eq(o.time_ns, 20000000);
	ck_assert_double_eq_tol(o.precision, 0.01, 1e-12);
	ck_assert(o.irqs_off && o.thp && o.overwrite && o.quiet && o.strict);
	ck_assert_uint_eq(o.page_bytes, 2 << 20);
	ck_assert_uint_eq(o.seed, 16);
	ck_assert_str_eq(o.json, "f");
	ck_assert_int_eq(parse(BW, "anon --prefetch off --freq --samples g"), 0);
	ck_assert_int_eq(o.prefetch, MPROBE_PREFETCH_OFF);
	ck_assert_str_eq(o.samples, "g");
	ck_assert(o.freq);
}
END_TEST

START_TEST(test_point)
{
	ck_assert_int_eq(parse(OPT_MEASURE | OPT_POINT, "--loop stream --variant nt --isa scalar "
							"--passes 3 --object 4K --page 1G"),
			 0);
	ck_assert_int_eq(o.loop, MPROBE_LOOP_STREAM);
	ck_assert_int_eq(o.variant, MPROBE_VARIANT_NT);
	ck_assert_int_eq(o.isa, MPROBE_ISA_SCALAR);
	ck_assert_uint_eq(o.passes, 3);
	ck_assert_uint_eq(o.object_bytes, 4096);
	ck_assert_uint_eq(o.page_bytes, 1 << 30);
}
END_TEST

START_TEST(test_later_wins)
{
	ck_assert_int_eq(
		parse(BW, "--workers 1..4 --workers 3 --irqs off --irqs on --page thp --page 4K"),
		0);
	ck_assert_uint_eq(o.nr_workers, 1);
	ck_assert_uint_eq(o.workers[0], 3);
	ck_assert(!o.irqs_off && !o.thp);
}
END_TEST

static const struct {
	unsigned int sets;
	const char *line, *sentence;
} bad[] = {
	{ BW, "--size 0", "nothing to measure in 0 bytes" },
	{ BW, "--size 100", "64 bytes" },
	{ BW, "--size", "--size needs a value" },
	{ BW, "-s", "-s needs a value" },
	{ BW, "--quiet=3", "--quiet takes no value" },
	{ BW, "-Z", "unknown option -Z" },
	{ BW, "--bogus", "--bogus: no such option" },
	{ BW, "--sizes 1M", "`lat` takes it" },
	{ BW, "--passes 1", "`run` takes it" },
	{ OPT_ALWAYS, "--workers 1", "`bw` and `run` take it" },
	{ OPT_ALWAYS, "--time 1s", "`lat`, `bw` and `run` take it" },
	{ BW, "--time 0s", "too short" },
	{ BW, "--time 11m", "at most 10 minutes" },
	{ BW, "--window 0ms", "too short" },
	{ BW, "--precision 100%", "below 100%" },
	{ BW, "--irqs maybe", "give off or on" },
	{ BW, "--prefetch some", "give off, on or asis" },
	{ BW, "--samples=", "needs a file name" },
	{ BW, "--freq=1", "--freq takes no value" },
	{ OPT_ALWAYS, "--samples f", "`lat`, `bw` and `run` take it" },
	{ BW, "--engine gpu", "there are kernel and user" },
	{ BW, "--page 8K", "there are 4K, 2M, 1G and thp" },
	{ BW, "--cpus 1,1", "twice" },
	{ BW, "--workers 0", "counted from 1" },
	{ BW, "--json=", "needs a file name" },
	{ ALL, "--loop foo", "--loop foo: unknown; there are chase, " },
	{ ALL, "--variant foo", "there are ro, wb," },
	{ ALL, "--isa foo", "there are scalar" },
	{ ALL, "--object 100", "power of two" },
	{ ALL, "--object 8K", "power of two" },
	{ ALL, "--passes 0", "1 or more" },
	{ ALL, "--seed 9223372036854775808", "0 to 9223372036854775807" },
};

START_TEST(test_refused)
{
	ck_assert_int_ne(parse(bad[_i].sets, bad[_i].line), 0);
	ck_assert_msg(strstr(error, bad[_i].sentence), "'%s': %s", bad[_i].line, error);
}
END_TEST

/* Each command's help names just the options that it takes. */
START_TEST(test_help_and_table_agree)
{
	for (const struct command *c = cmd_table; c->name; c++) {
		char *text = NULL, word[40];
		size_t len;
		FILE *f = open_memstream(&text, &len);

		options_help(f, cmd_options(c));
		fclose(f);
		for (const struct option_entry *e = option_table; e->name; e++) {
			snprintf(word, sizeof(word), "--%s ", e->name);
			ck_assert_msg(!strstr(text, word) == !(e->sets & cmd_options(c)), "%s %s",
				      c->name, word);
		}
		free(text);
	}
}
END_TEST

/* The manual page knows every command, option and taint. Unit tests run in the top directory. */
START_TEST(test_manual)
{
	static char text[65536];
	char word[64];
	FILE *f = fopen("user/mprobectl.8", "r");

	ck_assert_msg(f != NULL, "run the unit tests in the top directory");
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	for (const struct option_entry *e = option_table; e->name; e++) {
		if (e->letter)
			snprintf(word, sizeof(word), ".It Fl %c , -%s", e->letter, e->name);
		else
			snprintf(word, sizeof(word), ".It Fl -%s", e->name);
		ck_assert_msg(strstr(text, word), "%s", word);
	}
	for (const struct command *c = cmd_table; c->name; c++) {
		snprintf(word, sizeof(word), "\n.It Cm %s\n", c->name);
		ck_assert_msg(strstr(text, word), "%s", word);
	}
	for (int i = 0; i < TAINT_COUNT; i++) {
		snprintf(word, sizeof(word), "\n.It Cm %s\n", result_taint_code(1u << i));
		ck_assert_msg(strstr(text, word), "%s", word);
	}
}
END_TEST

START_TEST(test_letters_are_unique)
{
	for (const struct command *c = cmd_table; c->name; c++)
		for (const struct option_entry *a = option_table; a->name; a++)
			for (const struct option_entry *b = a + 1; b->name; b++)
				ck_assert_msg(!a->letter || a->letter != b->letter ||
						      !(a->sets & cmd_options(c)) ||
						      !(b->sets & cmd_options(c)),
					      "%s: --%s and --%s", c->name, a->name, b->name);
}
END_TEST

Suite *options_suite(void)
{
	Suite *s = suite_create("options");
	TCase *c = tcase_create("options");

	tcase_add_test(c, test_defaults);
	tcase_add_test(c, test_values);
	tcase_add_test(c, test_point);
	tcase_add_test(c, test_later_wins);
	tcase_add_loop_test(c, test_refused, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(c, test_help_and_table_agree);
	tcase_add_test(c, test_manual);
	tcase_add_test(c, test_letters_are_unique);
	suite_add_tcase(s, c);
	return s;
}
