// SPDX-License-Identifier: GPL-2.0
/* What each stream does to memory, on every instruction set that this CPU has. */
#include <mprobe/loop.h>

#include "scatter.h"

#include <check.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#define STEP 0x0101010101010101ull
#define FILL (STEP * SCATTER_FILL)

static const struct {
	u32 granules, shift;
	u64 base, bytes;
} views[] = {
	{ 1, 12, 0, 64 },
	{ 1, 12, 4032, 64 },
	{ 1, 12, 0, 4096 },
	{ 1, 12, 128, 31 * 64 },
	{ 1, 15, 64, 32768 - 64 },
	{ 1, 15, 0, 32768 },
	{ 3, 12, 4032, 4096 + 128 },
	{ 6, 12, 64, 6 * 4096 - 128 },
	{ 3, 14, 0, 3 * 16384 },
};
#define VIEWS ((int)(sizeof(views) / sizeof(views[0])))

typedef void check_fn(const struct mprobe_loop *l, struct scatter *s);

static void on_each(u32 variant, int i, check_fn *check)
{
	const struct mprobe_loop *l;
	struct scatter s;
	u32 n, ran = 0, offered = 0;

	for (n = 0; (l = mprobe_loop_nth(n)); n++) {
		if (l->loop_id != MPROBE_LOOP_STREAM || l->variant_id != variant)
			continue;
		offered |= 1u << l->isa_id;
		if (!mprobe_loop_runs_here(l))
			continue;
		scatter_make(&s, views[i].granules, views[i].shift, views[i].base, views[i].bytes);
		check(l, &s);
		scatter_check_canaries(&s);
		scatter_free(&s);
		ran |= 1u << l->isa_id;
	}
	ck_assert_uint_eq(ran, offered & mprobe_isa_mask());
	if (variant != MPROBE_VARIANT_NT)
		ck_assert(ran);
}

static void lines_are(const struct scatter *s, u64 from, u64 to, u64 word)
{
	u64 at, is;

	for (at = from * MPROBE_LINE; at < to * MPROBE_LINE; at += 8) {
		is = *(u64 *)scatter_byte(s, at);
		if (is != word)
			ck_abort_msg("byte %lu: %lx, not %lx", at, is, word);
	}
}

/* after(pass): what a word holds after so many passes */
static void check_writes(const struct mprobe_loop *l, struct scatter *s,
			 u64 (*after)(u64 first, u64 pass))
{
	static const u64 pieces[] = { 1, 2, 31, 32, 33, 63, 64, 65, 100 };
	u64 whole, at = 0, pass = 0, first, n, i;
	struct mprobe_cursor c;

	ck_assert(l->flags & MPROBE_LOOP_F_WRITES);
	mprobe_cursor_init(&c, l, &s->view, MPROBE_LINE, 42);
	first = c.value;
	whole = mprobe_cursor_units(&c, l);
	ck_assert_uint_eq(whole, s->view.bytes / MPROBE_LINE);
	l->run(&c, 0);
	lines_are(s, 0, whole, FILL);
	/* piece by piece: exactly the lines asked for, and no other */
	for (i = 0; pass < 3; i++) {
		n = pieces[i % (sizeof(pieces) / sizeof(pieces[0]))];
		if (n > whole - at)
			n = whole - at;
		l->run(&c, n);
		at += n;
		lines_are(s, 0, at, after(first, pass + 1));
		lines_are(s, at, whole, after(first, pass));
		if (at == whole) {
			at = 0;
			pass++;
		}
		ck_assert_uint_eq(c.at, at * MPROBE_LINE);
	}
	/* many passes in one run, beginning and ending inside one */
	l->run(&c, whole / 2);
	l->run(&c, 7 * whole);
	lines_are(s, 0, whole / 2, after(first, 11));
	lines_are(s, whole / 2, whole, after(first, 10));
	l->run(&c, whole - whole / 2 + 5 * whole);
	lines_are(s, 0, whole, after(first, 16));
	ck_assert_uint_eq(c.at, 0);
}

