// SPDX-License-Identifier: GPL-2.0
#include "compare_load.h"

#include <errno.h>
#include <sched.h>

#define SPINS 4096

static void *spin(void *arg)
{
	struct compare_load *l = arg;

	while (!__atomic_load_n(&l->stop, __ATOMIC_RELAXED)) {
		for (volatile int i = 0; i < SPINS; i++)
			;
		__atomic_fetch_add(&l->rounds, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int compare_load_begin(struct compare_load *l, uint32_t cpu)
{
	const size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	pthread_attr_t attr;
	int ret;

	*l = (struct compare_load){ .stop = false };
	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(cpu, bytes, set);
	pthread_attr_init(&attr);
	ret = pthread_attr_setaffinity_np(&attr, bytes, set);
	if (!ret)
		ret = pthread_create(&l->thread, &attr, spin, l);
	pthread_attr_destroy(&attr);
	CPU_FREE(set);
	return -ret;
}

void compare_load_end(struct compare_load *l)
{
	__atomic_store_n(&l->stop, true, __ATOMIC_RELAXED);
	pthread_join(l->thread, NULL);
}
