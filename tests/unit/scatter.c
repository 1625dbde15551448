// SPDX-License-Identifier: GPL-2.0
#include "scatter.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GUARD 4096

void scatter_make(struct scatter *s, u32 granules, u32 shift, u64 base, u64 bytes)
{
	u64 size = 1ull << shift, step = size + GUARD;
	u32 i;

	s->granules = granules;
	s->granule = malloc(granules * sizeof(u64));
	s->map_bytes = granules * step + GUARD;
	s->map = mmap(NULL, s->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(s->map, MAP_FAILED);
	for (i = 0; i < granules; i++) {
		s->granule[i] = (u64)(uintptr_t)s->map + GUARD + (granules - 1 - i) * step;
		ck_assert_int_eq(mprotect((void *)(uintptr_t)s->granule[i], size,
					  PROT_READ | PROT_WRITE),
				 0);
	}
	s->view = (struct mprobe_view){ s->granule, shift, base, bytes };
	scatter_fill(s);
}

void scatter_fill(struct scatter *s)
{
	u32 i;

	for (i = 0; i < s->granules; i++)
		memset((void *)(uintptr_t)s->granule[i], SCATTER_FILL, 1ull << s->view.shift);
}

void scatter_free(struct scatter *s)
{
	munmap(s->map, s->map_bytes);
	free(s->granule);
}

u8 *scatter_byte(const struct scatter *s, u64 byte)
{
	return (u8 *)(uintptr_t)mprobe_view_addr(&s->view, byte);
}

void scatter_check_canaries(const struct scatter *s)
{
	u64 size = 1ull << s->view.shift, at, from = s->view.base, to = from + s->view.bytes;
	const u8 *p;

	for (at = 0; at < s->granules * size; at++) {
		if (at == from)
			at = to;
		if (at == s->granules * size)
			break;
		p = (const u8 *)(uintptr_t)(s->granule[at / size] + at % size);
		if (*p != SCATTER_FILL)
			ck_abort_msg("byte %lu outside the view [%lu, %lu) was written",
				     (unsigned long)at, (unsigned long)from, (unsigned long)to);
	}
}
