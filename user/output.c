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
static int finish(FILE *f, bool sync)
{
	int ret = 0;

	errno = 0;
	if (fflush(f) || ferror(f))
		ret = errno ? -errno : -EIO;
	if (!ret && sync && fsync(fileno(f)))
		ret = -errno;
	if (fclose(f) && !ret)
		ret = -errno;
	return ret;
}

/* Where the file is that a link leads to: the link stays. NULL: no memory. */
static char *resolve(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : strdup(path);
}

/* A file beside o->real, with the rights of a new one. */
static int open_temp(struct output_file *o)
{
	size_t len = strlen(o->real) + sizeof(".XXXXXX");
	mode_t mask = umask(0);
	int fd, ret;

	umask(mask);
	o->temp = malloc(len);
	if (!o->temp)
		return -ENOMEM;
	snprintf(o->temp, len, "%s.XXXXXX", o->real);
	fd = mkostemp(o->temp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	o->f = fchmod(fd, 0666 & ~mask) ? NULL : fdopen(fd, "w");
	if (o->f)
		return 0;
	ret = -errno;
	close(fd);
	unlink(o->temp);
	return ret;
}

static void forget(struct output_file *o)
{
	free(o->temp);
	free(o->real);
	*o = (struct output_file){};
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
		snprintf(error, len, "%s is standard output: say - for it, as in --json -", path);
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

int output_open(struct output_file *o, const char *path, FILE *out, char *error, size_t len)
{
	int ret = 0;

	*o = (struct output_file){ .path = path };
	if (!strcmp(path, "-")) {
		o->f = o->out = out;
	} else if (is_special(path)) {
		o->f = fopen(path, "we");
		ret = o->f ? 0 : -errno;
	} else {
		o->real = resolve(path);
		ret = o->real ? open_temp(o) : -ENOMEM;
	}
	if (ret) {
		forget(o);
		refuse_path(path, ret, error, len);
	}
	return ret;
}

int output_close(struct output_file *o, int failed, char *error, size_t len)
{
	int ret = failed, closed;

	if (o->out && !failed)
		return output_flush(o->out, error, len);
	if (!o->out) {
		closed = finish(o->f, o->temp && !failed);
		ret = failed ? failed : closed;
	}
	if (!ret && o->temp && rename(o->temp, o->real))
		ret = -errno;
	if (ret && o->temp)
		unlink(o->temp);
	if (ret)
		refuse_path(o->out ? "standard output" : o->path, ret, error, len);
	forget(o);
	return ret;
}

int output_write(const char *path, FILE *out, output_fn write, const void *what, char *error,
		 size_t len)
{
	struct output_file o;
	int ret = output_open(&o, path, out, error, len);

	if (ret)
		return ret;
	errno = 0;
	return output_close(&o, write(o.f, what), error, len);
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
