/* SPDX-License-Identifier: GPL-2.0 */
/* What a person is shown: tables of text with units and captions, notes (render_table.c). */
#ifndef MPROBE_DISPLAY_H
#define MPROBE_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>

struct display_column {
	char *head, *unit; /* owned; "" where there is none */
	bool right;	   /* aligned so */
	bool glued;	   /* stands close to the column before it and under its heading */
};

struct display_table {
	char *title, *caption; /* owned; caption "" none */
	struct display_column *columns;
	size_t nr_columns, nr_rows;
	char **cells; /* nr_rows x nr_columns; NULL: empty */
};

struct display {
	struct display_table *tables; /* owned */
	size_t nr_tables;
	char **notes; /* owned; lines below the tables, wrapped when rendered */
	size_t nr_notes;
	bool failed; /* memory ran out; the rest is not to be shown */
};

/*
 * Building never fails at once: where memory runs out, failed is set and what
 * follows is ignored. A table's columns come before its rows. The table
 * pointer holds until the next display_table().
 */
struct display_table *display_table(struct display *d, const char *title, const char *caption);
void display_column(struct display *d, const char *head, const char *unit, bool right, bool glued);
void display_row(struct display *d); /* to the last table */
/* into the last row of the last table */
void display_cell(struct display *d, size_t column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void display_note(struct display *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
void display_drop(struct display *d); /* the last table */
/*
 * How wide each column is rendered (width[nr_columns], zeroed before) and how many characters stand
 * before it (space); a glued column that is empty takes none. Returns the table's width.
 */
size_t display_measure(const struct display_table *t, size_t *width, size_t *space);
size_t display_group(const struct display_table *t, size_t first); /* end of those glued to it */
void display_free(struct display *d);

#endif
