// SPDX-License-Identifier: GPL-2.0
#include "iomem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse_line(char *line, struct iomem_entry *e)
{
	unsigned long long start, end;
	size_t indent = strspn(line, " ");
	char *name = strstr(line, " : ");

	if (!name || sscanf(line + indent, "%llx-%llx", &start, &end) != 2 || end < start)
		return -EBADMSG;
	name += 3;
	name[strcspn(name, "\n")] = '\0';
	e->start = start;
	e->end = end;
	e->depth = indent / 2;
	snprintf(e->name, sizeof(e->name), "%s", name);
	return 0;
}

int iomem_read(struct iomem *m, const char *path)
{
	FILE *f = fopen(path, "re");
	size_t cap = 0, line_cap = 0;
	char *line = NULL;
	int err = 0;

	memset(m, 0, sizeof(*m));
	if (!f)
		return -errno;
	m->hidden = true;
	while (!err && getline(&line, &line_cap, f) > 0) {
		if (m->n == cap) {
			struct iomem_entry *v;

			cap = cap ? 2 * cap : 64;
			v = reallocarray(m->v, cap, sizeof(*v));
			if (!v) {
				err = -ENOMEM;
				break;
			}
			m->v = v;
		}
		err = parse_line(line, &m->v[m->n]);
		if (!err)
			m->hidden = m->hidden && !m->v[m->n].end;
		m->n += !err;
	}
	m->hidden = m->hidden && m->n;
	free(line);
	fclose(f);
	if (err)
		iomem_free(m);
	return err;
}

void iomem_free(struct iomem *m)
{
	free(m->v);
	memset(m, 0, sizeof(*m));
}

bool iomem_overlaps(const struct iomem_entry *e, uint64_t base, uint64_t bytes)
{
	/* base + bytes may lie beyond 2^64, the last byte of what is asked for then does not matter */
	return bytes && e->end >= base && (e->start <= base || e->start - base < bytes);
}

static bool numbered(const char *name, const char *stem)
{
	size_t len = strlen(stem);

	return !strncmp(name, stem, len) && name[len] &&
	       name[len + strspn(name + len, "0123456789")] == '\0';
}

static bool is_memory_itself(const char *name)
{
	return !strcmp(name, "Persistent Memory") || !strcmp(name, "Persistent Memory (legacy)") ||
	       !strcmp(name, "Soft Reserved") || !strcmp(name, "Reserved") ||
	       numbered(name, "CXL Window ") || numbered(name, "region") || numbered(name, "hmem.");
}

const struct iomem_entry *iomem_holder(const struct iomem *m, uint64_t base, uint64_t bytes,
				       size_t n)
{
	if (m->hidden)
		return NULL;
	for (size_t i = 0; i < m->n; i++) {
		const struct iomem_entry *e = &m->v[i];
		size_t below = i + 1;

		if (!iomem_overlaps(e, base, bytes) || is_memory_itself(e->name))
			continue;
		if (!n--)
			return e;
		/* What stands below a holder is part of it. */
		while (below < m->n && m->v[below].depth > e->depth)
			below++;
		i = below - 1;
	}
	return NULL;
}
