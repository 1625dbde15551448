// SPDX-License-Identifier: GPL-2.0
#include "machine_dmi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE_MEMORY_DEVICE 17
#define TYPE_END	   127
#define HEADER		   4
#define TABLE_MAX	   (1u << 20)

/* One structure: a formatted part of v[1] bytes, then strings, ended by an empty one. */
struct structure {
	const unsigned char *v;
	size_t bytes, formatted;
};

static unsigned int u8(const struct structure *s, size_t at)
{
	return at < s->formatted ? s->v[at] : 0;
}

static unsigned int u16(const struct structure *s, size_t at)
{
	return at + 2 <= s->formatted ? s->v[at] | s->v[at + 1] << 8 : 0;
}

static uint32_t u32(const struct structure *s, size_t at)
{
	return at + 4 <= s->formatted ? u16(s, at) | (uint32_t)u16(s, at + 2) << 16 : 0;
}

/* The string whose number stands at byte `at`; number 0 is none. */
static void string(const struct structure *s, size_t at, char *out, size_t len)
{
	unsigned int n = u8(s, at);
	size_t i = s->formatted;

	out[0] = '\0';
	if (!n)
		return;
	while (--n && i < s->bytes)
		i += strnlen((const char *)s->v + i, s->bytes - i) + 1;
	if (i >= s->bytes)
		return;
	snprintf(out, len, "%.*s", (int)strnlen((const char *)s->v + i, s->bytes - i), s->v + i);
	for (i = strlen(out); i && out[i - 1] == ' '; i--)
		out[i - 1] = '\0';
}

/* Bytes of the structure at v with its strings, or 0: it does not end within `left`. */
static size_t whole(const unsigned char *v, size_t left)
{
	size_t i;

	if (left < HEADER || v[1] < HEADER || v[1] > left)
		return 0;
	for (i = v[1]; i + 1 < left; i++)
		if (!v[i] && !v[i + 1])
			return i + 2;
	return 0;
}

static uint64_t size_of(const struct structure *s)
{
	unsigned int size = u16(s, 0x0c);

	if (size == 0xffff)
		return 0;
	if (size == 0x7fff)
		return (uint64_t)(u32(s, 0x1c) & 0x7fffffff) << 20;
	return size & 0x8000 ? (uint64_t)(size & 0x7fff) << 10 : (uint64_t)size << 20;
}

static const char *type_of(const struct structure *s)
{
	static const char *const types[] = {
		[0x01] = "Other",  [0x03] = "DRAM",   [0x07] = "RAM",	 [0x0f] = "SDRAM",
		[0x12] = "DDR",	   [0x13] = "DDR2",   [0x18] = "DDR3",	 [0x1a] = "DDR4",
		[0x1b] = "LPDDR",  [0x1c] = "LPDDR2", [0x1d] = "LPDDR3", [0x1e] = "LPDDR4",
		[0x1f] = "NVDIMM", [0x20] = "HBM",    [0x21] = "HBM2",	 [0x22] = "DDR5",
		[0x23] = "LPDDR5", [0x24] = "HBM3",
	};
	static const char *const technologies[] = {
		[0x04] = "NVDIMM-N",
		[0x05] = "NVDIMM-F",
		[0x06] = "NVDIMM-P",
		[0x07] = "Intel Optane persistent memory",
	};
	unsigned int technology = u8(s, 0x28), type = u8(s, 0x12);

	if (technology < sizeof(technologies) / sizeof(technologies[0]) && technologies[technology])
		return technologies[technology];
	return type < sizeof(types) / sizeof(types[0]) && types[type] ? types[type] : "";
}

/* As configured; older tables know only what the module is capable of. */
static uint32_t speed_of(const struct structure *s)
{
	uint32_t speed = u16(s, 0x20);

	if (speed == 0xffff)
		speed = u32(s, 0x58);
	if (!speed)
		speed = u16(s, 0x15);
	return speed == 0xffff ? u32(s, 0x54) : speed;
}

int machine_dmi_parse(const void *table, size_t bytes, struct machine_dimm *out, int max)
{
	const unsigned char *v = table;
	int n = 0;

	while (n < max) {
		struct structure s = { .v = v, .bytes = whole(v, bytes) };

		if (!s.bytes || v[0] == TYPE_END)
			break;
		s.formatted = v[1];
		/* size 0: nothing in the slot */
		if (v[0] == TYPE_MEMORY_DEVICE && u16(&s, 0x0c)) {
			struct machine_dimm *d = &out[n++];
			uint32_t speed = speed_of(&s);

			memset(d, 0, sizeof(*d));
			d->bytes = size_of(&s);
			string(&s, 0x10, d->locator, sizeof(d->locator));
			snprintf(d->type, sizeof(d->type), "%s", type_of(&s));
			if (speed)
				snprintf(d->speed, sizeof(d->speed), "%u MT/s", speed);
		}
		v += s.bytes;
		bytes -= s.bytes;
	}
	return n;
}

int machine_dmi_read(const char *path, struct machine_dimm *out, int max)
{
	FILE *f = fopen(path, "re");
	void *table = f ? malloc(TABLE_MAX) : NULL;
	size_t bytes;
	int n = 0;

	if (table) {
		bytes = fread(table, 1, TABLE_MAX, f);
		n = machine_dmi_parse(table, bytes, out, max);
	}
	free(table);
	if (f)
		fclose(f);
	return n;
}
