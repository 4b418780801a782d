/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of untrusted text, and the names in it.
 */
#ifndef VNPU_PLAN_TEXT_H
#define VNPU_PLAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the text. */
struct field {
	const char *start;
	uint32_t length;
};

/* Get the length of the part of a field that fits into a message. */
int field_shown(const struct field *f);

bool field_is(const struct field *f, const char *name);

/* Check for control characters, NUL among them; also those of Unicode. */
bool field_has_control(const struct field *f);

/* Check for the byte order mark of UTF-16. */
bool text_is_utf16(const char *text, const char *end);

/* Skip the byte order mark that some editors write at the start of a text. */
void text_skip_mark(const char **text, const char *end);

/* Make a message that quotes the text safe for a terminal. */
void text_clean(char *message);

/* Take a number, or a character, from the front of @f. */
bool field_take_number(struct field *f, uint64_t *value);
bool field_take_char(struct field *f, char c);

/* Take a word, up to a blank; it is empty at the end of the line. */
struct field field_take_word(struct field *line);

/*
 * Take the next line, without its end.  False if it is too long.
 */
bool text_take_line(const char **text, const char *end, struct field *line);

/* Names and their numbers, from 0 in the order that they were added in. */
struct names {
	struct field *name;
	uint32_t count, room;
	uint32_t *table;	/* numbers from 1 on, by hash */
	uint64_t places;	/* a power of two, over twice the names */
};

#define NAMES_NONE	UINT32_MAX

/* Get the number of a name, or NAMES_NONE. */
uint32_t names_find(const struct names *names, const struct field *name);

/* Add a new name; false without memory. */
bool names_add(struct names *names, const struct field *name);
void names_free(struct names *names);

#endif /* VNPU_PLAN_TEXT_H */
