/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The JSON writer of the tools.
 *
 * It stores no document and cannot write an invalid one: it writes commas,
 * quotes and escapes itself.  A @key is NULL inside a list and at the top,
 * otherwise a literal that needs no escapes.
 */
#ifndef VNPU_TOOLS_JSON_H
#define VNPU_TOOLS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *f;
	bool is_line;	/* write a document in one line, for JSON Lines */
	unsigned int depth;
	unsigned int line_depth;	/* write deeper levels in one line; 0:
					 * never */
	bool first;	/* the innermost container is still empty */
};

void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
void json_uint(struct json *j, const char *key, uint64_t value);

/* Write @value / 10^@digits, exactly. */
void json_decimal(struct json *j, const char *key, uint64_t value,
		  unsigned int digits);

/* Write six digits; null for infinity and NaN. */
void json_double(struct json *j, const char *key, double value);

void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

/* Write a string; invalid UTF-8 becomes U+FFFD. */
void json_string(struct json *j, const char *key, const char *value);

/*
 * Get the length of the UTF-8 sequence at the start of @s, or 0 if it is
 * invalid.
 */
size_t json_utf8_length(const unsigned char *s);

/* Check whether a sequence is a control character: C0, DEL or C1. */
bool json_utf8_is_control(const unsigned char *s);

#endif /* VNPU_TOOLS_JSON_H */
