// SPDX-License-Identifier: GPL-2.0
#include "machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rig_machine rig_machine;
const char *const rig_machine_page[RIG_PAGES] = { "4K", "2M", "1G" };

static const char *where;
static unsigned int line_no;

struct pair {
	const char *key;
	char *value;
	bool used;
};

struct line {
	struct pair pair[24];
	int n;
	bool bad;
};

__attribute__((format(printf, 2, 3))) static void complain(struct line *l, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "rig: %s:%u: ", where, line_no);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	l->bad = true;
}

static char *value(struct line *l, const char *key)
{
	for (int i = 0; i < l->n; i++) {
		if (!strcmp(l->pair[i].key, key)) {
			l->pair[i].used = true;
			return l->pair[i].value;
		}
	}
	return NULL;
}

static double number(struct line *l, const char *key, double def)
{
	char *s = value(l, key), *end;
	double d;

	if (!s)
		return def;
	d = strtod(s, &end);
	if (end == s || *end || d < 0)
		complain(l, "%s=%s is not a number of at least 0", key, s);
	return d;
}

static int64_t ps(struct line *l, const char *key, int64_t def)
{
	return (int64_t)(number(l, key, def / 1e3) * 1e3 + 0.5);
}

static uint64_t size(struct line *l, const char *key, uint64_t def)
{
	char *s = value(l, key), *end;
	uint64_t n;

	if (!s)
		return def;
	n = strtoull(s, &end, 0);
	switch (*end) {
	case 'K':
		n <<= 10;
		end++;
		break;
	case 'M':
		n <<= 20;
		end++;
		break;
	case 'G':
		n <<= 30;
		end++;
		break;
	}
	if (end == s || *end)
		complain(l, "%s=%s is not a size", key, s);
	return n;
}

static unsigned int count(struct line *l, const char *key, unsigned int def, unsigned int max)
{
	uint64_t n = size(l, key, def);

	if (n > max)
		complain(l, "%s is above %u", key, max);
	return n;
}

static void text(struct line *l, const char *key, char *to, size_t room)
{
	char *s = value(l, key);

	if (s && (size_t)snprintf(to, room, "%s", s) >= room)
		complain(l, "%s is too long", key);
}

static int range_named(const char *name)
{
	for (int i = 0; name && i < rig_machine.n_ranges; i++)
		if (!strcmp(rig_machine.range[i].name, name))
			return i;
	return -1;
}

static void parse_name(struct line *l)
{
	text(l, "is", rig_machine.name, sizeof(rig_machine.name));
}

static void parse_core(struct line *l)
{
	struct rig_machine *m = &rig_machine;

	m->insn = ps(l, "insn_ns", m->insn);
	m->forward = ps(l, "forward_ns", m->forward);
	m->bucket = ps(l, "bucket_ns", m->bucket);
	m->mlp = count(l, "mlp", m->mlp, RIG_SLOTS);
	m->loads = count(l, "loads", m->loads, 1024);
	m->stores = count(l, "stores", m->stores, 1024);
	m->walkers = count(l, "walkers", m->walkers, RIG_SLOTS);
	m->prefetch = count(l, "prefetch", m->prefetch, RIG_SLOTS);
	if (!m->mlp || !m->loads || !m->stores || !m->walkers || m->bucket < 1000)
		complain(l, "mlp, loads, stores and walkers are at least 1, bucket_ns too");
}

static void parse_cache(struct line *l)
{
	unsigned int level = count(l, "level", 0, RIG_LEVELS);
	struct rig_level *c = &rig_machine.level[level ? level - 1 : 0];

	c->size = size(l, "size", 0);
	c->ways = count(l, "ways", 8, 64);
	c->hit = ps(l, "ns", 0);
	c->miss = ps(l, "miss_ns", 0);
	if (!level || !c->ways || !c->size || c->size % (64 * c->ways))
		complain(
			l,
			"a cache has a level of 1 to 3 and a size that is a multiple of 64 x ways");
}

static void parse_tlb(struct line *l)
{
	const char *page = value(l, "page");
	struct rig_tlb_shape *t = NULL;

	for (int i = 0; page && i < RIG_PAGES; i++)
		if (!strcmp(page, rig_machine_page[i]))
			t = &rig_machine.tlb[i];
	if (page && !strcmp(page, "shared"))
		t = &rig_machine.stlb;
	if (!t) {
		complain(l, "page is 4K, 2M, 1G or shared");
		return;
	}
	t->entries = count(l, "entries", 0, 65536);
	t->ways = count(l, "ways", 4, 64);
	if (t == &rig_machine.stlb)
		rig_machine.stlb_hit = ps(l, "ns", 0);
	if (!t->entries || !t->ways || t->entries % t->ways)
		complain(l, "entries is a multiple of ways");
	rig_machine.has_tlb = true;
}

static void parse_walk(struct line *l)
{
	for (int i = 0; i < RIG_PAGES; i++)
		rig_machine.walk[i] = ps(l, rig_machine_page[i], 0);
	rig_machine.has_tlb = true;
}

static void parse_cost(struct line *l, struct rig_cost *c)
{
	c->read = ps(l, "read_ns", c->read);
	c->wb = ps(l, "wb_ns", c->wb ? c->wb : c->read);
	c->nt = ps(l, "nt_ns", c->nt ? c->nt : c->wb);
	if (!c->read || c->wb < c->read)
		complain(l, "read_ns is above 0 and wb_ns not below it");
}

