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

/* A reply's attributes by number; the first wrong or missing one is remembered. */
struct reply {
	const struct nlattr *at[MPROBE_A_MAX + 1];
	int err;
};

/*
 * Attributes that this build does not know are passed over: within one
 * protocol number more may be added. Bytes that make no attribute are refused.
 */
static struct reply read_attrs(const struct nlmsghdr *nlh)
{
	const char *tail = (const char *)nlh + nlh->nlmsg_len;
	struct reply r = { .err = 0 };
	const struct nlattr *a;

	if (nlh->nlmsg_len < MNL_NLMSG_HDRLEN + GENL_HDRLEN) {
		r.err = -EBADMSG;
		return r;
	}
	a = mnl_nlmsg_get_payload_offset(nlh, GENL_HDRLEN);
	for (; mnl_attr_ok(a, (int)(tail - (const char *)a)); a = mnl_attr_next(a))
		if (mnl_attr_get_type(a) <= MPROBE_A_MAX)
			r.at[mnl_attr_get_type(a)] = a;
	if ((const char *)a < tail)
		r.err = -EBADMSG;
	return r;
}

static const void *payload(struct reply *r, enum mprobe_attr type, size_t bytes)
{
	const struct nlattr *a = r->at[type];

	if (a && mnl_attr_get_payload_len(a) == bytes)
		return mnl_attr_get_payload(a);
	r->err = -EBADMSG;
	return NULL;
}

