// SPDX-License-Identifier: GPL-2.0
#include "compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_4K 4096ull
#define PAGE_2M (2ull << 20)
#define PAGE_1G (1ull << 30)
#define SIZES	3 /* of pages; a side's ways stand in this order, largest first */

static const struct compare_way all[WAYS] = {
	[WAY_KERNEL_1G] = { .kernel = true, .page_bytes = PAGE_1G },
	[WAY_KERNEL_2M] = { .kernel = true, .page_bytes = PAGE_2M },
	[WAY_KERNEL_4K] = { .kernel = true, .page_bytes = PAGE_4K },
	[WAY_USER_1G] = { .page_bytes = PAGE_1G },
	[WAY_USER_2M] = { .page_bytes = PAGE_2M },
	[WAY_USER_4K] = { .page_bytes = PAGE_4K },
	[WAY_LOADED] = { .page_bytes = PAGE_4K, .loaded = true },
};

void compare_init(struct compare *c, bool kernel, uint32_t rounds)
{
	*c = (struct compare){ .rounds = rounds };
	for (int w = 0; w < WAYS; w++) {
		c->ways[w] = all[w];
		c->ways[w].planned = c->ways[w].available = kernel || !all[w].kernel;
	}
}

int compare_add_case(struct compare *c, uint64_t bytes, uint64_t window_bytes)
{
	const size_t n = (size_t)WAYS * c->rounds;
	struct compare_case *v = reallocarray(c->cases, c->nr_cases + 1, sizeof(*v));
	struct compare_case *one;

	if (!v)
		return -ENOMEM;
	c->cases = v;
	one = &v[c->nr_cases];
	*one = (struct compare_case){ .bytes = bytes, .window_bytes = window_bytes };
	one->ns = malloc(n * sizeof(*one->ns));
	one->walks = malloc(n * sizeof(*one->walks));
	if (!one->ns || !one->walks) {
		free(one->ns);
		free(one->walks);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		one->ns[i] = one->walks[i] = NAN;
	c->nr_cases++;
	return 0;
}

void compare_free(struct compare *c)
{
	for (size_t i = 0; i < c->nr_cases; i++) {
		free(c->cases[i].ns);
		free(c->cases[i].walks);
	}
	free(c->cases);
	c->cases = NULL;
	c->nr_cases = 0;
}

void compare_put(struct compare *c, size_t nth, enum compare_way_id way, uint32_t round, double ns,
		 double walks)
{
	const size_t at = (size_t)way * c->rounds + round;

	c->cases[nth].ns[at] = ns;
	c->cases[nth].walks[at] = walks;
}

static struct compare_part *add(struct compare *c, enum compare_part_kind kind, int plus, int minus)
{
	struct compare_part *p = &c->parts[c->nr_parts++];

	*p = (struct compare_part){ .kind = kind, .page_bytes = c->ways[plus].page_bytes };
	p->sign[plus]++;
	if (minus < 0)
		return p;
	p->sign[minus]--;
	p->was_bytes = c->ways[minus].page_bytes;
	return p;
}

/* From one side's way on through its smaller pages; where that ends. */
static int add_pages(struct compare *c, int side, int at)
{
	for (int w = at + 1; w < side + SIZES; w++)
		if (c->ways[w].available) {
			add(c, PART_PAGES, w, at);
			at = w;
		}
	return at;
}

/* The first that is available; -1: none. */
static int largest(const struct compare *c, int side)
{
	for (int w = side; w < side + SIZES; w++)
		if (c->ways[w].available)
			return w;
	return -1;
}

/* The kernel's way with the largest pages that userspace has too, from `from` on; -1: none. */
static int common(const struct compare *c, int from)
{
	for (int w = from; w <= WAY_KERNEL_4K; w++)
		if (c->ways[w].available && c->ways[w + SIZES].available)
			return w;
	return -1;
}

static void add_rest(struct compare *c, int shared)
{
	struct compare_part *p;

	if (shared == WAY_KERNEL_4K) /* then there is none: nothing but 4K is common */
		return;
	p = add(c, PART_REST, WAY_USER_4K, shared + SIZES);
	p->sign[WAY_KERNEL_4K]--;
	p->sign[shared]++;
}

static int add_kernel(struct compare *c, int base)
{
	const bool k4 = c->ways[WAY_KERNEL_4K].available, u4 = c->ways[WAY_USER_4K].available;
	int at = add_pages(c, WAY_KERNEL_1G, base), shared = common(c, k4 ? base : at);

	if (shared < 0 || !u4)
		return at;
	add(c, PART_USER, shared + SIZES, shared);
	if (!k4)
		return add_pages(c, WAY_USER_1G, shared + SIZES);
	add_rest(c, shared);
	return WAY_USER_4K;
}

void compare_split(struct compare *c)
{
	int base = largest(c, WAY_KERNEL_1G), at;

	c->nr_parts = 0;
	c->whole = false;
	if (base >= 0) {
		add(c, PART_BASE, base, -1);
		at = add_kernel(c, base);
	} else {
		base = largest(c, WAY_USER_1G);
		if (base < 0)
			return;
		add(c, PART_BASE, base, -1);
		at = add_pages(c, WAY_USER_1G, base);
	}
	c->whole = at == WAY_USER_4K && c->ways[WAY_LOADED].available;
	if (c->whole)
		add(c, PART_LOAD, WAY_LOADED, WAY_USER_4K);
}

static double signed_sum(const struct compare *c, const double *v, const int *sign, uint32_t round)
{
	double sum = 0;

	for (int w = 0; w < WAYS; w++)
		if (sign[w])
			sum += sign[w] * v[(size_t)w * c->rounds + round];
	return sum;
}

/* Over the rounds that have all of it. */
static void figure(const struct compare *c, const double *v, const int *sign, struct summary *out)
{
	double *values = calloc(c->rounds + 1, sizeof(*values));
	size_t n = 0;

	for (uint32_t r = 0; values && r < c->rounds; r++) {
		double one = signed_sum(c, v, sign, r);

		if (isfinite(one))
			values[n++] = one;
	}
	stats_summarise(values, n, out);
	free(values);
}

void compare_way_figure(const struct compare *c, size_t nth, enum compare_way_id way,
			struct summary *out)
{
	int sign[WAYS] = { 0 };

	sign[way] = 1;
	figure(c, c->cases[nth].ns, sign, out);
}

void compare_part_figure(const struct compare *c, size_t nth, size_t part, struct summary *out)
{
	figure(c, c->cases[nth].ns, c->parts[part].sign, out);
}

double compare_way_walks(const struct compare *c, size_t nth, enum compare_way_id way)
{
	int sign[WAYS] = { 0 };
	struct summary s;

	sign[way] = 1;
	figure(c, c->cases[nth].walks, sign, &s);
	return s.median;
}

double compare_part_walks(const struct compare *c, size_t nth, size_t part)
{
	struct summary s;

	figure(c, c->cases[nth].walks, c->parts[part].sign, &s);
	return s.median;
}

static double half(const struct summary *s)
{
	return fmax(s->ci_hi - s->median, s->median - s->ci_lo);
}

void compare_add_up(const struct compare *c, size_t nth, struct compare_sum *out)
{
	double squares = 0;
	struct summary s;

	*out = (struct compare_sum){ .total = NAN, .parts = NAN, .within = NAN, .adds_up = -1 };
	if (!c->whole)
		return;
	compare_way_figure(c, nth, WAY_LOADED, &s);
	out->total = s.median;
	squares = half(&s) * half(&s);
	out->parts = 0;
	for (size_t p = 0; p < c->nr_parts; p++) {
		compare_part_figure(c, nth, p, &s);
		out->parts += s.median;
		squares += half(&s) * half(&s);
	}
	out->within = sqrt(squares);
	if (isfinite(out->within) && isfinite(out->parts))
		out->adds_up = fabs(out->parts - out->total) <= out->within;
}
