/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The protocol of <linux/mprobe.h>: requests into a buffer, replies out of a
 * message. No socket. Builders return 0, or -EMSGSIZE where the request does
 * not fit; parsers return 0, or -EBADMSG for a reply that is not what the
 * header says and -ENOMEM, and then own nothing.
 */
#ifndef MPROBE_PROTO_H
#define MPROBE_PROTO_H

#include "engine.h"

struct nlmsghdr;

struct proto_buf {
	void *data; /* not owned; the message starts here */
	size_t bytes;
	uint16_t family;
};

struct proto_claim {
	enum mprobe_range_kind kind;
	uint32_t node;	      /* RANGE_NODE */
	uint64_t base, bytes; /* base: RANGE_PHYS */
	uint64_t page_bytes;  /* 0: the largest */
	uint32_t flags;
};

int proto_get_info(struct proto_buf *b);
int proto_claim(struct proto_buf *b, const struct proto_claim *c);
int proto_release(struct proto_buf *b, uint32_t range_id);
int proto_remap(struct proto_buf *b, uint32_t range_id, uint64_t page_bytes); /* 0: the largest */
int proto_ranges(struct proto_buf *b);
int proto_start(struct proto_buf *b, const struct job_spec *j);
int proto_cancel(struct proto_buf *b, uint32_t job_id, enum mprobe_reason why, bool forget);
int proto_jobs(struct proto_buf *b);
int proto_job(struct proto_buf *b, uint32_t job_id);
int proto_samples(struct proto_buf *b, uint32_t job_id, uint64_t from);

/* -EPROTO: another protocol; out->protocol is then set, and nothing else need be. */
int proto_parse_info(const struct nlmsghdr *nlh, struct engine_info *out);
int proto_parse_range(const struct nlmsghdr *nlh, struct range_info *out); /* range_info_free() */
int proto_parse_started(const struct nlmsghdr *nlh, uint32_t *job_id);
int proto_parse_job(const struct nlmsghdr *nlh,
		    struct job_state *out); /* job_state_free(); events too */
/* j: of the job they come from, for the counters that it has */
int proto_parse_samples(const struct nlmsghdr *nlh, const struct job_state *j, uint64_t *from,
			struct sample_set *append);

#endif
