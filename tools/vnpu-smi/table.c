// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: rows of values, as text in columns, as CSV, or as JSON.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "table.h"

/* Room for all numbers below 64. */
#define CELL_TEXT	192

enum smi_exit table_format(const struct table_options *options,
			   enum table_format *format)
{
	static const char *const words[] = {
		[TABLE_TEXT] = "text",
		[TABLE_CSV] = "csv",
		[TABLE_JSON] = "json",
	};
	const char *word = options->format;
	size_t i;

	*format = options->is_json ? TABLE_JSON : TABLE_TEXT;
	if (!word)
		return SMI_OK;
	if (options->is_json && strcmp(word, words[TABLE_JSON]))
		return fail(SMI_USAGE,
			    "options '-j' and '--format %s' exclude each other",
			    word);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i])) {
			*format = (enum table_format)i;
			return SMI_OK;
		}
	return fail(SMI_USAGE, "unknown format '%s': it must be json, csv or text",
		    word);
}

enum smi_exit table_take_option(struct table_options *options, int c,
				const char *value)
{
	const char **to = c == TABLE_OPTION_FORMAT ? &options->format :
						     &options->fields;

	if (c == 'j') {
		options->is_json = true;
		return SMI_OK;
	}
	if (*to)
		return fail(SMI_USAGE, "option '--%s' is given twice",
			    c == TABLE_OPTION_FORMAT ? "format" : "fields");
	*to = value;
	return SMI_OK;
}

static enum smi_exit show_field(struct table *t, const char *name,
				size_t length)
{
	size_t i;

	for (i = 0; i < t->column_count; i++)
		if (strlen(t->columns[i].key) == length &&
		    !strncmp(t->columns[i].key, name, length))
			break;
	if (i == t->column_count)
		return fail(SMI_USAGE, "unknown field '%.*s'", (int)length,
			    name);
	if (t->shown_count == TABLE_MAX_COLUMNS)
		return fail(SMI_USAGE, "too many fields");
	t->shown[t->shown_count++] = i;
	return SMI_OK;
}

static enum smi_exit set_fields(struct table *t, const char *fields)
{
	enum smi_exit status = SMI_OK;
	size_t length, i;

	if (fields && t->format == TABLE_JSON)
		return fail(SMI_USAGE, "option '--fields' cannot be combined with JSON");
	if (!fields) {
		for (i = 0; i < t->column_count; i++)
			if (t->columns[i].label || t->format == TABLE_CSV)
				t->shown[t->shown_count++] = i;
		return SMI_OK;
	}
	for (; !status; fields += length + 1) {
		length = strcspn(fields, ",");
		status = show_field(t, fields, length);
		if (!fields[length])
			break;
	}
	return status;
}

enum smi_exit table_init(struct table *t, const struct column *columns,
			 size_t count, const struct table_options *options,
			 bool is_stream)
{
	enum smi_exit status;

	*t = (struct table){
		.f = stdout,
		.is_stream = is_stream,
		.columns = columns,
		.column_count = count,
		.json = { .f = stdout, .is_line = is_stream },
	};
	status = table_format(options, &t->format);
	return status ? status : set_fields(t, options->fields);
}

/* All numbers are below 64, so that they fit. */
static void format_set(char text[CELL_TEXT], uint64_t bits, char separator)
{
	char *end = text;
	unsigned int i;

	*end = '\0';
	for (i = 0; bits >> i && i < 64; i++)
		if (bits >> i & 1)
			end += sprintf(end, "%s%u", end == text ? "" :
				       (char[]){ separator, '\0' }, i);
}

static void print_csv(FILE *f, const struct cell *cell)
{
	char text[CELL_TEXT];

	switch (cell->kind) {
	case CELL_NONE:
		break;
	case CELL_UINT:
		fprintf(f, "%" PRIu64, cell->uint);
		break;
	case CELL_STRING:
		csv_print(f, cell->string);
		break;
	case CELL_BOOL:
		fputs(cell->uint ? "true" : "false", f);
		break;
	case CELL_SET:
		format_set(text, cell->uint, ' ');
		fputs(text, f);
		break;
	}
}

