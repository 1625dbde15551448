// SPDX-License-Identifier: GPL-2.0
#include "nl.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

#define DUMP_TRIES 16

static int sock_open(uint32_t group, void **sock, uint32_t *port)
{
	struct mnl_socket *s = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	int on = 1, err;

	if (!s)
		return -errno;
	/* Kernels that lack one of the two only give a poorer sentence. */
	mnl_socket_setsockopt(s, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(s, NETLINK_CAP_ACK, &on, sizeof(on));
	if (mnl_socket_bind(s, 0, MNL_SOCKET_AUTOPID) < 0)
		goto close;
	if (group && mnl_socket_setsockopt(s, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0)
		goto close;
	*sock = s;
	*port = mnl_socket_get_portid(s);
	return 0;

close:
	err = -errno;
	mnl_socket_close(s);
	return err;
}

static ssize_t sock_send(void *sock, const void *buf, size_t len)
{
	ssize_t n = mnl_socket_sendto(sock, buf, len);

	return n < 0 ? -errno : n;
}

static ssize_t sock_recv(void *sock, void *buf, size_t len)
{
	ssize_t n = mnl_socket_recvfrom(sock, buf, len);

	return n < 0 ? -errno : n;
}

static int sock_wait(void *sock, int timeout_ms)
{
	struct pollfd p = { .fd = mnl_socket_get_fd(sock), .events = POLLIN };
	int n = poll(&p, 1, timeout_ms);

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	return n > 0;
}

static void sock_close(void *sock)
{
	mnl_socket_close(sock);
}

static const struct nl_wire sockets = {
	.open = sock_open,
	.send = sock_send,
	.recv = sock_recv,
	.wait = sock_wait,
	.close = sock_close,
};

const struct nl_wire *nl_wire = &sockets;

struct answer {
	struct nl *nl;
	const struct nl_sink *sink;
	int err;	   /* first failure */
	bool inconsistent; /* the dump's table changed under it */
};

/* The sentence of an extended acknowledgement whose attributes begin at byte `at` of the message. */
static void keep_sentence(struct nl *nl, const struct nlmsghdr *nlh, size_t at)
{
	const char *end = (const char *)nlh + nlh->nlmsg_len;
	const struct nlattr *a = (const struct nlattr *)((const char *)nlh + at);

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	for (; mnl_attr_ok(a, (int)(end - (const char *)a)); a = mnl_attr_next(a)) {
		if (mnl_attr_get_type(a) != NLMSGERR_ATTR_MSG)
			continue;
		snprintf(nl->error, sizeof(nl->error), "%.*s",
			 (int)strnlen(mnl_attr_get_payload(a), mnl_attr_get_payload_len(a)),
			 (const char *)mnl_attr_get_payload(a));
		return;
	}
}

static int on_message(const struct nlmsghdr *nlh, void *data)
{
	struct answer *a = data;

	if (!a->err && a->sink)
		a->err = a->sink->message(nlh, a->sink->arg);
	return MNL_CB_OK;
}

static int on_error(const struct nlmsghdr *nlh, void *data)
{
	const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);
	struct answer *a = data;
	size_t at = MNL_NLMSG_HDRLEN + sizeof(*e);

	if (nlh->nlmsg_len < at) {
		a->err = -EBADMSG;
		return MNL_CB_STOP;
	}
	/* Without NLM_F_CAPPED the request's payload is quoted in front of the attributes. */
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED) && e->msg.nlmsg_len >= MNL_NLMSG_HDRLEN)
		at += MNL_ALIGN(e->msg.nlmsg_len) - MNL_NLMSG_HDRLEN;
	if (at <= nlh->nlmsg_len)
		keep_sentence(a->nl, nlh, at);
	if (e->error)
		a->err = e->error < 0 ? e->error : -e->error;
	return MNL_CB_STOP;
}

/* A dump that fails half-way says so in here; libmnl's own callback does not look. */
static int on_done(const struct nlmsghdr *nlh, void *data)
{
	struct answer *a = data;
	int error;

	if (nlh->nlmsg_len < MNL_NLMSG_HDRLEN + sizeof(error))
		return MNL_CB_STOP;
	memcpy(&error, mnl_nlmsg_get_payload(nlh), sizeof(error));
	keep_sentence(a->nl, nlh, MNL_NLMSG_HDRLEN + MNL_ALIGN(sizeof(error)));
	if (error < 0)
		a->err = error;
	return MNL_CB_STOP;
}

static mnl_cb_t control[NLMSG_MIN_TYPE] = {
	[NLMSG_ERROR] = on_error,
	[NLMSG_DONE] = on_done,
};

/*
 * libmnl stops in the middle of a buffer at a message marked inconsistent; the
 * rest of the dump would then be read as the answer to the next request. So
 * the mark is taken down here and acted on at the end. False: not whole messages.
 */
static bool take_marks(struct answer *a, void *buf, int len)
{
	struct nlmsghdr *nlh = buf;

	if (!len)
		return false;
	for (; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len)) {
		a->inconsistent |= nlh->nlmsg_flags & NLM_F_DUMP_INTR;
		nlh->nlmsg_flags &= ~NLM_F_DUMP_INTR;
	}
	return len <= 0;
}

static int read_answer(struct answer *a, void *buf)
{
	struct nl *nl = a->nl;
	ssize_t n;
	int ret;

	do {
		n = nl_wire->recv(nl->request, buf, NL_RECV_BYTES);
		if (n == -EINTR) {
			ret = MNL_CB_OK;
			continue;
		}
		if (n < 0)
			return n;
		if (!take_marks(a, buf, n))
			return -EBADMSG;
		ret = mnl_cb_run2(buf, n, nl->seq, nl->port, on_message, a, control,
				  MNL_ARRAY_SIZE(control));
		if (ret < 0)
			return errno == EPROTO || errno == ESRCH ? -EBADMSG : -errno;
	} while (ret > MNL_CB_STOP);
	return a->err;
}