static void parse_range(struct line *l)
{
	struct rig_machine *m = &rig_machine;
	struct rig_range *r = &m->range[m->n_ranges];

	if (m->n_ranges == RIG_RANGES) {
		complain(l, "more than %d ranges", RIG_RANGES);
		return;
	}
	text(l, "name", r->name, sizeof(r->name));
	text(l, "target", r->target, sizeof(r->target));
	r->base = size(l, "base", 0);
	r->size = size(l, "size", 0);
	r->cached = count(l, "cached", 1, 1);
	r->tlb = count(l, "tlb", 1, 1);
	r->read_rate = number(l, "read_GBps", 0) * 1e9;
	r->write_rate = number(l, "write_GBps", 0) * 1e9;
	r->total_rate = number(l, "total_GBps", 0) * 1e9;
	parse_cost(l, &r->cost);
	if (!r->name[0] || range_named(r->name) >= 0 || !r->size || (r->base | r->size) & 0xfff)
		complain(l, "a range has a name of its own and a page-aligned base and size");
	for (int i = 0; i < m->n_ranges; i++)
		if (r->base < m->range[i].base + m->range[i].size &&
		    m->range[i].base < r->base + r->size)
			complain(l, "%s overlaps %s", r->name, m->range[i].name);
	m->n_ranges++;
}

static void parse_from(struct line *l)
{
	struct rig_machine *m = &rig_machine;
	struct rig_from *f = &m->from[m->n_froms];
	char *cpus = value(l, "cpus");
	int used = 0;

	f->range = range_named(value(l, "range"));
	if (m->n_froms == RIG_FROMS || f->range < 0 || !cpus) {
		complain(l, "from names an earlier range and cpus=first-last");
		return;
	}
	if (sscanf(cpus, "%u-%u%n", &f->cpu_lo, &f->cpu_hi, &used) != 2 || cpus[used])
		complain(l, "cpus=%s is not first-last", cpus);
	f->cost = (struct rig_cost){ 0 };
	parse_cost(l, &f->cost);
	m->n_froms++;
}

/* For the scripts that boot the guest; checked here only for its keys. */
static void parse_guest(struct line *l)
{
	static const char *const known[] = { "memory", "cpus", "append", "qemu", "modules" };

	for (unsigned int i = 0; i < sizeof(known) / sizeof(*known); i++)
		value(l, known[i]);
}

static const struct {
	const char *word;
	void (*parse)(struct line *l);
} statements[] = {
	{ "machine", parse_name }, { "core", parse_core },   { "cache", parse_cache },
	{ "tlb", parse_tlb },	   { "walk", parse_walk },   { "range", parse_range },
	{ "from", parse_from },	   { "guest", parse_guest },
};

static bool parse_line(char *s)
{
	struct line l = { .n = 0 };
	char *save, *word = strtok_r(s, " \t\n", &save), *p;

	if (!word || *word == '#')
		return true;
	while ((p = strtok_r(NULL, " \t\n", &save)) && *p != '#') {
		char *eq = strchr(p, '=');

		if (!eq || l.n == (int)(sizeof(l.pair) / sizeof(*l.pair))) {
			complain(&l, "'%s' is not key=value, or too many", p);
			return false;
		}
		*eq = 0;
		l.pair[l.n++] = (struct pair){ p, eq + 1, false };
	}
	for (unsigned int i = 0; i < sizeof(statements) / sizeof(*statements); i++) {
		if (strcmp(word, statements[i].word))
			continue;
		statements[i].parse(&l);
		for (int k = 0; k < l.n; k++)
			if (!l.pair[k].used)
				complain(&l, "%s knows no '%s'", word, l.pair[k].key);
		return !l.bad;
	}
	complain(&l, "unknown statement '%s'", word);
	return false;
}

static bool plausible(void)
{
	struct rig_machine *m = &rig_machine;
	struct line l = { .n = 0 };

	if (!m->n_ranges)
		complain(&l, "no range");
	for (int i = 1; i < RIG_LEVELS; i++)
		if (m->level[i].size && !m->level[i - 1].size)
			complain(&l, "cache level %d without level %d", i + 1, i);
	if (m->has_tlb && (!m->tlb[RIG_4K].entries || !m->walk[RIG_4K]))
		complain(&l, "a TLB needs at least page=4K entries and a walk");
	return !l.bad;
}

bool rig_machine_load(const char *path)
{
	FILE *f = fopen(path, "r");
	char buf[512];
	bool ok = true;

	if (!f) {
		fprintf(stderr, "rig: cannot read machine file %s\n", path);
		return false;
	}
	rig_machine = (struct rig_machine){
		.name = "unnamed",
		.insn = 100,
		.bucket = 500000,
		.mlp = 10,
		.loads = 72,
		.stores = 56,
		.walkers = 2,
	};
	where = path;
	for (line_no = 1; fgets(buf, sizeof(buf), f); line_no++)
		ok &= parse_line(buf);
	fclose(f);
	return ok && plausible();
}

int rig_machine_find(uint64_t phys)
{
	for (int i = 0; i < rig_machine.n_ranges; i++)
		if (phys - rig_machine.range[i].base < rig_machine.range[i].size)
			return i;
	return -1;
}

const struct rig_cost *rig_machine_cost(int range, unsigned int vcpu)
{
	for (int i = 0; i < rig_machine.n_froms; i++) {
		const struct rig_from *f = &rig_machine.from[i];

		if (f->range == range && vcpu >= f->cpu_lo && vcpu <= f->cpu_hi)
			return &f->cost;
	}
	return &rig_machine.range[range].cost;
}
