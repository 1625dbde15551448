// SPDX-License-Identifier: GPL-2.0
#include "range_allow.h"

#include <linux/ctype.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>

#define MAX_ALLOWED 32

static char *allow;
module_param(allow, charp, 0444);
MODULE_PARM_DESC(allow, "reserved physical ranges that may be measured and overwritten on request, "
			"SIZE@BASE[,SIZE@BASE...], e.g. 1G@6G,256M@0x20000000");

/* Written by init only. */
static struct {
	u64 base, bytes;
} allowed[MAX_ALLOWED];
static u32 nr_allowed;

static bool number(const char **at, u64 *value)
{
	char *end;

	if (!isdigit(**at))
		return false;
	*value = memparse(*at, &end);
	*at = end;
	return true;
}

static const char *parse(const char *at)
{
	u64 base, bytes;

	for (;; at++) {
		if (!number(&at, &bytes) || *at++ != '@' || !number(&at, &base) ||
		    (*at && *at != ','))
			return "not of the form SIZE@BASE[,SIZE@BASE...]";
		if (!bytes)
			return "a size is 0";
		if ((base | bytes) & (PAGE_SIZE - 1))
			return "a base or size is not a multiple of 4096";
		if (base + bytes < base || base + bytes - 1 > iomem_resource.end)
			return "a range ends beyond the physical address space";
		if (nr_allowed == MAX_ALLOWED)
			return "more than 32 ranges";
		allowed[nr_allowed].base = base;
		allowed[nr_allowed++].bytes = bytes;
		if (!*at)
			return NULL;
	}
}

int mprobe_range_allow_init(void)
{
	const char *fault = allow ? parse(allow) : NULL;

	if (!fault)
		return 0;
	pr_err("mprobe: allow=%s: %s; give e.g. allow=1G@6G,256M@0x20000000\n", allow, fault);
	return -EINVAL;
}

bool mprobe_range_allow_covers(u64 base, u64 bytes)
{
	u32 i;

	for (i = 0; i < nr_allowed; i++)
		if (base >= allowed[i].base && bytes <= allowed[i].bytes &&
		    base - allowed[i].base <= allowed[i].bytes - bytes)
			return true;
	return false;
}
