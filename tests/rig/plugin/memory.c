// SPDX-License-Identifier: GPL-2.0
#include "memory.h"

#include <stdlib.h>

#include "account.h"
#include "cache.h"
#include "channel.h"
#include "ram.h"
#include "tlb.h"

enum { COMBINERS = 10, STREAMS = 16 };

struct slot {
	int64_t free;
	uint64_t line;
};

/* A line of which NT stores have so far written the 8-byte words in `words`. */
struct combiner {
	uint64_t line;
	uint8_t words;
};

struct stream {
	uint64_t next;
	unsigned int length;
	uint64_t used;
	int64_t issue[RIG_SLOTS]; /* of the last accesses, by length modulo the depth */
};

struct rig_memory {
	unsigned int vcpu;
	struct rig_tlb *tlb;
	struct rig_cache *cache;
	struct slot line_buffer[RIG_SLOTS], walker[RIG_SLOTS], prefetcher[RIG_SLOTS];
	struct combiner combiner[COMBINERS];
	unsigned int combiner_next;
	struct stream stream[STREAMS];
	uint64_t now;
	int64_t out; /* when all NT stores and flushes so far are in memory */
};

static struct rig_memory *memories;

void rig_memory_setup(unsigned int vcpus)
{
	rig_cache_setup(vcpus);
	rig_channel_setup();
	memories = calloc(vcpus, sizeof(*memories));
	for (unsigned int i = 0; i < vcpus; i++) {
		memories[i].vcpu = i;
		memories[i].tlb = rig_tlb_new();
		memories[i].cache = rig_cache_of(i);
	}
}

struct rig_memory *rig_memory_of(unsigned int vcpu)
{
	return &memories[vcpu];
}

void rig_memory_doubt(struct rig_memory *m)
{
	if (m->tlb)
		rig_tlb_doubt(m->tlb);
}

/*
 * Requests are booked in program order but start when their operands are there. So of
 * the slots that are free by then the one free the latest is taken, and earlier ones
 * are left to requests that start earlier; if none is, the first to become free.
 */
static struct slot *take(struct slot *slot, unsigned int n, int64_t at)
{
	struct slot *best = slot;

