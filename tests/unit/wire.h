/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A wire for nl.c that ends in the test: it keeps what was sent and hands out
 * datagrams put there before. It answers GETFAMILY by itself.
 */
#ifndef MPROBE_TEST_WIRE_H
#define MPROBE_TEST_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/mprobe.h>

#define WIRE_FAMILY 0x21
#define WIRE_PORT   4711

extern struct wire {
	bool absent; /* there is no such family */
	int opened, closed, sent;
	_Alignas(8) char last[65536]; /* the last request */
	size_t last_len;
} wire;

void wire_install(void); /* also forgets all */
void wire_remove(void);

/* A message to be handed out. Its sequence is set to the request's when it is. */
struct nlmsghdr *wire_message(uint16_t type, uint16_t flags,
			      uint8_t cmd);    /* not for control types */
void wire_push(void);			       /* what was begun so far, as one datagram */
void wire_push_bytes(const void *p, size_t n); /* as it is */
void wire_push_error(int err);		       /* recv fails so */
void wire_ack(int err, const char *sentence);  /* a datagram of its own; NULL: no sentence */
void wire_done(int err, const char *sentence);
void wire_event(void); /* what was begun so far, to the event socket */

const struct nlattr *wire_sent_attr(uint16_t type); /* of the last request; NULL */
uint8_t wire_sent_cmd(void);

#endif
