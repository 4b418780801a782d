/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: rows of values, as text in columns, as CSV, or as JSON.
 *
 * A command defines the columns once, and gives a cell for each, so that the
 * formats are consistent.
 */
#ifndef VNPU_SMI_TABLE_H
#define VNPU_SMI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../common/json.h"
#include "cmd.h"
#include "option.h"
#include "text.h"

#define TABLE_MAX_COLUMNS	24

enum table_format {
	TABLE_TEXT,
	TABLE_CSV,
	TABLE_JSON,
};

enum cell_kind {
	CELL_NONE,	/* NA, empty, or null */
	CELL_UINT,
	CELL_STRING,
	CELL_BOOL,
	CELL_SET,	/* of numbers below 64: a bit for each */
};

struct cell {
	enum cell_kind kind;
	uint64_t uint;
	const char *string;
};

/* The unit of numbers in text; CSV and JSON have whole numbers. */
enum column_unit {
	COLUMN_PLAIN,
	COLUMN_MIB,	/* of bytes */
	COLUMN_MS,	/* of ns */
};

/**
 * struct column - a column
 * @key: its name in CSV and JSON, with the unit
 * @label: its head in text, or NULL if it is only there on demand
 * @width: in text; below 0 it is left-justified
 * @unit: of text
 */
struct column {
	const char *key;
	const char *label;
	int width;
	enum column_unit unit;
};

/* The options of the command line for the form of the output. */
struct table_options {
	bool is_json;
	const char *format;
	const char *fields;
};

/* Those without a letter; other options without one are numbered from 256. */
enum {
	TABLE_OPTION_FORMAT = 0x1000,
	TABLE_OPTION_FIELDS,
};

#define TABLE_OPTIONS(o)						\
	{ 'j', "json", OPTION_FLAG, &(o)->is_json },			\
	{ TABLE_OPTION_FORMAT, "format", OPTION_STRING, &(o)->format },	\
	{ TABLE_OPTION_FIELDS, "fields", OPTION_STRING, &(o)->fields }

/* The same for a verb that calls getopt_long() itself, and its letters. */
#define TABLE_LONG_OPTIONS						\
	{ "json",	no_argument,		NULL, 'j' },		\
	{ "format",	required_argument,	NULL, TABLE_OPTION_FORMAT }, \
	{ "fields",	required_argument,	NULL, TABLE_OPTION_FIELDS }

/* Take one of them, as getopt_long() has returned it. */
enum smi_exit table_take_option(struct table_options *options, int c,
				const char *value);

/* The form that is asked for. */
enum smi_exit table_format(const struct table_options *options,
			   enum table_format *format);

/* For the help of a verb. */
#define TABLE_HELP							\
	"  -j, --json       print JSON, as does --format json\n"	\
	"      --format F   json, csv or text\n"			\
	"      --fields K,..  only these columns of csv or text, by the keys "\
	"of JSON\n"

struct table {
	FILE *f;
	enum table_format format;
	bool is_stream;		/* JSON Lines; text and CSV are flushed */
	const struct column *columns;
	size_t column_count;
	size_t shown[TABLE_MAX_COLUMNS];
	size_t shown_count;
	struct json json;
};

enum smi_exit table_init(struct table *t, const struct column *columns,
			 size_t count, const struct table_options *options,
			 bool is_stream);

/* The head; @key names the list of rows in JSON. */
void table_start(struct table *t, const char *key);
void table_row(struct table *t, const struct cell *cells);

/* Now, short where it is for a reader of text. */
void table_time(const struct table *t, char text[TIME_TEXT]);

enum smi_exit table_end(struct table *t);

static inline struct cell cell_none(void)
{
	return (struct cell){ .kind = CELL_NONE };
}

static inline struct cell cell_uint(uint64_t value)
{
	return (struct cell){ .kind = CELL_UINT, .uint = value };
}

static inline struct cell cell_bool(bool value)
{
	return (struct cell){ .kind = CELL_BOOL, .uint = value };
}

static inline struct cell cell_set(uint64_t bits)
{
	return (struct cell){ .kind = CELL_SET, .uint = bits };
}

static inline struct cell cell_string(const char *value)
{
	if (!value)
		return cell_none();
	return (struct cell){ .kind = CELL_STRING, .string = value };
}

#endif /* VNPU_SMI_TABLE_H */
