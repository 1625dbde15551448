// SPDX-License-Identifier: GPL-2.0
/* Requests. Whoever calls must be privileged through its socket and now: netlink_capable(). */
#include "netlink.h"
#include "genl.h"
#include "job.h"
#include "limits.h"
#include "range.h"

#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/security.h>
#include <linux/slab.h>

static int refuse(struct netlink_ext_ack *extack, int error, const char *why)
{
	if (extack)
		extack->_msg = why;
	return error;
}

static int no_memory(struct netlink_ext_ack *extack)
{
	return refuse(extack, -ENOMEM, "no memory for the request; free some and ask again");
}

static int need_admin(const struct sk_buff *skb, struct netlink_ext_ack *extack)
{
	if (netlink_capable(skb, CAP_SYS_ADMIN))
		return 0;
	return refuse(extack, -EPERM, "CAP_SYS_ADMIN is needed; run as root");
}

static int need_unlocked(struct netlink_ext_ack *extack)
{
	if (!security_locked_down(LOCKDOWN_DEV_MEM))
		return 0;
	return refuse(extack, -EKEYREJECTED,
		      "the kernel is locked down: boot without lockdown and Secure Boot");
}

static int need_unlocked_msr(u32 prefetch, struct netlink_ext_ack *extack)
{
	if (prefetch == MPROBE_PREFETCH_ASIS || !security_locked_down(LOCKDOWN_MSR))
		return 0;
	return refuse(
		extack, -EKEYREJECTED,
		"the kernel locks the CPU's registers down: boot without lockdown and Secure Boot, "
		"or leave A_PREFETCH out");
}

struct need {
	int type;
	const char *why;
};

#define NEED(name)                                                  \
	{                                                           \
		MPROBE_A_##name, "attribute A_" #name " is missing" \
	}

static int need_attrs(struct nlattr **attrs, struct nlattr *nest, const struct need *need, int n,
		      struct netlink_ext_ack *extack)
{
	for (; n--; need++) {
		if (attrs[need->type])
			continue;
		NL_SET_ERR_ATTR_MISS(extack, nest, need->type);
		return refuse(extack, -EINVAL, need->why);
	}
	return 0;
}

/* A privileged request with one mandatory attribute. */
static int admit(const struct sk_buff *skb, struct genl_info *info, const struct need *need)
{
	int ret = need_admin(skb, info->extack);

	return ret ? ret : need_attrs(info->attrs, NULL, need, 1, info->extack);
}

static u32 get_u32(struct nlattr **attrs, int type)
{
	return attrs[type] ? nla_get_u32(attrs[type]) : 0;
}

static u64 get_u64(struct nlattr **attrs, int type)
{
	return attrs[type] ? nla_get_u64(attrs[type]) : 0;
}

static struct sk_buff *new_reply(void)
{
	return genlmsg_new(MPROBE_NETLINK_REPLY_BYTES, GFP_KERNEL);
}

int mprobe_netlink_get_info(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *reply = new_reply();
	int ret;

	if (!reply)
		return no_memory(info->extack);
	ret = mprobe_netlink_put_info(reply, info);
	if (ret) {
		nlmsg_free(reply);
		return ret;
	}
	return genlmsg_reply(reply, info);
}

/* 0: absent. */
static int read_page_bytes(struct genl_info *info, u64 *page_bytes)
{
	*page_bytes = get_u64(info->attrs, MPROBE_A_PAGE_BYTES);
	if (info->attrs[MPROBE_A_PAGE_BYTES] && *page_bytes != 1ull << 12 &&
	    *page_bytes != 1ull << 21 && *page_bytes != 1ull << 30)
		return refuse(info->extack, -EINVAL,
			      "A_PAGE_BYTES must be 4096, 2097152 or 1073741824");
	return 0;
}

static int read_claim(struct genl_info *info, struct mprobe_claim *c)
{
	static const struct need kind = NEED(RANGE_KIND);
	static const struct need node[] = { NEED(NODE), NEED(BYTES) };
	static const struct need phys[] = { NEED(BASE), NEED(BYTES) };
	struct nlattr **a = info->attrs;
	int ret = need_attrs(a, NULL, &kind, 1, info->extack);

	if (ret)
		return ret;
	c->kind = get_u32(a, MPROBE_A_RANGE_KIND);
	ret = need_attrs(a, NULL, c->kind == MPROBE_RANGE_NODE ? node : phys, 2, info->extack);
	if (ret)
		return ret;
	if (a[c->kind == MPROBE_RANGE_NODE ? MPROBE_A_BASE : MPROBE_A_NODE])
		return refuse(info->extack, -EINVAL,
			      "a node range has no A_BASE, a physical one no A_NODE");
	c->flags = get_u32(a, MPROBE_A_RANGE_FLAGS);
	c->node = a[MPROBE_A_NODE] ? nla_get_s32(a[MPROBE_A_NODE]) : 0;
	c->base = get_u64(a, MPROBE_A_BASE);
	c->bytes = get_u64(a, MPROBE_A_BYTES);
	return read_page_bytes(info, &c->page_bytes);
}