static u64 after_wb(u64 first, u64 pass)
{
	(void)first;
	return FILL + pass * STEP;
}

static u64 after_store(u64 first, u64 pass)
{
	return pass ? first + (pass - 1) * STEP : FILL;
}

static void check_wb(const struct mprobe_loop *l, struct scatter *s)
{
	check_writes(l, s, after_wb);
}

static void check_store(const struct mprobe_loop *l, struct scatter *s)
{
	check_writes(l, s, after_store);
}

START_TEST(wb)
{
	on_each(MPROBE_VARIANT_WB, _i, check_wb);
}
END_TEST

START_TEST(store)
{
	on_each(MPROBE_VARIANT_STORE, _i, check_store);
}
END_TEST

START_TEST(nt)
{
	on_each(MPROBE_VARIANT_NT, _i, check_store);
}
END_TEST

static sigjmp_buf back;
static u64 fault_at;

static void fault(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	fault_at = (u64)(uintptr_t)info->si_addr;
	siglongjmp(back, 1);
}

/* The address at which the run touched an unreadable page, or 0. */
static u64 touched(const struct mprobe_loop *l, struct mprobe_cursor *c, u64 lines)
{
	fault_at = 0;
	if (!sigsetjmp(back, 1))
		l->run(c, lines);
	return fault_at;
}

static void check_ro(const struct mprobe_loop *l, struct scatter *s)
{
	u64 whole = s->view.bytes / MPROBE_LINE, line, address, page = 0;
	struct sigaction act = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO }, old;
	struct mprobe_cursor c;

	ck_assert(!(l->flags & MPROBE_LOOP_F_WRITES));
	sigaction(SIGSEGV, &act, &old);
	/* the granules' neighbours are unreadable: a line too many would fault */
	mprobe_cursor_init(&c, l, &s->view, MPROBE_LINE, 42);
	ck_assert_uint_eq(touched(l, &c, whole), 0);
	ck_assert_uint_eq(c.at, 0);
	ck_assert_uint_eq(touched(l, &c, 3 * whole + whole / 2), 0);
	ck_assert_uint_eq(c.at, whole / 2 * MPROBE_LINE);
	/* with one page shut: the lines before it do not touch it, its first line does, at its start */
	for (line = 0; line < whole; line++) {
		address = mprobe_view_addr(&s->view, line * MPROBE_LINE);
		if (line && address >> 12 == page)
			continue;
		page = address >> 12;
		mprotect((void *)(uintptr_t)(page << 12), 4096, PROT_NONE);
		mprobe_cursor_init(&c, l, &s->view, MPROBE_LINE, 42);
		ck_assert_uint_eq(touched(l, &c, line), 0);
		ck_assert_uint_eq(touched(l, &c, 1), address);
		mprobe_cursor_init(&c, l, &s->view, MPROBE_LINE, 42);
		ck_assert_uint_eq(touched(l, &c, whole), address);
		mprotect((void *)(uintptr_t)(page << 12), 4096, PROT_READ | PROT_WRITE);
	}
	lines_are(s, 0, whole, FILL);
	sigaction(SIGSEGV, &old, NULL);
}

START_TEST(ro)
{
	on_each(MPROBE_VARIANT_RO, _i, check_ro);
}
END_TEST

