// SPDX-License-Identifier: GPL-2.0
#include "anon_room.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "figure.h"

#define PAGE_4K	   4096ull
#define PAGE_2M	   (2ull << 20)
#define PAGE_1G	   (1ull << 30)
#define KEEP_BYTES (64ull << 20) /* left to everybody else */
#define THP	   "/sys/kernel/mm/transparent_hugepage/enabled"

/* "Name:  123 kB" of a meminfo; for a node's, "Node 0 Name:  123 kB". UINT64_MAX: not there. */
static uint64_t meminfo(const char *path, const char *name)
{
	char line[256];
	unsigned long long kb;
	uint64_t ret = UINT64_MAX;
	FILE *f = fopen(path, "re");

	if (!f)
		return ret;
	while (fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, name);

		if (at && sscanf(at + strlen(name), ": %llu kB", &kb) == 1 &&
		    (at == line || at[-1] == ' ')) {
			ret = kb << 10;
			break;
		}
	}
	fclose(f);
	return ret;
}

static uint64_t number(const char *path)
{
	unsigned long long v;
	FILE *f = fopen(path, "re");
	int n = f ? fscanf(f, "%llu", &v) : 0; /* memory.max may say "max" */

	if (f)
		fclose(f);
	return n == 1 ? v : UINT64_MAX;
}

static const struct cgroup {
	const char *mount, *max, *now, *idle; /* under /sys/fs/cgroup; files; in memory.stat */
} v2 = { "", "memory.max", "memory.current", "inactive_file" },
  v1 = { "/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file" };

/* Pages of files that nobody uses are given up before the limit bites. */
static uint64_t cgroup_idle(const struct cgroup *c, const char *dir)
{
	char line[128], path[704];
	unsigned long long v, idle = 0;
	const size_t len = strlen(c->idle);
	FILE *f;

	snprintf(path, sizeof(path), "%s/memory.stat", dir);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, c->idle, len) && sscanf(line + len, " %llu", &v) == 1)
			idle = v;
	if (f)
		fclose(f);
	return idle;
}

static uint64_t room_group(const struct cgroup *c, const char *dir)
{
	char path[704];
	uint64_t max, now, idle;

	snprintf(path, sizeof(path), "%s/%s", dir, c->max);
	max = number(path);
	snprintf(path, sizeof(path), "%s/%s", dir, c->now);
	now = number(path);
	if (max == UINT64_MAX || now == UINT64_MAX)
		return UINT64_MAX;
	idle = cgroup_idle(c, dir);
	return max + idle > now ? max + idle - now : 0;
}

/* The tightest of a group and all above it. */
static uint64_t room_groups(const struct cgroup *c, const char *root, const char *group)
{
	char path[640], *top, *end;
	uint64_t room = UINT64_MAX, one;

	snprintf(path, sizeof(path), "%s/sys/fs/cgroup%s%s", root, c->mount, group);
	top = path + strlen(path) - strlen(group);
	do {
		one = room_group(c, path);
		room = one < room ? one : room;
		end = strrchr(top, '/');
		if (end)
			*end = '\0';
	} while (end);
	return room;
}

uint64_t room_cgroup(const char *root)
{
	char line[512], *controllers, *group;
	uint64_t room = UINT64_MAX, one;
	FILE *f;

	snprintf(line, sizeof(line), "%s/proc/self/cgroup", root);
	f = fopen(line, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		controllers = strchr(line, ':');
		group = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		if (controllers[1] && !strstr(controllers, "memory"))
			continue;
		one = room_groups(controllers[1] ? &v1 : &v2, root, group);
		room = one < room ? one : room;
	}
	if (f)
		fclose(f);
	return room;
}

static uint64_t room_node(int node)
{
	char path[64];
	uint64_t free_bytes, file;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", node);
	free_bytes = meminfo(path, "MemFree");
	file = meminfo(path, "Inactive(file)");
	if (free_bytes == UINT64_MAX)
		return free_bytes;
	return free_bytes + (file == UINT64_MAX ? 0 : file);
}

static void huge_path(char *path, size_t len, int node, uint64_t page, const char *file)
{
	unsigned int kb = page >> 10;

	if (node >= 0 && !room_single_node(node))
		snprintf(path, len, "/sys/devices/system/node/node%d/hugepages/hugepages-%ukB/%s",
			 node, kb, file);
	else
		snprintf(path, len, "/sys/kernel/mm/hugepages/hugepages-%ukB/%s", kb, file);
}

