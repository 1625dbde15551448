// SPDX-License-Identifier: GPL-2.0
/* Who moves, merges, splits or scans pages, and whether there is memory to measure. */
#include "doctor_checks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"

#define MM	    "/sys/kernel/mm/"
#define NODE	    "/sys/devices/system/node/node"
#define WANTED	    (1ull << 30) /* the largest working set of lat, and a worker's of bw */
#define MAX_KDAMOND 64

void doctor_thp(struct doctor *d)
{
	static const char path[] = MM "transparent_hugepage/enabled";
	static const char effect[] =
		"khugepaged moves other programs' pages; anon's own it does not";
	char mode[32], defrag[32] = "unknown";
	int err = doctor_read_choice(d->q->root, path, mode, sizeof(mode));

	if (err == -ENOENT)
		return;
	if (err) {
		doctor_unknown(d, "thp", effect, path, err);
		return;
	}
	doctor_read_choice(d->q->root, MM "transparent_hugepage/defrag", defrag, sizeof(defrag));
	if (!strcmp(mode, "always")) {
		doctor_add(d, "thp", DOCTOR_NOTE, effect, "always (defrag: %s)", defrag);
		doctor_command(d, "echo madvise > %s", path);
	} else {
		doctor_add(d, "thp", DOCTOR_OK, NULL, "%s (defrag: %s)", mode, defrag);
	}
}

/* A number that is 0 where nothing is done. */
static void number(struct doctor *d, const char *check, const char *path,
		   enum doctor_severity severity, const char *effect, const char *command)
{
	long long v;
	int err = doctor_read_number(d->q->root, path, &v);

	if (err == -ENOENT)
		return;
	if (err) {
		doctor_unknown(d, check, effect, path, err);
	} else if (!v) {
		doctor_add(d, check, DOCTOR_OK, NULL, "off");
	} else {
		doctor_add(d, check, severity, effect, "on (%lld)", v);
		doctor_command(d, "%s", command);
	}
}

void doctor_numa_balancing(struct doctor *d)
{
	number(d, "numa-balancing", "/proc/sys/kernel/numa_balancing", DOCTOR_DISTURBS,
	       "pages are unmapped to see who uses them: faults, and TLBs flushed",
	       "sysctl -w kernel.numa_balancing=0");
}

void doctor_ksm(struct doctor *d)
{
	static const char path[] = MM "ksm/run";
	static const char effect[] = "ksmd reads memory to find equal pages, on any CPU";
	long long v;
	int err = doctor_read_number(d->q->root, path, &v);

	if (err == -ENOENT)
		return;
	if (err) {
		doctor_unknown(d, "ksm", effect, path, err);
	} else if (v != 1) {
		doctor_add(d, "ksm", DOCTOR_OK, NULL, "off");
	} else {
		doctor_add(d, "ksm", DOCTOR_DISTURBS, effect, "running");
		doctor_command(d, "echo 0 > %s", path);
	}
}

static const char damon_effect[] = "clears accessed bits and walks pages while you measure";

/* Its sysfs interface: how many run; *n < 0: -errno. Commands go to the finding that is added first. */
static int kdamonds(struct doctor *d, long long *n)
{
	static const char dir[] = MM "damon/admin/kdamonds";
	char path[128], state[16];
	long long total;
	int err, first = 1;

	snprintf(path, sizeof(path), "%s/nr_kdamonds", dir);
	err = doctor_read_number(d->q->root, path, &total);
	for (long long i = 0; !err && i < total && i < MAX_KDAMOND; i++) {
		snprintf(path, sizeof(path), "%s/%lld/state", dir, i);
		err = doctor_read_line(d->q->root, path, state, sizeof(state));
		if (err || strcmp(state, "on"))
			continue;
		if (first)
			doctor_add(d, "damon", DOCTOR_DISTURBS, damon_effect, "running");
		first = 0;
		doctor_command(d, "echo off > %s", path);
		++*n;
	}
	return err;
}

void doctor_damon(struct doctor *d)
{
	static const char *const users[] = { "damon_stat", "damon_reclaim", "damon_lru_sort" };
	const char *unreadable = MM "damon/admin/kdamonds";
	char path[128], word[16];
	long long n = 0;
	int err = kdamonds(d, &n), bad = err == -ENOENT ? 0 : err, seen = !err;

	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		snprintf(path, sizeof(path), "/sys/module/%s/parameters/enabled", users[i]);
		err = doctor_read_line(d->q->root, path, word, sizeof(word));
		seen |= !err;
		if (err && err != -ENOENT) {
			bad = err;
			unreadable = "/sys/module/damon_*";
		}
		if (err || word[0] != 'Y')
			continue;
		if (!n++)
			doctor_add(d, "damon", DOCTOR_DISTURBS, damon_effect, "running (%s)",
				   users[i]);
		doctor_command(d, "echo N > %s", path);
	}
	if (n)
		return;
	if (bad)
		doctor_unknown(d, "damon", damon_effect, unreadable, bad);
	else if (seen)
		doctor_add(d, "damon", DOCTOR_OK, NULL, "not running");
}

