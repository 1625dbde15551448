// SPDX-License-Identifier: GPL-2.0
#include "target_sources.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "" where it is not there */
static void read_word(const char *dir, const char *region, const char *name, char *out, size_t len)
{
	char path[512];
	FILE *f;

	out[0] = '\0';
	snprintf(path, sizeof(path), "%s/%s/%s", dir, region, name);
	f = fopen(path, "re");
	if (f && fgets(out, len, f))
		out[strcspn(out, "\n")] = '\0';
	if (f)
		fclose(f);
}

static uint64_t read_number(const char *dir, const char *region, const char *name)
{
	char word[32];

	read_word(dir, region, name, word, sizeof(word));
	return strtoull(word, NULL, 0);
}

static int is_region(const struct dirent *d)
{
	return !strncmp(d->d_name, "region", 6);
}

int target_cxl_add(struct target_list *l, const char *dir)
{
	struct dirent **v;
	int n = scandir(dir, &v, is_region, versionsort), err = 0;

	if (n < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (int i = 0; i < n; i++) {
		struct target t = { .kind = TARGET_CXL, .node = -1, .holds_data = true };

		t.bytes = read_number(dir, v[i]->d_name, "size");
		t.base = read_number(dir, v[i]->d_name, "resource");
		if (t.base == UINT64_MAX)
			t.base = 0;
		t.interleave_ways = read_number(dir, v[i]->d_name, "interleave_ways");
		snprintf(t.name, sizeof(t.name), "cxl-%.48s", v[i]->d_name);
		if (t.bytes && !err)
			err = target_add(l, &t);
		free(v[i]);
	}
	free(v);
	return err;
}
