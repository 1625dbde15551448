// SPDX-License-Identifier: GPL-2.0
#include "proto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

/* Room that keeps every put below in bounds: mnl's checked forms want the whole buffer's size. */
struct request {
	struct nlmsghdr *nlh;
	size_t bytes;
	bool full;
};

static struct request begin(struct proto_buf *b, uint8_t cmd, uint16_t flags)
{
	struct request r = { .bytes = b->bytes };
	struct genlmsghdr *g;

	if (b->bytes < MNL_NLMSG_HDRLEN + GENL_HDRLEN) {
		r.full = true;
		return r;
	}
	r.nlh = mnl_nlmsg_put_header(b->data);
	r.nlh->nlmsg_type = b->family;
	r.nlh->nlmsg_flags = flags;
	g = mnl_nlmsg_put_extra_header(r.nlh, sizeof(*g));
	g->cmd = cmd;
	g->version = MPROBE_GENL_VERSION;
	return r;
}

static void put_u32(struct request *r, uint16_t type, uint32_t v)
{
	r->full = r->full || !mnl_attr_put_u32_check(r->nlh, r->bytes, type, v);
}

static void put_u64(struct request *r, uint16_t type, uint64_t v)
{
	r->full = r->full || !mnl_attr_put_u64_check(r->nlh, r->bytes, type, v);
}

static struct nlattr *nest(struct request *r, uint16_t type)
{
	struct nlattr *n = r->full ? NULL : mnl_attr_nest_start_check(r->nlh, r->bytes, type);

	r->full = !n;
	return n;
}

static void unnest(struct request *r, struct nlattr *n)
{
	/* The length of an attribute is 16 bits wide; mnl would wrap it. */
	if (!r->full && (char *)mnl_nlmsg_get_payload_tail(r->nlh) - (char *)n > UINT16_MAX)
		r->full = true;
	if (!r->full)
		mnl_attr_nest_end(r->nlh, n);
}

static int end(const struct request *r)
{
	return r->full ? -EMSGSIZE : 0;
}

int proto_get_info(struct proto_buf *b)
{
	struct request r = begin(b, MPROBE_CMD_GET_INFO, 0);

	return end(&r);
}

int proto_claim(struct proto_buf *b, const struct proto_claim *c)
{
	struct request r = begin(b, MPROBE_CMD_RANGE_CLAIM, 0);

	put_u32(&r, MPROBE_A_RANGE_KIND, c->kind);
	if (c->kind == MPROBE_RANGE_NODE)
		put_u32(&r, MPROBE_A_NODE, c->node);
	else
		put_u64(&r, MPROBE_A_BASE, c->base);
	put_u64(&r, MPROBE_A_BYTES, c->bytes);
	if (c->page_bytes)
		put_u64(&r, MPROBE_A_PAGE_BYTES, c->page_bytes);
	if (c->flags)
		put_u32(&r, MPROBE_A_RANGE_FLAGS, c->flags);
	return end(&r);
}

int proto_release(struct proto_buf *b, uint32_t range_id)
{
	struct request r = begin(b, MPROBE_CMD_RANGE_RELEASE, 0);

	put_u32(&r, MPROBE_A_RANGE_ID, range_id);
	return end(&r);
}

int proto_remap(struct proto_buf *b, uint32_t range_id, uint64_t page_bytes)
{
	struct request r = begin(b, MPROBE_CMD_RANGE_REMAP, 0);

	put_u32(&r, MPROBE_A_RANGE_ID, range_id);
	if (page_bytes)
		put_u64(&r, MPROBE_A_PAGE_BYTES, page_bytes);
	return end(&r);
}

int proto_ranges(struct proto_buf *b)
{
	struct request r = begin(b, MPROBE_CMD_RANGE_GET, NLM_F_DUMP);

	return end(&r);
}

static void put_worker(struct request *r, const struct worker_spec *w)
{
	struct nlattr *n = nest(r, MPROBE_A_WORKER);

	put_u32(r, MPROBE_A_CPU, w->cpu);
	put_u32(r, MPROBE_A_LOOP, w->loop);
	if (w->loop != MPROBE_LOOP_BUILD) {
		put_u32(r, MPROBE_A_RANGE_ID, w->range_id);
		put_u32(r, MPROBE_A_VARIANT, w->variant);
		put_u64(r, MPROBE_A_OFFSET, w->offset);
		put_u64(r, MPROBE_A_BYTES, w->bytes);
		put_u64(r, MPROBE_A_SEED, w->seed);
		if (w->isa)
			put_u32(r, MPROBE_A_ISA, w->isa);
		if (w->object_bytes)
			put_u32(r, MPROBE_A_OBJECT_BYTES, w->object_bytes);
		if (w->order_window_bytes)
			put_u64(r, MPROBE_A_ORDER_WINDOW, w->order_window_bytes);
	}
	unnest(r, n);
}

int proto_start(struct proto_buf *b, const struct job_spec *j)
{
	struct request r = begin(b, MPROBE_CMD_JOB_START, 0);
	struct nlattr *n;

	if (j->time_ns)
		put_u64(&r, MPROBE_A_TIME_NS, j->time_ns);
	if (j->window_ns)
		put_u64(&r, MPROBE_A_WINDOW_NS, j->window_ns);
	if (j->max_windows)
		put_u64(&r, MPROBE_A_MAX_WINDOWS, j->max_windows);
	if (j->warmup_bytes)
		put_u64(&r, MPROBE_A_WARMUP_BYTES, j->warmup_bytes);
	if (j->passes)
		put_u64(&r, MPROBE_A_PASSES, j->passes);
	if (j->prefetch > MPROBE_PREFETCH_ASIS)
		put_u32(&r, MPROBE_A_PREFETCH, j->prefetch);
	if (j->irqs_off)
		put_u32(&r, MPROBE_A_JOB_FLAGS, MPROBE_JOB_F_IRQS_OFF);
	n = nest(&r, MPROBE_A_WORKERS);
	for (uint32_t i = 0; i < j->nr_workers && !r.full; i++)
		put_worker(&r, &j->workers[i]);
	unnest(&r, n);
	return end(&r);
}

int proto_cancel(struct proto_buf *b, uint32_t job_id, enum mprobe_reason why, bool forget)
{
	struct request r = begin(b, MPROBE_CMD_JOB_CANCEL, 0);

	put_u32(&r, MPROBE_A_JOB_ID, job_id);
	put_u32(&r, MPROBE_A_REASON, why);
	if (forget)
		put_u32(&r, MPROBE_A_JOB_FLAGS, MPROBE_JOB_F_FORGET);
	return end(&r);
}

int proto_jobs(struct proto_buf *b)
{
	struct request r = begin(b, MPROBE_CMD_JOB_GET, NLM_F_DUMP);

	return end(&r);
}

int proto_job(struct proto_buf *b, uint32_t job_id)
{
	struct request r = begin(b, MPROBE_CMD_JOB_GET, 0);

	put_u32(&r, MPROBE_A_JOB_ID, job_id);
	return end(&r);
}

int proto_samples(struct proto_buf *b, uint32_t job_id, uint64_t from)
{
	struct request r = begin(b, MPROBE_CMD_SAMPLE_GET, NLM_F_DUMP);

	put_u32(&r, MPROBE_A_JOB_ID, job_id);
	put_u64(&r, MPROBE_A_FROM, from);
	return end(&r);
}
