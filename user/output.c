// SPDX-License-Identifier: GPL-2.0
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *hint(int err)
{
	return err == ENOSPC || err == EDQUOT ? "; free some space or write elsewhere" : "";
}

/* A device or a pipe is written to as it is: renaming over it would replace it by a file. */
static int is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static int is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* A file that the table goes to as well: one would overwrite the other. */
static int is_stdout(const char *path)
{
	struct stat st, out;

	return !stat(path, &st) && !fstat(STDOUT_FILENO, &out) && S_ISREG(st.st_mode) &&
	       st.st_dev == out.st_dev && st.st_ino == out.st_ino;
}

/* Closes f. What fails at fclose only is a failure as well: a full disk shows there. */
static int fill(FILE *f, output_fn write, const void *what, int sync)
{
	int ret;

	errno = 0;
	ret = write(f, what);
	if (!ret && (fflush(f) || ferror(f)))
		ret = errno ? -errno : -EIO;
	if (!ret && sync && fsync(fileno(f)))
		ret = -errno;
	if (fclose(f) && !ret)
		ret = -errno;
	return ret;
}

static int write_special(const char *path, output_fn write, const void *what)
{
	FILE *f = fopen(path, "we");

	return f ? fill(f, write, what, 0) : -errno;
}

/* Where the file is that a link leads to: the link stays. NULL: no memory. */
static char *resolve(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : strdup(path);
}

static int write_file(const char *path, output_fn write, const void *what)
{
	size_t len = strlen(path) + sizeof(".XXXXXX");
	char *temp = malloc(len);
	mode_t mask = umask(0);
	FILE *f;
	int fd, ret;

	umask(mask);
	if (!temp)
		return -ENOMEM;
	snprintf(temp, len, "%s.XXXXXX", path);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		goto free_temp;
	}
	f = fdopen(fd, "w");
	if (!f) {
		ret = -errno;
		close(fd);
		goto remove_temp;
	}
	ret = fchmod(fd, 0666 & ~mask) ? -errno : 0;
	if (ret) {
		fclose(f);
		goto remove_temp;
	}
	ret = fill(f, write, what, 1);
	if (!ret && rename(temp, path))
		ret = -errno;
remove_temp:
	if (ret)
		unlink(temp);
free_temp:
	free(temp);
	return ret;
}

static int refuse_path(const char *path, int err, char *error, size_t len)
{
	snprintf(error, len, "cannot write %s: %s%s", path, strerror(-err), hint(-err));
	return err;
}

int output_check(const char *path, char *error, size_t len)
{
	char *real, *slash;
	int ret;

	if (!strcmp(path, "-"))
		return 0;
	if (is_stdout(path)) {
		snprintf(error, len, "%s is standard output: say --json - for it", path);
		return -EINVAL;
	}
	if (is_special(path)) {
		ret = access(path, W_OK) ? -errno : is_directory(path) ? -EISDIR : 0;
		return ret ? refuse_path(path, ret, error, len) : 0;
	}
	real = resolve(path);
	slash = real ? strrchr(real, '/') : NULL;
	if (slash)
		slash[1] = '\0';
	ret = !real ? -ENOMEM : access(slash ? real : ".", W_OK | X_OK) ? -errno : 0;
	free(real);
	return ret ? refuse_path(path, ret, error, len) : 0;
}

int output_hold(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
		if (fd < 0)
			return -errno;
	} while (fd <= STDERR_FILENO);
	close(fd);
	return 0;
}

int output_write(const char *path, FILE *out, output_fn write, const void *what, char *error,
		 size_t len)
{
	char *real;
	int ret;

	if (!strcmp(path, "-")) {
		errno = 0;
		ret = write(out, what);
		if (!ret)
			return output_flush(out, error, len);
	} else if (is_special(path)) {
		ret = write_special(path, write, what);
	} else {
		real = resolve(path);
		ret = real ? write_file(real, write, what) : -ENOMEM;
		free(real);
	}
	return ret ? refuse_path(strcmp(path, "-") ? path : "standard output", ret, error, len) : 0;
}

int output_flush(FILE *out, char *error, size_t len)
{
	int err;

	errno = 0;
	if (!fflush(out) && !ferror(out))
		return 0;
	err = errno ? errno : EIO;
	snprintf(error, len, "cannot write standard output: %s%s", strerror(err), hint(err));
	return -err;
}
