/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel really gave: page sizes (smaps), node (move_pages), frames (pagemap). */
#ifndef MPROBE_ANON_VERIFY_H
#define MPROBE_ANON_VERIFY_H

#include "anon.h"

#define VERIFY_SEGMENTS 512u /* at most so many are kept, as the protocol does */

int verify_pages(struct anon *a, const struct anon_spec *s, char *error,
		 size_t len); /* sets mapped_* */
int verify_node(struct anon *a, const struct anon_spec *s, char *error, size_t len); /* sets node */
/* Best effort: needs CAP_SYS_ADMIN, and at most 2^20 pages. Leaves none where it can't be known. */
void verify_segments(struct anon *a, const struct anon_spec *s);

#endif
