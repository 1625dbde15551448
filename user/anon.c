// SPDX-License-Identifier: GPL-2.0
#include "anon.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "anon_room.h"
#include "anon_verify.h"

#define PAGE_4K	       4096ull
#define PAGE_2M	       (2ull << 20)
#define PAGE_1G	       (1ull << 30)
#define HUGE_SHIFT     26 /* MAP_HUGE_SHIFT */
#define TOUCHERS       8
#define TOUCH_BYTES    (32ull << 20)
#define MPOL_BIND_MODE 2

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

struct touch {
	char *addr;
	uint64_t bytes, step, page; /* step: what one thread takes at a time */
	uint64_t next;		    /* atomic */
	int error;		    /* atomic; first -errno */
	bool (*stop_asked)(void);
};

/* Old kernels lack MADV_POPULATE_WRITE; it is preferred since it fails where a store would be killed. */
static int touch_part(char *addr, uint64_t bytes, uint64_t page)
{
	if (!madvise(addr, bytes, MADV_POPULATE_WRITE))
		return 0;
	if (errno != EINVAL)
		return -errno;
	for (uint64_t at = 0; at < bytes; at += page)
		*(volatile char *)(addr + at) = 0;
	return 0;
}

static void *toucher(void *arg)
{
	struct touch *t = arg;
	int none = 0, ret;
	uint64_t at;

	while ((at = __atomic_fetch_add(&t->next, t->step, __ATOMIC_RELAXED)) < t->bytes) {
		uint64_t n = t->bytes - at < t->step ? t->bytes - at : t->step;

		ret = t->stop_asked && t->stop_asked() ? -ECANCELED :
							 touch_part(t->addr + at, n, t->page);
		if (ret)
			__atomic_compare_exchange_n(&t->error, &none, ret, false, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED);
		if (__atomic_load_n(&t->error, __ATOMIC_RELAXED))
			break;
	}
	return NULL;
}

static int touch_all(struct anon *a, const struct anon_spec *s)
{
	const uint64_t page = s->page_bytes;
	struct touch t = { .addr = a->addr,
			   .bytes = a->bytes,
			   .page = page,
			   .stop_asked = s->stop_asked,
			   .step = page > TOUCH_BYTES ? page : TOUCH_BYTES };
	pthread_t thread[TOUCHERS];
	uint64_t want = (a->bytes + t.step - 1) / t.step;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int n = 0;

	if (want > TOUCHERS)
		want = TOUCHERS;
	if (cpus > 0 && want > (uint64_t)cpus)
		want = cpus;
	while (n + 1 < want && !pthread_create(&thread[n], NULL, toucher, &t))
		n++;
	toucher(&t);
	while (n)
		pthread_join(thread[--n], NULL);
	return t.error;
}

/* A guard on either side keeps the mapping one of its own in smaps. */
static int reserve(struct anon *a, uint64_t page)
{
	uint64_t align = page > PAGE_2M ? page : PAGE_2M;

	a->hold_bytes = a->bytes + 2 * align;
	a->hold = mmap(NULL, a->hold_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);
	if (a->hold == MAP_FAILED) {
		a->hold = NULL;
		return -errno;
	}
	a->addr = (void *)(((uintptr_t)a->hold + align) & ~(align - 1));
	return 0;
}

static int map_fixed(struct anon *a, const struct anon_spec *s)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

	if (s->page_bytes != PAGE_4K && !s->thp)
		flags |= MAP_HUGETLB | (s->page_bytes == PAGE_1G ? 30 : 21) << HUGE_SHIFT;
	if (mmap(a->addr, a->bytes, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
		return -errno;
	if (s->thp)
		return madvise(a->addr, a->bytes, MADV_HUGEPAGE) ? -errno : 0;
	/* a kernel without transparent huge pages refuses the advice, and has none to avoid */
	if (s->page_bytes == PAGE_4K && madvise(a->addr, a->bytes, MADV_NOHUGEPAGE) &&
	    errno != EINVAL)
		return -errno;
	return 0;
}

static int bind_node(struct anon *a, int node)
{
	unsigned long mask[16] = { 0 };
	const int bits = 8 * sizeof(mask[0]);

	if (node < 0 || room_single_node(node))
		return 0;
	if (node >= 16 * bits)
		return -EINVAL;
	mask[node / bits] |= 1ul << node % bits;
	return syscall(SYS_mbind, a->addr, a->bytes, MPOL_BIND_MODE, mask, 16 * bits + 1, 0) ?
		       -errno :
		       0;
}

static int refuse(int err, const struct anon_spec *s, const char *what, char *error, size_t len)
{
	snprintf(error, len, "cannot %s %llu bytes of memory%s: %s%s", what,
		 (unsigned long long)s->bytes, s->node >= 0 ? " of that node" : "", strerror(-err),
		 err == -ENOMEM ? "; give a smaller size, or raise what limits it (ulimit -v, "
				  "cgroup)" :
				  "");
	return err;
}

static int fill(struct anon *a, const struct anon_spec *s, char *error, size_t len)
{
	int ret = map_fixed(a, s);

	if (ret == -ENOMEM && s->page_bytes != PAGE_4K && !s->thp)
		return room_refuse_huge(s, error, len);
	if (ret)
		return refuse(ret, s, "map", error, len);
	ret = bind_node(a, s->node);
	if (ret)
		return refuse(ret, s, "bind", error, len);
	ret = touch_all(a, s);
	if (ret && ret != -ECANCELED && s->page_bytes != PAGE_4K && !s->thp)
		return room_refuse_huge(s, error, len);
	if (ret)
		return refuse(ret, s, "touch", error, len);
	if (s->thp) /* what could not be huge at once; absent before 6.1, and verified in any case */
		madvise(a->addr, a->bytes, MADV_COLLAPSE);
	return 0;
}

int anon_map(struct anon *a, const struct anon_spec *s, char *error, size_t len)
{
	int ret;

	memset(a, 0, sizeof(*a));
	ret = room_check(s, error, len);
	if (ret)
		return ret;
	a->bytes = (s->bytes + s->page_bytes - 1) & ~(s->page_bytes - 1);
	ret = reserve(a, s->page_bytes);
	if (ret)
		return refuse(ret, s, "reserve", error, len);
	ret = fill(a, s, error, len);
	if (!ret)
		ret = verify_pages(a, s, error, len);
	if (!ret)
		ret = verify_node(a, s, error, len);
	if (ret) {
		anon_unmap(a);
		return ret;
	}
	verify_segments(a, s);
	return 0;
}

void anon_unmap(struct anon *a)
{
	free(a->segments);
	if (a->hold)
		munmap(a->hold, a->hold_bytes);
	memset(a, 0, sizeof(*a));
}
