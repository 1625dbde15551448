// SPDX-License-Identifier: GPL-2.0
#include "render_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render.h"

#define WIDTH 100 /* that notes are wrapped to */

static const char *cell(const struct display_table *t, size_t row, size_t column)
{
	const char *c = t->cells[row * t->nr_columns + column];

	return c ? c : "";
}

struct layout {
	const struct display_table *t;
	size_t *width, *space;
};

static size_t group_width(const struct layout *l, size_t first)
{
	size_t i, sum = l->width[first];

	for (i = first + 1; i < display_group(l->t, first); i++)
		sum += l->space[i] + l->width[i];
	return sum;
}

/* Text is held back with the blanks before it, so that no line ends in blanks. */
struct line {
	FILE *f;
	size_t blanks;
};

static void put(struct line *l, const char *s, size_t width, int right)
{
	size_t pad = strlen(s) < width ? width - strlen(s) : 0;

	if (right)
		l->blanks += pad;
	if (*s) {
		fprintf(l->f, "%*s%s", (int)l->blanks, "", s);
		l->blanks = 0;
	}
	if (!right)
		l->blanks += pad;
}

static void put_headings(FILE *f, const struct layout *lay, int units)
{
	const struct display_table *t = lay->t;
	struct line l = { .f = f };
	size_t i;

	for (i = 0; i < t->nr_columns; i = display_group(t, i)) {
		l.blanks += lay->space[i];
		put(&l, units ? t->columns[i].unit : t->columns[i].head, group_width(lay, i),
		    t->columns[i].right && display_group(t, i) == i + 1);
	}
	fputc('\n', f);
}

static void put_repeated(FILE *f, char c, size_t n)
{
	while (n--)
		fputc(c, f);
}

static void put_rule(FILE *f, const struct layout *lay)
{
	size_t i;

	for (i = 0; i < lay->t->nr_columns; i = display_group(lay->t, i)) {
		put_repeated(f, ' ', lay->space[i]);
		put_repeated(f, '-', group_width(lay, i));
	}
	fputc('\n', f);
}

static void put_rows(FILE *f, const struct layout *lay)
{
	const struct display_table *t = lay->t;
	size_t row, i;

	for (row = 0; row < t->nr_rows; row++) {
		struct line l = { .f = f };

		for (i = 0; i < t->nr_columns; i++) {
			l.blanks += lay->space[i];
			put(&l, cell(t, row, i), lay->width[i], t->columns[i].right);
		}
		fputc('\n', f);
	}
}

static int put_table(FILE *f, const struct display_table *t)
{
	size_t *room = calloc(t->nr_columns * 2 + 1, sizeof(*room)), i;
	struct layout lay = { .t = t };
	int units = 0;

	if (!room)
		return -ENOMEM;
	lay.width = room;
	lay.space = room + t->nr_columns;
	display_measure(t, lay.width, lay.space);
	fprintf(f, "%s\n", t->title);
	if (*t->caption)
		fprintf(f, "[%s]\n", t->caption);
	for (i = 0; i < t->nr_columns; i++)
		units |= *t->columns[i].unit;
	put_headings(f, &lay, 0);
	if (units)
		put_headings(f, &lay, 1);
	put_rule(f, &lay);
	put_rows(f, &lay);
	free(room);
	return 0;
}

/* Broken at blanks; what follows the first line is indented. */
static void put_note(FILE *f, const char *note)
{
	size_t column = 0, word, indent = 4;

	while (*note) {
		word = strcspn(note, " ");
		if (column && column + 1 + word > WIDTH) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column) {
			fputc(' ', f);
			column++;
		}
		fwrite(note, 1, word, f);
		column += word;
		note += word;
		note += *note == ' ';
	}
	fputc('\n', f);
}

int render_table(const struct display *d, FILE *f)
{
	size_t i;
	int ret = d->failed ? -ENOMEM : 0;

	errno = 0;
	for (i = 0; i < d->nr_tables && !ret; i++) {
		if (i)
			fputc('\n', f);
		ret = put_table(f, &d->tables[i]);
	}
	if (ret)
		return ret;
	if (d->nr_tables && d->nr_notes)
		fputc('\n', f);
	for (i = 0; i < d->nr_notes; i++)
		put_note(f, d->notes[i]);
	return render_flush(f, false);
}
