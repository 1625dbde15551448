/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's tree of physical resources, as /proc/iomem shows it. */
#ifndef MPROBE_IOMEM_H
#define MPROBE_IOMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct iomem_entry {
	uint64_t start, end; /* end is the last byte */
	unsigned int depth;
	char name[64];
};

struct iomem {
	struct iomem_entry *v; /* owned; a parent stands before its children */
	size_t n;
	bool hidden; /* all addresses are shown as zero: not root */
};

/* 0 or -errno; lines that are none of the format are -EBADMSG */
int iomem_read(struct iomem *m, const char *path);
void iomem_free(struct iomem *m);
bool iomem_overlaps(const struct iomem_entry *e, uint64_t base, uint64_t bytes);
/*
 * What holds the n-th part of a range: a driver's or kernel's entry, not the
 * memory's own ("Persistent Memory", "CXL Window 0", "region0", "hmem.0"). NULL: no more.
 */
const struct iomem_entry *iomem_holder(const struct iomem *m, uint64_t base, uint64_t bytes,
				       size_t n);

#endif
