// SPDX-License-Identifier: GPL-2.0
#include "channel.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "machine.h"

enum { RING = 16384, TOTAL = 2, KINDS };

struct bucket {
	int64_t number;
	uint32_t used[KINDS];
};

struct channel {
	double lines[KINDS]; /* a bucket; 0: unlimited */
	struct bucket *ring;
};

static struct channel channels[RIG_RANGES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void rig_channel_setup(void)
{
	for (int i = 0; i < rig_machine.n_ranges; i++) {
		const struct rig_range *r = &rig_machine.range[i];
		double scale = rig_machine.bucket / 1e12 / 64;
		struct channel *c = &channels[i];

		c->lines[RIG_READ] = r->read_rate * scale;
		c->lines[RIG_WRITE] = r->write_rate * scale;
		c->lines[TOTAL] = r->total_rate * scale;
		c->ring = calloc(RING, sizeof(*c->ring));
	}
}

/* Whole lines, such that n buckets together hold what n times the rate says. */
static uint32_t room(double lines, int64_t number)
{
	return (uint32_t)((int64_t)((number + 1) * lines) - (int64_t)(number * lines));
}

static bool fits(const struct channel *c, const struct bucket *b, int kind)
{
	return !c->lines[kind] || b->used[kind] < room(c->lines[kind], b->number);
}

int64_t rig_channel_book(int range, enum rig_way way, int64_t at)
{
	struct channel *c = &channels[range];
	int64_t number = at / rig_machine.bucket, delay = 0;

	if (!c->lines[way] && !c->lines[TOTAL])
		return 0;
	pthread_mutex_lock(&lock);
	for (;; number++) {
		struct bucket *b = &c->ring[number & (RING - 1)];

		if (b->number > number) /* long past, its count is gone */
			break;
		if (b->number < number)
			*b = (struct bucket){ .number = number };
		if (!fits(c, b, way) || !fits(c, b, TOTAL))
			continue;
		b->used[way]++;
		b->used[TOTAL]++;
		break;
	}
	pthread_mutex_unlock(&lock);
	if (number * rig_machine.bucket > at)
		delay = number * rig_machine.bucket - at;
	return delay;
}
