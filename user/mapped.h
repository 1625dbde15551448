/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A claimed range of the module in this process, by /dev/mprobe, in pages of exactly one size.
 * While it is mapped the module keeps the range.
 */
#ifndef MPROBE_MAPPED_H
#define MPROBE_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapped_spec {
	uint32_t range_id;	  /* of the module */
	uint64_t bytes;		  /* from the range's begin on; whole pages */
	uint64_t page_bytes;	  /* 4096, 2M, 1G */
	bool (*stop_asked)(void); /* asked now and then; true: -ECANCELED. NULL: never */
};

struct mapped {
	void *addr; /* bytes from here on; NULL: nothing is mapped */
	uint64_t bytes;
};

/*
 * Every page is written to once (a byte 0), so that none is missing later. 0, or -errno and a
 * sentence. Which pages were entered the module says (user_4k ... of struct range_info).
 */
int mapped_map(struct mapped *m, const struct mapped_spec *s, char *error, size_t len);
void mapped_unmap(struct mapped *m);
int mapped_open(const char *path, char *error, size_t len); /* the device; a descriptor or -errno */

#endif
