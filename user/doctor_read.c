// SPDX-License-Identifier: GPL-2.0
#include "doctor_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH 512

static int there(const char *root, const char *path)
{
	char full[PATH];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return access(full, F_OK) ? -errno : 0;
}

/* That a file is missing says something only where its file system is mounted. */
static int absent(const char *root, const char *path, int err)
{
	if (err != -ENOENT)
		return err;
	if (!strncmp(path, "/proc/", 6) && there(root, "/proc/stat"))
		return -ENODATA;
	if (!strncmp(path, "/sys/", 5) && there(root, "/sys/devices/system/cpu"))
		return -ENODATA;
	return -ENOENT;
}

int doctor_read_there(const char *root, const char *path)
{
	int err = there(root, path);

	return err ? absent(root, path, err) : 0;
}

static int slurp(FILE *f, char **out, size_t *len)
{
	size_t room = 0, used = 0, got;
	char *text = NULL, *more;

	do {
		room += 16384;
		more = realloc(text, room + 1);
		if (!more) {
			free(text);
			return -ENOMEM;
		}
		text = more;
		got = fread(text + used, 1, room - used, f);
		used += got;
	} while (got && used == room);
	if (ferror(f)) {
		free(text);
		return errno ? -errno : -EIO;
	}
	text[used] = '\0';
	*out = text;
	*len = used;
	return 0;
}

int doctor_read_text(const char *root, const char *path, char **out, size_t *len)
{
	char full[PATH];
	FILE *f;
	int err;

	snprintf(full, sizeof(full), "%s%s", root, path);
	f = fopen(full, "re");
	if (!f)
		return absent(root, path, -errno);
	errno = 0;
	err = slurp(f, out, len);
	fclose(f);
	return err;
}

int doctor_read_line(const char *root, const char *path, char *out, size_t len)
{
	size_t bytes;
	char *text = NULL;
	int err = doctor_read_text(root, path, &text, &bytes);

	if (!text)
		return err;
	text[strcspn(text, "\n")] = '\0';
	snprintf(out, len, "%s", text);
	free(text);
	return bytes ? 0 : -ENODATA;
}

int doctor_read_choice(const char *root, const char *path, char *out, size_t len)
{
	char line[256], *open, *close;
	int err = doctor_read_line(root, path, line, sizeof(line));

	if (err)
		return err;
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close)
		return -EBADMSG;
	*close = '\0';
	snprintf(out, len, "%s", open + 1);
	return 0;
}

int doctor_read_number(const char *root, const char *path, long long *out)
{
	char line[64], *end;
	long long v;
	int err = doctor_read_line(root, path, line, sizeof(line));

	if (err)
		return err;
	v = strtoll(line, &end, 0);
	if (end == line || *end)
		return -EBADMSG;
	*out = v;
	return 0;
}

int doctor_read_list(const char *root, const char *path, hwloc_bitmap_t out)
{
	char *text = NULL;
	size_t len;
	int err = doctor_read_text(root, path, &text, &len);

	if (!text)
		return err;
	text[strcspn(text, "\n")] = '\0';
	if (!strcmp(text, "") || strchr(text, '('))
		hwloc_bitmap_zero(out);
	else if (hwloc_bitmap_list_sscanf(out, text) || hwloc_bitmap_weight(out) < 0)
		err = -EBADMSG;
	free(text);
	return err;
}
