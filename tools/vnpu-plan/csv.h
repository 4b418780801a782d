/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tensors as text: lines of id,lower,upper,size and optionally alignment, gaps,
 * apart and offset, in the order of the first line.  This is the format of
 * MiniMalloc, except for apart.
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
	CSV_APART,
	CSV_OFFSET,
	CSV_COLUMNS,
};

struct csv_row {
	struct field field[CSV_COLUMNS];
	uint64_t lower, upper, size;
	uint64_t offset;	/* VNPU_PLAN_NO_OFFSET if not given */
};

struct csv {
	struct vnpu_plan *plan;
	struct csv_row *row;
	uint32_t rows, room;
	char *own;		/* strings that are not in the text, or NULL */
	/* Columns by their place in a line. */
	enum csv_column column[CSV_COLUMNS];
	uint32_t columns;
	uint32_t line;
	/* Error of the text: "line 3: " and the reason. */
	char fault[512];
};

/**
 * csv_read() - read a text into a plan
 * @csv: filled; freed by csv_free() in any case
 * @text: not NUL-terminated; must stay while @csv is in use
 * @size: its size
 * @is_fixed: fix tensors that have an offset
 *
 * Return: 0; -EINVAL for an error, with the line and the reason in csv->fault;
 * -ENOMEM.
 */
int csv_read(struct csv *csv, const char *text, size_t size, bool is_fixed);
void csv_free(struct csv *csv);

/* Write the same columns, with the offset last; false if writing fails. */
bool csv_write(const struct csv *csv, FILE *f, const uint64_t *offset);

#endif /* VNPU_PLAN_CSV_H */
