// SPDX-License-Identifier: GPL-2.0
#include "anon_verify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "anon_room.h"
#include "figure.h"

#define NODE_BATCH    4096
#define MAX_FRAMES    (1ull << 20)
#define FRAME_BITS    ((1ull << 55) - 1)
#define FRAME_PRESENT (1ull << 63)

struct smaps {
	uint64_t size, kernel_page, anon_huge, present; /* bytes, of the mappings in the range */
	bool several_pages;				/* of different sizes */
};

static void smaps_line(struct smaps *m, const char *line)
{
	unsigned long long kb;

	if (sscanf(line, "Size: %llu kB", &kb) == 1) {
		m->size += kb << 10;
	} else if (sscanf(line, "KernelPageSize: %llu kB", &kb) == 1) {
		m->several_pages |= m->kernel_page && m->kernel_page != kb << 10;
		m->kernel_page = kb << 10;
	} else if (sscanf(line, "AnonHugePages: %llu kB", &kb) == 1) {
		m->anon_huge += kb << 10;
	} else if (sscanf(line, "Rss: %llu kB", &kb) == 1 ||
		   sscanf(line, "Private_Hugetlb: %llu kB", &kb) == 1) {
		m->present += kb << 10;
	}
}

static int read_smaps(const struct anon *a, struct smaps *m)
{
	const uint64_t lo = (uintptr_t)a->addr, hi = lo + a->bytes;
	unsigned long long from, to;
	char line[512];
	bool inside = false;
	FILE *f = fopen("/proc/self/smaps", "re");

	memset(m, 0, sizeof(*m));
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx-%llx ", &from, &to) == 2)
			inside = from >= lo && to <= hi;
		else if (inside)
			smaps_line(m, line);
	}
	fclose(f);
	return 0;
}

int verify_pages(struct anon *a, const struct anon_spec *s, char *error, size_t len)
{
	const uint64_t page = s->thp ? 4096 : s->page_bytes;
	char want[FIGURE], got[FIGURE];
	struct smaps m;
	int ret = read_smaps(a, &m);

	if (ret) {
		snprintf(error, len,
			 "cannot read /proc/self/smaps, which says what pages were got: %s",
			 strerror(-ret));
		return ret;
	}
	figure_size(want, s->page_bytes);
	if (m.size != a->bytes || m.several_pages || m.kernel_page != page ||
	    m.present < a->bytes || (s->page_bytes == 4096 && m.anon_huge)) {
		snprintf(error, len,
			 "the kernel did not give pages of exactly %s (/proc/self/smaps): "
			 "use another --page",
			 want);
		return -EMEDIUMTYPE;
	}
	if (s->thp && m.anon_huge < a->bytes) {
		figure_size(got, m.anon_huge);
		figure_size(want, a->bytes);
		snprintf(error, len,
			 "only %s of %s came in transparent huge pages: as root, "
			 "echo 1 > /proc/sys/vm/compact_memory, or reserve pages and use "
			 "--page 2M",
			 got, want);
		return -EMEDIUMTYPE;
	}
	*(s->page_bytes == 4096	    ? &a->mapped_4k :
	  s->page_bytes == 2u << 20 ? &a->mapped_2m :
				      &a->mapped_1g) = a->bytes;
	return 0;
}

/* The node that all pages are on; -1: several, or the kernel does not say. */
static int node_of_all(const struct anon *a, uint64_t page)
{
	void *pages[NODE_BATCH];
	int status[NODE_BATCH], node = -1;

	for (uint64_t at = 0; at < a->bytes;) {
		unsigned long n = 0;

		for (; n < NODE_BATCH && at < a->bytes; at += page)
			pages[n++] = (char *)a->addr + at;
		if (syscall(SYS_move_pages, 0, n, pages, NULL, status, 0))
			return -1;
		for (unsigned long i = 0; i < n; i++) {
			if (status[i] < 0 || (node >= 0 && status[i] != node))
				return -1;
			node = status[i];
		}
	}
	return node;
}

int verify_node(struct anon *a, const struct anon_spec *s, char *error, size_t len)
{
	if (room_single_node(s->node < 0 ? 0 : s->node)) {
		a->node = s->node < 0 ? 0 : s->node;
		return 0;
	}
	a->node = node_of_all(a, s->page_bytes);
	if (s->node >= 0 && a->node != s->node) {
		snprintf(error, len,
			 "not all of the memory could be verified to be on node %d "
			 "(move_pages): free memory there, or run without a seccomp filter",
			 s->node);
		return -EXDEV;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Page map entries of all pages, one a page. */
static bool read_entries(int fd, const struct anon *a, uint64_t page, uint64_t *out, uint64_t n)
{
	const uint64_t each = page == 4096 ? n :
					     1; /* entries stand side by side for 4K pages only */
	const ssize_t bytes = each * sizeof(*out);

	for (uint64_t i = 0; i < n; i += each) {
		uint64_t at = ((uintptr_t)a->addr + i * page) / 4096 * sizeof(*out);

		if (pread(fd, out + i, bytes, at) != bytes)
			return false;
	}
	return true;
}

/* Physical addresses of all pages, ascending; 0: not to be known. */
static uint64_t read_frames(const struct anon *a, uint64_t page, uint64_t *out, uint64_t n)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	if (!read_entries(fd, a, page, out, n))
		n = 0;
	close(fd);
	for (uint64_t i = 0; i < n; i++) {
		if (!(out[i] & FRAME_PRESENT) || !(out[i] & FRAME_BITS))
			return 0;
		out[i] = (out[i] & FRAME_BITS) * 4096;
	}
	qsort(out, n, sizeof(*out), compare);
	return n;
}

void verify_segments(struct anon *a, const struct anon_spec *s)
{
	uint64_t n = a->bytes / s->page_bytes, total = 0;
	struct segment *seg = calloc(VERIFY_SEGMENTS, sizeof(*seg)), now = { 0 };
	uint64_t *frame = n <= MAX_FRAMES ? malloc(n * sizeof(*frame)) : NULL;

	if (!seg || !frame) {
		free(seg);
		free(frame);
		return;
	}
	n = read_frames(a, s->page_bytes, frame, n);
	for (uint64_t i = 0; i <= n && n; i++) {
		if (i < n && now.bytes && frame[i] == now.base + now.bytes) {
			now.bytes += s->page_bytes;
			continue;
		}
		if (now.bytes && total++ < VERIFY_SEGMENTS)
			seg[total - 1] = now;
		if (i < n)
			now = (struct segment){ frame[i], s->page_bytes };
	}
	free(frame);
	if (!total) {
		free(seg);
		return;
	}
	a->segments = seg;
	a->segments_total = total;
	a->nr_segments = total < VERIFY_SEGMENTS ? total : VERIFY_SEGMENTS;
}
