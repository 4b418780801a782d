// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tensors as text; see csv.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"

static const char *const names[CSV_COLUMNS] = {
	"id", "lower", "upper", "size", "alignment", "gaps", "offset",
};

static int refuse(struct csv *csv, const char *fmt, ...)
{
	int used = snprintf(csv->fault, sizeof(csv->fault), "line %u: ",
			    csv->line);
	va_list args;

	va_start(args, fmt);
	vsnprintf(csv->fault + used, sizeof(csv->fault) - (size_t)used, fmt,
		  args);
	va_end(args);
	return -EINVAL;
}

/* As much of a field as fits into a message. */
static int shown(const struct csv_field *f)
{
	return f->length < 40 ? (int)f->length : 40;
}

static bool is_name(const struct csv_field *f, const char *name)
{
	return f->length == strlen(name) &&
	       !memcmp(f->start, name, f->length);
}

/* Take a number from the front of @f. */
static bool take_number(struct csv_field *f, uint64_t *value)
{
	const char *start = f->start;

	*value = 0;
	while (f->length && *f->start >= '0' && *f->start <= '9') {
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, *f->start - '0', value))
			return false;
		f->start++;
		f->length--;
	}
	return f->start > start;
}

static bool take_char(struct csv_field *f, char c)
{
	if (!f->length || *f->start != c)
		return false;
	f->start++;
	f->length--;
	return true;
}

static int read_number(struct csv *csv, const struct csv_row *row,
		       enum csv_column column, uint64_t *value)
{
	struct csv_field f = row->field[column];

	if (take_number(&f, value) && !f.length)
		return 0;
	f = row->field[column];
	return refuse(csv, "%s '%.*s' is not a number from 0 to 2^64 - 1",
		      names[column], shown(&f), f.start);
}

/* "7-9 12-14@2:13": no need from 7 to 9, from 12 to 14 of bytes 2 to 13 only. */
static int read_gaps(struct csv *csv, const struct csv_row *row, uint32_t index)
{
	struct csv_field f = row->field[CSV_GAPS];

	for (;;) {
		struct vnpu_plan_gap gap = { 0 };
		int err;

		while (take_char(&f, ' '))
			;
		if (!f.length)
			return 0;
		if (!take_number(&f, &gap.lower) || !take_char(&f, '-') ||
		    !take_number(&f, &gap.upper) ||
		    (take_char(&f, '@') &&
		     (!take_number(&f, &gap.from) || !take_char(&f, ':') ||
		      !take_number(&f, &gap.to))) ||
		    (f.length && *f.start != ' ')) {
			f = row->field[CSV_GAPS];
			return refuse(csv, "gaps '%.*s' are not like '7-9 12-14@2:13'",
				      shown(&f), f.start);
		}
		err = vnpu_plan_add_gap(csv->plan, index, &gap);
		if (err == -ENOMEM)
			return err;
		if (err)
			return refuse(csv, "%s", vnpu_plan_fault(csv->plan));
	}
}

static int read_row(struct csv *csv, struct csv_row *row, bool is_fixed)
{
	struct vnpu_plan_tensor t = { 0 };
	int err;

	if (!row->field[CSV_ID].length)
		return refuse(csv, "the id is empty");
	err = read_number(csv, row, CSV_LOWER, &t.lower);
	err = err ? err : read_number(csv, row, CSV_UPPER, &t.upper);
	err = err ? err : read_number(csv, row, CSV_SIZE, &t.size);
	if (!err && row->field[CSV_ALIGNMENT].length)
		err = read_number(csv, row, CSV_ALIGNMENT, &t.align);
	row->offset = VNPU_PLAN_NO_OFFSET;
	if (!err && row->field[CSV_OFFSET].length)
		err = read_number(csv, row, CSV_OFFSET, &row->offset);
	if (err)
		return err;
	if (is_fixed && row->offset != VNPU_PLAN_NO_OFFSET) {
		t.offset = row->offset;
		t.flags = VNPU_PLAN_FIXED;
	}
	row->lower = t.lower;
	row->upper = t.upper;
	row->size = t.size;
	err = vnpu_plan_add_tensor(csv->plan, &t);
	if (err == -ENOMEM)
		return err;
	if (err)
		return refuse(csv, "%s", vnpu_plan_fault(csv->plan));
	return read_gaps(csv, row, csv->rows);
}

/* Cut the next field off @line, which ends at a comma or with the line. */
static struct csv_field take_field(struct csv_field *line)
{
	const char *comma = memchr(line->start, ',', line->length);
	struct csv_field f = *line;

	if (comma) {
		f.length = (uint32_t)(comma - f.start);
		line->length -= f.length + 1;
		line->start = comma + 1;
	} else {
		line->start += line->length;
		line->length = 0;
	}
	return f;
}

