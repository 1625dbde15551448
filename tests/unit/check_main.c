// SPDX-License-Identifier: GPL-2.0
/* Command lines through the whole program, with fake engines in place of the two. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "cmd.h"
#include "fake_engine.h"

#define PMEM "phys:0x100000000+64M" /* holds data */

static char *out_text, err_text[8192];

static int run_argv(int argc, char **argv)
{
	char name[] = "/tmp/check_main.XXXXXX";
	int err = mkstemp(name), saved = dup(STDERR_FILENO), rc;
	size_t len;
	FILE *out;
	ssize_t n;

	ck_assert_int_ge(err, 0);
	unlink(name);
	free(out_text);
	out_text = NULL;
	out = open_memstream(&out_text, &len);
	dup2(err, STDERR_FILENO);
	rc = cmd_main(argc, argv, &fake_kernel, &fake_user, out);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	fclose(out);
	n = pread(err, err_text, sizeof(err_text) - 1, 0);
	err_text[n < 0 ? 0 : n] = '\0';
	close(err);
	return rc;
}

static int run_line(const char *line)
{
	char copy[512], *argv[40];
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	return run_argv(argc, argv);
}

static const struct {
	int rc;
	const char *line, *err, *out; /* parts; NULL: nothing at all */
} rows[] = {
	{ 2, "mprobectl", "usage: mprobectl COMMAND", NULL },
	{ 0, "mprobectl --help", NULL, "usage: mprobectl COMMAND" },
	{ 0, "mprobectl -h", NULL, "lat " },
	{ 0, "mprobectl --version", NULL, "mprobectl " },
	{ 0, "mprobectl --completion bash", NULL, "complete -o default -F _mprobectl mprobectl" },
	{ 2, "mprobectl --completion", "--completion bash", NULL },
	{ 2, "mprobectl --completion fish", "--completion bash", NULL },
	{ 2, "mprobectl --nosuch", "unknown command '--nosuch'; there are: info list lat", NULL },
	{ 2, "mprobectl la anon", "unknown command 'la'", NULL },
	{ 2, "mprobectl LAT anon", "unknown command 'LAT'", NULL },
	{ 0, "mprobectl lat --help", NULL, "--sizes LIST" },
	{ 0, "mprobectl lat --help", NULL,
	  "\n\nLatency over working-set size, read-only and write-back.\n" },
	{ 0, "mprobectl bw --help", NULL, "--workers LIST" },
	{ 0, "mprobectl run -h", NULL, "--loop NAME" },
	{ 0, "mprobectl status --help", NULL, "Needs the module" },
	{ 0, "mprobectl cancel --help", NULL, "JOB..." },
	{ 2, "mprobectl lat", "no target given; `mprobectl list`", NULL },
	{ 2, "mprobectl bw", "no target given", NULL },
	{ 2, "mprobectl run", "no target given", NULL },
	{ 2, "mprobectl compare", "no target given", NULL },
	{ 2, "mprobectl compare anon dram0", "'dram0' is one word too many", NULL },
	{ 2, "mprobectl cancel", "no job given; `mprobectl status`", NULL },
	{ 2, "mprobectl info x", "'x' is one word too many", NULL },
	{ 2, "mprobectl list x", "'x' is one word too many", NULL },
	{ 2, "mprobectl status x", "'x' is one word too many", NULL },
	{ 2, "mprobectl list --sizes 1M", "(`lat` takes it)", NULL },
	{ 2, "mprobectl doctor x", "'x' is one word too many", NULL },
	{ 2, "mprobectl doctor --cpus 1023", "there is no CPU 1023", NULL },
	{ 2, "mprobectl doctor --time 1s", "--time: no such option", NULL },
	{ 0, "mprobectl doctor --help", NULL, "--cpus LIST" },
	{ 0, "mprobectl doctor --cpus 0", NULL, "What disturbs a measurement on CPU 0" },
	{ 0, "mprobectl doctor --json -", NULL, "mprobe-doctor/1" },
	{ 1, "mprobectl doctor --json /dev/full", "free some space", NULL },
	{ 2, "mprobectl cancel 1 --json f", "--json: no such option", NULL },
	{ 1, "mprobectl lat nosuch", "there is no target 'nosuch'", NULL },
	{ 1, "mprobectl lat dram999", "there is no target 'dram999'", NULL },
	{ 1, "mprobectl lat phys:0x1000", "phys:BASE+SIZE", NULL },
	{ 2, "mprobectl lat anon anon", "given twice", NULL },
	{ 2, "mprobectl lat anon --sizes 0", "'0'", NULL },
	{ 2, "mprobectl lat anon --sizes 100", "multiple of 64", NULL },
	{ 2, "mprobectl lat anon --size 64 --object 64", "(`run` takes it)", NULL },
	{ 2, "mprobectl bw anon --size 0", "nothing to measure in 0 bytes", NULL },
	{ 2, "mprobectl lat anon --cpus 0,0", "twice", NULL },
	{ 2, "mprobectl lat anon --cpus 1023", "there is no CPU 1023", NULL },
	{ 2, "mprobectl lat anon --cpus x", "'x'", NULL },
	{ 2, "mprobectl bw anon --cpus 0 --workers 2",
	  "2 workers need as many CPUs, and --cpus has 1", NULL },
	{ 2, "mprobectl bw anon --workers 1024", "1024 workers need as many CPUs", NULL },
	{ 2, "mprobectl bw anon --workers 0", "counted from 1", NULL },
	{ 2, "mprobectl run anon --loop foo", "--loop foo: unknown; there are chase, ", NULL },
	{ 2, "mprobectl run anon --loop chase --variant nt", "it has ro, wb", NULL },
	{ 2, "mprobectl lat anon --variant store", "it has ro, wb", NULL },
	{ 2, "mprobectl run anon --loop chase --isa avx2", "there is scalar", NULL },
	{ 2, "mprobectl run anon --loop stream --object 128", "a stream goes by lines", NULL },
	{ 2, "mprobectl run anon --size 192 --object 128", "whole objects of 128 bytes: give",
	  NULL },
	{ 2, "mprobectl lat dram0 --engine user", "say anon:0", NULL },
	{ 2, "mprobectl lat " PMEM " --engine user", "leave --engine user out", NULL },
	{ 2, "mprobectl lat anon --engine kernel", "take dram0", NULL },
	{ 2, "mprobectl lat anon --engine gpu", "there are kernel and user", NULL },
	{ 2, "mprobectl lat anon --irqs off", "only the kernel engine", NULL },
	{ 2, "mprobectl lat anon --prefetch off", "only the kernel engine can switch prefetchers",
	  NULL },
	{ 2, "mprobectl bw anon --prefetch on", "leave it out", NULL },
	{ 0, "mprobectl lat anon --prefetch asis --sizes 16K --time 1ms", NULL, "100.0" },
	{ 0, "mprobectl lat dram0 --prefetch off --sizes 16K --time 1ms", NULL, "100.0" },
	{ 2, "mprobectl lat anon --samples - --json -", "--samples - and --json - would both",
	  NULL },
	{ 2, "mprobectl lat anon --samples - --csv", "--samples - and --csv would both", NULL },
	{ 2, "mprobectl lat anon --samples f --json f", "would both write f", NULL },
	{ 1, "mprobectl run anon --size 1M --time 1ms --samples /nosuch/f",
	  "cannot write /nosuch/f: No", NULL },
	{ 0, "mprobectl run anon --size 1M --time 1ms --samples -", NULL,
	  "point,target,engine,loop,variant,working_set_bytes," },
	{ 0, "mprobectl run anon --size 1M --time 1ms --freq", NULL, "core cycles unknown (-)" },
	{ 0, "mprobectl run anon --size 1M --time 1ms --samples /dev/null", NULL, "100.0" },
	{ 2, "mprobectl lat dram0 --page thp", "--page thp is for anon", NULL },
	{ 2, "mprobectl lat anon --window 501ms", "at most 500ms", NULL },
	{ 2, "mprobectl lat dram0 --irqs off --window 101ms", "at most 100ms", NULL },
	{ 2, "mprobectl lat anon --json - --csv", "both write to standard output", NULL },
	{ 1, "mprobectl lat anon --sizes 1024T", "give --sizes up to", NULL },
	{ 1, "mprobectl bw anon --workers 1 --size 1024T", "1 worker of 1P needs 1P", NULL },
	{ 2, "mprobectl run anon --size 16K --passes 72057594037927937", "--passes: nothing does",
	  NULL },
	{ 1, "mprobectl lat " PMEM " --sizes 128M --overwrite", "128M is larger than", NULL },
	{ 1, "mprobectl bw " PMEM " --overwrite --workers 1", "give --size 64M or less", NULL },
	{ 1, "mprobectl lat " PMEM, "add --overwrite if it may be destroyed (EROFS)", NULL },
	{ 1, "mprobectl lat " PMEM " --variant ro", "which first writes its order", NULL },
	{ 1, "mprobectl bw " PMEM " --size 1M", "or read only with --variant ro (EROFS)", NULL },
	{ 1, "mprobectl run " PMEM " --loop order --size 1M", "(EROFS)", NULL },
	{ 0, "mprobectl bw " PMEM " --size 1M --variant ro --workers 1 --time 1ms", NULL, "MB/s" },
	{ 0, "mprobectl lat " PMEM " --sizes 1M --overwrite --time 1ms", NULL, "ns" },
	{ 0, "mprobectl lat " PMEM " --overwrite --variant ro --time 1ms",
	  "sizes stop at the 64M that it has", "64M" },
	{ 0, "mprobectl lat " PMEM " --overwrite --variant ro --time 1ms -q", NULL, "64M" },
	{ 0, "mprobectl lat anon --sizes 16K --time 1ms", NULL, "100.0" },
	{ 0, "mprobectl lat anon dram0 --sizes 16K --time 1ms", NULL, "dram0" },
	{ 0, "mprobectl bw anon --size 1M --workers 1 --time 1ms", NULL, "MB/s" },
	{ 0, "mprobectl run anon --size 1M --time 1ms", NULL, "100.0" },
	{ 0, "mprobectl run anon --size 1M --time 1ms --order-window 4K", NULL, "100.0" },
	{ 2, "mprobectl run anon --loop stream --order-window 4K", "a stream has no order", NULL },
	{ 2, "mprobectl run anon --object 4K --order-window 4K", "give 8192 or more", NULL },
	{ 2, "mprobectl run anon --order-window 100", "power of two from 128 on", NULL },
	{ 2, "mprobectl bw anon --order-window 4K", "(`run` takes it)", NULL },
	{ 2, "mprobectl lat anon --rounds 4", "(`compare` takes it)", NULL },
	{ 2, "mprobectl compare anon --rounds 0", "--rounds 0: give 1 to 1000", NULL },
	{ 2, "mprobectl compare anon --page 4K", "--page: no such option", NULL },
	{ 2, "mprobectl compare anon --order foo", "there are random and window:SIZE", NULL },
	{ 2, "mprobectl compare anon --order random,random", "given twice", NULL },
	{ 2, "mprobectl compare anon --order window:1M --sizes 1M",
	  "not smaller than the working set", NULL },
	{ 2, "mprobectl compare anon --variant nt", "it has ro, wb", NULL },
	{ 1, "mprobectl compare anon --sizes 1024T", "larger than anon", NULL },
	{ 1, "mprobectl compare " PMEM " --sizes 128M --overwrite", "128M is larger than", NULL },
	{ 1, "mprobectl compare " PMEM, "add --overwrite if it may be destroyed (EROFS)", NULL },
	{ 0, "mprobectl compare anon --sizes 1M --time 1ms", NULL,
	  "= userspace, 4K, loaded CPU  100.0 +-0.0  100 %" },
	{ 0, "mprobectl compare anon --sizes 1M --time 1ms --rounds 1 --csv", NULL,
	  "# mprobe-csv/1" },
	{ 0, "mprobectl compare " PMEM " --overwrite --sizes 1M --time 1ms", NULL,
	  "+ userspace, not kernel (2M)" },
	{ 0, "mprobectl compare dram0 --sizes 1M --time 1ms --order random,window:4K", NULL,
	  "Orders and pages, kernel engine" },
	{ 0, "mprobectl run anon --size 1M --time 1ms --csv", NULL, "# mprobe-csv/1" },
	{ 0, "mprobectl run anon --size 1M --time 1ms --json -", NULL, "mprobe-result/1" },
	{ 3, "mprobectl run anon --size 4K --time 1ms --strict", "--strict", "100.0" },
	{ 1, "mprobectl run anon --size 1M --time 1ms --json /nosuch/f",
	  "cannot write /nosuch/f: No", NULL },
	{ 1, "mprobectl run anon --size 1M --time 1ms --json /", "cannot write /: Is a directory",
	  NULL },
	{ 1, "mprobectl run anon --size 1M --time 1ms --json /dev/full", "free some space",
	  "100.0" },
};

