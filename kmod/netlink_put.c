// SPDX-License-Identifier: GPL-2.0
/* State -> attributes. */
#include "netlink.h"
#include "genl.h"
#include "job.h"
#include "limits.h"
#include "prefetch.h"
#include "range.h"

#include <mprobe/version.h>
#include <linux/security.h>

#define SEGMENTS_A_MESSAGE 512u

static int put_u64(struct sk_buff *skb, int type, u64 value)
{
	return nla_put_u64_64bit(skb, type, value, MPROBE_A_PAD);
}

static u64 *put_u64s(struct sk_buff *skb, int type, u32 count)
{
	struct nlattr *a = nla_reserve_64bit(skb, type, count * sizeof(u64), MPROBE_A_PAD);

	return a ? nla_data(a) : NULL;
}

static u32 *put_u32s(struct sk_buff *skb, int type, u32 count)
{
	struct nlattr *a = nla_reserve(skb, type, count * sizeof(u32));

	return a ? nla_data(a) : NULL;
}

static int put_pair(struct sk_buff *skb, int type, const u64 pair[2], u32 count)
{
	return nla_put_64bit(skb, type, count * sizeof(u64), pair, MPROBE_A_PAD);
}

static bool put_limits(struct sk_buff *skb)
{
	const struct mprobe_limits *l = &mprobe_limits;

	return !nla_put_u32(skb, MPROBE_A_MAX_JOBS, l->jobs) &&
	       !nla_put_u32(skb, MPROBE_A_MAX_RANGES, mprobe_range_max()) &&
	       !nla_put_u32(skb, MPROBE_A_MAX_WORKERS, l->workers) &&
	       !put_u64(skb, MPROBE_A_MAX_BYTES, mprobe_range_max_bytes()) &&
	       !put_u64(skb, MPROBE_A_MAX_SAMPLES, l->samples) &&
	       !put_u64(skb, MPROBE_A_WINDOW_MAX_NS, l->window_ns[0]) &&
	       !put_u64(skb, MPROBE_A_WINDOW_MAX_IRQS_OFF_NS, l->window_ns[1]) &&
	       !put_u64(skb, MPROBE_A_WINDOW_DEFAULT_NS, l->window_default_ns[0]) &&
	       !put_u64(skb, MPROBE_A_WINDOW_DEFAULT_IRQS_OFF_NS, l->window_default_ns[1]);
}

static bool put_clock(struct sk_buff *skb, const struct mprobe_ticks *t)
{
	return !nla_put_u32(skb, MPROBE_A_CLOCK, t->clock) &&
	       !put_u64(skb, MPROBE_A_CLOCK_KHZ, t->khz) &&
	       !put_u64(skb, MPROBE_A_CLOCK_OVERHEAD, t->overhead);
}

int mprobe_netlink_put_info(struct sk_buff *skb, struct genl_info *info)
{
	void *header = genlmsg_put_reply(skb, info, &mprobe_genl_family, 0, MPROBE_CMD_GET_INFO);
	struct mprobe_ticks ticks;

	mprobe_ticks_choose(&ticks);
	if (!header || nla_put_u32(skb, MPROBE_A_PROTOCOL, MPROBE_PROTOCOL) ||
	    nla_put_string(skb, MPROBE_A_MODULE_VERSION, MPROBE_VERSION) ||
	    !put_clock(skb, &ticks) || nla_put_u32(skb, MPROBE_A_HZ, HZ) ||
	    nla_put_u32(skb, MPROBE_A_ISA_MASK, mprobe_isa_mask()) ||
	    nla_put_u32(skb, MPROBE_A_PREFETCH_CONTROL, mprobe_prefetch_control()) ||
	    !put_limits(skb))
		return -EMSGSIZE;
	if (security_locked_down(LOCKDOWN_DEV_MEM) && nla_put_flag(skb, MPROBE_A_LOCKED_DOWN))
		return -EMSGSIZE;
	genlmsg_end(skb, header);
	return 0;
}