static int read_header(struct csv *csv, struct csv_field line)
{
	uint32_t seen = 0, c;

	for (;;) {
		const char *start = line.start;
		struct csv_field f = take_field(&line);

		for (c = 0; c < CSV_COLUMNS && !is_name(&f, names[c]); c++)
			;
		if (c == CSV_COLUMNS)
			return refuse(csv, "unknown column '%.*s'", shown(&f),
				      f.start);
		if (seen & 1U << c)
			return refuse(csv, "column '%s' twice", names[c]);
		seen |= 1U << c;
		csv->column[csv->columns++] = c;
		if (line.start == start + f.length)
			break;
	}
	for (c = CSV_ID; c <= CSV_SIZE; c++)
		if (!(seen & 1U << c))
			return refuse(csv, "no column '%s'", names[c]);
	return 0;
}

static int read_line(struct csv *csv, struct csv_field line, bool is_fixed)
{
	struct csv_row *row;
	uint32_t c;
	int err;

	if (!csv->columns)
		return read_header(csv, line);
	if (csv->rows == csv->room) {
		uint32_t room = csv->room ? 2 * csv->room : 256;

		row = realloc(csv->row, room * sizeof(*row));
		if (!row)
			return -ENOMEM;
		csv->row = row;
		csv->room = room;
	}
	row = &csv->row[csv->rows];
	memset(row, 0, sizeof(*row));
	for (c = 0; c < csv->columns; c++) {
		const char *start = line.start;
		struct csv_field f = take_field(&line);
		bool is_last = line.start == start + f.length;

		if (is_last != (c + 1 == csv->columns))
			return refuse(csv, "not %u fields", csv->columns);
		row->field[csv->column[c]] = f;
	}
	err = read_row(csv, row, is_fixed);
	if (!err)
		csv->rows++;
	return err;
}

static uint64_t hash(const struct csv_field *f)
{
	uint64_t h = 0xcbf29ce484222325;
	uint32_t i;

	for (i = 0; i < f->length; i++)
		h = (h ^ (unsigned char)f->start[i]) * 0x100000001b3;
	return h ^ h >> 29;
}

/* By a table with open addresses, of twice as many places as there are ids. */
static int find_duplicate(struct csv *csv)
{
	uint64_t places = 4, h;
	uint32_t *table;
	uint32_t i;

	while (places < 2 * (uint64_t)csv->rows)
		places *= 2;
	table = calloc(places, sizeof(*table));
	if (!table)
		return -ENOMEM;
	for (i = 0; i < csv->rows; i++) {
		const struct csv_field *id = &csv->row[i].field[CSV_ID];

		for (h = hash(id); table[h & (places - 1)]; h++) {
			uint32_t other = table[h & (places - 1)] - 1;
			struct csv_field *f = &csv->row[other].field[CSV_ID];

			if (f->length != id->length ||
			    memcmp(f->start, id->start, id->length))
				continue;
			free(table);
			snprintf(csv->fault, sizeof(csv->fault),
				 "tensor %u: id '%.*s' is that of tensor %u, too",
				 i, shown(id), id->start, other);
			return -EINVAL;
		}
		table[h & (places - 1)] = i + 1;
	}
	free(table);
	return 0;
}

int csv_read(struct csv *csv, const char *text, size_t size, bool is_fixed)
{
	const char *end = text + size;
	int err;

	*csv = (struct csv){ .line = 1 };
	err = vnpu_plan_create(&csv->plan);
	if (err)
		return err;
	for (; text < end; csv->line++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		struct csv_field line = { .start = text };

		stop = stop ? stop : end;
		if (stop - text > INT32_MAX)
			return refuse(csv, "too long");
		line.length = (uint32_t)(stop - text);
		text = stop + 1;
		if (line.length && line.start[line.length - 1] == '\r')
			line.length--;
		err = line.length ? read_line(csv, line, is_fixed) : 0;
		if (err)
			return err;
	}
	if (!csv->rows)
		return refuse(csv, csv->columns ? "there are no tensors" :
						  "there is no header");
	return find_duplicate(csv);
}

void csv_free(struct csv *csv)
{
	free(csv->row);
	vnpu_plan_destroy(csv->plan);
}

bool csv_write(const struct csv *csv, FILE *f, const uint64_t *offset)
{
	uint32_t i, c;

	for (c = 0; c < csv->columns; c++)
		if (csv->column[c] != CSV_OFFSET)
			fprintf(f, "%s,", names[csv->column[c]]);
	fputs("offset\n", f);
	for (i = 0; i < csv->rows; i++) {
		const struct csv_row *row = &csv->row[i];

		for (c = 0; c < csv->columns; c++) {
			const struct csv_field *field =
				&row->field[csv->column[c]];

			if (csv->column[c] == CSV_OFFSET)
				continue;
			fwrite(field->start, 1, field->length, f);
			putc(',', f);
		}
		fprintf(f, "%" PRIu64 "\n", offset[i]);
	}
	return !ferror(f);
}
