/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: one call prints a value as text or as JSON, so that the two cannot
 * drift apart.
 *
 * @key names the value in JSON and carries its unit; @label names it in text,
 * in npu-smi's words, and NULL there leaves it to JSON alone.
 */
#ifndef VNPU_SMI_OUT_H
#define VNPU_SMI_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../common/json.h"

enum out_layout {
	OUT_LINES,	/* a "label : value" line for each value */
	OUT_WIDE_LINES,	/* the same for longer labels */
	OUT_COLUMNS,	/* a line for each object, a column for each value */
};

struct out {
	FILE *f;
	bool is_json;
	enum out_layout layout;
	bool is_header;		/* columns: print the labels, not the values */
	bool in_row;
	int padding;		/* columns: blanks due before the next one */
	struct json json;
};

void out_init(struct out *o, FILE *f, bool is_json, enum out_layout layout);

void out_object(struct out *o, const char *key);
void out_object_end(struct out *o);
void out_list(struct out *o, const char *key);
void out_list_end(struct out *o);

void out_uint(struct out *o, const char *key, const char *label,
	      uint64_t value);

/* Yes or No in text, true or false in JSON. */
void out_bool(struct out *o, const char *key, const char *label, bool value);

/* Bytes: whole MiB in text, as npu-smi has it under the name of MB. */
void out_bytes(struct out *o, const char *key, const char *label,
	       uint64_t value);

/* A string, or NULL for out_none(). */
void out_string(struct out *o, const char *key, const char *label,
		const char *value);

/* What a virtual device does not have: NA in text, null in JSON. */
void out_none(struct out *o, const char *key, const char *label);

/* What only a reader of text needs. */
void out_text(struct out *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* VNPU_SMI_OUT_H */
