// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: one call prints a value as text or as JSON.
 */
#include <inttypes.h>
#include <stdarg.h>

#include "model.h"
#include "out.h"
#include "text.h"

/* npu-smi's width of a label, and of a column. */
#define COLUMN		30
#define WIDE_COLUMN	40

void out_init(struct out *o, FILE *f, bool is_json, enum out_layout layout)
{
	*o = (struct out){
		.f = f,
		.is_json = is_json,
		.layout = layout,
		.json = { .f = f },
	};
}

void out_object(struct out *o, const char *key)
{
	if (o->is_json)
		json_open(&o->json, key, '{');
}

void out_object_end(struct out *o)
{
	if (o->is_json)
		json_close(&o->json, '}');
	else if (o->in_row)
		putc('\n', o->f);
	o->in_row = false;
}

void out_list(struct out *o, const char *key)
{
	if (o->is_json)
		json_open(&o->json, key, '[');
}

void out_list_end(struct out *o)
{
	if (o->is_json)
		json_close(&o->json, ']');
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

	if (o->is_json) {
		json_uint(&o->json, key, value);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu64, value);
	print_text(o, label, text);
}

void out_bool(struct out *o, const char *key, const char *label, bool value)
{
	if (o->is_json)
		json_bool(&o->json, key, value);
	else
		print_text(o, label, value ? "Yes" : "No");
}

void out_bytes(struct out *o, const char *key, const char *label,
	       uint64_t value)
{
	out_uint(o, key, label, o->is_json ? value : bytes_to_mib(value));
}

void out_string(struct out *o, const char *key, const char *label,
		const char *value)
{
	if (!value)
		out_none(o, key, label);
	else if (o->is_json)
		json_string(&o->json, key, value);
	else
		print_text(o, label, value);
}

void out_none(struct out *o, const char *key, const char *label)
{
	if (o->is_json)
		json_null(&o->json, key);
	else
		print_text(o, label, "NA");
}

void out_text(struct out *o, const char *fmt, ...)
{
	va_list args;

	if (o->is_json)
		return;
	va_start(args, fmt);
	vfprintf(o->f, fmt, args);
	va_end(args);
}