/* Granules that are neighbours are scanned as one. */
START_TEST(neighbours)
{
	u64 granule[8], size = 4096;
	struct scatter s;
	u32 i, n;
	const struct mprobe_loop *l;
	struct mprobe_cursor c;

	scatter_make(&s, 1, 15, 0, 32768);
	for (i = 0; i < 8; i++)
		granule[i] = s.granule[0] + i * size;
	for (n = 0; (l = mprobe_loop_nth(n)); n++) {
		struct mprobe_view v = { granule, 12, 192, 7 * size };

		if (l->loop_id != MPROBE_LOOP_STREAM || l->variant_id != MPROBE_VARIANT_WB ||
		    !mprobe_loop_runs_here(l))
			continue;
		scatter_fill(&s);
		s.view.base = v.base;
		s.view.bytes = v.bytes;
		mprobe_cursor_init(&c, l, &v, MPROBE_LINE, 1);
		ck_assert(c.flat);
		l->run(&c, 5 * v.bytes / MPROBE_LINE);
		lines_are(&s, 0, v.bytes / MPROBE_LINE, FILL + 5 * STEP);
		scatter_check_canaries(&s);
		v.bytes = size;
		granule[1] += size;
		mprobe_cursor_init(&c, l, &v, MPROBE_LINE, 1);
		ck_assert(!c.flat);
		granule[1] -= size;
	}
	scatter_free(&s);
}
END_TEST

START_TEST(table)
{
	enum mprobe_loop_missing why;
	const struct mprobe_loop *l, *widest = NULL;
	u32 i, j;

	ck_assert(mprobe_isa_mask() & 1u << MPROBE_ISA_SCALAR);
	for (i = 0; (l = mprobe_loop_nth(i)); i++) {
		const struct mprobe_loop *found =
			mprobe_loop_find(l->loop_id, l->variant_id, l->isa_id, &why);

		if (mprobe_loop_runs_here(l)) {
			ck_assert_ptr_eq(found, l);
		} else {
			ck_assert_ptr_null(found);
			ck_assert_int_eq(why, MPROBE_NO_ISA);
		}
		ck_assert_uint_eq(l->payload_bytes, MPROBE_LINE);
		ck_assert((l->isa_id == MPROBE_ISA_SCALAR) == !(l->flags & MPROBE_LOOP_F_FPU));
		for (j = 0; j < i; j++)
			ck_assert(mprobe_loop_nth(j)->loop_id != l->loop_id ||
				  mprobe_loop_nth(j)->variant_id != l->variant_id ||
				  mprobe_loop_nth(j)->isa_id != l->isa_id);
		if (l->loop_id == MPROBE_LOOP_STREAM && l->variant_id == MPROBE_VARIANT_STORE &&
		    mprobe_loop_runs_here(l) && (!widest || l->isa_id > widest->isa_id))
			widest = l;
	}
	ck_assert_ptr_eq(mprobe_loop_find(MPROBE_LOOP_STREAM, MPROBE_VARIANT_STORE, 0, &why),
			 widest);
	l = mprobe_loop_find(MPROBE_LOOP_STREAM, MPROBE_VARIANT_RO, 0, &why);
	ck_assert_uint_eq(l->isa_id, widest->isa_id == MPROBE_ISA_AVX512 && port_splits_avx512() ?
					     MPROBE_ISA_AVX2 :
					     widest->isa_id);
	ck_assert_ptr_null(mprobe_loop_find(99, MPROBE_VARIANT_RO, 0, &why));
	ck_assert_int_eq(why, MPROBE_NO_LOOP);
	ck_assert_ptr_null(mprobe_loop_find(MPROBE_LOOP_CHASE, MPROBE_VARIANT_NT, 0, &why));
	ck_assert_int_eq(why, MPROBE_NO_VARIANT);
	ck_assert_ptr_null(
		mprobe_loop_find(MPROBE_LOOP_CHASE, MPROBE_VARIANT_RO, MPROBE_ISA_AVX2, &why));
	ck_assert_int_eq(why, MPROBE_NO_ISA);
}
END_TEST

Suite *stream_suite(void)
{
	Suite *s = suite_create("stream");
	TCase *t = tcase_create("stream");

	tcase_add_loop_test(t, ro, 0, VIEWS);
	tcase_add_loop_test(t, wb, 0, VIEWS);
	tcase_add_loop_test(t, store, 0, VIEWS);
	tcase_add_loop_test(t, nt, 0, VIEWS);
	tcase_add_test(t, neighbours);
	tcase_add_test(t, table);
	suite_add_tcase(s, t);
	return s;
}
