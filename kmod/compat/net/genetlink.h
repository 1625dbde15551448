/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _MPROBE_COMPAT_NET_GENETLINK_H
#define _MPROBE_COMPAT_NET_GENETLINK_H

#include_next <net/genetlink.h>

static inline struct nlattr **mprobe_dump_attrs(struct netlink_callback *cb)
{
#ifdef MPROBE_HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

#endif
