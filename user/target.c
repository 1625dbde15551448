// SPDX-License-Identifier: GPL-2.0
#include "target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "target_sources.h"

#define CXL_DIR	   "/sys/bus/cxl/devices"
#define ALLOW_PATH "/sys/module/mprobe/parameters/allow"

const char *target_kind_name(enum target_kind kind)
{
	static const char *const names[] = {
		[TARGET_ANON] = "anon", [TARGET_DRAM] = "dram", [TARGET_PMEM] = "pmem",
		[TARGET_DAX] = "dax",	[TARGET_CXL] = "cxl",	[TARGET_RESERVED] = "reserved",
		[TARGET_PHYS] = "phys",
	};

	return names[kind];
}

int target_add(struct target_list *l, const struct target *t)
{
	struct target *v = reallocarray(l->v, l->n + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	l->v = v;
	v[l->n++] = *t;
	return 0;
}

void target_list_free(struct target_list *l)
{
	free(l->v);
	memset(l, 0, sizeof(*l));
}

/* A device that serves as System RAM can only be disabled once it is in mode devdax again. */
void target_free_dax(struct target *t, const char *dax, bool as_ram)
{
	int at = 0;

	if (as_ram)
		at = snprintf(t->free_command, sizeof(t->free_command),
			      "daxctl reconfigure-device --mode=devdax --force %.32s && ", dax);
	snprintf(t->free_command + at, sizeof(t->free_command) - at, "daxctl disable-device %.32s",
		 dax);
}

static void name_holder(struct target *t, const struct iomem_entry *e, bool as_ram)
{
	const char *name = e->name;

	if (!strncmp(name, "dax", 3)) {
		snprintf(t->holder, sizeof(t->holder), "%.32s (%s)", name,
			 as_ram ? "kmem, System RAM" : "device_dax");
		target_free_dax(t, name, as_ram);
	} else if (!strncmp(name, "namespace", 9)) {
		snprintf(t->holder, sizeof(t->holder), "%.60s", name);
		snprintf(t->free_command, sizeof(t->free_command), "ndctl disable-namespace %s",
			 name);
	} else if (!strcmp(name, "mprobe")) {
		snprintf(t->holder, sizeof(t->holder), "mprobe (see mprobectl status)");
		snprintf(t->free_command, sizeof(t->free_command), "mprobectl cancel all");
	} else {
		snprintf(t->holder, sizeof(t->holder), "%.60s", name);
	}
}

static void find_holder(struct target *t, const struct iomem *m)
{
	const struct iomem_entry *e = iomem_holder(m, t->base, t->bytes, 0);
	bool as_ram = false;
	size_t more = 0, at;

	if (!e)
		return;
	for (size_t i = 0; i < m->n; i++)
		as_ram |= !strcmp(m->v[i].name, "System RAM (kmem)") &&
			  iomem_overlaps(&m->v[i], e->start, e->end - e->start + 1);
	name_holder(t, e, as_ram);
	while (iomem_holder(m, t->base, t->bytes, more + 1))
		more++;
	at = strlen(t->holder);
	if (more)
		snprintf(t->holder + at, sizeof(t->holder) - at, " and %zu more", more);
}

static void find_node(struct target *t, const struct target_list *l)
{
	const struct iomem_entry self = { .start = t->base, .end = t->base + (t->bytes - 1) };

	for (unsigned int i = 0; i < l->n && t->node < 0; i++)
		if (l->v[i].base && iomem_overlaps(&self, l->v[i].base, l->v[i].bytes))
			t->node = l->v[i].node;
}

void target_settle(struct target_list *l, const struct iomem *m)
{
	for (unsigned int i = 0; i < l->n; i++) {
		struct target *t = &l->v[i];

		if (!t->base || !t->bytes)
			continue;
		if (!t->holder[0])
			find_holder(t, m);
		find_node(t, l);
	}
}

static int gather(struct target_list *l, struct iomem *m)
{
	int err;

	memset(l, 0, sizeof(*l));
	err = iomem_read(m, "/proc/iomem");
	if (err == -ENOMEM)
		return err;
	err = target_nodes_add(l);
	if (!err)
		err = target_nd_add(l);
	if (!err)
		err = target_dax_add(l);
	if (!err)
		err = target_cxl_add(l, CXL_DIR);
	if (!err)
		err = target_iomem_add(l, m);
	if (!err)
		err = target_allowed_add(l, ALLOW_PATH);
	l->addresses_hidden = m->hidden || !m->n;
	if (err) {
		target_list_free(l);
		iomem_free(m);
		return err;
	}
	target_settle(l, m);
	return 0;
}

/* Memory of nodes, then what is claimed by address, then the tool's own; by number. */
static int by_kind(const void *a, const void *b)
{
	static const int rank[] = {
		[TARGET_DRAM] = 0,     [TARGET_PMEM] = 1, [TARGET_DAX] = 2,  [TARGET_CXL] = 3,
		[TARGET_RESERVED] = 4, [TARGET_PHYS] = 5, [TARGET_ANON] = 6,
	};
	const struct target *x = a, *y = b;

	return x->kind != y->kind ? rank[x->kind] - rank[y->kind] : strverscmp(x->name, y->name);
}

int target_list_all(struct target_list *out, char *error, unsigned int len)
{
	struct iomem m;
	unsigned int kept = 0;
	int err = gather(out, &m);

	if (err) {
		snprintf(error, len, "cannot list targets: %s", strerror(-err));
		return err;
	}
	for (unsigned int i = 0; i < out->n; i++)
		if (!out->v[i].alias)
			out->v[kept++] = out->v[i];
	out->n = kept;
	qsort(out->v, out->n, sizeof(*out->v), by_kind);
	iomem_free(&m);
	return 0;
}

static int parse_phys(const char *name, struct target *t, char *error, unsigned int len)
{
	const char *plus = strchr(name, '+');
	char base[64], why[PARSE_ERROR];
	int err;

	memset(t, 0, sizeof(*t));
	t->kind = TARGET_PHYS;
	t->node = -1;
	t->holds_data = true;
	if (strlen(name) >= sizeof(t->name) || !plus) {
		snprintf(error, len,
			 "'%s': a physical range is phys:BASE+SIZE, such as "
			 "phys:0x140000000+1G",
			 name);
		return -EINVAL;
	}
	snprintf(t->name, sizeof(t->name), "%s", name);
	snprintf(base, sizeof(base), "%.*s", (int)(plus - name - 5), name + 5);
	err = parse_u64(base, &t->base, why);
	if (!err)
		err = parse_size(plus + 1, &t->bytes, why);
	if (err)
		snprintf(error, len, "'%s': %s", name, why);
	return err;
}

static int find_phys(struct target_list *l, const struct iomem *m, const char *name,
		     struct target *out, char *error, unsigned int len)
{
	int err = parse_phys(name, out, error, len);

	if (err)
		return err;
	if (out->bytes) {
		find_holder(out, m);
		find_node(out, l);
	}
	out->badblocks = target_nd_badblocks(out->base, out->bytes);
	return 0;
}

static int not_found(const struct target_list *l, const char *name, char *error, unsigned int len)
{
	unsigned int at = snprintf(error, len, "there is no target '%s' here; there are", name);

	for (unsigned int i = 0; i < l->n && at < len; i++)
		if (!l->v[i].alias)
			at += snprintf(error + at, len - at, " %s,", l->v[i].name);
	if (at < len)
		snprintf(error + at, len - at, " and phys:BASE+SIZE (see mprobectl list)%s",
			 l->addresses_hidden ? "; root sees more: addresses are hidden" : "");
	return -ENOENT;
}

int target_find(const char *name, struct target *out, char *error, unsigned int len)
{
	struct target_list l;
	struct iomem m;
	unsigned int i;
	int err = gather(&l, &m);

	if (err) {
		snprintf(error, len, "cannot look for targets: %s", strerror(-err));
		return err;
	}
	for (i = 0; i < l.n && strcmp(l.v[i].name, name); i++)
		;
	if (i < l.n)
		*out = l.v[i];
	else if (!strncmp(name, "phys:", 5))
		err = find_phys(&l, &m, name, out, error, len);
	else
		err = not_found(&l, name, error, len);
	target_list_free(&l);
	iomem_free(&m);
	return err;
}
