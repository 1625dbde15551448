// SPDX-License-Identifier: GPL-2.0
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nl.h"

struct wire wire;

struct datagram {
	char *p; /* exactly as long as the datagram, so that valgrind sees reading behind it */
	size_t n;
	int err;
};

static struct queue {
	struct datagram v[64];
	unsigned int first, n;
} replies, events;

static _Alignas(8) char building[65536];
static size_t built;
static struct nlmsghdr *current;
static int request_socket, event_socket;
static const struct nl_wire *real;

static void push(struct queue *q, const void *p, size_t n, int err)
{
	struct datagram *d = &q->v[q->n++];

	if (q->n > 64)
		abort();
	d->p = malloc(n ? n : 1);
	memcpy(d->p, p, n);
	d->n = n;
	d->err = err;
}

static void drop(struct queue *q)
{
	while (q->first < q->n)
		free(q->v[q->first++].p);
	q->first = q->n = 0;
}

static int open_wire(uint32_t group, void **sock, uint32_t *port)
{
	*sock = group ? &event_socket : &request_socket;
	*port = WIRE_PORT;
	wire.opened++;
	return 0;
}

static void answer_family(void)
{
	struct nlattr *groups, *one;
	struct nlmsghdr *nlh;

	if (wire.absent) {
		wire_ack(-ENOENT, NULL);
		return;
	}
	nlh = wire_message(GENL_ID_CTRL, 0, CTRL_CMD_NEWFAMILY);
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, WIRE_FAMILY);
	groups = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);
	one = mnl_attr_nest_start(nlh, 1);
	mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, 7);
	mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, MPROBE_GENL_GROUP);
	mnl_attr_nest_end(nlh, one);
	mnl_attr_nest_end(nlh, groups);
	wire_push();
	wire_ack(0, NULL);
}

static ssize_t send_wire(void *sock, const void *buf, size_t len)
{
	const struct nlmsghdr *nlh = buf;

	if (sock != &request_socket || len > sizeof(wire.last) || len != nlh->nlmsg_len)
		abort();
	memcpy(wire.last, buf, len);
	wire.last_len = len;
	wire.sent++;
	if (nlh->nlmsg_type == GENL_ID_CTRL) {
		/* Answers that a test put there are for what it asks itself. */
		struct queue later = replies;

		replies = (struct queue){};
		answer_family();
		for (; later.first < later.n; later.first++)
			replies.v[replies.n++] = later.v[later.first];
	}
	return len;
}

static ssize_t recv_wire(void *sock, void *buf, size_t len)
{
	struct queue *q = sock == &event_socket ? &events : &replies;
	const struct nlmsghdr *req = (const void *)wire.last;
	struct datagram *d;
	ssize_t ret;

	if (q->first == q->n)
		return -ETIMEDOUT; /* a real socket would block for ever */
	d = &q->v[q->first++];
	ret = d->err ? d->err : (ssize_t)d->n;
	if (!d->err) {
		struct nlmsghdr *nlh = (void *)d->p;
		int left = d->n;

		if (d->n > len)
			abort();
		for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left))
			if (!nlh->nlmsg_seq && q == &replies)
				nlh->nlmsg_seq = req->nlmsg_seq;
		memcpy(buf, d->p, d->n);
	}
	free(d->p);
	return ret;
}

static int wait_wire(void *sock, int timeout_ms)
{
	(void)timeout_ms;
	return sock == &event_socket && events.first < events.n;
}

static void close_wire(void *sock)
{
	(void)sock;
	wire.closed++;
}

static const struct nl_wire ours = {
	.open = open_wire,
	.send = send_wire,
	.recv = recv_wire,
	.wait = wait_wire,
	.close = close_wire,
};

void wire_install(void)
{
	if (nl_wire != &ours)
		real = nl_wire;
	nl_wire = &ours;
	memset(&wire, 0, sizeof(wire));
	drop(&replies);
	drop(&events);
	built = 0;
	current = NULL;
}

void wire_remove(void)
{
	wire_install();
	nl_wire = real;
}

static void settle(void)
{
	if (current)
		built += MNL_ALIGN(current->nlmsg_len);
	current = NULL;
}

struct nlmsghdr *wire_message(uint16_t type, uint16_t flags, uint8_t cmd)
{
	settle();
	current = mnl_nlmsg_put_header(building + built);
	current->nlmsg_type = type;
	current->nlmsg_flags = flags;
	current->nlmsg_pid = WIRE_PORT;
	if (type >= NLMSG_MIN_TYPE) {
		struct genlmsghdr *g = mnl_nlmsg_put_extra_header(current, sizeof(*g));

		g->cmd = cmd;
		g->version = MPROBE_GENL_VERSION;
	}
	return current;
}

void wire_push(void)
{
	settle();
	push(&replies, building, built, 0);
	built = 0;
}

void wire_event(void)
{
	settle();
	push(&events, building, built, 0);
	built = 0;
}

void wire_push_bytes(const void *p, size_t n)
{
	push(&replies, p, n, 0);
}

void wire_push_error(int err)
{
	push(&replies, "", 0, err);
}

void wire_ack(int err, const char *sentence)
{
	struct nlmsghdr *nlh = wire_message(NLMSG_ERROR, NLM_F_CAPPED, 0);
	struct nlmsgerr *e = mnl_nlmsg_put_extra_header(nlh, sizeof(*e));

	e->error = err;
	e->msg.nlmsg_len = 100; /* of a request that is not quoted */
	if (sentence) {
		nlh->nlmsg_flags |= NLM_F_ACK_TLVS;
		mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, sentence);
	}
	wire_push();
}

void wire_done(int err, const char *sentence)
{
	struct nlmsghdr *nlh = wire_message(NLMSG_DONE, NLM_F_MULTI, 0);
	int *error = mnl_nlmsg_put_extra_header(nlh, sizeof(*error));

	*error = err;
	if (sentence) {
		nlh->nlmsg_flags |= NLM_F_ACK_TLVS;
		mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, sentence);
	}
	wire_push();
}

const struct nlattr *wire_sent_attr(uint16_t type)
{
	const struct nlmsghdr *nlh = (const void *)wire.last;
	const struct nlattr *a;

	mnl_attr_for_each(a, nlh, GENL_HDRLEN)
		if (mnl_attr_get_type(a) == type)
			return a;
	return NULL;
}

uint8_t wire_sent_cmd(void)
{
	const struct nlmsghdr *nlh = (const void *)wire.last;

	return ((const struct genlmsghdr *)mnl_nlmsg_get_payload(nlh))->cmd;
}
