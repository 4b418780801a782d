// SPDX-License-Identifier: MIT
/*
 * A checker of JSON (RFC 8259) that extracts one value.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "util.h"

#define NESTING_MAX	10	/* of objects, and of arrays */

struct parser {
	const char *p;
	const char *end;
	unsigned int objects;	/* nesting at this position */
	unsigned int arrays;
	const char *const *path;
	size_t depth;
	char *value;
	size_t size;
};

/*
 * How many names of the path lead to this position; OFF_PATH inside an array.
 */
#define OFF_PATH	((size_t)-1)

static bool parse_value(struct parser *parser, size_t level);

static void skip_space(struct parser *parser)
{
	while (parser->p < parser->end && *parser->p &&
	       strchr(" \t\r\n", *parser->p))
		parser->p++;
}

/* Consume @c if it comes next. */
static bool take(struct parser *parser, char c)
{
	skip_space(parser);
	if (parser->p == parser->end || *parser->p != c)
		return false;
	parser->p++;
	return true;
}

static bool parse_escape(struct parser *parser)
{
	if (parser->p == parser->end)
		return false;
	if (*parser->p != 'u')
		return *parser->p && strchr("\"\\/bfnrt", *parser->p++);

	parser->p++;
	for (int i = 0; i < 4; i++, parser->p++)
		if (parser->p == parser->end ||
		    !isxdigit((unsigned char)*parser->p))
			return false;
	return true;
}

/* Parse a string after its opening quote. */
static bool parse_string(struct parser *parser, const char **start,
			 size_t *length)
{
	*start = parser->p;
	while (parser->p < parser->end) {
		unsigned char c = *parser->p++;

		if (c == '"') {
			*length = parser->p - 1 - *start;
			return true;
		}
		if (c < ' ' || (c == '\\' && !parse_escape(parser)))
			return false;
	}
	return false;
}

static bool parse_digits(struct parser *parser)
{
	const char *start = parser->p;

	while (parser->p < parser->end && isdigit((unsigned char)*parser->p))
		parser->p++;
	return parser->p > start;
}

static bool next_is(const struct parser *parser, const char *set)
{
	return parser->p < parser->end && *parser->p &&
	       strchr(set, *parser->p);
}

static bool parse_number(struct parser *parser)
{
	if (next_is(parser, "-"))
		parser->p++;
	if (next_is(parser, "0"))
		parser->p++;
	else if (!parse_digits(parser))
		return false;
	if (next_is(parser, ".")) {
		parser->p++;
		if (!parse_digits(parser))
			return false;
	}
	if (next_is(parser, "eE")) {
		parser->p++;
		if (next_is(parser, "+-"))
			parser->p++;
		if (!parse_digits(parser))
			return false;
	}
	return true;
}

static bool parse_word(struct parser *parser)
{
	static const char *const words[] = { "true", "false", "null" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t length = strlen(words[i]);

		if ((size_t)(parser->end - parser->p) >= length &&
		    !memcmp(parser->p, words[i], length)) {
			parser->p += length;
			return true;
		}
	}
	return false;
}

static bool parse_members(struct parser *parser, size_t level)
{
	const char *name;
	size_t length;

	if (take(parser, '}'))
		return true;
	do {
		size_t next = OFF_PATH;

		if (!take(parser, '"') ||
		    !parse_string(parser, &name, &length) ||
		    !take(parser, ':'))
			return false;
		if (level < parser->depth &&
		    strlen(parser->path[level]) == length &&
		    !memcmp(parser->path[level], name, length))
			next = level + 1;
		if (!parse_value(parser, next))
			return false;
	} while (take(parser, ','));
	return take(parser, '}');
}

static bool parse_object(struct parser *parser, size_t level)
{
	bool ok;

	if (++parser->objects > NESTING_MAX)
		return false;
	ok = parse_members(parser, level);
	parser->objects--;
	return ok;
}

static bool parse_array(struct parser *parser)
{
	if (++parser->arrays > NESTING_MAX)
		return false;
	if (!take(parser, ']')) {
		do {
			if (!parse_value(parser, OFF_PATH))
				return false;
		} while (take(parser, ','));
		if (!take(parser, ']'))
			return false;
	}
	parser->arrays--;
	return true;
}

static void keep(struct parser *parser, size_t level, const char *start,
		 size_t length)
{
	if (!parser->depth || level != parser->depth)
		return;
	if (length > parser->size - 1)
		length = parser->size - 1;
	memcpy(parser->value, start, length);
	parser->value[length] = '\0';
}

static bool parse_value(struct parser *parser, size_t level)
{
	const char *start;
	size_t length;

	if (take(parser, '{'))
		return parse_object(parser, level);
	if (take(parser, '['))
		return parse_array(parser);
	if (take(parser, '"')) {
		if (!parse_string(parser, &start, &length))
			return false;
		keep(parser, level, start, length);
		return true;
	}
	skip_space(parser);
	if (parse_word(parser))
		return true;
	start = parser->p;
	if (!parse_number(parser))
		return false;
	keep(parser, level, start, parser->p - start);
	return true;
}

int vnpu_json_get(const char *text, size_t length, const char *const path[],
		  size_t depth, char *value, size_t size)
{
	struct parser parser = {
		.p = text,
		.end = text + length,
		.path = path,
		.depth = depth,
		.value = value,
		.size = size,
	};

	if (depth)
		value[0] = '\0';
	if (!take(&parser, '{') || !parse_object(&parser, 0))
		return -EINVAL;
	skip_space(&parser);
	return parser.p == parser.end ? 0 : -EINVAL;
}
