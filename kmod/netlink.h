/* SPDX-License-Identifier: GPL-2.0 */
/* Attributes -> calls (netlink.c); state -> attributes (netlink_put.c); clients (netlink_owner.c). */
#ifndef _MPROBE_NETLINK_H
#define _MPROBE_NETLINK_H

#include <linux/types.h>

struct genl_info;
struct mprobe_job;
struct mprobe_range;
struct netlink_callback;
struct netlink_ext_ack;
struct sk_buff;

int mprobe_netlink_get_info(struct sk_buff *skb, struct genl_info *info);
int mprobe_netlink_claim(struct sk_buff *skb, struct genl_info *info);
int mprobe_netlink_release(struct sk_buff *skb, struct genl_info *info);
int mprobe_netlink_remap(struct sk_buff *skb, struct genl_info *info);
int mprobe_netlink_start(struct sk_buff *skb, struct genl_info *info);
int mprobe_netlink_cancel(struct sk_buff *skb, struct genl_info *info);
int mprobe_netlink_job(struct sk_buff *skb, struct genl_info *info);

int mprobe_netlink_ranges_start(struct netlink_callback *cb);
int mprobe_netlink_ranges(struct sk_buff *skb, struct netlink_callback *cb);
int mprobe_netlink_jobs_start(struct netlink_callback *cb);
int mprobe_netlink_jobs(struct sk_buff *skb, struct netlink_callback *cb);
int mprobe_netlink_samples_start(struct netlink_callback *cb);
int mprobe_netlink_samples(struct sk_buff *skb, struct netlink_callback *cb);
int mprobe_netlink_samples_done(struct netlink_callback *cb);

/* For the events. */
void mprobe_netlink_announce(struct mprobe_job *job, bool done);

/* Within the netlink files. 0 or -EMSGSIZE; nothing is left in skb then. */
#define MPROBE_NETLINK_REPLY_BYTES 16384 /* room for any one message */
int mprobe_netlink_put_info(struct sk_buff *skb, struct genl_info *info);
int mprobe_netlink_put_range(struct sk_buff *skb, u32 portid, u32 seq, int flags, u8 cmd,
			     struct mprobe_range *r, struct netlink_callback *cb);
int mprobe_netlink_put_job(struct sk_buff *skb, u32 portid, u32 seq, int flags, u8 cmd,
			   struct mprobe_job *job, struct netlink_callback *cb);
int mprobe_netlink_put_samples(struct sk_buff *skb, struct netlink_callback *cb,
			       const struct mprobe_job *job, u64 from, u32 count);

/*
 * A client: one socket. Its number is unique while the module is loaded, unlike its port id,
 * which another socket may have at once after this one was closed.
 */
int mprobe_netlink_owner_init(void);
void mprobe_netlink_owner_uninit(void); /* no request may come any more */
u32 mprobe_netlink_owner(const struct sk_buff *request, bool create); /* 0: none, or no memory */
u32 mprobe_netlink_owner_portid(u32 owner);			      /* 0: its socket is closed */

#endif