	for (unsigned int i = 1; i < n; i++) {
		bool fits = slot[i].free <= at, had = best->free <= at;

		if (fits ? !had || slot[i].free > best->free : !had && slot[i].free < best->free)
			best = &slot[i];
	}
	return best;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* When the address is translated. */
static int64_t translate(struct rig_memory *m, struct rig_count *n, uint64_t vaddr, uint64_t phys,
			 int64_t issue)
{
	enum rig_page page = RIG_4K;
	enum rig_tlb_answer answer;
	struct slot *walker;
	int64_t done;
	bool sound;

	if (!rig_ram_has_root()) {
		n->unwalked++;
		return issue;
	}
	answer = rig_tlb_access(m->tlb, vaddr, phys, &page, &sound);
	n->unsound += !sound;
	if (answer == RIG_TLB_HIT)
		return issue;
	if (answer == RIG_TLB_SECOND) {
		n->tlb_second++;
		return issue + rig_machine.stlb_hit;
	}
	n->walks_4K += page == RIG_4K;
	n->walks_2M += page == RIG_2M;
	n->walks_1G += page == RIG_1G;
	walker = take(m->walker, rig_machine.walkers, issue);
	done = later(issue, walker->free) + rig_machine.walk[page];
	walker->free = done;
	n->walk_ps += done - issue;
	return done;
}

/*
 * From the second line in ascending order on a line is asked for when the line
 * `depth` before it was, and up to `depth` are on their way at once, beside the line
 * buffers. Returns when it is asked for, or -1 if this is no such line.
 */
static int64_t prefetch(struct rig_memory *m, uint64_t line, int64_t issue)
{
	unsigned int depth = rig_machine.prefetch;
	struct stream *s = m->stream, *oldest = s;

	for (unsigned int i = 0; i < STREAMS; i++, s++) {
		if (s->length && s->next == line) {
			int64_t *turn = &s->issue[s->length % depth];
			int64_t begin = s->length < depth ? s->issue[0] : *turn;

			*turn = issue;
			s->length++;
			s->next++;
			s->used = ++m->now;
			return begin;
		}
		if (s->used < oldest->used)
			oldest = s;
	}
	*oldest = (struct stream){ .next = line + 1, .length = 1, .used = ++m->now };
	oldest->issue[0] = issue;
	return -1;
}

/* Dirty lines on their way out: the later of `begin` and when the last is taken. */
static int64_t write_back(struct rig_memory *m, const struct rig_cache_push *push, int64_t begin,
			  int64_t *extra)
{
	int64_t queue = 0;

	for (int i = 0; i < push->n; i++) {
		int range = rig_machine_find(push->line[i] << 6);
		const struct rig_cost *cost = rig_machine_cost(range, m->vcpu);

		rig_account_of(m->vcpu, range)->memory_writes++;
		queue = later(queue, rig_channel_book(range, RIG_WRITE, begin));
		*extra += cost->wb - cost->read;
	}
	return queue;
}

static int64_t level_cost(int level)
{
	int64_t ps = 0;

	for (int k = 0; k < (level ? level - 1 : RIG_LEVELS); k++)
		ps += rig_machine.level[k].miss;
	return level ? ps + rig_machine.level[level - 1].hit : ps;
}

static int64_t merge(struct rig_memory *m, uint64_t line, int64_t issue)
{
	for (unsigned int i = 0; i < rig_machine.mlp; i++)
		if (m->line_buffer[i].line == line && m->line_buffer[i].free > issue)
			return m->line_buffer[i].free;
	return -1;
}

static int64_t miss(struct rig_memory *m, int range, uint64_t line, int64_t issue, bool store)
{
	const struct rig_range *r = &rig_machine.range[range];
	struct rig_count *n = rig_account_of(m->vcpu, range);
	struct rig_cache_push push = { .n = 0 };
	int64_t lat, early = -1, begin, extra = 0, queue, done;
	struct slot *slot;
	int level = 0;

	if (r->cached && rig_machine.level[0].size)
		level = rig_cache_fill(m->cache, line, store, &push);
	else if (store)
		push = (struct rig_cache_push){ .line = { line }, .n = 1 };
	n->l2_hits += level == 2;
	n->l3_hits += level == 3;
	n->memory_reads += !level;

	if (!level && rig_machine.prefetch)
		early = prefetch(m, line, issue);
	begin = early < 0 ? issue : early;
	slot = early < 0 ? take(m->line_buffer, rig_machine.mlp, begin) :
			   take(m->prefetcher, rig_machine.prefetch, begin);
	begin = later(begin, slot->free);
	queue = level ? 0 : rig_channel_book(range, RIG_READ, begin);
	queue = later(queue, write_back(m, &push, begin, &extra));
	lat = level_cost(level) + (level ? 0 : rig_machine_cost(range, m->vcpu)->read) + extra;
	done = begin + queue + lat;
	n->queue_ps += queue;
	*slot = (struct slot){ done, line };
	if (early < 0)
		return done;
	n->prefetched++;
	return later(done, issue + level_cost(rig_machine.level[1].size ? 2 : 1));
}

int64_t rig_memory_access(struct rig_memory *m, int range, uint64_t vaddr, uint64_t phys,
			  int64_t issue, bool store)
{
	const struct rig_range *r = &rig_machine.range[range];
	struct rig_count *n = rig_account_of(m->vcpu, range);
	uint64_t line = phys >> 6;
	int64_t done;

	if (r->tlb && m->tlb)
		issue = translate(m, n, vaddr, phys, issue);
	if (r->cached && rig_machine.level[0].size) {
		int64_t ready = rig_cache_first(m->cache, line, store);

		if (ready >= 0) {
			n->l1_hits++;
			return later(ready, issue + rig_machine.level[0].hit);
		}
		done = miss(m, range, line, issue, store);
		rig_cache_arrives(m->cache, line, done);
		return done;
	}
	done = merge(m, line, issue);
	if (done >= 0) {
		n->merged++;
		return done;
	}
	return miss(m, range, line, issue, store);
}

/* One line on its way out that holds a line buffer. Returns when it got that. */
static int64_t post(struct rig_memory *m, int range, int64_t issue)
{
	struct rig_count *n = rig_account_of(m->vcpu, range);
	struct slot *slot = take(m->line_buffer, rig_machine.mlp, issue);
	int64_t begin = later(issue, slot->free);
	int64_t queue = rig_channel_book(range, RIG_WRITE, begin);

	n->memory_writes++;
	n->queue_ps += queue;
	*slot = (struct slot){ begin + queue + rig_machine_cost(range, m->vcpu)->nt, ~0ULL };
	m->out = later(m->out, slot->free);
	return begin;
}

int64_t rig_memory_nt(struct rig_memory *m, int range, uint64_t vaddr, uint64_t phys,
		      unsigned int size, int64_t issue)
{
	struct rig_count *n = rig_account_of(m->vcpu, range);
	struct combiner *k = m->combiner;
	uint64_t line = phys >> 6;
	uint8_t words = (size >= 64 ? 255 : (1 << (size + 7) / 8) - 1) << (phys >> 3 & 7);

	if (rig_machine.range[range].tlb && m->tlb)
		issue = translate(m, n, vaddr, phys, issue);
	for (unsigned int i = 0; i < COMBINERS; i++, k++) {
		if (k->words && k->line == line) {
			k->words |= words;
			if (k->words == 255)
				k->words = 0;
			return issue;
		}
	}
	m->combiner[m->combiner_next++ % COMBINERS] = (struct combiner){
		line,
		words == 255 ? 0 : words,
	};
	rig_cache_drop(m->cache, line);
	return post(m, range, issue);
}

void rig_memory_flush(struct rig_memory *m, uint64_t phys, int64_t issue, bool drop, bool ordered)
{
	int range = rig_machine_find(phys);

	rig_account_of(m->vcpu, range)->flushes++;
	if (range < 0)
		return;
	if (ordered)
		issue = later(issue, m->out);
	issue = later(issue, rig_cache_first(m->cache, phys >> 6, false));
	if (rig_cache_clean(m->cache, phys >> 6, drop))
		post(m, range, issue);
}

int64_t rig_memory_elsewhere(int64_t issue)
{
	return issue + rig_machine.level[0].hit;
}

int64_t rig_memory_fence(struct rig_memory *m)
{
	for (int i = 0; i < COMBINERS; i++)
		m->combiner[i].words = 0;
	return m->out;
}
