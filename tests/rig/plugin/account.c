// SPDX-License-Identifier: GPL-2.0
#include "account.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BANKS (RIG_RANGES + 1) /* the last: memory that no range describes */

struct visit {
	uint32_t section; /* in which the counts were made */
	uint16_t loads, stores;
};

struct cpu {
	struct rig_count now[BANKS], total[BANKS];
	uint32_t section;
	uint64_t begin_pc, begin_insns;
	int64_t begin_ps;
};

static struct cpu *cpus;
static unsigned int n_cpus;
static uint64_t min_accesses;
static struct visit *visits[RIG_RANGES];
static FILE *out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool rig_account_open(const char *path, unsigned int vcpus, uint64_t min)
{
	out = path ? fopen(path, "w") : stderr;
	if (!out) {
		fprintf(stderr, "rig: cannot write %s\n", path);
		return false;
	}
	n_cpus = vcpus;
	min_accesses = min;
	cpus = calloc(vcpus, sizeof(*cpus));
	for (unsigned int i = 0; i < vcpus; i++)
		cpus[i].section = i + vcpus;
	for (int i = 0; i < rig_machine.n_ranges; i++)
		visits[i] = calloc(rig_machine.range[i].size >> 6, sizeof(**visits));
	return true;
}

static void cost(const struct rig_cost *c)
{
	fprintf(out, "\"read_ps\":%lld,\"wb_ps\":%lld,\"nt_ps\":%lld", (long long)c->read,
		(long long)c->wb, (long long)c->nt);
}

static void levels(void)
{
	const struct rig_machine *m = &rig_machine;

	fprintf(out, ",\"caches\":[");
	for (int i = 0; i < RIG_LEVELS && m->level[i].size; i++)
		fprintf(out,
			"%s{\"level\":%d,\"size\":%llu,\"ways\":%u,\"hit_ps\":%lld,\"miss_ps\":%lld}",
			i ? "," : "", i + 1, (unsigned long long)m->level[i].size, m->level[i].ways,
			(long long)m->level[i].hit, (long long)m->level[i].miss);
	fprintf(out, "],\"tlb\":[");
	for (int i = 0; m->has_tlb && i < RIG_PAGES; i++)
		fprintf(out, "%s{\"page\":\"%s\",\"entries\":%u,\"ways\":%u,\"walk_ps\":%lld}",
			i ? "," : "", rig_machine_page[i], m->tlb[i].entries, m->tlb[i].ways,
			(long long)m->walk[i]);
	fprintf(out, "],\"tlb_second\":{\"entries\":%u,\"ways\":%u,\"hit_ps\":%lld}",
		m->stlb.entries, m->stlb.ways, (long long)m->stlb_hit);
}

void rig_account_start(const char *clock, double k)
{
	const struct rig_machine *m = &rig_machine;

	fprintf(out,
		"{\"rig\":\"start\",\"version\":1,\"machine\":\"%s\",\"clock\":\"%s\",\"k\":%g,"
		"\"vcpus\":%u,\"insn_ps\":%lld,\"mlp\":%u,\"loads\":%u,\"stores\":%u,\"prefetch\":%u",
		m->name, clock, k, n_cpus, (long long)m->insn, m->mlp, m->loads, m->stores,
		m->prefetch);
	levels();
	fprintf(out, ",\"ranges\":[");
	for (int i = 0; i < m->n_ranges; i++) {
		const struct rig_range *r = &m->range[i];

		fprintf(out, "%s{\"name\":\"%s\",\"target\":\"%s\",\"base\":%llu,\"size\":%llu,",
			i ? "," : "", r->name, r->target, (unsigned long long)r->base,
			(unsigned long long)r->size);
		cost(&r->cost);
		fprintf(out,
			",\"read_Bps\":%.0f,\"write_Bps\":%.0f,\"total_Bps\":%.0f,"
			"\"cached\":%s,\"tlb\":%s}",
			r->read_rate, r->write_rate, r->total_rate, r->cached ? "true" : "false",
			r->tlb ? "true" : "false");
	}
	fprintf(out, "],\"from\":[");
	for (int i = 0; i < m->n_froms; i++) {
		const struct rig_from *f = &m->from[i];

		fprintf(out, "%s{\"range\":\"%s\",\"cpus\":[%u,%u],", i ? "," : "",
			m->range[f->range].name, f->cpu_lo, f->cpu_hi);
		cost(&f->cost);
		fputc('}', out);
	}
	fprintf(out, "]}\n");
	fflush(out);
}

struct rig_count *rig_account_of(unsigned int vcpu, int range)
{
	return &cpus[vcpu].now[range < 0 ? RIG_RANGES : range];
}