int mprobe_netlink_claim(struct sk_buff *skb, struct genl_info *info)
{
	struct mprobe_claim c = {};
	struct mprobe_range *r;
	struct sk_buff *reply;
	const char *why = NULL;
	int ret;

	ret = need_admin(skb, info->extack);
	if (!ret)
		ret = need_unlocked(info->extack);
	if (!ret)
		ret = read_claim(info, &c);
	if (ret)
		return ret;
	if (c.kind == MPROBE_RANGE_PHYS && !netlink_capable(skb, CAP_SYS_RAWIO))
		return refuse(info->extack, -EPERM,
			      "CAP_SYS_RAWIO is needed for memory by address; run as root");
	c.owner = mprobe_netlink_owner(skb, true);
	reply = new_reply();
	if (!c.owner || !reply) {
		ret = no_memory(info->extack);
		goto free_reply;
	}
	ret = mprobe_range_claim(&c, &r, &why);
	if (ret) {
		refuse(info->extack, ret, why);
		goto free_reply;
	}
	ret = mprobe_netlink_put_range(reply, info->snd_portid, info->snd_seq, 0,
				       MPROBE_CMD_RANGE_CLAIM, r, NULL);
	if (ret)
		goto release;
	ret = genlmsg_reply(reply, info);
	reply = NULL;
	if (ret)
		goto release;
	mprobe_range_put(r);
	return 0;

release: /* the client will not learn of it */
	mprobe_range_release(r->id, c.owner, &why);
	mprobe_range_put(r);
free_reply:
	nlmsg_free(reply);
	return ret;
}

int mprobe_netlink_release(struct sk_buff *skb, struct genl_info *info)
{
	static const struct need id = NEED(RANGE_ID);
	const char *why = NULL;
	int ret = admit(skb, info, &id);

	if (ret)
		return ret;
	ret = mprobe_range_release(get_u32(info->attrs, MPROBE_A_RANGE_ID),
				   mprobe_netlink_owner(skb, false), &why);
	return ret ? refuse(info->extack, ret, why) : 0;
}

int mprobe_netlink_remap(struct sk_buff *skb, struct genl_info *info)
{
	static const struct need id = NEED(RANGE_ID);
	const char *why = NULL;
	struct mprobe_range *r;
	struct sk_buff *reply;
	u64 page_bytes;
	int ret = admit(skb, info, &id);

	if (!ret)
		ret = need_unlocked(info->extack);
	if (!ret)
		ret = read_page_bytes(info, &page_bytes);
	if (ret)
		return ret;
	reply = new_reply();
	if (!reply)
		return no_memory(info->extack);
	ret = mprobe_range_remap(get_u32(info->attrs, MPROBE_A_RANGE_ID),
				 mprobe_netlink_owner(skb, false), page_bytes, &r, &why);
	if (ret) {
		nlmsg_free(reply);
		return refuse(info->extack, ret, why);
	}
	ret = mprobe_netlink_put_range(reply, info->snd_portid, info->snd_seq, 0,
				       MPROBE_CMD_RANGE_REMAP, r, NULL);
	mprobe_range_put(r);
	if (ret) {
		nlmsg_free(reply);
		return ret;
	}
	return genlmsg_reply(reply, info);
}

static int read_worker(struct nlattr *nest, struct mprobe_worker_spec *w,
		       struct netlink_ext_ack *extack)
{
	static const struct need any[] = { NEED(CPU), NEED(LOOP) };
	static const struct need measuring[] = { NEED(RANGE_ID), NEED(VARIANT), NEED(OFFSET),
						 NEED(BYTES) };
	struct nlattr *a[MPROBE_A_MAX + 1];
	int ret = nla_parse_nested(a, MPROBE_A_MAX, nest, mprobe_genl_worker, extack);

	if (!ret)
		ret = need_attrs(a, nest, any, ARRAY_SIZE(any), extack);
	if (ret)
		return ret;
	w->cpu = get_u32(a, MPROBE_A_CPU);
	w->loop = get_u32(a, MPROBE_A_LOOP);
	if (w->loop == MPROBE_LOOP_BUILD)
		return 0;
	ret = need_attrs(a, nest, measuring, ARRAY_SIZE(measuring), extack);
	if (ret)
		return ret;
	w->range_id = get_u32(a, MPROBE_A_RANGE_ID);
	w->variant = get_u32(a, MPROBE_A_VARIANT);
	w->isa = get_u32(a, MPROBE_A_ISA);
	w->offset = get_u64(a, MPROBE_A_OFFSET);
	w->bytes = get_u64(a, MPROBE_A_BYTES);
	w->seed = get_u64(a, MPROBE_A_SEED);
	w->object_bytes = get_u32(a, MPROBE_A_OBJECT_BYTES);
	w->order_window = get_u64(a, MPROBE_A_ORDER_WINDOW);
	return 0;
}

