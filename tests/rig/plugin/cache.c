// SPDX-License-Identifier: GPL-2.0
#include "cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct way {
	uint64_t tag; /* line + 1; 0: empty */
	uint32_t used;
	bool dirty;
	int64_t ready; /* L1 only */
};

struct level {
	uint64_t sets;
	unsigned int ways;
	uint32_t now;
	struct way *way;
};

struct rig_cache {
	struct level own[RIG_LEVELS - 1];
};

static struct rig_cache *caches;
static struct level shared;
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;

static void make(struct level *l, const struct rig_level *shape)
{
	l->ways = shape->ways;
	l->sets = shape->size ? shape->size / 64 / shape->ways : 0;
	l->way = calloc(l->sets * l->ways + 1, sizeof(*l->way));
}

void rig_cache_setup(unsigned int vcpus)
{
	caches = calloc(vcpus, sizeof(*caches));
	for (unsigned int i = 0; i < vcpus; i++)
		for (int k = 0; k < RIG_LEVELS - 1; k++)
			make(&caches[i].own[k], &rig_machine.level[k]);
	make(&shared, &rig_machine.level[RIG_LEVELS - 1]);
}

struct rig_cache *rig_cache_of(unsigned int vcpu)
{
	return &caches[vcpu];
}

static struct way *find(struct level *l, uint64_t line)
{
	struct way *w = l->way + line % (l->sets ? l->sets : 1) * l->ways;

	for (unsigned int i = 0; l->sets && i < l->ways; i++, w++)
		if (w->tag == line + 1)
			return w;
	return NULL;
}

/* The stamp wraps after 4 G touches of a level; then one victim is ill chosen. */
static struct way *touch(struct level *l, struct way *w)
{
	if (w)
		w->used = ++l->now;
	return w;
}

/* Takes the place of the line used longest ago. True: that was dirty, and is *out. */
static bool insert(struct level *l, uint64_t line, bool dirty, uint64_t *out)
{
	struct way *w = l->way + line % l->sets * l->ways, *victim = w;
	bool pushed;

	for (unsigned int i = 0; i < l->ways; i++, w++) {
		if (!w->tag) {
			victim = w;
			break;
		}
		if (w->used < victim->used)
			victim = w;
	}
	pushed = victim->tag && victim->dirty;
	*out = victim->tag - 1;
	*victim = (struct way){ .tag = line + 1, .used = ++l->now, .dirty = dirty };
	return pushed;
}

static struct level *level(struct rig_cache *c, int k)
{
	return k < RIG_LEVELS - 1 ? &c->own[k] : &shared;
}

static bool exists(int k)
{
	return k < RIG_LEVELS && rig_machine.level[k].size;
}

/* A dirty line leaves level k - 1. */
static void sink(struct rig_cache *c, int k, uint64_t line, struct rig_cache_push *push)
{
	for (; exists(k); k++) {
		struct level *l = level(c, k);
		struct way *w = find(l, line);

		if (w) {
			w->dirty = true;
			return;
		}
		if (!insert(l, line, true, &line))
			return;
	}
	push->line[push->n++] = line;
}

int64_t rig_cache_first(struct rig_cache *c, uint64_t line, bool dirty)
{
	struct way *w = touch(&c->own[0], find(&c->own[0], line));

	if (!w)
		return -1;
	w->dirty |= dirty;
	return w->ready;
}

int rig_cache_fill(struct rig_cache *c, uint64_t line, bool dirty, struct rig_cache_push *push)
{
	uint64_t out;
	int found = 0;

	push->n = 0;
	pthread_mutex_lock(&shared_lock);
	for (int k = 1; exists(k) && !found; k++)
		if (touch(level(c, k), find(level(c, k), line)))
			found = k + 1;
	/* From the outside in, so that what L1 pushes out finds its copy below in place. */
	for (int k = (found ? found : RIG_LEVELS + 1) - 2; k >= 0; k--)
		if (exists(k) && insert(level(c, k), line, dirty && !k, &out))
			sink(c, k + 1, out, push);
	pthread_mutex_unlock(&shared_lock);
	return found;
}

void rig_cache_arrives(struct rig_cache *c, uint64_t line, int64_t when)
{
	struct way *w = find(&c->own[0], line);

	if (w)
		w->ready = when;
}

bool rig_cache_clean(struct rig_cache *c, uint64_t line, bool drop)
{
	bool dirty = false;

	pthread_mutex_lock(&shared_lock);
	for (int k = 0; exists(k); k++) {
		struct way *w = find(level(c, k), line);

		if (!w)
			continue;
		dirty |= w->dirty;
		w->dirty = false;
		if (drop)
			w->tag = 0;
	}
	pthread_mutex_unlock(&shared_lock);
	return dirty;
}

void rig_cache_drop(struct rig_cache *c, uint64_t line)
{
	rig_cache_clean(c, line, true);
}
