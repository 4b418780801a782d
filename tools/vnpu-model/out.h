/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values as text or as JSON, by the same calls, so that both have the same
 * content.
 *
 * @key is the name of a value in JSON, with its unit; @label is its name in text,
 * or NULL for a value that text leaves out. Rows of a list are lines in text, and
 * their values have no labels there.
 */
#ifndef VNPU_MODEL_OUT_H
#define VNPU_MODEL_OUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../common/json.h"

/**
 * struct out_column - a column of a list in text
 * @label: its head
 * @width: its width; negative if it is left-justified; 0 for the last one
 */
struct out_column {
	const char *label;
	int width;
};

/**
 * struct out - where values go
 * @f: the file
 * @is_json: as JSON
 * @json: private
 * @columns: private: those of the current list
 * @column: private: the next one
 * @in_row: private
 */
struct out {
	FILE *f;
	bool is_json;
	struct json json;
	const struct out_column *columns;
	unsigned int column;
	bool in_row;
};

/* Print a text without the control characters that names in files may have. */
int out_put(FILE *f, const char *text);

/* Likewise, with the end of the line, for a message. */
void out_message(FILE *f, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

void out_begin(struct out *o, FILE *f, bool is_json);

/* End the output; return 0 or a negative errno. */
int out_end(struct out *o);

/* An object in JSON, and a line with @label in text, if it is not NULL. */
void out_object(struct out *o, const char *key, const char *label);
void out_object_end(struct out *o);

/* A list of rows; @columns end with a width of 0. */
void out_list(struct out *o, const char *key, const char *label,
	      const struct out_column *columns);
void out_list_end(struct out *o);
void out_row(struct out *o);
void out_row_end(struct out *o);

void out_text(struct out *o, const char *key, const char *label,
	      const char *value);
void out_uint(struct out *o, const char *key, const char *label,
	      uint64_t value);

/* Bytes, with a larger unit in text if that is shorter. */
void out_bytes(struct out *o, const char *key, const char *label,
	       uint64_t value);
void out_double(struct out *o, const char *key, const char *label,
		double value);
void out_bool(struct out *o, const char *key, const char *label, bool value);
void out_none(struct out *o, const char *key, const char *label);
void out_dims(struct out *o, const char *key, const char *label,
	      unsigned int rank, const int64_t *dims);

#endif
