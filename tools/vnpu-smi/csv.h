/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: CSV (RFC 4180) of what is otherwise a JSON document.
 *
 * A row is an object of one of its lists, or the document itself, and has what
 * is said around it in front.  Columns are known before there is a row, so that
 * the head is there when the list is empty.
 *
 * An object tells its values before its lists, and no list is in an object that
 * has a key.
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
 * struct csv_list - a list whose objects can be rows
 * @path: the keys that lead to it, joined by dots; NULL for the document itself
 * @prefix: of the names of its columns
 * @keys: of the values, joined by commas; a dot leads into an object
 *
 * The lists of a view end with an empty one.  The first is the one whose rows
 * are printed where --fields does not name values of another.
 */
struct csv_list {
	const char *path;
	const char *prefix;
	const char *keys;
};

/* A value: of the list, by its key, and what it is in this row. */
struct csv_column {
	const struct csv_list *list;
	const char *key;
	size_t length;
	char *value;
};

/* What is open: how long the paths were before. */
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

/* @fields as the user names them, or NULL. */
enum smi_exit csv_init(struct csv *csv, FILE *f, const struct csv_list *lists,
		       const char *fields);
void csv_fini(struct csv *csv);

/* As json_open() and json_close(). */
void csv_open(struct csv *csv, const char *key, char bracket);
void csv_close(struct csv *csv);

/* A value that no column is for is left out. */
void csv_uint(struct csv *csv, const char *key, uint64_t value);
void csv_string(struct csv *csv, const char *key, const char *value);

/*
 * A string as one value, in quotes where it needs them.  A control character
 * that does not end a line is a question mark.
 */
void csv_print(FILE *f, const char *string);

#endif /* VNPU_SMI_CSV_H */
