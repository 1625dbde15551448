// SPDX-License-Identifier: GPL-2.0
#include "proto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

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

/* Of a module older than the attribute. */
static uint32_t optional_u32(struct reply *r, enum mprobe_attr type)
{
	return r->at[type] ? get_u32(r, type) : 0;
}

static uint64_t optional_u64(struct reply *r, enum mprobe_attr type)
{
	return r->at[type] ? get_u64(r, type) : 0;
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
	out->prefetch_control = optional_u32(&r, MPROBE_A_PREFETCH_CONTROL);
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
	out->user_maps = optional_u32(&r, MPROBE_A_USER_MAPS);
	out->user_4k = optional_u64(&r, MPROBE_A_USER_4K);
	out->user_2m = optional_u64(&r, MPROBE_A_USER_2M);
	out->user_1g = optional_u64(&r, MPROBE_A_USER_1G);
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

/* A copy of an array, NULL where it is empty; elements, or an error in r. */
static uint32_t get_words(struct reply *r, enum mprobe_attr type, uint32_t **out)
{
	const void *v;
	uint32_t n = get_array(r, type, sizeof(**out), &v);

	*out = NULL;
	if (r->err || !n)
		return 0;
	*out = malloc(n * sizeof(**out));
	if (!*out) {
		r->err = -ENOMEM;
		return 0;
	}
	memcpy(*out, v, n * sizeof(**out));
	return n;
}

static void get_counters(struct reply *r, struct job_state *out)
{
	const void *v;
	uint32_t n = get_array(r, MPROBE_A_COUNTERS, sizeof(*out->counters), &v);

	if (n > SAMPLE_COUNTERS)
		r->err = -EBADMSG;
	if (r->err || !n)
		return;
	memcpy(out->counters, v, n * sizeof(*out->counters));
	out->nr_counters = n;
}

int proto_parse_job(const struct nlmsghdr *nlh, struct job_state *out)
{
	struct reply r = read_attrs(nlh);

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
	out->nr_closed = get_words(&r, MPROBE_A_CLOSED, &out->closed);
	if (get_words(&r, MPROBE_A_BROKEN, &out->broken) != out->nr_closed)
		r.err = r.err ? r.err : -EBADMSG;
	out->nr_prefetch = get_words(&r, MPROBE_A_PREFETCH_STATE, &out->prefetch_state);
	get_counters(&r, out);
	if (r.err)
		job_state_free(out);
	return r.err;
}

static const struct column {
	size_t at, bytes;
	enum mprobe_attr type;
	bool optional; /* not known to older modules */
} columns[] = {
#define COLUMN(attr, field, optional)                                                      \
	{                                                                                  \
		offsetof(struct sample, field), sizeof(((struct sample *)0)->field), attr, \
			optional                                                           \
	}
	COLUMN(MPROBE_A_SAMPLE_ROUND, round, false), COLUMN(MPROBE_A_SAMPLE_WORKER, worker, false),
	COLUMN(MPROBE_A_SAMPLE_FLAGS, flags, false), COLUMN(MPROBE_A_SAMPLE_IRQS, irqs, false),
	COLUMN(MPROBE_A_SAMPLE_NMIS, nmis, false),   COLUMN(MPROBE_A_SAMPLE_READS, reads, false),
	COLUMN(MPROBE_A_SAMPLE_START, start, false), COLUMN(MPROBE_A_SAMPLE_TICKS, ticks, false),
	COLUMN(MPROBE_A_SAMPLE_WORK, work, false),   COLUMN(MPROBE_A_SAMPLE_MCES, mces, true),
	COLUMN(MPROBE_A_SAMPLE_SMIS, smis, true),    COLUMN(MPROBE_A_SAMPLE_GAP, gap, true),
	COLUMN(MPROBE_A_SAMPLE_APERF, aperf, true),  COLUMN(MPROBE_A_SAMPLE_MPERF, mperf, true),
#undef COLUMN
};

#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* Counters that this build does not know are passed over. */
static void take_counts(struct sample *one, const struct job_state *j, const char *counts)
{
	for (uint32_t i = 0; i < j->nr_counters; i++)
		if (j->counters[i] >= 1 && j->counters[i] <= MPROBE_COUNTERS)
			memcpy(&one->counts[j->counters[i] - 1], counts + 8 * (size_t)i, 8);
}

int proto_parse_samples(const struct nlmsghdr *nlh, const struct job_state *j, uint64_t *from,
			struct sample_set *append)
{
	struct reply r = read_attrs(nlh);
	const void *v[NR_COLUMNS], *counts;
	uint32_t rows = 0, n;

	*from = get_u64(&r, MPROBE_A_FROM);
	for (size_t c = 0; c < NR_COLUMNS; c++) {
		n = get_array(&r, columns[c].type, columns[c].bytes, &v[c]);
		if (!r.at[columns[c].type] ? !columns[c].optional : c && n != rows)
			r.err = -EBADMSG;
		rows = c ? rows : n;
	}
	n = get_array(&r, MPROBE_A_SAMPLE_COUNTS, sizeof(uint64_t), &counts);
	if (n && n != (uint64_t)rows * j->nr_counters)
		r.err = -EBADMSG;
	for (uint32_t i = 0; i < rows && !r.err; i++) {
		struct sample one = sample_unknown();

		for (size_t c = 0; c < NR_COLUMNS; c++)
			if (v[c])
				memcpy((char *)&one + columns[c].at,
				       (const char *)v[c] + (size_t)i * columns[c].bytes,
				       columns[c].bytes);
		if (n)
			take_counts(&one, j, (const char *)counts + 8 * (size_t)i * j->nr_counters);
		r.err = sample_append(append, &one);
	}
	return r.err;
}