static u32 count_nested(struct nlattr *nest)
{
	struct nlattr *one;
	u32 n = 0;
	int rem;

	nla_for_each_nested(one, nest, rem)
		n++;
	return n;
}

static struct nlattr *nth_nested(struct nlattr *nest, int n)
{
	struct nlattr *one;
	int rem;

	nla_for_each_nested(one, nest, rem) {
		if (!n--)
			return one;
	}
	return NULL;
}

static int start(struct sk_buff *reply, struct genl_info *info, struct mprobe_job_spec *spec)
{
	struct mprobe_refusal no = { .worker = -1 };
	void *header;
	u32 id;
	int ret;

	ret = mprobe_job_start(spec, &id, &no);
	if (ret) {
		if (no.worker >= 0)
			NL_SET_BAD_ATTR(info->extack,
					nth_nested(info->attrs[MPROBE_A_WORKERS], no.worker));
		nlmsg_free(reply);
		return refuse(info->extack, ret, no.why);
	}
	header = genlmsg_put_reply(reply, info, &mprobe_genl_family, 0, MPROBE_CMD_JOB_START);
	if (WARN_ON_ONCE(!header || nla_put_u32(reply, MPROBE_A_JOB_ID, id))) {
		nlmsg_free(reply);
		ret = -EMSGSIZE;
	} else {
		genlmsg_end(reply, header);
		ret = genlmsg_reply(reply, info);
	}
	if (ret) /* the client will not learn of it */
		mprobe_job_cancel(id, MPROBE_REASON_CANCEL, true);
	return ret;
}

int mprobe_netlink_start(struct sk_buff *skb, struct genl_info *info)
{
	static const struct need list = NEED(WORKERS);
	struct nlattr **a = info->attrs;
	struct mprobe_job_spec spec = {
		.flags = get_u32(a, MPROBE_A_JOB_FLAGS),
		.time_ns = get_u64(a, MPROBE_A_TIME_NS),
		.window_ns = get_u64(a, MPROBE_A_WINDOW_NS),
		.max_windows = get_u64(a, MPROBE_A_MAX_WINDOWS),
		.passes = get_u64(a, MPROBE_A_PASSES),
		.warmup_bytes = get_u64(a, MPROBE_A_WARMUP_BYTES),
		.prefetch = get_u32(a, MPROBE_A_PREFETCH) ?: MPROBE_PREFETCH_ASIS,
	};
	struct mprobe_worker_spec *workers, *w;
	struct sk_buff *reply;
	struct nlattr *one;
	int ret, rem;

	ret = need_admin(skb, info->extack);
	if (!ret)
		ret = need_unlocked(info->extack);
	if (!ret)
		ret = need_unlocked_msr(spec.prefetch, info->extack);
	if (ret)
		return ret;
	if (need_attrs(a, NULL, &list, 1, info->extack))
		return -ENODATA;
	spec.nr_workers = count_nested(a[MPROBE_A_WORKERS]);
	workers = w = kvcalloc(spec.nr_workers, sizeof(*w), GFP_KERNEL_ACCOUNT);
	if (!w)
		return no_memory(info->extack);
	nla_for_each_nested(one, a[MPROBE_A_WORKERS], rem) {
		ret = read_worker(one, w++, info->extack);
		if (ret)
			goto free_workers;
	}
	spec.workers = workers;
	spec.owner = mprobe_netlink_owner(skb, true);
	reply = new_reply();
	if (spec.owner && reply) {
		ret = start(reply, info, &spec);
	} else {
		nlmsg_free(reply);
		ret = no_memory(info->extack);
	}

free_workers:
	kvfree(workers);
	return ret;
}

static const struct need need_job = NEED(JOB_ID);

static int no_job(struct netlink_ext_ack *extack)
{
	return refuse(extack, -ESRCH, "there is no job of this id (any more)");
}

int mprobe_netlink_cancel(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **a = info->attrs;
	int ret = admit(skb, info, &need_job);

	if (ret)
		return ret;
	ret = mprobe_job_cancel(get_u32(a, MPROBE_A_JOB_ID),
				get_u32(a, MPROBE_A_REASON) ?: MPROBE_REASON_CANCEL,
				get_u32(a, MPROBE_A_JOB_FLAGS) & MPROBE_JOB_F_FORGET);
	return ret ? no_job(info->extack) : 0;
}

int mprobe_netlink_job(struct sk_buff *skb, struct genl_info *info)
{
	int ret = admit(skb, info, &need_job);
	struct mprobe_job *job;
	struct sk_buff *reply;

	if (ret)
		return ret;
	job = mprobe_job_get(get_u32(info->attrs, MPROBE_A_JOB_ID));
	if (!job)
		return no_job(info->extack);
	reply = new_reply();
	ret = reply ? mprobe_netlink_put_job(reply, info->snd_portid, info->snd_seq, 0,
					     MPROBE_CMD_JOB_GET, job, NULL) :
		      no_memory(info->extack);
	mprobe_job_put(job);
	if (ret) {
		nlmsg_free(reply);
		return ret;
	}
	return genlmsg_reply(reply, info);
}