static void *begin(struct sk_buff *skb, u32 portid, u32 seq, int flags, u8 cmd,
		   struct netlink_callback *cb)
{
	void *header = genlmsg_put(skb, portid, seq, &mprobe_genl_family, flags, cmd);

	if (header && cb)
		genl_dump_check_consistent(cb, header);
	return header;
}

static int end(struct sk_buff *skb, void *header, bool complete)
{
	if (!complete) {
		genlmsg_cancel(skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	return 0;
}

static bool put_segments(struct sk_buff *skb, const struct mprobe_range *r)
{
	u32 i, n = min(r->nr_segments, SEGMENTS_A_MESSAGE);
	u64 *base = put_u64s(skb, MPROBE_A_SEGMENT_BASE, n);
	u64 *bytes = put_u64s(skb, MPROBE_A_SEGMENT_BYTES, n);

	if (!base || !bytes)
		return false;
	for (i = 0; i < n; i++) {
		base[i] = r->segments[i].base;
		bytes[i] = r->segments[i].bytes;
	}
	return !nla_put_u32(skb, MPROBE_A_SEGMENTS_TOTAL, r->nr_segments);
}

static bool put_state(struct sk_buff *skb, struct mprobe_range *r)
{
	struct mprobe_range_state s;

	mprobe_range_look(r, &s);
	return !nla_put_u32(skb, MPROBE_A_RANGE_USERS, s.users) &&
	       !put_u64(skb, MPROBE_A_MAPPED_4K, s.mapped[0]) &&
	       !put_u64(skb, MPROBE_A_MAPPED_2M, s.mapped[1]) &&
	       !put_u64(skb, MPROBE_A_MAPPED_1G, s.mapped[2]) &&
	       !nla_put_u32(skb, MPROBE_A_USER_MAPS, s.maps) &&
	       !put_u64(skb, MPROBE_A_USER_4K, s.user[0]) &&
	       !put_u64(skb, MPROBE_A_USER_2M, s.user[1]) &&
	       !put_u64(skb, MPROBE_A_USER_1G, s.user[2]);
}

static bool put_range(struct sk_buff *skb, struct mprobe_range *r)
{
	return !nla_put_u32(skb, MPROBE_A_RANGE_ID, r->id) &&
	       !nla_put_u32(skb, MPROBE_A_OWNER, mprobe_netlink_owner_portid(r->owner)) &&
	       !nla_put_u32(skb, MPROBE_A_RANGE_KIND, r->kind) &&
	       !nla_put_u32(skb, MPROBE_A_RANGE_CLASS, r->class) &&
	       !nla_put_s32(skb, MPROBE_A_NODE, r->node) &&
	       !put_u64(skb, MPROBE_A_BYTES, r->bytes) &&
	       !nla_put_u32(skb, MPROBE_A_RANGE_FLAGS, r->flags) && put_state(skb, r) &&
	       put_segments(skb, r);
}

int mprobe_netlink_put_range(struct sk_buff *skb, u32 portid, u32 seq, int flags, u8 cmd,
			     struct mprobe_range *r, struct netlink_callback *cb)
{
	void *header = begin(skb, portid, seq, flags, cmd, cb);

	return header ? end(skb, header, put_range(skb, r)) : -EMSGSIZE;
}

static bool put_closed(struct sk_buff *skb, const struct mprobe_job *job)
{
	u32 *closed = put_u32s(skb, MPROBE_A_CLOSED, job->nr_workers);
	u32 *broken = put_u32s(skb, MPROBE_A_BROKEN, job->nr_workers);
	u32 i;

	for (i = 0; broken && i < job->nr_workers; i++) {
		closed[i] = READ_ONCE(job->workers[i].passes.closed);
		broken[i] = READ_ONCE(job->workers[i].passes.broken);
	}
	return closed && broken;
}

static bool put_prefetch(struct sk_buff *skb, const struct mprobe_job *job, u32 state)
{
	u32 i, n = state == MPROBE_STATE_PREPARE ? 0 : job->nr_workers;
	u32 *off = put_u32s(skb, MPROBE_A_PREFETCH_STATE, n);

	for (i = 0; off && i < n; i++)
		off[i] = READ_ONCE(job->workers[i].prefetch_state);
	return off && !nla_put_u32(skb, MPROBE_A_PREFETCH, job->prefetch);
}

static bool put_counters(struct sk_buff *skb, const struct mprobe_job *job, u32 state)
{
	u32 n = state == MPROBE_STATE_PREPARE ? 0 : job->nr_counters;

	return !nla_put(skb, MPROBE_A_COUNTERS, n * sizeof(job->counters[0]), job->counters);
}

static bool put_progress(struct sk_buff *skb, const struct mprobe_job *job, u32 state)
{
	u32 pairs = state == MPROBE_STATE_DONE ? 2 : state == MPROBE_STATE_RUN ? 1 : 0;
	u64 prepare_ns = pairs ? READ_ONCE(job->prepare_ns) : ktime_get_ns() - job->created_ns;

	return !nla_put_u32(skb, MPROBE_A_STATE, state) &&
	       !nla_put_u32(skb, MPROBE_A_REASON, atomic_read(&job->reason)) &&
	       !put_u64(skb, MPROBE_A_ELAPSED_NS, mprobe_job_elapsed(job)) &&
	       !put_u64(skb, MPROBE_A_TIME_NS, job->time_ns) &&
	       !put_u64(skb, MPROBE_A_PREPARE_DONE, atomic64_read(&job->prepare_done)) &&
	       !put_u64(skb, MPROBE_A_PREPARE_TOTAL, job->prepare_total) &&
	       !put_u64(skb, MPROBE_A_PREPARE_NS, prepare_ns) &&
	       !put_u64(skb, MPROBE_A_WINDOWS, READ_ONCE(job->rounds)) &&
	       !put_pair(skb, MPROBE_A_CLOCK_TICKS, job->ticks, pairs) &&
	       !put_pair(skb, MPROBE_A_CLOCK_RAW_NS, job->raw_ns, pairs);
}

static bool put_job(struct sk_buff *skb, struct mprobe_job *job)
{
	/* Before the count of samples: who sees DONE gets the count of all. */
	u32 state = smp_load_acquire(&job->state);

	return !nla_put_u32(skb, MPROBE_A_JOB_ID, job->id) &&
	       !nla_put_u32(skb, MPROBE_A_OWNER, mprobe_netlink_owner_portid(job->owner)) &&
	       put_progress(skb, job, state) &&
	       !put_u64(skb, MPROBE_A_SAMPLES, mprobe_sample_sealed(&job->samples)) &&
	       !put_u64(skb, MPROBE_A_SAMPLES_LOST, atomic64_read(&job->samples.lost)) &&
	       put_clock(skb, &job->clock) && put_closed(skb, job) &&
	       put_prefetch(skb, job, state) && put_counters(skb, job, state) &&
	       (state != MPROBE_STATE_DONE || !job->remapped ||
		!nla_put_flag(skb, MPROBE_A_REMAPPED));
}

int mprobe_netlink_put_job(struct sk_buff *skb, u32 portid, u32 seq, int flags, u8 cmd,
			   struct mprobe_job *job, struct netlink_callback *cb)
{
	void *header = begin(skb, portid, seq, flags, cmd, cb);

	return header ? end(skb, header, put_job(skb, job)) : -EMSGSIZE;
}

struct columns {
	u32 *round, *worker, *flags, *irqs, *nmis, *mces, *smis, *reads;
	u64 *start, *ticks, *work, *gap, *aperf, *mperf;
};

static bool put_columns(struct sk_buff *skb, struct columns *c, u32 n)
{
	return (c->round = put_u32s(skb, MPROBE_A_SAMPLE_ROUND, n)) &&
	       (c->worker = put_u32s(skb, MPROBE_A_SAMPLE_WORKER, n)) &&
	       (c->flags = put_u32s(skb, MPROBE_A_SAMPLE_FLAGS, n)) &&
	       (c->irqs = put_u32s(skb, MPROBE_A_SAMPLE_IRQS, n)) &&
	       (c->nmis = put_u32s(skb, MPROBE_A_SAMPLE_NMIS, n)) &&
	       (c->mces = put_u32s(skb, MPROBE_A_SAMPLE_MCES, n)) &&
	       (c->smis = put_u32s(skb, MPROBE_A_SAMPLE_SMIS, n)) &&
	       (c->reads = put_u32s(skb, MPROBE_A_SAMPLE_READS, n)) &&
	       (c->start = put_u64s(skb, MPROBE_A_SAMPLE_START, n)) &&
	       (c->ticks = put_u64s(skb, MPROBE_A_SAMPLE_TICKS, n)) &&
	       (c->work = put_u64s(skb, MPROBE_A_SAMPLE_WORK, n)) &&
	       (c->gap = put_u64s(skb, MPROBE_A_SAMPLE_GAP, n)) &&
	       (c->aperf = put_u64s(skb, MPROBE_A_SAMPLE_APERF, n)) &&
	       (c->mperf = put_u64s(skb, MPROBE_A_SAMPLE_MPERF, n));
}

static bool put_counts(struct sk_buff *skb, const struct mprobe_job *job, u64 from, u32 n)
{
	u32 i, nr = job->nr_counters;
	u64 *counts;

	if (!nr)
		return true;
	counts = put_u64s(skb, MPROBE_A_SAMPLE_COUNTS, n * nr);
	for (i = 0; counts && i < n; i++)
		memcpy(counts + i * nr, mprobe_sample_counts(&job->samples, from + i),
		       nr * sizeof(*counts));
	return counts;
}

int mprobe_netlink_put_samples(struct sk_buff *skb, struct netlink_callback *cb,
			       const struct mprobe_job *job, u64 from, u32 count)
{
	void *header = begin(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, NLM_F_MULTI,
			     MPROBE_CMD_SAMPLE_GET, NULL);
	const struct mprobe_sample *s = &job->samples.v[from];
	struct columns c;
	u32 i;

	if (!header)
		return -EMSGSIZE;
	if (put_u64(skb, MPROBE_A_FROM, from) || !put_columns(skb, &c, count))
		return end(skb, header, false);
	for (i = 0; i < count; i++, s++) {
		c.round[i] = s->round;
		c.worker[i] = s->worker;
		c.flags[i] = s->flags & ~MPROBE_SAMPLE_SEALED;
		c.irqs[i] = s->irqs;
		c.nmis[i] = s->nmis;
		c.mces[i] = s->mces;
		c.smis[i] = s->smis;
		c.reads[i] = s->reads;
		c.start[i] = s->start;
		c.ticks[i] = s->ticks;
		c.work[i] = s->work;
		c.gap[i] = s->gap;
		c.aperf[i] = s->aperf;
		c.mperf[i] = s->mperf;
	}
	return end(skb, header, put_counts(skb, job, from, count));
}

void mprobe_netlink_announce(struct mprobe_job *job, bool done)
{
	struct sk_buff *skb;

	if (!genl_has_listeners(&mprobe_genl_family, &init_net, 0))
		return;
	skb = genlmsg_new(MPROBE_NETLINK_REPLY_BYTES, GFP_KERNEL);
	if (!skb)
		return;
	if (mprobe_netlink_put_job(skb, 0, 0, 0, done ? MPROBE_CMD_DONE : MPROBE_CMD_PROGRESS, job,
				   NULL)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_multicast(&mprobe_genl_family, skb, 0, 0, GFP_KERNEL);
}