static void check_part(const char *line, const char *text, const char *part, const char *what)
{
	if (part)
		ck_assert_msg(strstr(text, part), "%s: %s is: %s", line, what, text);
	else
		ck_assert_msg(!*text, "%s: %s is: %s", line, what, text);
}

START_TEST(test_row)
{
	fake_reset();
	ck_assert_msg(run_line(rows[_i].line) == rows[_i].rc, "%s: %s", rows[_i].line, err_text);
	check_part(rows[_i].line, err_text, rows[_i].err, "stderr");
	check_part(rows[_i].line, out_text, rows[_i].out, "stdout");
	ck_assert_uint_eq(fake.opened, fake.closed);
	ck_assert_uint_eq(fake.claims, fake.releases);
	ck_assert_uint_eq(fake.starts, fake.forgets);
	if (rows[_i].rc == 2 || (rows[_i].rc == 1 && !rows[_i].out))
		ck_assert_uint_eq(fake.claims, 0); /* refused before anything was touched */
}
END_TEST

START_TEST(test_engine_fails)
{
	static const struct {
		int open, claim, start;
		const char *sentence;
	} how[] = { { -ENOENT, 0, 0, "refuses to open" },
		    { 0, -EBUSY, 0, "refuses to claim" },
		    { 0, 0, -ENOBUFS, "refuses to start" } };

	fake_reset();
	fake.fail_open = how[_i].open;
	fake.fail_claim = how[_i].claim;
	fake.fail_start = how[_i].start;
	ck_assert_int_eq(run_line("mprobectl lat dram0 --sizes 16K"), CMD_FAILED);
	ck_assert_ptr_nonnull(strstr(err_text, how[_i].sentence));
	ck_assert_str_eq(out_text, "");
}
END_TEST

