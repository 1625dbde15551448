// SPDX-License-Identifier: GPL-2.0
#include "parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64u /* sizes are multiples of it */

__attribute__((format(printf, 3, 4))) static int refuse(char *error, int err, const char *format,
							...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(error, PARSE_ERROR, format, ap);
	va_end(ap);
	return err;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* The number at *s, which is moved behind it. No sign, no blanks, no octal. */
static int number(const char **s, uint64_t *out)
{
	const char *p = *s;
	int base = 10;
	uint64_t v = 0;

	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	}
	if (digit(*p) >= base)
		return -EINVAL;
	for (; digit(*p) < base; p++) {
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)digit(*p), &v))
			return -ERANGE;
	}
	*s = p;
	*out = v;
	return 0;
}

/* A number with a point, such as 1.5; no sign, no exponent, whatever the locale. */
static int decimal(const char **s, double *out)
{
	const char *p = *s;
	double v = 0, unit = 1;
	bool any = false;

	for (; isdigit((unsigned char)*p); p++, any = true)
		v = v * 10 + (*p - '0');
	if (*p == '.')
		for (p++; isdigit((unsigned char)*p); p++, any = true) {
			unit *= 10;
			v = v * 10 + (*p - '0');
		}
	if (!any)
		return -EINVAL;
	*s = p;
	*out = v / unit;
	return 0;
}

int parse_u64(const char *s, uint64_t *out, char *error)
{
	const char *p = s;
	uint64_t v;
	int ret = number(&p, &v);

	if (ret == -ERANGE)
		return refuse(error, ret, "'%.40s' is too large: 64 bits hold 0 to %llu", s,
			      (unsigned long long)UINT64_MAX);
	if (ret || *p)
		return refuse(error, -EINVAL, "'%.40s' is not a number: write it like 42 or 0x2a",
			      s);
	*out = v;
	return 0;
}

/* The size at *s, which is moved behind it. */
static int size_at(const char **s, uint64_t *out)
{
	static const char unit[] = "KMGT";
	const char *p = *s, *u;
	uint64_t v;
	int ret = number(&p, &v);

	if (ret)
		return ret;
	u = *p ? strchr(unit, toupper((unsigned char)*p)) : NULL;
	if (u) {
		unsigned int shift = 10 * (unsigned int)(u - unit + 1);

		if (v > UINT64_MAX >> shift)
			return -ERANGE;
		v <<= shift;
		p++;
	}
	*s = p;
	*out = v;
	return 0;
}

static int refuse_size(char *error, int ret, const char *s)
{
	if (ret == -ERANGE)
		return refuse(error, ret, "'%.60s' is too large: a size is below 2^64 bytes", s);
	return refuse(error, -EINVAL,
		      "'%.60s' is not a size: write bytes like 4096, or 16K, 1M, 2G, 1T", s);
}

int parse_size(const char *s, uint64_t *out, char *error)
{
	const char *p = s;
	uint64_t v;
	int ret = size_at(&p, &v);

	if (ret || *p)
		return refuse_size(error, ret, s);
	*out = v;
	return 0;
}

struct list {
	uint64_t *v;
	size_t n, max;
};

