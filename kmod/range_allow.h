/* SPDX-License-Identifier: GPL-2.0 */
/* The module parameter allow=: reserved physical ranges that whoever loaded the module opened. */
#ifndef _MPROBE_RANGE_ALLOW_H
#define _MPROBE_RANGE_ALLOW_H

#include <linux/types.h>

int mprobe_range_allow_init(void); /* -EINVAL and a sentence in the log: malformed */
bool mprobe_range_allow_covers(u64 base, u64 bytes);
#endif