static uint32_t get_u32(struct reply *r, enum mprobe_attr type)
{
	const void *p = payload(r, type, sizeof(uint32_t));
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t get_u64(struct reply *r, enum mprobe_attr type)
{
	const void *p = payload(r, type, sizeof(uint64_t));
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

static void get_string(struct reply *r, enum mprobe_attr type, char *out, size_t bytes)
{
	const struct nlattr *a = r->at[type];
	size_t len = a ? mnl_attr_get_payload_len(a) : 0;

	if (!len || len > bytes || memchr(mnl_attr_get_payload(a), '\0', len) == NULL) {
		r->err = -EBADMSG;
		return;
	}
	memcpy(out, mnl_attr_get_payload(a), len);
}

/* An array that is absent is empty. Elements, or -EBADMSG in r. */
static uint32_t get_array(struct reply *r, enum mprobe_attr type, size_t element, const void **v)
{
	const struct nlattr *a = r->at[type];
	size_t len = a ? mnl_attr_get_payload_len(a) : 0;

	*v = a ? mnl_attr_get_payload(a) : NULL;
	if (len % element)
		r->err = -EBADMSG;
	return len / element;
}

int proto_parse_info(const struct nlmsghdr *nlh, struct engine_info *out)
{
	struct reply r = read_attrs(nlh);

	memset(out, 0, sizeof(*out));
	out->protocol = get_u32(&r, MPROBE_A_PROTOCOL);
	if (r.err)
		return r.err;
	if (out->protocol != MPROBE_PROTOCOL)
		return -EPROTO;
	get_string(&r, MPROBE_A_MODULE_VERSION, out->version, sizeof(out->version));
	out->clock = get_u32(&r, MPROBE_A_CLOCK);
	out->clock_khz = get_u64(&r, MPROBE_A_CLOCK_KHZ);
	out->clock_overhead = get_u64(&r, MPROBE_A_CLOCK_OVERHEAD);
	out->hz = get_u32(&r, MPROBE_A_HZ);
	out->isa_mask = get_u32(&r, MPROBE_A_ISA_MASK);
	out->max_jobs = get_u32(&r, MPROBE_A_MAX_JOBS);
	out->max_ranges = get_u32(&r, MPROBE_A_MAX_RANGES);
	out->max_workers = get_u32(&r, MPROBE_A_MAX_WORKERS);
	out->max_bytes = get_u64(&r, MPROBE_A_MAX_BYTES);
	out->max_samples = get_u64(&r, MPROBE_A_MAX_SAMPLES);
	out->window_max_ns = get_u64(&r, MPROBE_A_WINDOW_MAX_NS);
	out->window_max_irqs_off_ns = get_u64(&r, MPROBE_A_WINDOW_MAX_IRQS_OFF_NS);
	out->window_default_ns = get_u64(&r, MPROBE_A_WINDOW_DEFAULT_NS);
	out->window_default_irqs_off_ns = get_u64(&r, MPROBE_A_WINDOW_DEFAULT_IRQS_OFF_NS);
	out->locked_down = r.at[MPROBE_A_LOCKED_DOWN] != NULL;
	return r.err;
}

static int read_segments(struct reply *r, struct range_info *out)
{
	const void *base, *bytes;

	out->nr_segments = get_array(r, MPROBE_A_SEGMENT_BASE, sizeof(uint64_t), &base);
	if (get_array(r, MPROBE_A_SEGMENT_BYTES, sizeof(uint64_t), &bytes) != out->nr_segments ||
	    out->nr_segments > out->segments_total)
		r->err = -EBADMSG;
	if (!r->err && out->nr_segments) {
		out->segments = calloc(out->nr_segments, sizeof(*out->segments));
		if (!out->segments)
			r->err = -ENOMEM;
	}
	if (r->err || !out->nr_segments) {
		out->nr_segments = 0;
		return r->err;
	}
	for (uint32_t i = 0; i < out->nr_segments; i++) {
		memcpy(&out->segments[i].base, (const char *)base + 8 * i, 8);
		memcpy(&out->segments[i].bytes, (const char *)bytes + 8 * i, 8);
	}
	return 0;
}

int proto_parse_range(const struct nlmsghdr *nlh, struct range_info *out)
{
	struct reply r = read_attrs(nlh);

	memset(out, 0, sizeof(*out));
	out->id = get_u32(&r, MPROBE_A_RANGE_ID);
	out->owner = get_u32(&r, MPROBE_A_OWNER);
	out->kind = get_u32(&r, MPROBE_A_RANGE_KIND);
	out->class = get_u32(&r, MPROBE_A_RANGE_CLASS);
	out->node = (int32_t)get_u32(&r, MPROBE_A_NODE);
	out->bytes = get_u64(&r, MPROBE_A_BYTES);
	out->flags = get_u32(&r, MPROBE_A_RANGE_FLAGS);
	out->users = get_u32(&r, MPROBE_A_RANGE_USERS);
	out->mapped_4k = get_u64(&r, MPROBE_A_MAPPED_4K);
	out->mapped_2m = get_u64(&r, MPROBE_A_MAPPED_2M);
	out->mapped_1g = get_u64(&r, MPROBE_A_MAPPED_1G);
	out->segments_total = get_u32(&r, MPROBE_A_SEGMENTS_TOTAL);
	return r.err ? r.err : read_segments(&r, out);
}

int proto_parse_started(const struct nlmsghdr *nlh, uint32_t *job_id)
{
	struct reply r = read_attrs(nlh);

	*job_id = get_u32(&r, MPROBE_A_JOB_ID);
	return r.err;
}

/* One value until the measuring has ended, none before it began; what is not there stays 0. */
static void get_pair(struct reply *r, enum mprobe_attr type, uint64_t out[2])
{
	const void *v;
	uint32_t n = get_array(r, type, sizeof(*out), &v);

	if (!v || n > 2)
		r->err = -EBADMSG;
	else
		memcpy(out, v, n * sizeof(*out));
}

int proto_parse_job(const struct nlmsghdr *nlh, struct job_state *out)
{
	struct reply r = read_attrs(nlh);
	const void *closed, *broken;

	memset(out, 0, sizeof(*out));
	out->id = get_u32(&r, MPROBE_A_JOB_ID);
	out->owner = get_u32(&r, MPROBE_A_OWNER);
	out->state = get_u32(&r, MPROBE_A_STATE);
	out->reason = get_u32(&r, MPROBE_A_REASON);
	out->elapsed_ns = get_u64(&r, MPROBE_A_ELAPSED_NS);
	out->time_ns = get_u64(&r, MPROBE_A_TIME_NS);
	out->prepare_done = get_u64(&r, MPROBE_A_PREPARE_DONE);
	out->prepare_total = get_u64(&r, MPROBE_A_PREPARE_TOTAL);
	out->prepare_ns = get_u64(&r, MPROBE_A_PREPARE_NS);
	out->windows = get_u64(&r, MPROBE_A_WINDOWS);
	out->samples = get_u64(&r, MPROBE_A_SAMPLES);
	out->samples_lost = get_u64(&r, MPROBE_A_SAMPLES_LOST);
	out->clock = get_u32(&r, MPROBE_A_CLOCK);
	out->clock_khz = get_u64(&r, MPROBE_A_CLOCK_KHZ);
	out->clock_overhead = get_u64(&r, MPROBE_A_CLOCK_OVERHEAD);
	get_pair(&r, MPROBE_A_CLOCK_TICKS, out->clock_ticks);
	get_pair(&r, MPROBE_A_CLOCK_RAW_NS, out->clock_raw_ns);
	out->remapped = r.at[MPROBE_A_REMAPPED] != NULL;
	out->nr_closed = get_array(&r, MPROBE_A_CLOSED, sizeof(uint32_t), &closed);
	if (get_array(&r, MPROBE_A_BROKEN, sizeof(uint32_t), &broken) != out->nr_closed)
		r.err = -EBADMSG;
	if (!r.err && out->nr_closed) {
		out->closed = calloc(out->nr_closed, sizeof(*out->closed));
		out->broken = calloc(out->nr_closed, sizeof(*out->broken));
		if (!out->closed || !out->broken)
			r.err = -ENOMEM;
	}
	if (r.err || !out->nr_closed) {
		job_state_free(out);
		return r.err;
	}
	memcpy(out->closed, closed, out->nr_closed * sizeof(*out->closed));
	memcpy(out->broken, broken, out->nr_closed * sizeof(*out->broken));
	return 0;
}

static const struct column {
	enum mprobe_attr type;
	size_t at, bytes;
} columns[] = {
#define COLUMN(attr, field)                                                               \
	{                                                                                 \
		attr, offsetof(struct sample, field), sizeof(((struct sample *)0)->field) \
	}
	COLUMN(MPROBE_A_SAMPLE_ROUND, round), COLUMN(MPROBE_A_SAMPLE_WORKER, worker),
	COLUMN(MPROBE_A_SAMPLE_FLAGS, flags), COLUMN(MPROBE_A_SAMPLE_IRQS, irqs),
	COLUMN(MPROBE_A_SAMPLE_NMIS, nmis),   COLUMN(MPROBE_A_SAMPLE_READS, reads),
	COLUMN(MPROBE_A_SAMPLE_START, start), COLUMN(MPROBE_A_SAMPLE_TICKS, ticks),
	COLUMN(MPROBE_A_SAMPLE_WORK, work),
#undef COLUMN
};

#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

int proto_parse_samples(const struct nlmsghdr *nlh, uint64_t *from, struct sample_set *append)
{
	struct reply r = read_attrs(nlh);
	const void *v[NR_COLUMNS];
	uint32_t rows = 0;

	*from = get_u64(&r, MPROBE_A_FROM);
	for (size_t c = 0; c < NR_COLUMNS; c++) {
		uint32_t n = get_array(&r, columns[c].type, columns[c].bytes, &v[c]);

		if (!r.at[columns[c].type] || (c && n != rows))
			r.err = -EBADMSG;
		rows = n;
	}
	for (uint32_t i = 0; i < rows && !r.err; i++) {
		struct sample one;

		for (size_t c = 0; c < NR_COLUMNS; c++)
			memcpy((char *)&one + columns[c].at,
			       (const char *)v[c] + (size_t)i * columns[c].bytes, columns[c].bytes);
		r.err = sample_append(append, &one);
	}
	return r.err;
}
