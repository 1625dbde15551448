/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for loops: granules that are not neighbours, in falling order of address, each
 * between unreadable guard pages. All bytes are SCATTER_FILL until a loop
 * writes; those outside the view are canaries.
 */
#ifndef TESTS_SCATTER_H
#define TESTS_SCATTER_H

#include <mprobe/loop.h>

#define SCATTER_FILL 0x5au

struct scatter {
	struct mprobe_view view;
	u64 *granule;
	u32 granules;
	u8 *map;
	size_t map_bytes;
};

/* The view is [base, base + bytes) of the row of granules. */
void scatter_make(struct scatter *s, u32 granules, u32 shift, u64 base, u64 bytes);
void scatter_fill(struct scatter *s);
void scatter_free(struct scatter *s);
u8 *scatter_byte(const struct scatter *s, u64 byte); /* of the view */
void scatter_check_canaries(const struct scatter *s);

#endif