static int push(struct list *l, uint64_t v)
{
	uint64_t *more;

	if (l->n == l->max)
		return -ERANGE;
	more = reallocarray(l->v, l->n + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	l->v = more;
	l->v[l->n++] = v;
	return 0;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void order(struct list *l)
{
	size_t i, kept = 0;

	qsort(l->v, l->n, sizeof(*l->v), ascending);
	for (i = 0; i < l->n; i++)
		if (!kept || l->v[i] != l->v[kept - 1])
			l->v[kept++] = l->v[i];
	l->n = kept;
}

/* from, then each octave in `points` even steps, then to */
static int push_octaves(struct list *l, uint64_t from, uint64_t to, uint64_t points)
{
	uint64_t octave = from, i, v;
	int ret;

	for (;;) {
		for (i = 0; i < points; i++) {
			v = octave + octave / points * i + octave % points * i / points;
			if (v < octave || v >= to) /* beyond 2^64, or at the end */
				return push(l, to);
			ret = push(l, v / LINE * LINE);
			if (ret)
				return ret;
		}
		if (octave > UINT64_MAX / 2)
			return push(l, to);
		octave *= 2;
	}
}

static int check_size(uint64_t v, const char *s, char *error)
{
	if (v && v % LINE == 0)
		return 0;
	return refuse(error, -ERANGE, "'%.60s': a working set is a multiple of %u bytes and not 0",
		      s, LINE);
}

static int push_sizes(struct list *l, const char **p, const char *s, char *error)
{
	uint64_t from, to, points = 2;
	int ret = size_at(p, &from);

	if (ret)
		return refuse_size(error, ret, s);
	ret = check_size(from, s, error);
	if (ret)
		return ret;
	if (strncmp(*p, "..", 2)) {
		ret = push(l, from);
		goto out;
	}
	*p += 2;
	ret = size_at(p, &to);
	if (ret)
		return refuse_size(error, ret, s);
	ret = check_size(to, s, error);
	if (ret)
		return ret;
	if (to < from)
		return refuse(error, -ERANGE,
			      "'%.60s' goes down: write the smaller size first, like 16K..1G", s);
	if (**p == ':') {
		++*p;
		ret = number(p, &points);
		if (ret || points < 1 || points > 64)
			return refuse(
				error, ret == -EINVAL ? ret : -ERANGE,
				"'%.60s': after the colon stand the points an octave, 1 to 64", s);
	}
	ret = push_octaves(l, from, to, points);
out:
	if (ret == -ERANGE)
		return refuse(error, ret, "'%.60s' has more than %d sizes", s, PARSE_MAX_SIZES);
	return ret ? refuse(error, ret, "no memory for the list '%.60s'", s) : 0;
}

int parse_sizes(const char *s, uint64_t **out, size_t *n, char *error)
{
	struct list l = { .max = PARSE_MAX_SIZES };
	const char *p = s;
	int ret;

	for (;; p++) {
		ret = push_sizes(&l, &p, s, error);
		if (ret)
			break;
		if (!*p) {
			order(&l);
			*out = l.v;
			*n = l.n;
			return 0;
		}
		if (*p != ',') {
			ret = refuse_size(error, -EINVAL, s);
			break;
		}
	}
	free(l.v);
	return ret;
}

static int refuse_cpus(char *error, const char *s)
{
	return refuse(error, -EINVAL,
		      "'%.60s' is not a list of CPUs: write it like 0-3,8 or 10-14:2", s);
}

static int add_cpu(struct list *l, uint64_t cpu, const char *s, char *error)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->v[i] == cpu)
			return refuse(error, -ENOTUNIQ,
				      "'%.60s' names CPU %llu twice: a CPU takes one worker", s,
				      (unsigned long long)cpu);
	switch (push(l, cpu)) {
	case 0:
		return 0;
	case -ERANGE:
		return refuse(error, -ERANGE, "'%.60s' names more than %zu CPUs", s, l->max);
	default:
		return refuse(error, -ENOMEM, "no memory for the list '%.60s'", s);
	}
}

static int add_cpus(struct list *l, const char **p, const char *s, char *error)
{
	uint64_t from, to, step = 1;
	int ret = number(p, &from);

	if (!ret) {
		to = from;
		if (**p == '-') {
			++*p;
			ret = number(p, &to);
			if (!ret && **p == ':') {
				++*p;
				ret = number(p, &step);
			}
		}
	}
	if (ret == -EINVAL)
		return refuse_cpus(error, s);
	if (ret || from > INT32_MAX || to > INT32_MAX)
		return refuse(error, -ERANGE, "'%.60s' names a CPU that no machine has", s);
	if (to < from)
		return refuse(error, -ERANGE,
			      "'%.60s' goes down: write the lower CPU first, like 0-3", s);
	if (!step)
		return refuse(error, -ERANGE, "'%.60s': a step of 0 CPUs never ends", s);
	for (; from <= to; from += step > to ? to + 1 : step) {
		ret = add_cpu(l, from, s, error);
		if (ret)
			return ret;
	}
	return 0;
}

