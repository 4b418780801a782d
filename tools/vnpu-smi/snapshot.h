/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: the state of devices and clients at one time, in a file for
 * comparison.
 *
 * It consists of tables of numbers.  One description, snapshot_tables, defines
 * the fields for the query of the driver, the file, and the comparison.
 */
#ifndef VNPU_SMI_SNAPSHOT_H
#define VNPU_SMI_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

#include "cmd.h"
#include "model.h"

enum snapshot_kind {
	SNAPSHOT_DEVICES,
	SNAPSHOT_CLIENTS,
	SNAPSHOT_USAGE,		/* of a device by a client */
	SNAPSHOT_KINDS
};

#define SNAPSHOT_FIELDS		9

enum snapshot_role {
	SNAPSHOT_KEY,		/* which row it is; these come first */
	SNAPSHOT_FACT,		/* does not change */
	SNAPSHOT_HELD,		/* more of it may be a leak */
	SNAPSHOT_COUNTER,
};

/**
 * struct snapshot_field - a number of each row of a table
 * @key: its name in JSON, with the unit
 * @role: what a change of it means
 * @source: VNPU_CMD_* that reports it, or 0 for the object of the row
 * @attr: the attribute in that
 */
struct snapshot_field {
	const char *key;
	enum snapshot_role role;
	int source;
	int attr;
};

/**
 * struct snapshot_table - what the rows of a table are
 * @key: its name in JSON
 * @word: a row's name for people
 * @has_name: whether a row has the name of a process
 * @fields: by index of &snapshot_row.values; the last has no key
 */
struct snapshot_table {
	const char *key;
	const char *word;
	bool has_name;
	struct snapshot_field fields[SNAPSHOT_FIELDS + 1];
};

extern const struct snapshot_table snapshot_tables[SNAPSHOT_KINDS];

struct snapshot_row {
	uint64_t values[SNAPSHOT_FIELDS];
	char name[PROCESS_NAME_LEN];
};

/* Rows in order of their keys. */
struct snapshot_list {
	struct snapshot_row *rows;
	size_t count;
};

struct snapshot {
	struct snapshot_list lists[SNAPSHOT_KINDS];
};

/* Below 0, 0 or above 0 as the keys of @a are before, at or behind those of @b. */
int snapshot_compare(enum snapshot_kind kind, const struct snapshot_row *a,
		     const struct snapshot_row *b);
void snapshot_sort(struct snapshot *s);

/* The value of the field with this key, which the table has; or NULL. */
const uint64_t *snapshot_value(enum snapshot_kind kind,
			       const struct snapshot_row *row, const char *key);

/* Each fills @s, which is to be given to snapshot_fini() in any case. */
enum smi_exit snapshot_collect(struct snapshot *s);
enum smi_exit snapshot_read(struct snapshot *s, const char *file);
void snapshot_fini(struct snapshot *s);

#endif /* VNPU_SMI_SNAPSHOT_H */
