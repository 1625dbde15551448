/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generic netlink sockets by libmnl. Knows the framing (acknowledgements and
 * their sentences, dumps, the controller's answer), none of the family's
 * attributes.
 *
 * Lifetime: what the module makes for a client belongs to the port id of the
 * request socket. nl_close() therefore ends that client's jobs and releases
 * its ranges, as does the death of the process.
 */
#ifndef MPROBE_NL_H
#define MPROBE_NL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NL_RECV_BYTES 32768u
#define NL_SEND_BYTES 65536u /* a nest is at most 65535 bytes long */

struct nlmsghdr;

/* The seam: tests put their own wire in place of the sockets. Calls return -errno. */
struct nl_wire {
	int (*open)(uint32_t group, void **sock, uint32_t *port); /* group 0: none */
	ssize_t (*send)(void *sock, const void *buf, size_t len);
	ssize_t (*recv)(void *sock, void *buf, size_t len);
	int (*wait)(void *sock, int timeout_ms); /* 1 readable, 0 time is up or a signal came */
	void (*close)(void *sock);
};

extern const struct nl_wire *nl_wire;

/* Where replies go. A message that fails ends nothing: what is left is read and its error returned. */
struct nl_sink {
	int (*message)(const struct nlmsghdr *nlh, void *arg); /* 0 or -errno */
	void (*restart)(void *arg); /* a dump begins anew: forget what came; may be NULL */
	void *arg;
};

struct nl {
	void *request, *events; /* sockets */
	uint32_t port, seq;
	uint16_t family;
	char error[256]; /* the other side's sentence for the last refusal; "" none */
};

/* -ENOENT: there is no such family. group: whose events are wanted. */
int nl_open(struct nl *nl, const char *family, const char *group);
void nl_close(struct nl *nl);
/* Sends req (sequence, NLM_F_REQUEST and NLM_F_ACK are set here) and reads to the end of the answer. */
int nl_request(struct nl *nl, struct nlmsghdr *req, const struct nl_sink *sink);
/* Events: waits for one, then takes all that are there. How many (lost ones count as one) or -errno. */
int nl_events(struct nl *nl, int timeout_ms, const struct nl_sink *sink);

#endif
