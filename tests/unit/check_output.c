// SPDX-License-Identifier: GPL-2.0
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output.h"

static const struct {
	const char *path;
	int ret;
} paths[] = {
	{ "-", 0 },
	{ "/dev/null", 0 },
	{ "/tmp/check_output", 0 },
	{ "check_output", 0 },
	{ "/nosuch/f", -ENOENT },
	{ "/", -EISDIR },
	{ "/tmp", -EISDIR },
	{ "/dev/null/f", -ENOTDIR },
};

/* It says what writing would say, and leaves nothing. */
START_TEST(test_check)
{
	char error[512] = "";

	ck_assert_int_eq(output_check(paths[_i].path, error, sizeof(error)), paths[_i].ret);
	ck_assert(!!*error == !!paths[_i].ret);
	if (paths[_i].ret)
		ck_assert_ptr_nonnull(strstr(error, paths[_i].path));
	ck_assert_int_ne(access("/tmp/check_output", F_OK), 0);
	ck_assert_int_ne(access("check_output", F_OK), 0);
}
END_TEST

static int write_word(FILE *f, const void *what)
{
	return fputs(what, f) < 0 ? -EIO : 0;
}

/* A link such as /dev/stdout stays one: the file that it leads to is replaced. */
START_TEST(test_link)
{
	char dir[] = "/tmp/check_output.XXXXXX", file[64], link[64], error[512], text[16] = "";
	int fd;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/file", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	ck_assert_int_eq(symlink(file, link), 0);
	close(open(file, O_CREAT | O_WRONLY, 0600));
	ck_assert_int_eq(output_check(link, error, sizeof(error)), 0);
	ck_assert_int_eq(output_write(link, NULL, write_word, "word", error, sizeof(error)), 0);
	ck_assert_int_gt(readlink(link, text, sizeof(text)), 0);
	fd = open(file, O_RDONLY);
	ck_assert_int_eq(read(fd, text, sizeof(text)), 4);
	ck_assert_mem_eq(text, "word", 4);
	close(fd);
	unlink(link);
	unlink(file);
	ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

/* The file that standard output goes to is refused, by whatever name. */
START_TEST(test_stdout)
{
	char name[] = "/tmp/check_output.XXXXXX", error[512];
	int fd = mkstemp(name), saved = dup(STDOUT_FILENO), ret[2];

	ck_assert_int_ge(fd, 0);
	dup2(fd, STDOUT_FILENO);
	ret[0] = output_check(name, error, sizeof(error));
	ret[1] = output_check("/proc/self/fd/1", error, sizeof(error));
	dup2(saved, STDOUT_FILENO);
	unlink(name);
	close(fd);
	close(saved);
	ck_assert_int_eq(ret[0], -EINVAL);
	ck_assert_int_eq(ret[1], -EINVAL);
	ck_assert_ptr_nonnull(strstr(error, "say - for it"));
}
END_TEST

/* Bit n: with stream n closed. What is opened then is no stream, and writing to one fails. */
static int closed_streams(int closed)
{
	int fd;

	for (fd = 0; fd <= STDERR_FILENO; fd++)
		if (closed >> fd & 1)
			close(fd);
	if (output_hold())
		return 1;
	fd = open("/dev/null", O_WRONLY);
	if (fd <= STDERR_FILENO)
		return 2;
	for (fd = 1; fd <= STDERR_FILENO; fd++)
		if (closed >> fd & 1 && write(fd, "x", 1) != -1)
			return 3;
	return 0;
}

START_TEST(test_hold)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(closed_streams(_i));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

Suite *output_suite(void)
{
	Suite *s = suite_create("output");
	TCase *c = tcase_create("output");

	tcase_add_loop_test(c, test_check, 0, sizeof(paths) / sizeof(paths[0]));
	tcase_add_test(c, test_link);
	tcase_add_test(c, test_stdout);
	tcase_add_loop_test(c, test_hold, 0, 8);
	suite_add_tcase(s, c);
	return s;
}
