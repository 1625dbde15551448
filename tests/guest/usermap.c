// SPDX-License-Identifier: GPL-2.0
/*
 * usermap: a process with a mapping of /dev/mprobe, told word by word what to do:
 *
 *   usermap id=1 page=4096 bytes=8388608 map fill check unmap
 *
 * `name=value` sets what the next `map` asks for; every other word prints itself and "ok" or the name
 * of the error. fill and check write and compare one value for each 4 KiB, which depends on
 * the seed and the offset in the range only, so that another mapping can check it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/mprobe.h>

#define STEP 4096

static uint64_t id, page = 4096, at, bytes = 4096, addr, seed = 1, off, len;
static const char *mode = "rw", *path = "/dev/mprobe";
static unsigned char *p;
static int device = -1;

static const struct number {
	const char *name;
	uint64_t *value;
} numbers[] = {
	{ "id=", &id },	    { "page=", &page }, { "at=", &at },	  { "bytes=", &bytes },
	{ "addr=", &addr }, { "seed=", &seed }, { "off=", &off }, { "len=", &len },
};

static uint64_t *word_at(uint64_t i)
{
	return (uint64_t *)(p + i);
}

static uint64_t pattern(uint64_t i)
{
	return (seed << 56) ^ ((at + i) * 0x9e3779b97f4a7c15ull);
}

static int open_device(void)
{
	device = open(path, strcmp(mode, "rofd") ? O_RDWR : O_RDONLY);
	return device < 0 ? -1 : 0;
}

static int map(void)
{
	int shared = strstr(mode, "private") ? MAP_PRIVATE : MAP_SHARED;
	int prot = PROT_READ | (strncmp(mode, "rw", 2) ? 0 : PROT_WRITE);
	unsigned long long shift = (unsigned long long)__builtin_ctzll(page);
	void *v;
	int e;

	if (addr)
		shared |= strcmp(mode, "rwfixed") ? MAP_FIXED_NOREPLACE : MAP_FIXED;
	if (device < 0 && open_device())
		return -1;
	v = mmap((void *)addr, bytes, prot, shared, device,
		 (off_t)MPROBE_MMAP_OFFSET(id, shift, at));
	e = errno;
	close(device);
	device = -1;
	errno = e;
	if (v == MAP_FAILED)
		return -1;
	p = v;
	return 0;
}

static int fill(void)
{
	for (uint64_t i = 0; i < bytes; i += STEP)
		*word_at(i) = pattern(i);
	return 0;
}

static int mismatch(uint64_t i, uint64_t is)
{
	printf("(at %" PRIu64 ": %" PRIx64 ", wanted %" PRIx64 ") ", i, is, pattern(i));
	errno = EILSEQ;
	return -1;
}

static int check(void)
{
	for (uint64_t i = 0; i < bytes; i += STEP)
		if (*word_at(i) != pattern(i))
			return mismatch(i, *word_at(i));
	return 0;
}

/* The same from a block device that has the range's memory from its byte `off` on. */
static int check_file(void)
{
	int fd = open(path, O_RDONLY);
	uint64_t is;

	if (fd < 0)
		return -1;
	for (uint64_t i = 0; i < bytes; i += STEP) {
		if (pread(fd, &is, 8, (off_t)(off + i)) != 8)
			return -1;
		if (is != pattern(i))
			return mismatch(i, is);
	}
	return close(fd);
}

static int touch(void)
{
	for (uint64_t i = 0; i < bytes; i += STEP)
		*(volatile unsigned char *)(p + i);
	return 0;
}

/* What a child of its own dies of that reads the first byte. */
static int child(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		*(volatile unsigned char *)p;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("(%s) ", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "alive");
	return 0;
}

static int unmap(void)
{
	return munmap(p + off, len ? len : bytes);
}

static int protect(void)
{
	return mprotect(p, bytes, strcmp(mode, "rw") ? PROT_READ : PROT_READ | PROT_WRITE);
}

static int grow(void)
{
	return mremap(p, bytes, bytes + page, MREMAP_MAYMOVE) == MAP_FAILED ? -1 : 0;
}

