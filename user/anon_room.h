/* SPDX-License-Identifier: GPL-2.0 */
/* Is there memory of that shape, and what to say where there is not. */
#ifndef MPROBE_ANON_ROOM_H
#define MPROBE_ANON_ROOM_H

#include "anon.h"

int room_check(const struct anon_spec *s, char *error, size_t len); /* 0 or -errno */
int room_refuse_huge(const struct anon_spec *s, char *error,
		     size_t len); /* -ENOMEM, and how to reserve */
/* What the cgroups over this process leave it; UINT64_MAX no limit. root: "", or a test's. */
uint64_t room_cgroup(const char *root);
bool room_single_node(int node); /* it is the only one of this machine */

#endif
