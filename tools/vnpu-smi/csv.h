/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: CSV (RFC 4180) output of a JSON document.
 *
 * A row is an object of one of its lists, or the document itself, preceded by
 * the values around it.  The columns are known before the first row, so that an
 * empty list has a header, too.
 *
 * An object has its values before its lists, and an object that has a key
 * contains no list.
 */
#ifndef VNPU_SMI_CSV_H
#define VNPU_SMI_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd.h"

#define CSV_MAX_COLUMNS	48
#define CSV_MAX_DEPTH	8
#define CSV_PATH	64

/**
 * struct csv_list - a list of objects that can be rows
 * @path: the keys that lead to it, joined by dots; NULL for the document itself
 * @prefix: prefix of the names of its columns
 * @keys: keys of its values, joined by commas; a dot leads into an object
 *
 * The lists of a view end with an empty one.  Rows are those of the first list,
 * unless --fields names values of another.
 */
struct csv_list {
	const char *path;
	const char *prefix;
	const char *keys;
};

/* A column: its list, its key, and its value in this row. */
struct csv_column {
	const struct csv_list *list;
	const char *key;
	size_t length;
	char *value;
};

/* An open container: the lengths of the paths before it. */
struct csv_frame {
	size_t list_length;
	size_t key_length;
	bool is_list;
	bool is_row;
};

struct csv {
	FILE *f;
	const struct csv_list *lists;
	const struct csv_list *rows;
	struct csv_column columns[CSV_MAX_COLUMNS];
	size_t column_count;
	struct csv_frame frames[CSV_MAX_DEPTH];
	size_t depth;
	char list[CSV_PATH];
	size_t list_length;
	char key[CSV_PATH];
	size_t key_length;
	bool has_failed;	/* no memory */
};

/* Initialize with @fields from the user, or NULL. */
enum smi_exit csv_init(struct csv *csv, FILE *f, const struct csv_list *lists,
		       const char *fields);
void csv_fini(struct csv *csv);

/* As json_open() and json_close(). */
void csv_open(struct csv *csv, const char *key, char bracket);
void csv_close(struct csv *csv);

/* Set a value; ignored if it has no column. */
void csv_uint(struct csv *csv, const char *key, uint64_t value);
void csv_string(struct csv *csv, const char *key, const char *value);

/*
 * Print a string as one value, quoted if necessary.  A control character other
 * than a line end becomes a question mark.
 */
void csv_print(FILE *f, const char *string);

#endif /* VNPU_SMI_CSV_H */
