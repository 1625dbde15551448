/* SPDX-License-Identifier: GPL-2.0 */
/* Loops of known instructions on the ranges of ./machine; figures go to the log. */
#ifndef RIGTEST_H
#define RIGTEST_H

#include <linux/types.h>

enum rigtest_range { NEAR, FAR, DEEP, PAGES, NARROW, SHARED, WIDE, RANGES };

enum { LINE = 64, RANGE_BYTES = 32 << 20 };

/* Mapped with 2 MiB pages; offset 4096 maps all but the first page, with 4 KiB pages. */
void *rigtest_map(enum rigtest_range range, u64 offset);
void *rigtest_map_at(u64 phys, u64 size);

/* Links n lines, `step` bytes apart, in one cycle of no evident order; n a power of two. */
void rigtest_link(void *base, u64 n, u64 step);

void rigtest_report(const char *name, u64 value);
u64 rigtest_ps(u64 ticks, u64 n); /* ticks for n of something, as ps each */

u64 rigtest_clock(void); /* fenced on both sides */
void *rigtest_chase(void *p, u64 hops);
void *rigtest_chase_wb(void *p, u64 hops);   /* and stores beside the pointer */
void rigtest_read(const void *p, u64 lines); /* one independent 8-byte load a line */
void rigtest_update(void *p, u64 lines);     /* loads and stores each line */

int rigtest_single(void); /* clock V */
int rigtest_paced(void);  /* clock H, one CPU */
int rigtest_count(void);  /* counting mode */
int rigtest_smp(void);	  /* clock H, all CPUs */
int rigtest_letter(void); /* clock V, on machines/letter2020 */

#endif
