/* SPDX-License-Identifier: GPL-2.0 */
/* The words of orders: "random" over all, "window:256K" within windows one after another. */
#ifndef MPROBE_ORDERS_H
#define MPROBE_ORDERS_H

#include <stddef.h>
#include <stdint.h>

#define ORDERS_MAX  8
#define ORDERS_NAME 40

/* A list into windows' bytes, 0 random. 0, or -EINVAL and a sentence (PARSE_ERROR bytes). */
int orders_parse(const char *s, uint64_t out[ORDERS_MAX], size_t *n, char *error);
/* A window's size: a power of two, 128 bytes or more. */
int orders_parse_window(const char *s, uint64_t *out, char *error);
const char *orders_name(char *buf, uint64_t window_bytes); /* ORDERS_NAME bytes */

#endif
