// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: one call prints a value as text, as JSON or as CSV.
 */
#include <inttypes.h>
#include <stdarg.h>

#include "model.h"
#include "out.h"
#include "text.h"

/* npu-smi's width of a label, and of a column. */
#define COLUMN		30
#define WIDE_COLUMN	40

enum smi_exit out_init(struct out *o, const struct table_options *options,
		       enum out_layout layout, const struct csv_list *lists)
{
	enum smi_exit status;

	*o = (struct out){
		.f = stdout,
		.layout = layout,
		.json = { .f = stdout },
	};
	status = table_format(options, &o->format);
	if (status)
		return status;
	o->is_data = o->format != TABLE_TEXT;
	if (o->format == TABLE_CSV)
		return csv_init(&o->csv, stdout, lists, options->fields);
	if (options->fields)
		return fail(SMI_USAGE,
			    "option '--fields' needs '--format csv'");
	return SMI_OK;
}

enum smi_exit out_fini(struct out *o, enum smi_exit status)
{
	csv_fini(&o->csv);
	if (status)
		return status;
	if (o->csv.has_failed)
		return fail(SMI_FAILED, "out of memory");
	return finish_output(o->f);
}

static void open_data(struct out *o, const char *key, char bracket)
{
	if (o->format == TABLE_JSON)
		json_open(&o->json, key, bracket);
	else if (o->format == TABLE_CSV)
		csv_open(&o->csv, key, bracket);
}

static void close_data(struct out *o, char bracket)
{
	if (o->format == TABLE_JSON)
		json_close(&o->json, bracket);
	else if (o->format == TABLE_CSV)
		csv_close(&o->csv);
}

void out_object(struct out *o, const char *key)
{
	open_data(o, key, '{');
}

void out_object_end(struct out *o)
{
	close_data(o, '}');
	if (o->in_row)
		putc('\n', o->f);
	o->in_row = false;
}

void out_list(struct out *o, const char *key)
{
	open_data(o, key, '[');
}

void out_list_end(struct out *o)
{
	close_data(o, ']');
}

static void print_column(struct out *o, const char *value)
{
	char clean[TEXT_MAX];
	size_t columns = text_clean(clean, sizeof(clean), value);

	if (o->in_row)
		fprintf(o->f, "%*s ", o->padding, "");
	else
		putc('\t', o->f);
	fputs(clean, o->f);
	o->in_row = true;
	o->padding = columns < COLUMN ? (int)(COLUMN - columns) : 0;
}

static void print_line(struct out *o, const char *label, const char *value)
{
	fprintf(o->f, "\t%-*s : ",
		o->layout == OUT_WIDE_LINES ? WIDE_COLUMN : COLUMN, label);
	text_print(o->f, value, 0);
	putc('\n', o->f);
}

static void print_text(struct out *o, const char *label, const char *value)
{
	if (!label)
		return;
	if (o->layout == OUT_COLUMNS)
		print_column(o, o->is_header ? label : value);
	else
		print_line(o, label, value);
}

void out_uint(struct out *o, const char *key, const char *label, uint64_t value)
{
	char text[24];

	switch (o->format) {
	case TABLE_JSON:
		json_uint(&o->json, key, value);
		break;
	case TABLE_CSV:
		csv_uint(&o->csv, key, value);
		break;
	case TABLE_TEXT:
		snprintf(text, sizeof(text), "%" PRIu64, value);
		print_text(o, label, text);
		break;
	}
}

void out_bool(struct out *o, const char *key, const char *label, bool value)
{
	switch (o->format) {
	case TABLE_JSON:
		json_bool(&o->json, key, value);
		break;
	case TABLE_CSV:
		csv_string(&o->csv, key, value ? "true" : "false");
		break;
	case TABLE_TEXT:
		print_text(o, label, value ? "Yes" : "No");
		break;
	}
}

void out_bytes(struct out *o, const char *key, const char *label,
	       uint64_t value)
{
	out_uint(o, key, label, o->is_data ? value : bytes_to_mib(value));
}

void out_string(struct out *o, const char *key, const char *label,
		const char *value)
{
	if (!value)
		out_none(o, key, label);
	else if (o->format == TABLE_JSON)
		json_string(&o->json, key, value);
	else if (o->format == TABLE_CSV)
		csv_string(&o->csv, key, value);
	else
		print_text(o, label, value);
}

void out_none(struct out *o, const char *key, const char *label)
{
	if (o->format == TABLE_JSON)
		json_null(&o->json, key);
	else if (o->format == TABLE_TEXT)
		print_text(o, label, "NA");
}

void out_uint_if(struct out *o, const char *key, const char *label,
		 bool is_there, uint64_t number)
{
	if (is_there)
		out_uint(o, key, label, number);
	else
		out_none(o, key, label);
}

void out_text(struct out *o, const char *fmt, ...)
{
	va_list args;

	if (o->is_data)
		return;
	va_start(args, fmt);
	vfprintf(o->f, fmt, args);
	va_end(args);
}
