// SPDX-License-Identifier: GPL-2.0
#include "fake_engine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_NS	  100000000ull
#define WINDOW_NS 1000000ull

struct fake fake;

static uint32_t rounds, noise_state;
static bool stopped;
static uint64_t elapsed;
static struct range_info kernel_range; /* with what was entered for userspace */

void fake_reset(void)
{
	fake = (struct fake){ .hop_ns = 100, .rounds_a_poll = 20 };
	kernel_range = (struct range_info){ .id = 7 };
}

static int refuse(struct engine *e, int err, const char *what)
{
	snprintf(e->error, sizeof(e->error), "the fake engine refuses to %s", what);
	return err;
}

static int open_fake(struct engine *e)
{
	fake.opened++;
	return fake.fail_open ? refuse(e, fake.fail_open, "open") : 0;
}

static void close_fake(struct engine *e)
{
	(void)e;
	fake.closed++;
}

static int info(struct engine *e, struct engine_info *out)
{
	(void)e;
	*out = (struct engine_info){ .clock = MPROBE_CLOCK_TSC,
				     .clock_khz = 1000000,
				     .max_workers = 32,
				     .window_max_ns = 500000000,
				     .window_max_irqs_off_ns = 100000000 };
	return 0;
}

static void map_by(struct range_info *r, uint64_t page)
{
	r->mapped_4k = page == 4096 ? r->bytes : 0;
	r->mapped_2m = page == 2u << 20 ? r->bytes : 0;
	r->mapped_1g = page == 1u << 30 ? r->bytes : 0;
}

static void enter(uint64_t page, uint64_t bytes)
{
	*(page == 4096 || fake.wrong_pages ? &kernel_range.user_4k :
	  page == 2u << 20		   ? &kernel_range.user_2m :
					     &kernel_range.user_1g) += bytes;
}

static int remap(struct engine *e, uint32_t id, uint64_t page, struct range_info *out)
{
	fake.remaps++;
	if (id != 7)
		return refuse(e, -EBADF, "remap");
	*out = kernel_range;
	map_by(out, !(page & fake.no_page) ? page : page > 4096 ? 4096 : 2u << 20);
	return 0;
}

static int range(struct engine *e, uint32_t id, struct range_info *out)
{
	*out = kernel_range;
	return id == 7 ? 0 : refuse(e, -EBADF, "find the range");
}

static int claim(struct engine *e, const struct target *t, const struct claim_spec *c,
		 struct range_info *out)
{
	fake.claims++;
	fake.claim = *c;
	snprintf(fake.claimed, sizeof(fake.claimed), "%s", t->name);
	if (fake.fail_claim)
		return refuse(e, fake.fail_claim, "claim");
	*out = (struct range_info){ .id = 7,
				    .kind = MPROBE_RANGE_NODE,
				    .node = 0,
				    .bytes = c->bytes,
				    .mapped_4k = c->bytes };
	if (c->mapped && c->page_bytes & fake.no_page) {
		fake.claims--;
		return refuse(e, -EMEDIUMTYPE, "map such pages");
	}
	if (c->mapped)
		enter(c->page_bytes, c->bytes);
	else if (!c->page_bytes)
		kernel_range = *out;
	return 0;
}

static int release(struct engine *e, uint32_t id)
{
	fake.releases++;
	return id == 7 ? 0 : refuse(e, -EBADF, "release");
}

static int start(struct engine *e, const struct job_spec *j, uint32_t *id)
{
	fake.starts++;
	fake.job = *j;
	memcpy(fake.workers, j->workers,
	       (j->nr_workers > 64 ? 64 : j->nr_workers) * sizeof(*j->workers));
	if (fake.fail_start && fake.starts > (unsigned int)fake.fail_start_after)
		return refuse(e, fake.fail_start, "start");
	rounds = 0;
	elapsed = 0;
	stopped = false;
	*id = fake.starts;
	return 0;
}

static double noisy(void)
{
	noise_state = noise_state * 1103515245u + 12345u;
	return fake.hop_ns * (1 + fake.noise * ((noise_state >> 16) / 32768.0 - 1));
}

static int add_round(struct sample_set *s)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < fake.job.nr_workers; i++) {
		struct sample one = sample_unknown();

		one.round = rounds;
		one.worker = i;
		one.irqs = one.nmis = 0;
		one.start = rounds * WINDOW_NS;
		one.ticks = WINDOW_NS;
		one.work = WINDOW_NS / noisy();
		if (fake.workers[i].loop != MPROBE_LOOP_BUILD)
			ret = sample_append(s, &one);
	}
	rounds++;
	return ret;
}

static int poll_fake(struct engine *e, uint32_t id, int timeout_ms, struct sample_set *s,
		     struct job_state *out)
{
	(void)timeout_ms;
	fake.polls++;
	if (fake.polls == fake.raise_in_poll)
		raise(fake.signal);
	if (fake.fail_poll)
		return refuse(e, fake.fail_poll, "poll");
	for (uint32_t i = 0; i < fake.rounds_a_poll && !stopped; i++)
		if (add_round(s))
			return -ENOMEM;
	elapsed += POLL_NS;
	*out = (struct job_state){ .state = MPROBE_STATE_RUN,
				   .id = id,
				   .clock = MPROBE_CLOCK_TSC,
				   .clock_khz = 1000000,
				   .time_ns = fake.job.time_ns,
				   .elapsed_ns = elapsed,
				   .samples = s->n,
				   .windows = rounds };
	if (stopped)
		out->reason = fake.stop_reason;
	else if (fake.break_off && elapsed >= 2 * POLL_NS)
		out->reason = fake.break_off;
	else if (elapsed >= fake.job.time_ns)
		out->reason = MPROBE_REASON_TIME;
	if (out->reason)
		out->state = MPROBE_STATE_DONE;
	return 0;
}

static int stop(struct engine *e, uint32_t id, enum mprobe_reason why)
{
	(void)e, (void)id;
	fake.stops++;
	fake.stop_reason = why;
	stopped = true;
	return 0;
}

static int forget(struct engine *e, uint32_t id)
{
	(void)e, (void)id;
	fake.forgets++;
	return 0;
}

#define FAKE(name_)                                                                    \
	{                                                                              \
		.name = name_, .open = open_fake, .close = close_fake, .info = info,   \
		.claim = claim, .release = release, .start = start, .poll = poll_fake, \
		.stop = stop, .forget = forget, .remap = remap, .range = range,        \
	}

const struct engine_ops fake_kernel = FAKE("kernel"), fake_user = FAKE("user");