/* Lines of /proc/swaps behind its heading; -errno */
static int swaps(const struct doctor *d)
{
	size_t len;
	char *text;
	int n = 0, err = doctor_read_text(d->q->root, "/proc/swaps", &text, &len);

	if (err)
		return err;
	for (const char *at = strchr(text, '\n'); at; at = strchr(at + 1, '\n'))
		n += at[1] != '\0';
	free(text);
	return len ? n : -ENODATA;
}

void doctor_swap(struct doctor *d)
{
	static const char effect[] = "pages of anon, or of what runs beside it, go to a disk";
	const struct doctor_sample *a = d->q->before, *b = d->q->after;
	int64_t in, out;
	int n = swaps(d);

	if (n == -ENOENT)
		return;
	if (n < 0) {
		doctor_unknown(d, "swap", effect, "/proc/swaps", n);
		return;
	}
	if (!n) {
		doctor_add(d, "swap", DOCTOR_OK, NULL, "none");
		return;
	}
	in = doctor_sample_vmstat(a, b, "pswpin");
	out = doctor_sample_vmstat(a, b, "pswpout");
	if (in < 0 || out < 0)
		doctor_add(d, "swap", DOCTOR_UNKNOWN, effect,
			   "on; /proc/vmstat does not say how busy");
	else
		doctor_add(d, "swap", in + out ? DOCTOR_DISTURBS : DOCTOR_NOTE, effect,
			   in + out ? "%d in use, %" PRId64 " pages in and out now" :
				      "%d in use, no traffic now",
			   n, in + out);
	doctor_command(d, "swapoff -a");
}

void doctor_zswap(struct doctor *d)
{
	static const char path[] = "/sys/module/zswap/parameters/enabled";
	static const char effect[] = "pages are compressed, on any CPU";
	char word[16];
	int err = doctor_read_line(d->q->root, path, word, sizeof(word));

	if (err == -ENOENT)
		return;
	if (err) {
		doctor_unknown(d, "zswap", effect, path, err);
	} else if (word[0] != 'Y' || !swaps(d)) {
		doctor_add(d, "zswap", DOCTOR_OK, NULL,
			   word[0] == 'Y' ? "without swap idle" : "off");
	} else {
		doctor_add(d, "zswap", DOCTOR_NOTE, effect, "on");
		doctor_command(d, "echo N > %s", path);
	}
}

void doctor_compaction(struct doctor *d)
{
	static const char path[] = "/proc/sys/vm/compaction_proactiveness";
	static const char effect[] = "kcompactd moves pages, which flushes TLBs, on any CPU";
	int64_t now = doctor_sample_vmstat(d->q->before, d->q->after, "compact_migrate_scanned");
	long long v;
	int err = doctor_read_number(d->q->root, path, &v);

	if (err == -ENOENT)
		return;
	if (err) {
		doctor_unknown(d, "compaction", effect, path, err);
		return;
	}
	if (now > 0)
		doctor_add(d, "compaction", DOCTOR_DISTURBS, effect,
			   "at work: %" PRId64 " pages scanned now", now);
	else if (v)
		doctor_add(d, "compaction", DOCTOR_NOTE, effect, "proactiveness %lld, %s", v,
			   now < 0 ? "whether it works now is not known" : "not at work now");
	else if (now < 0)
		doctor_add(d, "compaction", DOCTOR_UNKNOWN, effect,
			   "not proactive; /proc/vmstat does not say whether it works now");
	else
		doctor_add(d, "compaction", DOCTOR_OK, NULL, "not at work, not proactive");
	if (now > 0 || v)
		doctor_command(d, "sysctl -w vm.compaction_proactiveness=0");
}

struct pages { /* of one size, on one node */
	const char *name;
	unsigned int kb;
	long long nr, free;
};

static int read_pages(const struct doctor *d, uint32_t node, struct pages *p)
{
	char path[160];
	int err;

	snprintf(path, sizeof(path), NODE "%u/hugepages/hugepages-%ukB/nr_hugepages", node, p->kb);
	err = doctor_read_number(d->q->root, path, &p->nr);
	if (err)
		return err;
	snprintf(path, sizeof(path), NODE "%u/hugepages/hugepages-%ukB/free_hugepages", node,
		 p->kb);
	return doctor_read_number(d->q->root, path, &p->free);
}

