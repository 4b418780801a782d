// SPDX-License-Identifier: GPL-2.0-only
/*
 * A writer of JSON (RFC 8259), with one member per line unless configured
 * otherwise.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "json.h"

#define INDENT	2

static bool is_on_line(const struct json *j)
{
	return j->is_line || (j->line_depth && j->depth >= j->line_depth);
}

static void start_line(struct json *j)
{
	fprintf(j->f, "\n%*s", (int)(j->depth * INDENT), "");
}

static void start_value(struct json *j, const char *key)
{
	if (j->depth) {
		if (!j->first)
			putc(',', j->f);
		if (!is_on_line(j))
			start_line(j);
		else if (!j->first)
			putc(' ', j->f);
	}
	j->first = false;
	if (key)
		fprintf(j->f, "\"%s\": ", key);
}

void json_open(struct json *j, const char *key, char bracket)
{
	start_value(j, key);
	putc(bracket, j->f);
	j->depth++;
	j->first = true;
}

void json_close(struct json *j, char bracket)
{
	bool is_line = is_on_line(j);

	j->depth--;
	if (!j->first && !is_line)
		start_line(j);
	putc(bracket, j->f);
	j->first = false;
	if (!j->depth)
		putc('\n', j->f);
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
	start_value(j, key);
	fprintf(j->f, "%" PRIu64, value);
}

void json_decimal(struct json *j, const char *key, uint64_t value,
		  unsigned int digits)
{
	uint64_t unit = 1;
	unsigned int i;

	for (i = 0; i < digits; i++)
		unit *= 10;
	start_value(j, key);
	fprintf(j->f, "%" PRIu64, value / unit);
	if (digits)
		fprintf(j->f, ".%0*" PRIu64, (int)digits, value % unit);
}

void json_double(struct json *j, const char *key, double value)
{
	if (!isfinite(value)) {
		json_null(j, key);
		return;
	}
	start_value(j, key);
	fprintf(j->f, "%.6g", value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	start_value(j, key);
	fputs(value ? "true" : "false", j->f);
}

void json_null(struct json *j, const char *key)
{
	start_value(j, key);
	fputs("null", j->f);
}

/*
 * Checks against table 3-7 of the Unicode standard, which excludes overlong
 * forms, surrogates and values above U+10FFFF.
 */
size_t json_utf8_length(const unsigned char *s)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	switch (s[0]) {
	case 0xe0:
		low = 0xa0;
		break;
	case 0xed:
		high = 0x9f;
		break;
	case 0xf0:
		low = 0x90;
		break;
	case 0xf4:
		high = 0x8f;
		break;
	}
	for (i = 1; i < length; i++) {
		/* The NUL at the end is out of every range. */
		if (s[i] < low || s[i] > high)
			return 0;
		low = 0x80;
		high = 0xbf;
	}
	return length;
}

bool json_utf8_is_control(const unsigned char *s)
{
	if (s[0] == 0xc2)
		return s[1] >= 0x80 && s[1] < 0xa0;
	return s[0] < 0x20 || s[0] == 0x7f;
}

static void write_char(FILE *f, const unsigned char *s, size_t length)
{
	if (*s == '"' || *s == '\\')
		fprintf(f, "\\%c", *s);
	else if (*s == '\n')
		fputs("\\n", f);
	else if (*s == '\t')
		fputs("\\t", f);
	else if (json_utf8_is_control(s))
		/*
		 * Some control characters are valid JSON, but unsafe for a
		 * terminal.
		 */
		fprintf(f, "\\u%04x", s[length - 1]);
	else
		fwrite(s, 1, length, f);
}

void json_string(struct json *j, const char *key, const char *value)
{
	const unsigned char *s = (const unsigned char *)value;

	start_value(j, key);
	putc('"', j->f);
	while (*s) {
		size_t length = json_utf8_length(s);

		if (length)
			write_char(j->f, s, length);
		else
			fputs("\\ufffd", j->f);
		s += length ? length : 1;
	}
	putc('"', j->f);
}
