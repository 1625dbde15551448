/* SPDX-License-Identifier: GPL-2.0 */
/* The family's tables: policies, operations, group. The handlers are netlink.c's. */
#ifndef _MPROBE_GENL_H
#define _MPROBE_GENL_H

#include <linux/mprobe.h>
#include <net/genetlink.h>

extern struct genl_family mprobe_genl_family;
extern const struct nla_policy mprobe_genl_worker[MPROBE_A_MAX + 1];

int mprobe_genl_init(void);
void mprobe_genl_uninit(void); /* waits for requests in hand; dumps hold the module */

#endif
