// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parts of a text; see text.h.
 */
#include <stdlib.h>
#include <string.h>

#include "text.h"

int field_shown(const struct field *f)
{
	return f->length < 40 ? (int)f->length : 40;
}

bool field_is(const struct field *f, const char *name)
{
	return f->length == strlen(name) &&
	       !memcmp(f->start, name, f->length);
}

bool field_has_control(const struct field *f)
{
	uint32_t i;

	for (i = 0; i < f->length; i++) {
		unsigned char c = (unsigned char)f->start[i];

		if (c < 0x20 || c == 0x7f)
			return true;
		/* U+0080 to U+009F in UTF-8 */
		if (c == 0xc2 && i + 1 < f->length &&
		    (unsigned char)f->start[i + 1] >= 0x80 &&
		    (unsigned char)f->start[i + 1] < 0xa0)
			return true;
	}
	return false;
}

void text_skip_mark(const char **text, const char *end)
{
	if (end - *text >= 3 && !memcmp(*text, "\xef\xbb\xbf", 3))
		*text += 3;
}

bool text_is_utf16(const char *text, const char *end)
{
	return end - text >= 2 && (!memcmp(text, "\xff\xfe", 2) ||
				   !memcmp(text, "\xfe\xff", 2));
}

void text_clean(char *message)
{
	for (; *message; message++)
		if (*message < 0x20 || *message >= 0x7f)
			*message = '?';
}

bool field_take_number(struct field *f, uint64_t *value)
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

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct field field_take_word(struct field *line)
{
	struct field f;

	while (line->length && is_blank(*line->start)) {
		line->start++;
		line->length--;
	}
	f = (struct field){ line->start, 0 };
	while (line->length && !is_blank(*line->start)) {
		line->start++;
		line->length--;
		f.length++;
	}
	return f;
}

bool field_take_char(struct field *f, char c)
{
	if (!f->length || *f->start != c)
		return false;
	f->start++;
	f->length--;
	return true;
}

bool text_take_line(const char **text, const char *end, struct field *line)
{
	const char *stop = memchr(*text, '\n', (size_t)(end - *text));

	stop = stop ? stop : end;
	line->start = *text;
	if (stop - *text > INT32_MAX)
		return false;
	line->length = (uint32_t)(stop - *text);
	*text = stop < end ? stop + 1 : end;
	if (line->length && line->start[line->length - 1] == '\r')
		line->length--;
	return true;
}

static uint64_t hash(const struct field *f)
{
	uint64_t h = 0xcbf29ce484222325;
	uint32_t i;

	for (i = 0; i < f->length; i++)
		h = (h ^ (unsigned char)f->start[i]) * 0x100000001b3;
	return h ^ h >> 29;
}

/* Where in the table a name is, or would be. */
static uint32_t *place_of(const struct names *names, const struct field *name)
{
	uint64_t mask = names->places - 1, h;

	for (h = hash(name) & mask; names->table[h]; h = (h + 1) & mask) {
		const struct field *f = &names->name[names->table[h] - 1];

		if (f->length == name->length &&
		    !memcmp(f->start, name->start, f->length))
			break;
	}
	return &names->table[h];
}

uint32_t names_find(const struct names *names, const struct field *name)
{
	uint32_t found = names->places ? *place_of(names, name) : 0;

	return found ? found - 1 : NAMES_NONE;
}

static bool grow(struct names *names)
{
	uint32_t room = names->room ? 2 * names->room : 256, i;
	struct field *name = realloc(names->name, room * sizeof(*name));
	uint32_t *table;

	if (!name)
		return false;
	names->name = name;
	table = calloc(4 * (size_t)room, sizeof(*table));
	if (!table)
		return false;
	free(names->table);
	names->table = table;
	names->places = 4 * (uint64_t)room;
	names->room = room;
	for (i = 0; i < names->count; i++)
		*place_of(names, &name[i]) = i + 1;
	return true;
}

bool names_add(struct names *names, const struct field *name)
{
	if (names->count == names->room && !grow(names))
		return false;
	names->name[names->count] = *name;
	*place_of(names, name) = names->count + 1;
	names->count++;
	return true;
}

void names_free(struct names *names)
{
	free(names->table);
	free(names->name);
}