START_TEST(test_overwrite_reaches_the_engine)
{
	fake_reset();
	ck_assert_int_eq(
		run_line("mprobectl run " PMEM " --size 1M --time 1ms --overwrite --page 2M"), 0);
	ck_assert(fake.claim.overwrite);
	ck_assert_uint_eq(fake.claim.page_bytes, 2 << 20);
	ck_assert_str_eq(fake.claimed, PMEM);
	ck_assert_int_eq(run_line("mprobectl bw " PMEM " --variant ro --size 1M --time 1ms -w 1"),
			 0);
	ck_assert(!fake.claim.overwrite);
}
END_TEST

START_TEST(test_options_reach_the_job)
{
	fake_reset();
	ck_assert_int_eq(
		run_line("mprobectl run dram0 --loop chase --variant wb --size 64K --object 256 "
			 "--seed 9 --passes 5 --irqs off --window 700us --cpus 0"),
		0);
	ck_assert_uint_eq(fake.job.passes, 5);
	ck_assert_uint_eq(fake.job.window_ns, 700000);
	ck_assert(fake.job.irqs_off);
	ck_assert_int_eq(fake.workers[0].loop, MPROBE_LOOP_CHASE);
	ck_assert_int_eq(fake.workers[0].variant, MPROBE_VARIANT_WB);
	ck_assert_uint_eq(fake.workers[0].bytes, 65536);
	ck_assert_uint_eq(fake.workers[0].object_bytes, 256);
	ck_assert_uint_eq(fake.workers[0].seed, 9);
	ck_assert_uint_eq(fake.workers[0].cpu, 0);
}
END_TEST

