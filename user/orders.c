// SPDX-License-Identifier: GPL-2.0
#include "orders.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "figure.h"
#include "parse.h"

#define WINDOW "window:"

int orders_parse_window(const char *s, uint64_t *out, char *error)
{
	uint64_t bytes;
	int ret = parse_size(s, &bytes, error);

	if (ret)
		return ret;
	if (bytes < 128 || bytes & (bytes - 1)) {
		snprintf(
			error, PARSE_ERROR,
			"'%s' is no window of an order: give a power of two from 128 on, such as 256K",
			s);
		return -EINVAL;
	}
	*out = bytes;
	return 0;
}

static int parse_one(const char *word, uint64_t *out, char *error)
{
	*out = 0;
	if (!strcmp(word, "random"))
		return 0;
	if (!strncmp(word, WINDOW, strlen(WINDOW)))
		return orders_parse_window(word + strlen(WINDOW), out, error);
	snprintf(error, PARSE_ERROR, "'%s' is no order: there are random and window:SIZE", word);
	return -EINVAL;
}

int orders_parse(const char *s, uint64_t out[ORDERS_MAX], size_t *n, char *error)
{
	uint64_t v[ORDERS_MAX];
	size_t count = 0, len;
	char word[64];

	for (;; s += len + 1) {
		len = strcspn(s, ",");
		if (count == ORDERS_MAX) {
			snprintf(error, PARSE_ERROR, "more than %d orders at once", ORDERS_MAX);
			return -EINVAL;
		}
		snprintf(word, sizeof(word), "%.*s", (int)len, s);
		if (parse_one(word, &v[count], error))
			return -EINVAL;
		for (size_t i = 0; i < count; i++)
			if (v[i] == v[count]) {
				snprintf(error, PARSE_ERROR, "the order '%s' is given twice", word);
				return -EINVAL;
			}
		count++;
		if (!s[len])
			break;
	}
	memcpy(out, v, count * sizeof(*v));
	*n = count;
	return 0;
}

const char *orders_name(char *buf, uint64_t window_bytes)
{
	char size[FIGURE];

	if (window_bytes)
		snprintf(buf, ORDERS_NAME, WINDOW "%s", figure_size(size, window_bytes));
	else
		snprintf(buf, ORDERS_NAME, "random");
	return buf;
}
