// SPDX-License-Identifier: GPL-2.0
#include "target_sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool in_list(const struct target_list *l, enum target_kind kind, const struct iomem_entry *e)
{
	for (unsigned int i = 0; i < l->n; i++)
		if (l->v[i].kind == kind && l->v[i].base &&
		    iomem_overlaps(e, l->v[i].base, l->v[i].bytes))
			return true;
	return false;
}

static unsigned int next_pmem(const struct target_list *l)
{
	unsigned int next = 0, id;

	for (unsigned int i = 0; i < l->n; i++)
		if (sscanf(l->v[i].name, "pmem%u", &id) == 1 && id >= next)
			next = id + 1;
	return next;
}

static bool same_as_dax(const struct target_list *l, const struct target *t)
{
	for (unsigned int i = 0; i < l->n; i++)
		if (l->v[i].kind == TARGET_DAX && l->v[i].base == t->base &&
		    l->v[i].bytes == t->bytes)
			return true;
	return false;
}

int target_iomem_add(struct target_list *l, const struct iomem *m)
{
	unsigned int soft = 0;
	int err = 0;

	for (size_t i = 0; i < m->n && !m->hidden && !err; i++) {
		const struct iomem_entry *e = &m->v[i];
		struct target t = { .node = -1,
				    .base = e->start,
				    .bytes = e->end - e->start + 1,
				    .holds_data = true };

		if (!strcmp(e->name, "Soft Reserved")) {
			t.kind = TARGET_RESERVED;
			t.alias = same_as_dax(l, &t);
			snprintf(t.name, sizeof(t.name), "soft%u", soft++);
		} else if (!strncmp(e->name, "Persistent Memory", 17) &&
			   !in_list(l, TARGET_PMEM, e)) {
			t.kind = TARGET_PMEM;
			snprintf(t.name, sizeof(t.name), "pmem%u", next_pmem(l));
		} else {
			continue;
		}
		err = target_add(l, &t);
	}
	return err;
}

/* A number as the kernel's memparse() reads it. */
static bool memparse(const char **at, uint64_t *out)
{
	static const char units[] = "KMGTPE";
	const char *unit;
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*out = strtoull(*at, &end, 0);
	unit = *end ? strchr(units, *end & ~0x20) : NULL;
	if (unit) {
		*out <<= 10 * (unit - units + 1);
		end++;
	}
	*at = end;
	return true;
}

int target_allowed_add(struct target_list *l, const char *path)
{
	FILE *f = fopen(path, "re");
	char text[2048] = "";
	const char *at = text;
	int err = 0;

	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	while (!err) {
		struct target t = { .kind = TARGET_RESERVED, .node = -1, .holds_data = true };

		if (!memparse(&at, &t.bytes) || *at++ != '@' || !memparse(&at, &t.base))
			break; /* "(null)": not given */
		snprintf(t.name, sizeof(t.name), "phys:0x%llx+%lluK", (unsigned long long)t.base,
			 (unsigned long long)t.bytes >> 10);
		if (!(t.bytes & ((1u << 20) - 1)))
			snprintf(t.name, sizeof(t.name), "phys:0x%llx+%lluM",
				 (unsigned long long)t.base, (unsigned long long)t.bytes >> 20);
		err = target_add(l, &t);
		if (*at++ != ',')
			break;
	}
	return err;
}