static json_t *read_json(const char *file)
{
	json_error_t why;
	json_t *j = json_load_file(file, 0, &why);

	ck_assert_msg(j != NULL, "%s: %s", file, why.text);
	return j;
}

/* The document is whole or not there, and what it replaces is whole until then. */
START_TEST(test_json_file)
{
	char dir[] = "/tmp/check_main.XXXXXX", file[64], line[128], command[64];
	json_t *j;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/r.json", dir);
	snprintf(line, sizeof(line), "mprobectl lat --sizes 16K,64K anon --time 1ms --json %s",
		 file);
	fake_reset();
	ck_assert_int_eq(run_line(line), 0);
	j = read_json(file);
	ck_assert_uint_eq(json_array_size(json_object_get(j, "points")), 4);
	/* as typed, not as getopt leaves it */
	ck_assert_str_eq(json_string_value(json_array_get(json_object_get(j, "command"), 2)),
			 "--sizes");
	json_decref(j);

	fake.fail_start = -ENOBUFS;
	fake.fail_start_after = fake.starts + 1;
	ck_assert_int_eq(run_line(line), CMD_FAILED);
	j = read_json(file);
	ck_assert_uint_eq(json_array_size(json_object_get(j, "points")), 1);
	ck_assert(json_is_false(json_object_get(j, "complete")));
	json_decref(j);
	unlink(file);
	snprintf(command, sizeof(command), "rmdir %s", dir); /* fails if a temporary file is left */
	ck_assert_int_eq(system(command), 0);
}
END_TEST

