/* SPDX-License-Identifier: GPL-2.0 */
/* No switch is known. */
#include <linux/errno.h>

static inline const struct mprobe_switch *mprobe_switch_find(void)
{
	return NULL;
}

static inline int mprobe_switch_read(const struct mprobe_switch *s, u64 *value)
{
	return -EOPNOTSUPP;
}

static inline int mprobe_switch_write(const struct mprobe_switch *s, u64 value)
{
	return -EOPNOTSUPP;
}
