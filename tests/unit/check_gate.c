// SPDX-License-Identifier: GPL-2.0
#include <mprobe/loop.h>

#include <check.h>
#include <pthread.h>
#include <sched.h>

#define WORKERS 4
#define ROUNDS	500

START_TEST(last_one_opens)
{
	struct mprobe_gate g;
	u64 ticket[3], before, start, round;
	int i;

	mprobe_gate_init(&g, 3, mprobe_clock_best(), 1000);
	for (round = 1; round < 6; round++) {
		before = mprobe_clock_read(g.clock);
		for (i = 0; i < 3; i++) {
			ticket[i] = mprobe_gate_arrive(&g);
			ck_assert_uint_eq(ticket[i], round);
			if (i < 2)
				ck_assert_uint_eq(mprobe_gate_poll(&g, ticket[i]), 0);
		}
		start = mprobe_gate_poll(&g, round);
		ck_assert_uint_ge(start, before + 1000);
		ck_assert_uint_le(start, mprobe_clock_read(g.clock) + 1000);
		for (i = 0; i < 3; i++)
			ck_assert_uint_eq(mprobe_gate_poll(&g, ticket[i]), start);
		ck_assert_uint_eq(mprobe_gate_poll(&g, round + 1), 0);
	}
}
END_TEST

START_TEST(alone)
{
	struct mprobe_gate g;
	u64 round, start, last = 0;

	mprobe_gate_init(&g, 1, mprobe_clock_best(), 0);
	for (round = 1; round < 100; round++) {
		ck_assert_uint_eq(mprobe_gate_arrive(&g), round);
		start = mprobe_gate_poll(&g, round);
		ck_assert_uint_gt(start, last);
		last = start;
	}
}
END_TEST

static struct mprobe_gate gate;
static u64 arrived_at[WORKERS][ROUNDS], start_at[WORKERS][ROUNDS], ticket_of[WORKERS][ROUNDS];

static void *worker(void *arg)
{
	int me = (int)(intptr_t)arg, r;

	for (r = 0; r < ROUNDS; r++) {
		arrived_at[me][r] = mprobe_clock_read(gate.clock);
		ticket_of[me][r] = mprobe_gate_arrive(&gate);
		while (!(start_at[me][r] = mprobe_gate_poll(&gate, ticket_of[me][r])))
			sched_yield();
	}
	return NULL;
}

START_TEST(all_start_together)
{
	pthread_t t[WORKERS];
	int i, r;

	mprobe_gate_init(&gate, WORKERS, mprobe_clock_best(), 500);
	for (i = 0; i < WORKERS; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, worker, (void *)(intptr_t)i), 0);
	for (i = 0; i < WORKERS; i++)
		pthread_join(t[i], NULL);
	for (r = 0; r < ROUNDS; r++) {
		for (i = 0; i < WORKERS; i++) {
			ck_assert_uint_eq(ticket_of[i][r], (u64)r + 1);
			ck_assert_uint_eq(start_at[i][r], start_at[0][r]);
			ck_assert_uint_ge(start_at[i][r], arrived_at[i][r] + 500);
		}
	}
}
END_TEST

Suite *gate_suite(void)
{
	Suite *s = suite_create("gate");
	TCase *t = tcase_create("gate");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, last_one_opens);
	tcase_add_test(t, alone);
	tcase_add_test(t, all_start_together);
	suite_add_tcase(s, t);
	return s;
}
