// SPDX-License-Identifier: GPL-2.0
/* What a comparison looks like, against tests/golden/compare*. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "golden.h"
#include "render_compare.h"
#include "render_json.h"
#include "render_table.h"
#include "result_fixture.h"

#define ROUNDS 8

static struct compare c;
static struct result r;

static void add_point(const struct compare_case *k, int way, double ns)
{
	struct point_result *p =
		fixture_point(&r, "pmem0", MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO, k->bytes, 1, ns);

	p->engine = c.ways[way].kernel ? "kernel" : "user";
	p->point.window_bytes = k->window_bytes;
	p->point.page_bytes = c.ways[way].page_bytes;
	p->point.loaded = c.ways[way].loaded;
	if (p->point.loaded)
		p->taints = TAINT_DISTURBED; /* is not noted */
}

/* Every part has its own size and grows with the working set; every round a little noise of its own. */
static void fill(bool walks)
{
	static const double base[WAYS] = { 300, 303, 324, 301, 304.4, 325.6, 660 };

	for (size_t n = 0; n < c.nr_cases; n++)
		for (uint32_t round = 0; round < ROUNDS; round++)
			for (int w = 0; w < WAYS; w++) {
				double ns =
					base[w] * (1 + 0.1 * n) + 0.01 * ((round * 5 + w * 3) % 7);

				if (!c.ways[w].available)
					continue;
				compare_put(&c, n, w, round, ns,
					    walks ? (c.ways[w].page_bytes == 4096 ? 1.02 : 0.01) :
						    NAN);
				if (!round)
					add_point(&c.cases[n], w, ns);
			}
}

static void make(bool kernel)
{
	fixture_begin(&r);
	compare_init(&c, kernel, ROUNDS);
	strcpy(c.target, kernel ? "pmem0" : "anon");
	c.variant = "ro";
	c.cpu = 3;
	c.seed = 1;
	c.done = ROUNDS;
	r.compare = &c;
}

static void unmake(void)
{
	compare_free(&c);
	free(r.points);
}

static int table(const void *what, FILE *f)
{
	struct display d;
	int ret = render_compare(what, &d);

	if (!ret)
		ret = render_table(&d, f);
	display_free(&d);
	return ret;
}

static int json(const void *what, FILE *f)
{
	return render_json(what, f);
}

/* All ways, three sizes of two orders, walks counted. */
START_TEST(whole)
{
	make(true);
	for (int order = 0; order < 2; order++)
		for (int i = 0; i < 3; i++)
			ck_assert_int_eq(compare_add_case(&c, 64ull << (20 + 2 * i),
							  order ? 0 : 256 << 10),
					 0);
	compare_split(&c);
	fill(true);
	golden("compare.txt", table, &r);
}
END_TEST

START_TEST(document)
{
	make(true);
	ck_assert_int_eq(compare_add_case(&c, 64 << 20, 0), 0);
	compare_split(&c);
	fill(true);
	golden("compare.json", json, &r);
}
END_TEST

/* Own memory without pages of 1G, on an emulated machine, cancelled: no kernel rows, no walks, captions. */
START_TEST(own)
{
	make(false);
	r.machine.emulated = 1;
	r.complete = false;
	c.done = 3;
	c.ways[WAY_USER_1G].available = false;
	strcpy(c.ways[WAY_USER_1G].why, "anon: 1 page of 1G needed, 0 free (ENOMEM)");
	ck_assert_int_eq(compare_add_case(&c, 64 << 20, 0), 0);
	ck_assert_int_eq(compare_add_case(&c, 1 << 20, 0), 0);
	compare_split(&c);
	fill(false);
	for (uint32_t round = 3; round < ROUNDS; round++)
		for (int w = 0; w < WAYS; w++)
			compare_put(&c, 1, w, round, NAN, NAN);
	golden("compare-anon.txt", table, &r);
}
END_TEST

/* Pages of one size only: what pages cost is unknown, never 0. */
START_TEST(one_size_of_pages)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	make(false);
	c.ways[WAY_USER_1G].available = c.ways[WAY_USER_2M].available = false;
	ck_assert_int_eq(compare_add_case(&c, 64 << 20, 0), 0);
	compare_split(&c);
	fill(false);
	ck_assert_int_eq(table(&r, f), 0);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, "unknown part are page walks"));
	ck_assert_ptr_null(strstr(text, "0.0 ns (0 %)"));
	free(text);
}
END_TEST

Suite *render_compare_suite(void)
{
	Suite *s = suite_create("render_compare");
	TCase *t = tcase_create("render_compare");

	tcase_add_checked_fixture(t, NULL, unmake);
	tcase_add_test(t, whole);
	tcase_add_test(t, document);
	tcase_add_test(t, own);
	tcase_add_test(t, one_size_of_pages);
	suite_add_tcase(s, t);
	return s;
}
