// SPDX-License-Identifier: GPL-2.0
#include "mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/mprobe.h>

#include "figure.h"

#define DEVICE "/dev/mprobe"
#define ZEROS  "/dev/zero"
#define ASK    1024 /* pages between two looks at stop_asked */

int mapped_open(const char *path, char *error, size_t len)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), err = errno;

	if (fd >= 0)
		return fd;
	if (err == ENOENT || err == ENXIO || err == ENODEV)
		snprintf(error, len,
			 "%s is not there: load the module that was built with this mprobectl, and "
			 "see that devtmpfs is mounted on /dev",
			 path);
	else if (err == EACCES || err == EPERM)
		snprintf(error, len, "%s may be opened by root only: run as root", path);
	else
		snprintf(error, len, "cannot open %s: %s", path, strerror(err));
	return -err;
}

static const char *why_not(int err)
{
	switch (err) {
	case EMEDIUMTYPE:
		return "the memory is not contiguous or aligned enough for such pages";
	case EOPNOTSUPP:
		return "this kernel or architecture cannot map by such pages";
	case EOVERFLOW:
		return "the range ends before the last page";
	case EROFS:
		return "it holds data: add --overwrite if that may be destroyed";
	case EKEYREJECTED:
		return "the kernel is locked down";
	case EPERM:
		return "not allowed: run as root";
	case ENXIO:
		return "the module has no such range";
	default:
		return strerror(err);
	}
}

/* The module chooses an address that suits the pages. */
static int map_range(struct mapped *m, const struct mapped_spec *s, int fd)
{
	const unsigned int shift = __builtin_ctzll(s->page_bytes);
	const off_t at = (off_t)MPROBE_MMAP_OFFSET(s->range_id, shift, 0);
	void *addr = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);

	if (addr == MAP_FAILED)
		return -errno;
	m->addr = addr;
	m->bytes = s->bytes;
	return 0;
}

/* The kernel writes for us: where it can't, that is an error and no signal. */
static int touch(const struct mapped *m, const struct mapped_spec *s)
{
	int zero = open(ZEROS, O_RDONLY | O_CLOEXEC), ret = 0;
	uint64_t n = 0;

	if (zero < 0)
		return -errno;
	for (uint64_t at = 0; !ret && at < s->bytes; at += s->page_bytes, n++) {
		if (n % ASK == 0 && s->stop_asked && s->stop_asked())
			ret = -ECANCELED;
		else if (read(zero, (char *)m->addr + at, 1) != 1)
			ret = -EFAULT;
	}
	close(zero);
	return ret;
}

static int fill(struct mapped *m, const struct mapped_spec *s, int fd, char *error, size_t len)
{
	char page[FIGURE], bytes[FIGURE];
	int ret = map_range(m, s, fd);

	figure_size(page, s->page_bytes);
	figure_size(bytes, s->bytes);
	if (ret) {
		snprintf(error, len, DEVICE ": cannot map %s by %s pages: %s", bytes, page,
			 why_not(-ret));
		return ret;
	}
	ret = touch(m, s);
	if (ret == -ECANCELED)
		snprintf(error, len, "cancelled");
	else if (ret)
		snprintf(error, len,
			 DEVICE ": the module gave no %s page where one was touched: %s", page,
			 strerror(-ret));
	return ret;
}

int mapped_map(struct mapped *m, const struct mapped_spec *s, char *error, size_t len)
{
	int fd, ret;

	memset(m, 0, sizeof(*m));
	if (!s->bytes || s->bytes % s->page_bytes) {
		snprintf(error, len, "%llu bytes are not made of whole pages of %llu",
			 (unsigned long long)s->bytes, (unsigned long long)s->page_bytes);
		return -EINVAL;
	}
	fd = mapped_open(DEVICE, error, len);
	if (fd < 0)
		return fd;
	ret = fill(m, s, fd, error, len);
	close(fd);
	if (ret)
		mapped_unmap(m);
	return ret;
}

void mapped_unmap(struct mapped *m)
{
	if (m->addr)
		munmap(m->addr, m->bytes);
	memset(m, 0, sizeof(*m));
}
