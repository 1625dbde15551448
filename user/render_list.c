// SPDX-License-Identifier: GPL-2.0
#include "render_list.h"

#include <errno.h>
#include <string.h>

#include <jansson.h>

#include "display.h"
#include "figure.h"
#include "render.h"
#include "render_table.h"
#include <mprobe/version.h>

/* To an eighth of a GiB: what a node has is no round number. */
static const char *about(char *buf, uint64_t bytes)
{
	const uint64_t step = 1u << 27;

	if (bytes >= 1u << 30)
		bytes = (bytes + step / 2) & ~(step - 1);
	else
		bytes &= ~((1ull << 20) - 1);
	return figure_size(buf, bytes);
}

static bool is_ram(const struct target *t)
{
	return t->kind == TARGET_DRAM || t->kind == TARGET_ANON;
}

static void add_target(struct display *d, const struct target *t)
{
	char size[FIGURE];

	display_row(d);
	display_cell(d, 0, "%s", t->name);
	display_cell(d, 1, "%s", target_kind_name(t->kind));
	if (t->node >= 0)
		display_cell(d, 2, "%d", t->node);
	else
		display_cell(d, 2, "-");
	display_cell(d, 3, "%s", is_ram(t) ? about(size, t->bytes) : figure_size(size, t->bytes));
	display_cell(d, 4, "%s", is_ram(t) ? about(size, t->free_bytes) : "-");
	if (t->base)
		display_cell(d, 5, "0x%llx-0x%llx", (unsigned long long)t->base,
			     (unsigned long long)(t->base + t->bytes - 1));
	else
		display_cell(d, 5, "-");
	if (t->interleave_ways)
		display_cell(d, 6, "%u", t->interleave_ways);
	else
		display_cell(d, 6, "-");
	display_cell(d, 7, "%s", t->holds_data ? "yes" : "no");
}

static void add_holders(struct display *d, const struct target_list *l)
{
	bool any = false;

	for (unsigned int i = 0; i < l->n; i++)
		any |= l->v[i].holder[0];
	if (!any)
		return;
	display_table(d, "Held now", "");
	display_column(d, "target", "", false, false);
	display_column(d, "by", "", false, false);
	display_column(d, "to free it", "", false, false);
	for (unsigned int i = 0; i < l->n; i++) {
		const struct target *t = &l->v[i];

		if (!t->holder[0])
			continue;
		display_row(d);
		display_cell(d, 0, "%s", t->name);
		display_cell(d, 1, "%s", t->holder);
		display_cell(d, 2, "%s", t->free_command[0] ? t->free_command : "-");
	}
}

static void add_notes(struct display *d, const struct target_list *l)
{
	for (unsigned int i = 0; i < l->n; i++)
		if (l->v[i].badblocks)
			display_note(
				d,
				"%s has %llu bad sectors and is refused: clear them (ndctl "
				"clear-errors), or take a part without them by phys:BASE+SIZE.",
				l->v[i].name, (unsigned long long)l->v[i].badblocks);
	if (l->addresses_hidden)
		display_note(d, "Without root, physical addresses and who holds them are hidden, "
				"and so are targets that are known by address only.");
	display_note(d, "What holds data is written to only with --overwrite, and a chase writes "
			"its order first.");
}

int render_list_table(const struct target_list *l, FILE *f)
{
	static const struct {
		const char *head;
		bool right;
	} columns[] = { { "target", false }, { "kind", false }, { "node", true },
			{ "size", true },    { "free", true },	{ "physical range", false },
			{ "ways", true },    { "data", false } };
	struct display d = { 0 };
	int err;

	errno = 0;
	display_table(&d, "Targets", "");
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		display_column(&d, columns[i].head, "", columns[i].right, false);
	for (unsigned int i = 0; i < l->n; i++)
		add_target(&d, &l->v[i]);
	add_holders(&d, l);
	add_notes(&d, l);
	err = d.failed ? -ENOMEM : render_table(&d, f);
	display_free(&d);
	return err;
}

static void put_text(FILE *f, const char *s)
{
	fputc(',', f);
	if (!strpbrk(s, ",\"\n\r")) {
		fputs(s, f);
		return;
	}
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
	fputc('"', f);
}

static void put_number(FILE *f, uint64_t v, bool known)
{
	fputc(',', f);
	if (known)
		fprintf(f, "%llu", (unsigned long long)v);
}

int render_list_csv(const struct target_list *l, FILE *f)
{
	errno = 0;
	fputs("# mprobe-list-csv/1\n"
	      "name,kind,node,size_bytes,free_bytes,base,interleave_ways,holds_data,bad_sectors,holder,"
	      "free_command\n",
	      f);
	for (unsigned int i = 0; i < l->n; i++) {
		const struct target *t = &l->v[i];

		fprintf(f, "%s,%s", t->name, target_kind_name(t->kind));
		put_number(f, t->node, t->node >= 0);
		put_number(f, t->bytes, true);
		put_number(f, t->free_bytes, is_ram(t));
		put_number(f, t->base, t->base);
		put_number(f, t->interleave_ways, t->interleave_ways);
		put_text(f, t->holds_data ? "true" : "false");
		put_number(f, t->badblocks, t->base);
		put_text(f, t->holder);
		put_text(f, t->free_command);
		fputc('\n', f);
	}
	return render_flush(f, false);
}

static json_t *number(uint64_t v, bool known)
{
	return known ? json_integer((json_int_t)v) : json_null();
}

static json_t *text(const char *s)
{
	json_t *v = *s ? json_string(s) : NULL;

	return v ? v : json_null();
}

/* As the result document has them; null: unknown, or memory that the kernel hands out. */
static json_t *physical_ranges(const struct target *t)
{
	if (!t->base)
		return json_null();
	return json_pack("[{s:o, s:o}]", "base", number(t->base, true), "bytes",
			 number(t->bytes, true));
}

static json_t *one(const struct target *t)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "name", t->name,
			 "kind", target_kind_name(t->kind), "node", number(t->node, t->node >= 0),
			 "size_bytes", number(t->bytes, true), "free_bytes",
			 number(t->free_bytes, is_ram(t)), "physical_ranges", physical_ranges(t),
			 "interleave_ways", number(t->interleave_ways, t->interleave_ways),
			 "holds_data", t->holds_data, "bad_sectors", number(t->badblocks, t->base),
			 "holder", text(t->holder), "free_command", text(t->free_command));
}

int render_list_json(const struct target_list *l, FILE *f)
{
	json_t *targets = json_array(), *o;
	bool bad;

	for (unsigned int i = 0; i < l->n; i++)
		json_array_append_new(targets, one(&l->v[i]));
	o = json_pack("{s:s, s:s, s:b, s:o}", "schema", "mprobe-list/1", "tool", MPROBE_VERSION,
		      "addresses_hidden", l->addresses_hidden, "targets", targets);
	if (!o)
		return -ENOMEM;
	errno = 0;
	bad = json_dumpf(o, f, JSON_INDENT(2)) || fputc('\n', f) < 0;
	json_decref(o);
	return render_flush(f, bad);
}
