/* SPDX-License-Identifier: GPL-2.0 */
/* An engine that measures nothing: it counts what it is asked and makes up samples. */
#ifndef MPROBE_FAKE_ENGINE_H
#define MPROBE_FAKE_ENGINE_H

#include "engine.h"

struct fake {
	/* set by the test */
	int fail_open, fail_claim, fail_start, fail_poll; /* -errno */
	int fail_start_after;				  /* this many jobs go well before */
	double hop_ns, noise;				  /* of the made-up samples; noise: share */
	uint32_t rounds_a_poll;
	unsigned int raise_in_poll; /* the nth raises `signal` */
	int signal;
	uint64_t no_page; /* pages of these sizes (a sum) can't be had: remap gives others, mmap refuses */
	bool wrong_pages; /* what is mapped by /dev/mprobe comes in 4K pages whatever was asked */
	enum mprobe_reason break_off; /* the job ends by itself so, after two polls */
	/* read by the test */
	unsigned int remaps;
	unsigned int opened, closed, claims, releases, starts, polls, stops, forgets;
	struct claim_spec claim;
	char claimed[64]; /* the last target's name */
	struct job_spec job;
	struct worker_spec workers[64];
	enum mprobe_reason stop_reason;
};

extern struct fake fake;
extern const struct engine_ops fake_kernel, fake_user;
void fake_reset(void);

#endif
