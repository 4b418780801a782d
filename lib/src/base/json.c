// SPDX-License-Identifier: MIT
/*
 * A reader of JSON (RFC 8259) that checks a text and passes on its values.
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
	struct vnpu_json_step path[2 * NESTING_MAX];
	vnpu_json_visit *visit;
	void *data;
	int result;		/* of the visitor */
};

static bool parse_value(struct parser *parser);

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

/* Pass on a value; false if the visitor ends the walk. */
static bool pass(struct parser *parser, enum vnpu_json_kind kind,
		 const char *text, size_t length)
{
	const struct vnpu_json_value value = {
		.kind = kind,
		.text = text,
		.length = length,
		.path = parser->path,
		.depth = parser->objects + parser->arrays,
	};

	if (parser->visit)
		parser->result = parser->visit(parser->data, &value);
	return !parser->result;
}

static bool parse_members(struct parser *parser, struct vnpu_json_step *step)
{
	if (take(parser, '}'))
		return true;
	do {
		if (!take(parser, '"') ||
		    !parse_string(parser, &step->name, &step->length) ||
		    !take(parser, ':') || !parse_value(parser))
			return false;
	} while (take(parser, ','));
	return take(parser, '}');
}

static bool parse_object(struct parser *parser)
{
	struct vnpu_json_step *step;
	bool ok;

	if (!pass(parser, VNPU_JSON_OBJECT, parser->p - 1, 0) ||
	    parser->objects == NESTING_MAX)
		return false;
	step = &parser->path[parser->objects++ + parser->arrays];
	*step = (struct vnpu_json_step){ 0 };
	ok = parse_members(parser, step);
	parser->objects--;
	return ok;
}

static bool parse_elements(struct parser *parser, struct vnpu_json_step *step)
{
	if (take(parser, ']'))
		return true;
	do {
		if (!parse_value(parser))
			return false;
		step->index++;
	} while (take(parser, ','));
	return take(parser, ']');
}

static bool parse_array(struct parser *parser)
{
	struct vnpu_json_step *step;
	bool ok;

	if (!pass(parser, VNPU_JSON_ARRAY, parser->p - 1, 0) ||
	    parser->arrays == NESTING_MAX)
		return false;
	step = &parser->path[parser->objects + parser->arrays++];
	*step = (struct vnpu_json_step){ 0 };
	ok = parse_elements(parser, step);
	parser->arrays--;
	return ok;
}

static bool parse_value(struct parser *parser)
{
	const char *start;
	size_t length;

	if (take(parser, '{'))
		return parse_object(parser);
	if (take(parser, '['))
		return parse_array(parser);
	if (take(parser, '"'))
		return parse_string(parser, &start, &length) &&
		       pass(parser, VNPU_JSON_STRING, start, length);
	skip_space(parser);
	start = parser->p;
	if (parse_word(parser))
		return pass(parser, VNPU_JSON_WORD, start, parser->p - start);
	return parse_number(parser) &&
	       pass(parser, VNPU_JSON_NUMBER, start, parser->p - start);
}

int vnpu_json_walk(const char *text, size_t length, vnpu_json_visit *visit,
		   void *data)
{
	struct parser parser = {
		.p = text,
		.end = text + length,
		.visit = visit,
		.data = data,
	};
	bool ok = take(&parser, '{') && parse_object(&parser);

	if (parser.result)
		return parser.result;
	skip_space(&parser);
	return ok && parser.p == parser.end ? 0 : -EINVAL;
}

/* The value that vnpu_json_get() looks for. */
struct wanted {
	const char *const *path;
	size_t depth;
	char *value;
	size_t size;
};

static int keep(void *data, const struct vnpu_json_value *value)
{
	const struct wanted *wanted = data;
	size_t length = value->length;

	if (value->depth != wanted->depth ||
	    (value->kind != VNPU_JSON_STRING &&
	     value->kind != VNPU_JSON_NUMBER))
		return 0;
	for (size_t i = 0; i < wanted->depth; i++)
		if (!vnpu_json_is(value, i, wanted->path[i]))
			return 0;
	if (length > wanted->size - 1)
		length = wanted->size - 1;
	memcpy(wanted->value, value->text, length);
	wanted->value[length] = '\0';
	return 0;
}

int vnpu_json_get(const char *text, size_t length, const char *const path[],
		  size_t depth, char *value, size_t size)
{
	struct wanted wanted = { path, depth, value, size };

	if (!depth)
		return vnpu_json_walk(text, length, NULL, NULL);
	value[0] = '\0';
	return vnpu_json_walk(text, length, keep, &wanted);
}

static char *put_utf8(char *to, unsigned int c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*to++ = (char)(0xe0 | c >> 12);
		} else {
			*to++ = (char)(0xf0 | c >> 18);
			*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

/* Get the number of four hexadecimal digits. */
static unsigned int read_hex(const char *from)
{
	char digits[5] = "";

	memcpy(digits, from, 4);
	return strtoul(digits, NULL, 16);
}

/*
 * Decode the digits after \u, and the next escape if both are a pair of surrogates.
 * Half of a pair becomes the replacement character.
 */
static unsigned int decode_hex(const char **from, const char *end)
{
	unsigned int c = read_hex(*from), low;

	*from += 4;
	if (c < 0xd800 || c > 0xdfff)
		return c;
	if (c > 0xdbff || end - *from < 6 || memcmp(*from, "\\u", 2))
		return 0xfffd;
	low = read_hex(*from + 2);
	if (low < 0xdc00 || low > 0xdfff)
		return 0xfffd;
	*from += 6;
	return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

char *vnpu_json_decode(const struct vnpu_json_value *value)
{
	static const char names[] = "bfnrt", codes[] = "\b\f\n\r\t";
	const char *from = value->text, *end = from + value->length, *name;
	char *string = malloc(value->length + 1), *to = string;

	if (!string)
		return NULL;
	while (from < end) {
		char c = *from++;

		if (c != '\\') {
			*to++ = c;
			continue;
		}
		c = *from++;
		name = strchr(names, c);
		if (c == 'u') {
			to = put_utf8(to, decode_hex(&from, end));
		} else {
			*to++ = name ? codes[name - names] : c;
		}
	}
	*to = '\0';
	return string;
}