/* Pages reserved for others but not touched yet are counted as free by the kernel. */
static uint64_t huge_free(int node, uint64_t page)
{
	char path[128];
	uint64_t n, promised;

	huge_path(path, sizeof(path), node, page, "free_hugepages");
	n = number(path);
	huge_path(path, sizeof(path), -1, page, "resv_hugepages");
	promised = number(path);
	if (n == UINT64_MAX)
		return n;
	return promised != UINT64_MAX && promised < n ? n - promised :
	       promised == UINT64_MAX		      ? n :
							0;
}

bool room_single_node(int node)
{
	char line[64] = "", one[16];
	FILE *f = fopen("/sys/devices/system/node/has_memory", "re");

	if (!f) /* a kernel without NUMA has node 0 */
		return node == 0;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	snprintf(one, sizeof(one), "%d", node);
	return !strcmp(line, one);
}

uint64_t anon_room(int node, uint64_t page_bytes, bool thp)
{
	uint64_t room, other;

	if (page_bytes != PAGE_4K && !thp) {
		room = huge_free(node, page_bytes);
		return room == UINT64_MAX ? 0 : room * page_bytes;
	}
	room = meminfo("/proc/meminfo", "MemAvailable");
	other = room_cgroup("");
	if (other < room)
		room = other;
	if (node >= 0 && !room_single_node(node)) {
		other = room_node(node);
		if (other < room)
			room = other;
	}
	return room > KEEP_BYTES ? room - KEEP_BYTES : 0;
}

int room_refuse_huge(const struct anon_spec *s, char *error, size_t len)
{
	uint64_t need = (s->bytes + s->page_bytes - 1) / s->page_bytes, have, all;
	char path[128], page[FIGURE];

	figure_size(page, s->page_bytes);
	huge_path(path, sizeof(path), s->node, s->page_bytes, "nr_hugepages");
	have = huge_free(s->node, s->page_bytes);
	all = number(path);
	if (all == UINT64_MAX) {
		snprintf(error, len,
			 "this kernel has no %s pages on this machine: use another --page", page);
		return -EOPNOTSUPP;
	}
	snprintf(
		error, len, "%llu page%s of %s needed, %llu free: as root, echo %llu > %s%s",
		(unsigned long long)need, need == 1 ? "" : "s", page, (unsigned long long)have,
		(unsigned long long)(need > have ? all + need - have : all + need), path,
		s->page_bytes == PAGE_1G ?
			" (where memory is fragmented only hugepagesz=1G hugepages=N at boot will do)" :
			"");
	return -ENOMEM;
}

static int check_thp(char *error, size_t len)
{
	char line[128] = "";
	FILE *f = fopen(THP, "re");

	if (!f) {
		snprintf(error, len, "this kernel has no transparent huge pages: use --page 2M");
		return -EOPNOTSUPP;
	}
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	if (strstr(line, "[never]")) {
		snprintf(error, len,
			 "transparent huge pages are switched off: as root, "
			 "echo madvise > " THP);
		return -EOPNOTSUPP;
	}
	return 0;
}

int room_check(const struct anon_spec *s, char *error, size_t len)
{
	uint64_t room;
	char want[FIGURE], have[FIGURE];
	int ret;

	if (!s->bytes) {
		snprintf(error, len,
			 "there is nothing to measure in 0 bytes; give a size such as 1G");
		return -ERANGE;
	}
	if (s->page_bytes != PAGE_4K && s->page_bytes != PAGE_2M && s->page_bytes != PAGE_1G) {
		snprintf(error, len, "pages of the user engine are 4K, 2M or 1G");
		return -EINVAL;
	}
	if (s->page_bytes == PAGE_4K && sysconf(_SC_PAGESIZE) != 4096) {
		snprintf(error, len,
			 "this kernel's smallest pages are %ld bytes, not 4K: use --page 2M",
			 sysconf(_SC_PAGESIZE));
		return -EOPNOTSUPP;
	}
	if (s->thp) {
		ret = check_thp(error, len);
		if (ret)
			return ret;
	}
	room = anon_room(s->node, s->page_bytes, s->thp);
	if (s->bytes <= room)
		return 0;
	if (s->page_bytes != PAGE_4K && !s->thp)
		return room_refuse_huge(s, error, len);
	figure_size(want, s->bytes);
	figure_size(have, room & ~((1ull << 20) - 1));
	snprintf(error, len,
		 "%s of memory are asked for, about %s can be had%s: "
		 "give a smaller size or free some memory",
		 want, have, s->node >= 0 ? " on that node" : "");
	return -ENOMEM;
}