int nl_request(struct nl *nl, struct nlmsghdr *req, const struct nl_sink *sink)
{
	bool dump = (req->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	void *buf = malloc(NL_RECV_BYTES);
	int tries, err = -ENOMEM;
	struct answer a;
	ssize_t n;

	nl->error[0] = '\0';
	for (tries = 0; buf && tries < DUMP_TRIES; tries++) {
		a = (struct answer){ .nl = nl, .sink = sink };
		if (tries && sink && sink->restart)
			sink->restart(sink->arg);
		req->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
		req->nlmsg_seq = ++nl->seq;
		do {
			n = nl_wire->send(nl->request, req, req->nlmsg_len);
		} while (n == -EINTR);
		err = n < 0 ? n : read_answer(&a, buf);
		if (!dump || (err && err != -EINTR) || (!err && !a.inconsistent))
			break;
		err = -EINTR;
	}
	if (dump && err == -EINTR && !nl->error[0])
		snprintf(nl->error, sizeof(nl->error),
			 "the list changed %d times while it was read: try again", DUMP_TRIES);
	free(buf);
	return err;
}

int nl_events(struct nl *nl, int timeout_ms, const struct nl_sink *sink)
{
	struct answer a = { .nl = nl, .sink = sink };
	void *buf = malloc(NL_RECV_BYTES);
	int got = 0, ready;
	ssize_t n;

	if (!buf)
		return -ENOMEM;
	for (;;) {
		ready = nl_wire->wait(nl->events, got ? 0 : timeout_ms);
		if (ready <= 0)
			break;
		n = nl_wire->recv(nl->events, buf, NL_RECV_BYTES);
		if (n == -EINTR)
			continue;
		/* Overrun: events were lost, so there is something new to ask about. */
		if (n < 0 && n != -ENOBUFS) {
			ready = n;
			break;
		}
		got++;
		if (n > 0 && mnl_cb_run(buf, n, 0, 0, on_message, &a) < 0) {
			ready = -EBADMSG;
			break;
		}
	}
	free(buf);
	if (ready < 0)
		return ready;
	return a.err ? a.err : got;
}

struct family {
	const char *group_name;
	uint16_t id;
	uint32_t group;
};

static int on_group(const struct nlattr *one, void *data)
{
	const char *name = NULL;
	struct family *f = data;
	const struct nlattr *a;
	uint32_t id = 0;

	mnl_attr_for_each_nested(a, one) {
		if (mnl_attr_get_type(a) == CTRL_ATTR_MCAST_GRP_NAME &&
		    mnl_attr_validate(a, MNL_TYPE_NUL_STRING) >= 0)
			name = mnl_attr_get_str(a);
		if (mnl_attr_get_type(a) == CTRL_ATTR_MCAST_GRP_ID &&
		    mnl_attr_validate(a, MNL_TYPE_U32) >= 0)
			id = mnl_attr_get_u32(a);
	}
	if (name && !strcmp(name, f->group_name))
		f->group = id;
	return MNL_CB_OK;
}

static int on_attr(const struct nlattr *a, void *data)
{
	struct family *f = data;

	if (mnl_attr_get_type(a) == CTRL_ATTR_FAMILY_ID && mnl_attr_validate(a, MNL_TYPE_U16) >= 0)
		f->id = mnl_attr_get_u16(a);
	if (mnl_attr_get_type(a) == CTRL_ATTR_MCAST_GROUPS)
		return mnl_attr_parse_nested(a, on_group, f);
	return MNL_CB_OK;
}

static int on_family(const struct nlmsghdr *nlh, void *arg)
{
	if (nlh->nlmsg_len < MNL_NLMSG_HDRLEN + GENL_HDRLEN)
		return -EBADMSG;
	return mnl_attr_parse(nlh, GENL_HDRLEN, on_attr, arg) < 0 ? -EBADMSG : 0;
}

static int resolve(struct nl *nl, const char *name, struct family *f)
{
	char buf[256] = { 0 };
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	const struct nl_sink sink = { .message = on_family, .arg = f };
	struct genlmsghdr *g;
	int err;

	nlh->nlmsg_type = GENL_ID_CTRL;
	g = mnl_nlmsg_put_extra_header(nlh, sizeof(*g));
	g->cmd = CTRL_CMD_GETFAMILY;
	g->version = 1;
	if (!mnl_attr_put_strz_check(nlh, sizeof(buf), CTRL_ATTR_FAMILY_NAME, name))
		return -ENAMETOOLONG;
	err = nl_request(nl, nlh, &sink);
	if (err)
		return err;
	return f->id && f->group ? 0 : -EBADMSG;
}

int nl_open(struct nl *nl, const char *family, const char *group)
{
	struct family f = { .group_name = group };
	uint32_t unused;
	int err;

	memset(nl, 0, sizeof(*nl));
	err = nl_wire->open(0, &nl->request, &nl->port);
	if (err)
		return err;
	err = resolve(nl, family, &f);
	if (!err)
		err = nl_wire->open(f.group, &nl->events, &unused);
	if (err) {
		nl_close(nl);
		return err;
	}
	nl->family = f.id;
	return 0;
}

void nl_close(struct nl *nl)
{
	if (nl->events)
		nl_wire->close(nl->events);
	if (nl->request)
		nl_wire->close(nl->request);
	nl->events = nl->request = NULL;
}
