// SPDX-License-Identifier: GPL-2.0
#include "prefetchers.h"

#include <stdio.h>
#include <string.h>

#include "names.h"

const char *prefetchers_text(uint32_t off, char *buf)
{
	const char *name;
	size_t used = 0;

	buf[0] = '\0';
	if (off == SAMPLE_UNKNOWN)
		return buf;
	snprintf(buf, PREFETCHERS, "on");
	for (unsigned int bit = 0; (name = names_prefetcher(bit)); bit++)
		if (off >> bit & 1)
			used += (size_t)snprintf(buf + used, PREFETCHERS - used, "%s%s",
						 used ? " " : "off: ", name);
	return buf;
}

const char *prefetchers_of_point(const struct point_result *p, char *buf)
{
	buf[0] = '\0';
	if (!p->prefetch_off)
		return buf;
	for (uint32_t i = 1; i < p->point.workers; i++)
		if (p->prefetch_off[i] != p->prefetch_off[0]) {
			snprintf(buf, PREFETCHERS, "mixed");
			return buf;
		}
	return prefetchers_text(p->prefetch_off[0], buf);
}

void prefetchers_note(struct machine *m, const struct point_result *p)
{
	char now[PREFETCHERS];

	if (p->point.prefetch > MPROBE_PREFETCH_ASIS || !*prefetchers_of_point(p, now))
		return;
	if (m->prefetchers[0] && strcmp(m->prefetchers, now))
		snprintf(now, sizeof(now), "mixed");
	snprintf(m->prefetchers, sizeof(m->prefetchers), "%s", now);
}
