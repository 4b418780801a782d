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
	"id", "lower", "upper", "size", "alignment", "gaps", "apart",
	"offset",
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
	text_clean(csv->fault);
	return -EINVAL;
}

static int read_number(struct csv *csv, const struct csv_row *row,
		       enum csv_column column, uint64_t *value)
{
	struct field f = row->field[column];

	if (field_take_number(&f, value) && !f.length)
		return 0;
	f = row->field[column];
	return refuse(csv, "%s '%.*s' is not a number from 0 to 2^64 - 1",
		      names[column], field_shown(&f), f.start);
}

/*
 * "7-9 12-14@2:13": not needed from 7 to 9; from 12 to 14 only bytes 2 to 12.
 */
static int read_gaps(struct csv *csv, const struct csv_row *row, uint32_t index)
{
	struct field f = row->field[CSV_GAPS];

	for (;;) {
		struct vnpu_plan_gap gap = { 0 };
		int err;

		while (field_take_char(&f, ' '))
			;
		if (!f.length)
			return 0;
		if (!field_take_number(&f, &gap.lower) ||
		    !field_take_char(&f, '-') ||
		    !field_take_number(&f, &gap.upper) ||
		    (field_take_char(&f, '@') &&
		     (!field_take_number(&f, &gap.from) ||
		      !field_take_char(&f, ':') ||
		      !field_take_number(&f, &gap.to))) ||
		    (f.length && *f.start != ' ')) {
			f = row->field[CSV_GAPS];
			return refuse(csv, "gaps '%.*s' are not like '7-9 12-14@2:13'",
				      field_shown(&f), f.start);
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
	if (field_has_control(&row->field[CSV_ID]))
		return refuse(csv, "id '%.*s' has a control character",
			      field_shown(&row->field[CSV_ID]),
			      row->field[CSV_ID].start);
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
static struct field take_field(struct field *line)
{
	const char *comma = memchr(line->start, ',', line->length);
	struct field f = *line;

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

static int read_header(struct csv *csv, struct field line)
{
	uint32_t seen = 0, c;

	for (;;) {
		const char *start = line.start;
		struct field f = take_field(&line);

		for (c = 0; c < CSV_COLUMNS && !field_is(&f, names[c]); c++)
			;
		if (c == CSV_COLUMNS)
			return refuse(csv, "unknown column '%.*s'",
				      field_shown(&f), f.start);
		if (seen & 1U << c)
			return refuse(csv, "column '%s' twice", names[c]);
		seen |= 1U << c;
		csv->column[csv->columns++] = c;
		if (line.start == start + f.length)
			break;
	}
	for (c = CSV_ID; c <= CSV_SIZE; c++)
		if (!(seen & 1U << c))
			return refuse(csv, "column '%s' is missing", names[c]);
	return 0;
}

static uint32_t count_fields(const struct field *line)
{
	uint32_t count = 1, i;

	for (i = 0; i < line->length; i++)
		count += line->start[i] == ',';
	return count;
}

/* Make room for one more row. */
static bool grow(struct csv *csv)
{
	uint32_t room = csv->room ? 2 * csv->room : 256;
	struct csv_row *row;

	if (csv->rows < csv->room)
		return true;
	row = realloc(csv->row, room * sizeof(*row));
	if (!row)
		return false;
	csv->row = row;
	csv->room = room;
	return true;
}

static int read_line(struct csv *csv, struct field line, bool is_fixed)
{
	uint32_t fields = count_fields(&line), c;
	struct csv_row *row;
	int err;

	if (memchr(line.start, '\0', line.length))
		return refuse(csv, "the line has a byte that is 0");
	if (!csv->columns)
		return read_header(csv, line);
	if (fields != csv->columns)
		return refuse(csv, "the line has %u fields, and the first line names %u columns",
			      fields, csv->columns);
	if (!grow(csv))
		return -ENOMEM;
	row = &csv->row[csv->rows];
	memset(row, 0, sizeof(*row));
	for (c = 0; c < csv->columns; c++)
		row->field[csv->column[c]] = take_field(&line);
	err = read_row(csv, row, is_fixed);
	if (!err)
		csv->rows++;
	return err;
}

/* The same for what all tensors have to be known for. */
static int refuse_tensor(struct csv *csv, uint32_t i, const char *reason,
			 const struct field *id)
{
	snprintf(csv->fault, sizeof(csv->fault), "tensor %u: %s '%.*s'", i,
		 reason, field_shown(id), id->start);
	text_clean(csv->fault);
	return -EINVAL;
}

/* Read the ids of the tensors that tensor @i is to be apart from. */
static int read_apart(struct csv *csv, const struct names *ids, uint32_t i)
{
	struct field rest = csv->row[i].field[CSV_APART];
	int err = 0;

	while (!err) {
		struct field id = field_take_word(&rest);
		uint32_t other;

		if (!id.length)
			break;
		other = names_find(ids, &id);
		if (other == NAMES_NONE)
			return refuse_tensor(csv, i, "is to be apart from an unknown id",
					     &id);
		err = vnpu_plan_add_separation(csv->plan, i, other);
		if (err && err != -ENOMEM)
			return refuse_tensor(csv, i, "cannot be apart from", &id);
	}
	return err;
}

static int read_ids(struct csv *csv, struct names *ids)
{
	uint32_t i;

	for (i = 0; i < csv->rows; i++) {
		const struct field *id = &csv->row[i].field[CSV_ID];

		if (names_find(ids, id) != NAMES_NONE)
			return refuse_tensor(csv, i, "an earlier tensor has its id",
					     id);
		if (!names_add(ids, id))
			return -ENOMEM;
	}
	return 0;
}

/* Read what needs all ids. */
static int finish(struct csv *csv)
{
	struct names ids = { 0 };
	int err = read_ids(csv, &ids);
	uint32_t i;

	for (i = 0; i < csv->rows && !err; i++)
		err = read_apart(csv, &ids, i);
	names_free(&ids);
	return err;
}

int csv_read(struct csv *csv, const char *text, size_t size, bool is_fixed)
{
	const char *end = text + size;
	int err;

	*csv = (struct csv){ .line = 1 };
	err = vnpu_plan_create(&csv->plan);
	if (err)
		return err;
	if (text_is_utf16(text, end))
		return refuse(csv, "the text is in UTF-16; UTF-8 is expected");
	text_skip_mark(&text, end);
	for (; text < end; csv->line++) {
		struct field line;

		if (!text_take_line(&text, end, &line))
			return refuse(csv, "too long");
		err = line.length ? read_line(csv, line, is_fixed) : 0;
		if (err)
			return err;
	}
	if (!csv->rows)
		return refuse(csv, csv->columns ? "the file has no tensors" :
						  "the header is missing");
	return finish(csv);
}

void csv_free(struct csv *csv)
{
	free(csv->row);
	free(csv->own);
	vnpu_plan_destroy(csv->plan);
}

static void write_field(const struct csv_row *row, enum csv_column column,
			FILE *f)
{
	const struct field *field = &row->field[column];

	switch (column) {
	case CSV_LOWER:
		fprintf(f, "%" PRIu64, row->lower);
		break;
	case CSV_UPPER:
		fprintf(f, "%" PRIu64, row->upper);
		break;
	case CSV_SIZE:
		fprintf(f, "%" PRIu64, row->size);
		break;
	default:
		fwrite(field->start, 1, field->length, f);
	}
	putc(',', f);
}

bool csv_write(const struct csv *csv, FILE *f, const uint64_t *offset)
{
	uint32_t i, c;

	for (c = 0; c < csv->columns; c++)
		if (csv->column[c] != CSV_OFFSET)
			fprintf(f, "%s,", names[csv->column[c]]);
	fputs("offset\n", f);
	for (i = 0; i < csv->rows; i++) {
		for (c = 0; c < csv->columns; c++)
			if (csv->column[c] != CSV_OFFSET)
				write_field(&csv->row[i], csv->column[c], f);
		/* A tensor on the chip has no offset. */
		if (offset[i] != VNPU_PLAN_NO_OFFSET)
			fprintf(f, "%" PRIu64, offset[i]);
		putc('\n', f);
	}
	return !ferror(f);
}