int parse_cpus(const char *s, uint32_t *out, size_t max, size_t *n, char *error)
{
	struct list l = { .max = max };
	const char *p = s;
	size_t i;
	int ret;

	for (;; p++) {
		ret = add_cpus(&l, &p, s, error);
		if (ret || !*p)
			break;
		if (*p != ',') {
			ret = refuse_cpus(error, s);
			break;
		}
	}
	if (!ret) {
		for (i = 0; i < l.n; i++)
			out[i] = (uint32_t)l.v[i];
		*n = l.n;
	}
	free(l.v);
	return ret;
}

int parse_duration(const char *s, uint64_t *ns, char *error)
{
	static const struct {
		const char *name;
		double ns;
	} unit[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "m", 60e9 } };
	const char *p = s;
	double v;
	size_t i;

	if (!decimal(&p, &v)) {
		for (i = 0; i < sizeof(unit) / sizeof(*unit); i++) {
			if (strcmp(p, unit[i].name))
				continue;
			v *= unit[i].ns;
			if (v < 1 || v > 9e18)
				return refuse(error, -ERANGE,
					      "'%.60s' is too %s: a time is 1ns to 9e18 ns", s,
					      v < 1 ? "short" : "long");
			*ns = (uint64_t)(v + 0.5);
			return 0;
		}
	}
	return refuse(error, -EINVAL,
		      "'%.60s' is not a time: write it with its unit, like 200us, 10ms, 3s or 2m",
		      s);
}

int parse_share(const char *s, double *out, char *error)
{
	const char *p = s;
	double v;

	if (decimal(&p, &v) || (*p && strcmp(p, "%")))
		return refuse(error, -EINVAL,
			      "'%.60s' is not a share: write it like 0.5%% or 0.005", s);
	if (*p)
		v /= 100;
	if (v >= 1)
		return refuse(error, -ERANGE, "'%.60s' is too large: a share is below 100%%", s);
	*out = v;
	return 0;
}

static int push_counts(struct list *l, const char **p)
{
	uint64_t from, to;
	int ret = number(p, &from);

	if (ret)
		return ret;
	to = from;
	if (!strncmp(*p, "..", 2)) {
		*p += 2;
		ret = number(p, &to);
		if (ret)
			return ret;
	}
	if (from < 1 || to < from || to > PARSE_MAX_COUNT)
		return -ERANGE;
	for (; from <= to && !ret; from++)
		ret = push(l, from);
	return ret;
}

int parse_counts(const char *s, uint32_t **out, size_t *n, char *error)
{
	struct list l = { .max = PARSE_MAX_SIZES };
	const char *p = s;
	uint32_t *v = NULL;
	size_t i;
	int ret;

	for (;; p++) {
		ret = push_counts(&l, &p);
		if (!ret && *p && *p != ',')
			ret = -EINVAL;
		if (ret || !*p)
			break;
	}
	if (!ret) {
		order(&l);
		v = calloc(l.n, sizeof(*v));
		ret = v ? 0 : -ENOMEM;
	}
	if (!ret) {
		for (i = 0; i < l.n; i++)
			v[i] = (uint32_t)l.v[i];
		*out = v;
		*n = l.n;
	}
	free(l.v);
	switch (ret) {
	case 0:
		return 0;
	case -EINVAL:
		return refuse(error, ret,
			      "'%.60s' is not a number of workers: write 4, 1..8 or 1,2,4", s);
	case -ERANGE:
		return refuse(error, ret,
			      "'%.60s': workers are counted from 1 to %d, and a range goes up", s,
			      PARSE_MAX_COUNT);
	default:
		return refuse(error, ret, "no memory for the list '%.60s'", s);
	}
}
