/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: one call prints a value as text, as JSON or as CSV, so that the
 * formats are consistent.
 *
 * @key is the name of the value in data, which is JSON or CSV, and has its
 *	unit; @label is its name in text, in npu-smi's words, or NULL for data
 *	only.
 */
#ifndef VNPU_SMI_OUT_H
#define VNPU_SMI_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../common/json.h"
#include "csv.h"
#include "table.h"

enum out_layout {
	OUT_LINES,	/* a "label : value" line for each value */
	OUT_WIDE_LINES,	/* the same for longer labels */
	OUT_COLUMNS,	/* a line for each object, a column for each value */
};

struct out {
	FILE *f;
	enum table_format format;
	bool is_data;
	enum out_layout layout;
	bool is_header;		/* columns: print the labels, not the values */
	bool in_row;
	int padding;		/* columns: blanks due before the next one */
	struct json json;
	struct csv csv;
};

/* Help text on the output options; FORM in the usage. */
#define OUT_HELP							\
	"  -j, --json       print JSON, as does --format json\n"	\
	"      --format F   json, csv or text\n"			\
	"      --fields K,..  these columns of csv, by the keys of JSON\n"

/*
 * Print to standard output in the format of @options; @lists are the rows of
 * CSV.  Nothing is printed yet, so the call precedes any action.
 */
enum smi_exit out_init(struct out *o, const struct table_options *options,
		       enum out_layout layout, const struct csv_list *lists);

/* Free @o, and flush it unless @status is a failure. */
enum smi_exit out_fini(struct out *o, enum smi_exit status);

void out_object(struct out *o, const char *key);
void out_object_end(struct out *o);
void out_list(struct out *o, const char *key);
void out_list_end(struct out *o);

void out_uint(struct out *o, const char *key, const char *label,
	      uint64_t value);

/* Yes or No in text, true or false in data. */
void out_bool(struct out *o, const char *key, const char *label, bool value);

/* Bytes: whole MiB in text, as npu-smi has it under the name of MB. */
void out_bytes(struct out *o, const char *key, const char *label,
	       uint64_t value);

/* A string, or NULL for out_none(). */
void out_string(struct out *o, const char *key, const char *label,
		const char *value);

/*
 * Print a value that a virtual device does not have: NA, null, or empty in CSV.
 */
void out_none(struct out *o, const char *key, const char *label);

/* Print a number if it exists, otherwise as out_none(). */
void out_uint_if(struct out *o, const char *key, const char *label,
		 bool is_there, uint64_t number);

/* Print text that data does not have. */
void out_text(struct out *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* VNPU_SMI_OUT_H */
