// SPDX-License-Identifier: GPL-2.0
#include "display.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more at v[n]; NULL and d->failed where there is no memory. */
static void *grow(struct display *d, void *v, size_t n, size_t size)
{
	void *more = d->failed ? NULL : reallocarray(v, n + 1, size);

	if (!more)
		d->failed = true;
	else
		memset((char *)more + n * size, 0, size);
	return more;
}

static char *copy(struct display *d, const char *s)
{
	char *c = strdup(s);

	if (!c)
		d->failed = true;
	return c;
}

static struct display_table *last(const struct display *d)
{
	return &d->tables[d->nr_tables - 1];
}

struct display_table *display_table(struct display *d, const char *title, const char *caption)
{
	struct display_table *t = grow(d, d->tables, d->nr_tables, sizeof(*t));

	if (!t)
		return NULL;
	d->tables = t;
	d->nr_tables++;
	last(d)->title = copy(d, title);
	last(d)->caption = copy(d, caption);
	return last(d);
}

void display_column(struct display *d, const char *head, const char *unit, bool right, bool glued)
{
	struct display_table *t = d->nr_tables ? last(d) : NULL;
	struct display_column *c = t ? grow(d, t->columns, t->nr_columns, sizeof(*c)) : NULL;

	if (!c)
		return;
	t->columns = c;
	c += t->nr_columns++;
	c->head = copy(d, head);
	c->unit = copy(d, unit);
	c->right = right;
	c->glued = glued;
}

void display_row(struct display *d)
{
	struct display_table *t = d->nr_tables ? last(d) : NULL;
	char **cells = t ? grow(d, t->cells, t->nr_rows, t->nr_columns * sizeof(*cells)) : NULL;

	if (!cells)
		return;
	t->cells = cells;
	t->nr_rows++;
}

static char *print(struct display *d, const char *format, va_list ap)
{
	char *text;

	if (d->failed)
		return NULL;
	if (vasprintf(&text, format, ap) < 0) {
		d->failed = true;
		return NULL;
	}
	return text;
}

void display_cell(struct display *d, size_t column, const char *format, ...)
{
	struct display_table *t = d->nr_tables ? last(d) : NULL;
	char **cell;
	va_list ap;

	if (d->failed || !t || !t->nr_rows || column >= t->nr_columns)
		return;
	cell = &t->cells[(t->nr_rows - 1) * t->nr_columns + column];
	free(*cell);
	va_start(ap, format);
	*cell = print(d, format, ap);
	va_end(ap);
}

void display_note(struct display *d, const char *format, ...)
{
	char **notes = grow(d, d->notes, d->nr_notes, sizeof(*notes));
	va_list ap;

	if (!notes)
		return;
	d->notes = notes;
	va_start(ap, format);
	d->notes[d->nr_notes++] = print(d, format, ap);
	va_end(ap);
}

static void free_table(struct display_table *t)
{
	size_t i;

	for (i = 0; i < t->nr_columns; i++) {
		free(t->columns[i].head);
		free(t->columns[i].unit);
	}
	for (i = 0; i < t->nr_rows * t->nr_columns; i++)
		free(t->cells[i]);
	free(t->columns);
	free(t->cells);
	free(t->title);
	free(t->caption);
}

void display_drop(struct display *d)
{
	if (d->nr_tables)
		free_table(&d->tables[--d->nr_tables]);
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

size_t display_group(const struct display_table *t, size_t first)
{
	size_t end = first + 1;

	while (end < t->nr_columns && t->columns[end].glued)
		end++;
	return end;
}

size_t display_measure(const struct display_table *t, size_t *width, size_t *space)
{
	size_t first, end, i, row, head, cells, sum = 0;

	for (row = 0; row < t->nr_rows; row++) {
		for (i = 0; i < t->nr_columns; i++) {
			const char *c = t->cells[row * t->nr_columns + i];

			width[i] = larger(width[i], c ? strlen(c) : 0);
		}
	}
	for (first = 0; first < t->nr_columns; first = end) {
		end = display_group(t, first);
		space[first] = first ? 2 : 0;
		cells = width[first];
		for (i = first + 1; i < end; i++) {
			space[i] = width[i] ? 1 : 0;
			cells += space[i] + width[i];
		}
		head = larger(strlen(t->columns[first].head), strlen(t->columns[first].unit));
		if (head > cells)
			width[first] += head - cells;
		sum += space[first] + larger(head, cells);
	}
	return sum;
}

void display_free(struct display *d)
{
	size_t i;

	for (i = 0; i < d->nr_tables; i++)
		free_table(&d->tables[i]);
	for (i = 0; i < d->nr_notes; i++)
		free(d->notes[i]);
	free(d->tables);
	free(d->notes);
	*d = (struct display){};
}