/* In all the time there was no window: that is no success, and is not taken for one. */
START_TEST(test_no_figure)
{
	fake_reset();
	fake.rounds_a_poll = 0;
	ck_assert_int_eq(run_line("mprobectl run anon --size 1M --time 1ms"), CMD_FAILED);
	ck_assert_ptr_nonnull(strstr(err_text, "1 of 1 points have no figure"));
	ck_assert_ptr_nonnull(strstr(out_text, "few-windows"));
}
END_TEST

START_TEST(test_full_stdout)
{
	char *argv[] = { "mprobectl", "--help", NULL };
	FILE *full = fopen("/dev/full", "w");

	ck_assert_ptr_nonnull(full);
	ck_assert_int_eq(cmd_main(2, argv, &fake_kernel, &fake_user, full), CMD_FAILED);
	fclose(full);
}
END_TEST

START_TEST(test_signal)
{
	fake_reset();
	fake.raise_in_poll = 3;
	fake.signal = _i ? SIGTERM : SIGINT;
	ck_assert_int_eq(run_line("mprobectl run anon --size 64K --time 10m --precision 0"),
			 CMD_CANCELLED);
	ck_assert_int_eq(fake.stop_reason, MPROBE_REASON_CANCEL);
	ck_assert_ptr_nonnull(strstr(err_text, "cancelled with 0 of 1 points done; what"));
	ck_assert_ptr_nonnull(strstr(out_text, "NOT COMPLETE"));
	ck_assert_uint_eq(fake.releases, 1);
	ck_assert_uint_lt(fake.polls, 6);
}
END_TEST

/* Every command and option is offered, and bash takes the script. */
START_TEST(test_completion)
{
	FILE *bash;

	ck_assert_int_eq(run_line("mprobectl --completion bash"), 0);
	for (const struct command *c = cmd_table; c->name; c++)
		ck_assert_ptr_nonnull(strstr(out_text, c->name));
	for (const struct option_entry *e = option_table; e->name; e++)
		ck_assert_ptr_nonnull(strstr(out_text, e->name));
	bash = popen("bash -s", "w");
	ck_assert_ptr_nonnull(bash);
	fprintf(bash,
		"%s\nt() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _mprobectl; }\n"
		"t mprobectl b; [ \"${COMPREPLY[*]}\" = bw ] || exit 1\n"
		"t mprobectl lat --si; [ \"${COMPREPLY[*]}\" = --sizes ] || exit 2\n"
		"t mprobectl run --variant n; [ \"${COMPREPLY[*]}\" = nt ] || exit 3\n"
		"t mprobectl run -v n; [ \"${COMPREPLY[*]}\" = nt ] || exit 6\n"
		"t mprobectl info --w; [ -z \"${COMPREPLY[*]}\" ] || exit 4\n"
		"t mprobectl lat anon --irqs o; [ \"${COMPREPLY[*]}\" = 'off on' ] || exit 5\n"
		"for c in lat compare; do t mprobectl $c an; [ \"${COMPREPLY[*]}\" = anon ] || exit 7; done\n",
		out_text);
	ck_assert_int_eq(pclose(bash), 0);
}
END_TEST

Suite *main_suite(void)
{
	Suite *s = suite_create("main");
	TCase *c = tcase_create("main");

	tcase_set_timeout(c, 20);
	tcase_add_loop_test(c, test_row, 0, sizeof(rows) / sizeof(rows[0]));
	tcase_add_loop_test(c, test_engine_fails, 0, 3);
	tcase_add_test(c, test_overwrite_reaches_the_engine);
	tcase_add_test(c, test_options_reach_the_job);
	tcase_add_test(c, test_json_file);
	tcase_add_test(c, test_no_figure);
	tcase_add_test(c, test_full_stdout);
	tcase_add_loop_test(c, test_signal, 0, 2);
	tcase_add_test(c, test_completion);
	suite_add_tcase(s, c);
	return s;
}
