/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The writer of JSON that the tools share.
 *
 * It has no document in memory and cannot write an invalid one: commas, quotes
 * and escapes are its own.  A @key is NULL inside a list and at the top, and a
 * literal that needs no escape elsewhere.
 */
#ifndef VNPU_TOOLS_JSON_H
#define VNPU_TOOLS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *f;
	bool is_line;	/* a document is one line, as JSON Lines has it */
	unsigned int depth;
	unsigned int line_depth;	/* this deep all is on one line; 0: never */
	bool first;	/* nothing is written yet in the innermost container */
};

void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
void json_uint(struct json *j, const char *key, uint64_t value);

/* @value / 10^@digits, exactly. */
void json_decimal(struct json *j, const char *key, uint64_t value,
		  unsigned int digits);

/* Six digits; what is not finite is written as null. */
void json_double(struct json *j, const char *key, double value);

void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

/* What is not UTF-8 in @value is written as U+FFFD. */
void json_string(struct json *j, const char *key, const char *value);

/* Length of the UTF-8 sequence that @s begins with, or 0 if there is none. */
size_t json_utf8_length(const unsigned char *s);

/* Whether that sequence is a control character: of C0, DEL, or of C1. */
bool json_utf8_is_control(const unsigned char *s);

#endif /* VNPU_TOOLS_JSON_H */