/* Trailing blanks of a line are omitted. */
static void print_padded(FILE *f, const char *text, int width, bool is_last)
{
	char clean[TEXT_MAX];
	int columns = (int)text_clean(clean, sizeof(clean), text);
	int blanks = abs(width) - columns;

	if (blanks < 0)
		blanks = 0;
	fprintf(f, "%*s%s%*s%s", width > 0 ? blanks : 0, "", clean,
		width < 0 && !is_last ? blanks : 0, "", is_last ? "\n" : " ");
}

static uint64_t scale(enum column_unit unit, uint64_t value)
{
	switch (unit) {
	case COLUMN_MIB:
		return value >> 20;
	case COLUMN_MS:
		return value / 1000000;
	default:
		return value;
	}
}

static void print_text(struct table *t, const struct column *column,
		       const struct cell *cell, bool is_last)
{
	const char *text = "NA";
	char number[CELL_TEXT];

	if (cell->kind == CELL_STRING) {
		text = cell->string;
	} else if (cell->kind == CELL_BOOL) {
		text = cell->uint ? "yes" : "no";
	} else if (cell->kind == CELL_UINT) {
		snprintf(number, sizeof(number), "%" PRIu64,
			 scale(column->unit, cell->uint));
		text = number;
	} else if (cell->kind == CELL_SET && cell->uint) {
		format_set(number, cell->uint, ',');
		text = number;
	}
	print_padded(t->f, text, column->width, is_last);
}

static void write_json_set(struct json *j, const char *key, uint64_t bits)
{
	unsigned int i;

	json_open(j, key, '[');
	for (i = 0; i < 64; i++)
		if (bits >> i & 1)
			json_uint(j, NULL, i);
	json_close(j, ']');
}

static void write_json(struct table *t, const struct cell *cells)
{
	size_t i;

	json_open(&t->json, NULL, '{');
	for (i = 0; i < t->column_count; i++) {
		const char *key = t->columns[i].key;

		switch (cells[i].kind) {
		case CELL_NONE:
			json_null(&t->json, key);
			break;
		case CELL_UINT:
			json_uint(&t->json, key, cells[i].uint);
			break;
		case CELL_STRING:
			json_string(&t->json, key, cells[i].string);
			break;
		case CELL_BOOL:
			json_bool(&t->json, key, cells[i].uint);
			break;
		case CELL_SET:
			write_json_set(&t->json, key, cells[i].uint);
			break;
		}
	}
	json_close(&t->json, '}');
}

static const char *head_of(const struct column *column)
{
	return column->label ? column->label : column->key;
}

void table_start(struct table *t, const char *key)
{
	size_t i;

	if (t->format == TABLE_JSON) {
		if (t->is_stream)
			return;
		json_open(&t->json, NULL, '{');
		json_open(&t->json, key, '[');
		return;
	}
	for (i = 0; i < t->shown_count; i++) {
		const struct column *column = &t->columns[t->shown[i]];
		bool is_last = i + 1 == t->shown_count;

		if (t->format == TABLE_TEXT)
			print_padded(t->f, head_of(column), column->width,
				     is_last);
		else
			fprintf(t->f, "%s%s", column->key, is_last ? "\n" : ",");
	}
	if (t->is_stream)
		fflush(t->f);
}

void table_row(struct table *t, const struct cell *cells)
{
	size_t i;

	if (t->format == TABLE_JSON)
		write_json(t, cells);
	for (i = 0; i < t->shown_count && t->format != TABLE_JSON; i++) {
		size_t column = t->shown[i];
		bool is_last = i + 1 == t->shown_count;

		if (t->format == TABLE_TEXT) {
			print_text(t, &t->columns[column], &cells[column],
				   is_last);
			continue;
		}
		print_csv(t->f, &cells[column]);
		putc(is_last ? '\n' : ',', t->f);
	}
	if (t->is_stream)
		fflush(t->f);
}

void table_time(const struct table *t, char text[TIME_TEXT])
{
	if (t->format == TABLE_TEXT)
		format_time_short(text);
	else
		format_time(text);
}

enum smi_exit table_end(struct table *t)
{
	if (t->format == TABLE_JSON && !t->is_stream) {
		json_close(&t->json, ']');
		json_close(&t->json, '}');
	}
	return finish_output(t->f);
}
