// SPDX-License-Identifier: GPL-2.0
#include "target_sources.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <daxctl/libdaxctl.h>

static void silent(struct daxctl_ctx *ctx, int priority, const char *file, int line, const char *fn,
		   const char *format, va_list args)
{
	(void)ctx, (void)priority, (void)file, (void)line, (void)fn, (void)format, (void)args;
}

static int add_dev(struct target_list *l, struct daxctl_region *r, struct daxctl_dev *d)
{
	struct target t = { .kind = TARGET_DAX, .holds_data = true };
	const char *path = daxctl_region_get_path(r);
	unsigned long long base = daxctl_dev_get_resource(d);

	t.bytes = daxctl_dev_get_size(d);
	if (!t.bytes)
		return 0;
	t.base = base == ULLONG_MAX ? 0 : base;
	t.node = daxctl_dev_get_target_node(d);
	if (t.node < 0)
		t.node = -1;
	/* Of persistent memory: the region and its namespace stand in the list. */
	t.alias = path && strstr(path, "/ndbus");
	snprintf(t.name, sizeof(t.name), "%s", daxctl_dev_get_devname(d));
	if (daxctl_dev_get_memory(d)) {
		snprintf(t.holder, sizeof(t.holder), "kmem (System RAM)");
		target_free_dax(&t, t.name, true);
	} else if (daxctl_dev_is_enabled(d)) {
		snprintf(t.holder, sizeof(t.holder), "device_dax (/dev/%.32s)", t.name);
		target_free_dax(&t, t.name, false);
	}
	return target_add(l, &t);
}

int target_dax_add(struct target_list *l)
{
	struct daxctl_region *r;
	struct daxctl_ctx *ctx;
	struct daxctl_dev *d;
	int err = 0;

	if (daxctl_new(&ctx))
		return 0;
	daxctl_set_log_fn(ctx, silent);
	daxctl_region_foreach(ctx, r)
		daxctl_dev_foreach(r, d)
			if (!err)
				err = add_dev(l, r, d);
	daxctl_unref(ctx);
	return err;
}