void rig_account_visit(unsigned int vcpu, int range, uint64_t phys, bool store)
{
	struct cpu *c = &cpus[vcpu];
	struct rig_count *n = &c->now[range];
	struct visit *v = &visits[range][(phys - rig_machine.range[range].base) >> 6];
	uint16_t *visited;

	if (v->section != c->section)
		*v = (struct visit){ .section = c->section };
	visited = store ? &v->stores : &v->loads;
	*visited += *visited < UINT16_MAX;
	if (store) {
		n->lines_stored += *visited == 1;
		if (*visited > n->max_stores_of_a_line)
			n->max_stores_of_a_line = *visited;
	} else {
		n->lines_loaded += *visited == 1;
		if (*visited > n->max_loads_of_a_line)
			n->max_loads_of_a_line = *visited;
	}
	if (!n->last_byte || phys < n->first_byte)
		n->first_byte = phys;
	if (phys > n->last_byte)
		n->last_byte = phys;
}

static void print(const char *name, const struct rig_count *n)
{
	const char *comma = "";

	fprintf(out, "\"%s\":{", name);
#define X(field)                                                                            \
	if (n->field) {                                                                     \
		fprintf(out, "%s\"" #field "\":%llu", comma, (unsigned long long)n->field); \
		comma = ",";                                                                \
	}
	RIG_COUNTS(X)
#undef X
	fputc('}', out);
}

static void print_banks(const struct rig_count *bank)
{
	const char *comma = "";

	fprintf(out, "\"memory\":{");
	for (int i = 0; i <= RIG_RANGES; i++) {
		static const struct rig_count nothing;

		if (!memcmp(&bank[i], &nothing, sizeof(nothing)))
			continue;
		fputs(comma, out);
		print(i < RIG_RANGES ? rig_machine.range[i].name : "elsewhere", &bank[i]);
		comma = ",";
	}
	fputc('}', out);
}

/* Sums are added; what is of a section only (distinct lines, extremes) keeps its greatest. */
static void add(struct rig_count *to, const struct rig_count *from)
{
	struct rig_count was = *to;

#define X(field) to->field += from->field;
	RIG_COUNTS(X)
#undef X
#define GREATEST(field) to->field = was.field > from->field ? was.field : from->field
	GREATEST(lines_loaded);
	GREATEST(lines_stored);
	GREATEST(max_loads_of_a_line);
	GREATEST(max_stores_of_a_line);
	GREATEST(last_byte);
#undef GREATEST
	if (!was.last_byte || (from->last_byte && from->first_byte < was.first_byte))
		to->first_byte = from->first_byte;
	else
		to->first_byte = was.first_byte;
}

void rig_account_bound(unsigned int vcpu, uint64_t pc, uint64_t insns, int64_t ps, int32_t mark)
{
	struct cpu *c = &cpus[vcpu];
	uint64_t accesses = 0;

	for (int i = 0; i < RIG_RANGES; i++)
		accesses += c->now[i].loads + c->now[i].stores;
	if (accesses && (accesses >= min_accesses || mark >= 0)) {
		pthread_mutex_lock(&lock);
		fprintf(out,
			"{\"rig\":\"section\",\"vcpu\":%u,\"begin\":\"%#llx\",\"end\":\"%#llx\",",
			vcpu, (unsigned long long)c->begin_pc, (unsigned long long)pc);
		if (mark >= 0)
			fprintf(out, "\"mark\":%d,", mark);
		fprintf(out, "\"insns\":%llu,\"from_ps\":%lld,\"ps\":%lld,",
			(unsigned long long)(insns - c->begin_insns), (long long)c->begin_ps,
			(long long)(ps - c->begin_ps));
		print_banks(c->now);
		fprintf(out, "}\n");
		pthread_mutex_unlock(&lock);
	}
	for (int i = 0; i < BANKS; i++)
		add(&c->total[i], &c->now[i]);
	memset(c->now, 0, sizeof(c->now));
	c->section += n_cpus;
	c->begin_pc = pc;
	c->begin_insns = insns;
	c->begin_ps = ps;
}

void rig_account_mark(unsigned int vcpu, uint64_t id)
{
	pthread_mutex_lock(&lock);
	fprintf(out, "{\"rig\":\"mark\",\"vcpu\":%u,\"id\":%llu}\n", vcpu, (unsigned long long)id);
	fflush(out);
	pthread_mutex_unlock(&lock);
}

void rig_account_close(void)
{
	for (unsigned int i = 0; i < n_cpus; i++) {
		for (int k = 0; k < BANKS; k++)
			add(&cpus[i].total[k], &cpus[i].now[k]);
		fprintf(out, "{\"rig\":\"total\",\"vcpu\":%u,", i);
		print_banks(cpus[i].total);
		fprintf(out, "}\n");
	}
	fprintf(out, "{\"rig\":\"end\"}\n");
	fflush(out);
}

void rig_account_die(const char *fmt, ...)
{
	char why[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	fprintf(stderr, "rig: %s\n", why);
	if (out && out != stderr) {
		fprintf(out, "{\"rig\":\"failed\",\"why\":\"%s\"}\n", why);
		fflush(out);
	}
	_exit(97);
}
