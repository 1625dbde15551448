/* SPDX-License-Identifier: GPL-2.0 */
/* A thread of the caller's scheduling class that wants one CPU all the time, and no memory. */
#ifndef MPROBE_COMPARE_LOAD_H
#define MPROBE_COMPARE_LOAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct compare_load {
	pthread_t thread;
	bool stop;	 /* atomic */
	uint64_t rounds; /* atomic: of its loop, to see that it ran */
};

int compare_load_begin(struct compare_load *l, uint32_t cpu); /* 0 or -errno */
void compare_load_end(struct compare_load *l);

#endif
