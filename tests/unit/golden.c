// SPDX-License-Identifier: GPL-2.0
#include "golden.h"

#include <stdlib.h>
#include <string.h>

#include <check.h>

static char *slurp(const char *path)
{
	FILE *f = fopen(path, "re");
	size_t room = 0;
	char *text = NULL;

	ck_assert_msg(f != NULL, "%s cannot be read (tests run from the top of the sources)", path);
	ck_assert_int_ge(getdelim(&text, &room, '\0', f), 0);
	fclose(f);
	return text;
}

void golden(const char *name, int (*write)(const void *what, FILE *f), const void *what)
{
	const char *mode = getenv("MPROBE_GOLDEN");
	char path[128], *got = NULL, *want;
	size_t len, i, line = 1;
	FILE *f = open_memstream(&got, &len);

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(write(what, f), 0);
	ck_assert_int_eq(fclose(f), 0);
	snprintf(path, sizeof(path), "tests/golden/%s", name);
	if (mode && !strcmp(mode, "write")) {
		f = fopen(path, "we");
		ck_assert_ptr_nonnull(f);
		ck_assert_uint_eq(fwrite(got, 1, len, f), len);
		ck_assert_int_eq(fclose(f), 0);
		free(got);
		ck_abort_msg("%s is written; look at it", path);
	}
	want = slurp(path);
	for (i = 0; got[i] && got[i] == want[i]; i++)
		line += got[i] == '\n';
	ck_assert_msg(got[i] == want[i], "%s differs in line %zu, from '%.40s' on; wanted '%.40s'",
		      path, line, got + i, want + i);
	free(got);
	free(want);
}
