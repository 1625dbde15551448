// SPDX-License-Identifier: GPL-2.0
/* Dumps. Each has a cursor in cb->args; a dump holds the module, so it outlives neither. */
#include "netlink.h"
#include "genl.h"
#include "job.h"
#include "range.h"

#include <linux/build_bug.h>
#include <linux/capability.h>

#define SAMPLES_A_MESSAGE 64u

/*
 * A refusal waits for the dump's first call: only there do all kernels take the sentence
 * along (in the NLMSG_DONE).
 */
struct cursor {
	const char *why;
	int error;
	u32 next;		/* range, by position; job, by id */
	struct mprobe_job *job; /* whose samples; with a reference, or NULL */
	u64 at, end;		/* samples; end: those sealed when the dump began */
};

static struct cursor *cursor(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct cursor) > sizeof(cb->args));
	return (struct cursor *)cb->args;
}

static int refuse(struct netlink_callback *cb, int error, const char *why)
{
	cursor(cb)->error = error;
	cursor(cb)->why = why;
	return 0;
}

static int refused(struct netlink_callback *cb)
{
	int error = cursor(cb)->error;

	if (error && cb->extack)
		cb->extack->_msg = cursor(cb)->why;
	return error;
}

static bool allowed(struct netlink_callback *cb)
{
	cb->min_dump_alloc = MPROBE_NETLINK_REPLY_BYTES;
	if (netlink_capable(cb->skb, CAP_SYS_ADMIN))
		return true;
	refuse(cb, -EPERM, "CAP_SYS_ADMIN is needed; run as root");
	return false;
}

int mprobe_netlink_ranges_start(struct netlink_callback *cb)
{
	allowed(cb);
	return 0;
}

int mprobe_netlink_ranges(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct cursor *c = cursor(cb);
	struct mprobe_range *r;
	u32 generation = 1;
	int ret = refused(cb);

	while (!ret && (r = mprobe_range_nth(c->next, &generation))) {
		cb->seq = generation;
		ret = mprobe_netlink_put_range(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
					       NLM_F_MULTI, MPROBE_CMD_RANGE_GET, r, cb);
		mprobe_range_put(r);
		if (!ret)
			c->next++;
	}
	return skb->len ?: ret;
}

int mprobe_netlink_jobs_start(struct netlink_callback *cb)
{
	if (allowed(cb) && mprobe_dump_attrs(cb)[MPROBE_A_JOB_ID])
		refuse(cb, -EINVAL, "a dump is of all jobs; ask for one without NLM_F_DUMP");
	return 0;
}

int mprobe_netlink_jobs(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct cursor *c = cursor(cb);
	struct mprobe_job *job;
	int ret = refused(cb);

	cb->seq = mprobe_job_generation();
	while (!ret && (job = mprobe_job_next(&c->next))) {
		ret = mprobe_netlink_put_job(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
					     NLM_F_MULTI, MPROBE_CMD_JOB_GET, job, cb);
		mprobe_job_put(job);
		if (!ret)
			c->next++;
	}
	return skb->len ?: ret;
}

int mprobe_netlink_samples_start(struct netlink_callback *cb)
{
	struct nlattr **attrs = mprobe_dump_attrs(cb);
	struct cursor *c = cursor(cb);

	if (!allowed(cb))
		return 0;
	if (!attrs[MPROBE_A_JOB_ID])
		return refuse(cb, -EINVAL, "attribute A_JOB_ID is missing");
	c->job = mprobe_job_get(nla_get_u32(attrs[MPROBE_A_JOB_ID]));
	if (!c->job)
		return refuse(cb, -ESRCH, "there is no job of this id (any more)");
	c->at = attrs[MPROBE_A_FROM] ? nla_get_u64(attrs[MPROBE_A_FROM]) : 0;
	c->end = mprobe_sample_sealed(&c->job->samples);
	return 0;
}

int mprobe_netlink_samples(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct cursor *c = cursor(cb);
	int ret = refused(cb);
	u32 count;

	while (!ret && c->at < c->end) {
		count = min_t(u64, c->end - c->at, SAMPLES_A_MESSAGE);
		ret = mprobe_netlink_put_samples(skb, cb, c->job, c->at, count);
		if (!ret)
			c->at += count;
	}
	return skb->len ?: ret;
}

int mprobe_netlink_samples_done(struct netlink_callback *cb)
{
	if (cursor(cb)->job)
		mprobe_job_put(cursor(cb)->job);
	return 0;
}