static void hugepages(struct doctor *d, uint32_t node)
{
	static const char effect[] = "anon with --page of that size is refused";
	struct pages sizes[] = { { .name = "2M", .kb = 2048 }, { .name = "1G", .kb = 1048576 } };
	char missing[64] = "";
	bool any = false;

	for (size_t i = 0; i < 2; i++) {
		struct pages *p = &sizes[i];
		int err = read_pages(d, node, p);

		p->kb = err ? 0 : p->kb;
		if (err && err != -ENOENT) {
			doctor_unknown(d, "hugepages", effect, NODE "*/hugepages", err);
			return;
		}
		any |= !err;
		if (!err && (uint64_t)p->free * p->kb < WANTED / 1024)
			doctor_join(missing, sizeof(missing), "%lld of %s", p->free, p->name);
	}
	if (!any)
		return;
	if (!missing[0]) {
		doctor_add(d, "hugepages", DOCTOR_OK, NULL, "node %u: 1G or more free of each size",
			   node);
		return;
	}
	doctor_add(d, "hugepages", DOCTOR_NOTE, effect, "node %u, free: %s", node, missing);
	for (size_t i = 0; i < 2; i++) {
		const struct pages *p = &sizes[i];
		long long wanted = p->kb ? WANTED / 1024 / p->kb : 0;

		if (p->kb && p->free < wanted)
			doctor_command(d,
				       "echo %lld > " NODE
				       "%u/hugepages/hugepages-%ukB/nr_hugepages",
				       p->nr + wanted - p->free, node, p->kb);
	}
	if (strstr(missing, "1G"))
		doctor_advise(
			d,
			"where memory is fragmented, 1G needs hugepagesz=1G hugepages=N at boot");
}

void doctor_hugepages(struct doctor *d)
{
	for (size_t i = 0; i < d->r->nr_nodes; i++)
		hugepages(d, d->r->nodes[i]);
}

/* bytes; -1 where it is not there */
static int64_t meminfo(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoll(at + strlen(key), NULL, 10) * 1024 : -1;
}

static int workers_on(const struct doctor *d, uint32_t node)
{
	char path[128];
	int cpu, n = 0;

	hwloc_bitmap_foreach_begin(cpu, d->chosen)
	{
		snprintf(path, sizeof(path), DOCTOR_CPU "/cpu%d/node%u", cpu, node);
		n += !doctor_read_there(d->q->root, path);
	}
	hwloc_bitmap_foreach_end();
	return n;
}

static void free_memory(struct doctor *d, uint32_t node)
{
	static const char effect[] = "larger working sets are refused, or come in small pages";
	const int workers = workers_on(d, node);
	int64_t free_bytes, files, total, wanted = (int64_t)WANTED * workers;
	char path[128], size[FIGURE], all[FIGURE], *text;
	size_t len;
	int err;

	snprintf(path, sizeof(path), NODE "%u/meminfo", node);
	err = doctor_read_text(d->q->root, path, &text, &len);
	if (err) {
		doctor_unknown(d, "memory", effect, path, err);
		return;
	}
	free_bytes = meminfo(text, "MemFree:");
	files = meminfo(text, "FilePages:");
	total = meminfo(text, "MemTotal:");
	free(text);
	if (free_bytes < 0 || total < 0) {
		doctor_unknown(d, "memory", effect, path, -EBADMSG);
		return;
	}
	figure_size(size, free_bytes & ~0xfffffll);
	figure_size(all, total & ~0xfffffll);
	if (free_bytes >= wanted) {
		doctor_add(d, "memory", DOCTOR_OK, NULL, "node %u: %s of %s free", node, size, all);
		return;
	}
	doctor_add(d, "memory", DOCTOR_NOTE, effect,
		   "node %u: %s of %s free, bw with %d workers takes %dG", node, size, all, workers,
		   workers);
	if (free_bytes + files >= wanted)
		doctor_command(d, "sync; echo 3 > /proc/sys/vm/drop_caches");
	else
		doctor_advise(d, "end what holds it, or give --sizes (lat), --size (bw)");
}

void doctor_free_memory(struct doctor *d)
{
	if (!d->r->nr_nodes)
		doctor_add(d, "memory", DOCTOR_UNKNOWN, NULL,
			   "the node of these CPUs is not known");
	for (size_t i = 0; i < d->r->nr_nodes; i++)
		free_memory(d, d->r->nodes[i]);
}
