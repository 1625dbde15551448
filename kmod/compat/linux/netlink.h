/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MPROBE_COMPAT_LINUX_NETLINK_H
#define _MPROBE_COMPAT_LINUX_NETLINK_H

#include_next <linux/netlink.h>

/* Before 6.0 a missing attribute can be named in the sentence only. */
#ifndef NL_SET_ERR_ATTR_MISS
#define NL_SET_ERR_ATTR_MISS(extack, nest, type) ((void)(nest))
#endif

#endif
