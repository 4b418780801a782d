/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tensors as text: lines of id,lower,upper,size and, where they are needed,
 * alignment, gaps and offset, in the order that the first line gives.  It is
 * what MiniMalloc reads and writes.
 */
#ifndef VNPU_PLAN_CSV_H
#define VNPU_PLAN_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "text.h"
#include "vnpu/plan.h"

enum csv_column {
	CSV_ID,
	CSV_LOWER,
	CSV_UPPER,
	CSV_SIZE,
	CSV_ALIGNMENT,
	CSV_GAPS,
	CSV_OFFSET,
	CSV_COLUMNS,
};

struct csv_row {
	struct field field[CSV_COLUMNS];
	uint64_t lower, upper, size;
	uint64_t offset;	/* VNPU_PLAN_NO_OFFSET where none is given */
};

struct csv {
	struct vnpu_plan *plan;
	struct csv_row *row;
	uint32_t rows, room;
	char *own;		/* of what is no part of the text, or NULL */
	/* Columns by their place in a line. */
	enum csv_column column[CSV_COLUMNS];
	uint32_t columns;
	uint32_t line;
	/* Where the text is refused: "line 3: " and why. */
	char fault[512];
};

/**
 * csv_read() - read a text into a plan
 * @csv: filled; freed by csv_free() in any case
 * @text: not ended by a NUL; must stay while @csv is in use
 * @size: of it
 * @is_fixed: tensors that have an offset are fixed there
 *
 * Return: 0; -EINVAL where it is refused, and csv->fault tells the line and the
 * reason; -ENOMEM.
 */
int csv_read(struct csv *csv, const char *text, size_t size, bool is_fixed);
void csv_free(struct csv *csv);

/* The same columns, and the offset last; false if it could not be written. */
bool csv_write(const struct csv *csv, FILE *f, const uint64_t *offset);

#endif /* VNPU_PLAN_CSV_H */
