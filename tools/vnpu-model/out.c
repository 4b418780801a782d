// SPDX-License-Identifier: GPL-2.0-only
/* Values as text or as JSON. See out.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"

#define LABEL	20

int out_put(FILE *f, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	int printed = 0;
	size_t length;

	for (; *s; s += length ? length : 1, printed++) {
		length = json_utf8_length(s);
		if (!length || json_utf8_is_control(s))
			putc('?', f);
		else
			fwrite(s, 1, length, f);
	}
	return printed;
}

void out_message(FILE *f, const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	out_put(f, text ? text : "out of memory");
	putc('\n', f);
	free(text);
}

void out_begin(struct out *o, FILE *f, bool is_json)
{
	*o = (struct out){ .f = f, .is_json = is_json,
			   .json = { .f = f, .line_depth = 3 } };
	out_object(o, NULL, NULL);
}

int out_end(struct out *o)
{
	out_object_end(o);
	return fflush(o->f) || ferror(o->f) ? -EIO : 0;
}

void out_object(struct out *o, const char *key, const char *label)
{
	if (o->is_json)
		json_open(&o->json, key, '{');
	else if (label)
		fprintf(o->f, "%s\n", label);
}

void out_object_end(struct out *o)
{
	if (o->is_json)
		json_close(&o->json, '}');
}

void out_list(struct out *o, const char *key, const char *label,
	      const struct out_column *columns)
{
	const struct out_column *c;

	if (o->is_json) {
		json_open(&o->json, key, '[');
		return;
	}
	if (label)
		fprintf(o->f, "%s\n", label);
	o->columns = columns;
	for (c = columns; ; c++) {
		fprintf(o->f, "  %*s", c->width, c->label);
		if (!c->width)
			break;
	}
	putc('\n', o->f);
}

void out_list_end(struct out *o)
{
	if (o->is_json)
		json_close(&o->json, ']');
	o->columns = NULL;
}

void out_row(struct out *o)
{
	if (o->is_json)
		json_open(&o->json, NULL, '{');
	o->column = 0;
	o->in_row = true;
}

void out_row_end(struct out *o)
{
	if (o->is_json)
		json_close(&o->json, '}');
	else
		putc('\n', o->f);
	o->in_row = false;
}

static void put_text(struct out *o, const char *text, int width)
{
	int printed = out_put(o->f, text);

	if (printed < width)
		fprintf(o->f, "%*s", width - printed, "");
}

static void print(struct out *o, const char *label, const char *text)
{
	int width;

	if (!label && !o->in_row)
		return;
	if (!o->in_row) {
		fprintf(o->f, "%-*s ", LABEL, label);
		put_text(o, text, 0);
		putc('\n', o->f);
		return;
	}
	if (!label)
		return;
	width = o->columns[o->column].width;
	fputs("  ", o->f);
	if (width > (int)strlen(text))
		fprintf(o->f, "%*s", width - (int)strlen(text), "");
	put_text(o, text, width < 0 ? -width : 0);
	o->column += !!width;
}

void out_text(struct out *o, const char *key, const char *label,
	      const char *value)
{
	if (o->is_json)
		json_string(&o->json, key, value);
	else
		print(o, label, value);
}

void out_uint(struct out *o, const char *key, const char *label,
	      uint64_t value)
{
	char text[32];

	if (o->is_json) {
		json_uint(&o->json, key, value);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu64, value);
	print(o, label, text);
}

void out_bytes(struct out *o, const char *key, const char *label,
	       uint64_t value)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double size = value;
	unsigned int unit = 0;
	char text[48];

	if (o->is_json) {
		json_uint(&o->json, key, value);
		return;
	}
	for (; size >= 1024 && unit < 4; unit++)
		size /= 1024;
	snprintf(text, sizeof(text), "%.*f %s", unit ? 1 : 0, size,
		 units[unit]);
	print(o, label, text);
}

void out_double(struct out *o, const char *key, const char *label,
		double value)
{
	char text[48];

	if (o->is_json) {
		json_double(&o->json, key, value);
		return;
	}
	snprintf(text, sizeof(text), "%.4g", value);
	print(o, label, text);
}

void out_bool(struct out *o, const char *key, const char *label, bool value)
{
	if (o->is_json)
		json_bool(&o->json, key, value);
	else
		print(o, label, value ? "yes" : "no");
}

/* A size is -1 where gears differ. */
static void json_int(struct json *j, int64_t value)
{
	if (value < 0)
		json_double(j, NULL, value);
	else
		json_uint(j, NULL, value);
}

void out_none(struct out *o, const char *key, const char *label)
{
	if (o->is_json)
		json_null(&o->json, key);
	else
		print(o, label, "-");
}

void out_dims(struct out *o, const char *key, const char *label,
	      unsigned int rank, const int64_t *dims)
{
	char text[256] = "-";
	size_t at = 0;
	unsigned int i;

	if (o->is_json) {
		json_open(&o->json, key, '[');
		for (i = 0; i < rank; i++)
			json_int(&o->json, dims[i]);
		json_close(&o->json, ']');
		return;
	}
	for (i = 0; i < rank && at < sizeof(text) - 24; i++)
		at += snprintf(text + at, sizeof(text) - at, "%s%" PRId64,
			       i ? "," : "", dims[i]);
	print(o, label, text);
}