/* To an address that the page could be at (off=0), or not. */
static int move(void)
{
	void *to = (void *)((1ull << 45) + off);

	return mremap(p, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED ? -1 : 0;
}

static int nohuge(void)
{
	return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

/* All that may be advised and asked of a mapping; only its not hurting is tested. */
static int pry(void)
{
	static const char *const files[] = { "smaps", "numa_maps", "maps", "pagemap" };
	static unsigned char in_core[1 << 18], buf[65536];
	char name[64];

	for (int advice = 0; advice <= MADV_HWPOISON + 1; advice++)
		madvise(p, bytes, advice);
	mincore(p, bytes, in_core);
	mlock(p, bytes);
	munlock(p, bytes);
	msync(p, bytes, MS_SYNC);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int fd;

		snprintf(name, sizeof(name), "/proc/self/%s", files[i]);
		fd = open(name, O_RDONLY);
		if (fd < 0)
			return -1;
		if (i == 3)
			lseek(fd, (off_t)((uintptr_t)p / STEP * 8), SEEK_SET);
		for (int n = 0; n < 64 && read(fd, buf, sizeof(buf)) > 0; n++)
			;
		close(fd);
	}
	for (char probe = '1'; probe <= '4'; probe++) {
		int fd = open("/proc/self/clear_refs", O_WRONLY);

		if (fd < 0 || write(fd, &probe, 1) != 1)
			return -1;
		close(fd);
	}
	return 0;
}

/* Four ways to get at the mapping's pages: each must fail. */
static int splice_pages(void)
{
	struct iovec v = { p + off, 65536 < bytes ? 65536 : bytes };
	int fd[2];

	return pipe(fd) ? -1 : vmsplice(fd[1], &v, 1, SPLICE_F_NONBLOCK) < 0 ? -1 : 0;
}

static int write_direct(void)
{
	int fd = open(path, O_WRONLY | O_DIRECT);

	if (fd < 0)
		return -1;
	return write(fd, p + off, 4096) < 0 ? -1 : 0;
}

static int read_remote(void)
{
	static char buf[64];
	struct iovec to = { buf, sizeof(buf) }, from = { p + off, sizeof(buf) };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) < 0 ? -1 : 0;
}

static int read_proc(void)
{
	int fd = open("/proc/self/mem", O_RDONLY);
	char c;

	return pread(fd, &c, 1, (off_t)(uintptr_t)(p + off)) < 0 ? -1 : 0;
}

static const struct verb {
	const char *name;
	int (*run)(void);
} verbs[] = {
	{ "open", open_device },
	{ "map", map },
	{ "fill", fill },
	{ "check", check },
	{ "touch", touch },
	{ "checkfile", check_file },
	{ "child", child },
	{ "pry", pry },
	{ "unmap", unmap },
	{ "protect", protect },
	{ "grow", grow },
	{ "move", move },
	{ "nohuge", nohuge },
	{ "vmsplice", splice_pages },
	{ "odirect", write_direct },
	{ "vmread", read_remote },
	{ "procmem", read_proc },
};

static int set(const char *w)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strncmp(w, numbers[i].name, strlen(numbers[i].name))) {
			*numbers[i].value = strtoull(strchr(w, '=') + 1, NULL, 0);
			return 1;
		}
	if (!strncmp(w, "mode=", 5))
		mode = w + 5;
	else if (!strncmp(w, "path=", 5))
		path = w + 5;
	else
		return 0;
	return 1;
}

static int run(const char *w)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(w, verbs[i].name)) {
			printf("%s ", w);
			fflush(stdout);
			puts(verbs[i].run() ? strerrorname_np(errno) : "ok");
			fflush(stdout);
			return 1;
		}
	if (strncmp(w, "sh=", 3))
		return 0;
	return system(w + 3) != -1;
}

int main(int argc, char **argv)
{
	(void)argc;
	for (char **w = argv + 1; *w; w++)
		if (!set(*w) && !run(*w)) {
			fprintf(stderr, "usermap: what is %s\n", *w);
			return 2;
		}
	return 0;
}
