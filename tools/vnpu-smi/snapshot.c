// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi snapshot: write down what devices and clients have, for diff.
 */
#include <errno.h>
#include <stdlib.h>

#include "../common/json.h"
#include "option.h"
#include "snapshot.h"

static const char snapshot_help[] =
"usage: vnpu-smi snapshot [-o FILE] [--json]\n"
"\n"
"Write the state of devices and clients as a JSON object, which vnpu-smi diff\n"
"compares with another one.\n"
"\n"
"  -o, --output FILE write to FILE instead of standard output\n"
"  -j, --json        no effect; the output is always JSON\n"
"  -h, --help        print this and exit\n";

static size_t key_count(enum snapshot_kind kind)
{
	const struct snapshot_field *field = snapshot_tables[kind].fields;
	size_t count = 0;

	while (field[count].key && field[count].role == SNAPSHOT_KEY)
		count++;
	return count;
}

int snapshot_compare(enum snapshot_kind kind, const struct snapshot_row *a,
		     const struct snapshot_row *b)
{
	size_t i, count = key_count(kind);

	for (i = 0; i < count; i++)
		if (a->values[i] != b->values[i])
			return a->values[i] < b->values[i] ? -1 : 1;
	return 0;
}

static int compare_rows(const void *a, const void *b, void *kind)
{
	return snapshot_compare(*(enum snapshot_kind *)kind, a, b);
}

void snapshot_sort(struct snapshot *s)
{
	enum snapshot_kind kind;

	for (kind = 0; kind < SNAPSHOT_KINDS; kind++)
		if (s->lists[kind].count)
			qsort_r(s->lists[kind].rows, s->lists[kind].count,
				sizeof(struct snapshot_row), compare_rows,
				&kind);
}

const uint64_t *snapshot_value(enum snapshot_kind kind,
			       const struct snapshot_row *row, const char *key)
{
	const struct snapshot_field *field = snapshot_tables[kind].fields;
	size_t i;

	for (i = 0; field[i].key; i++)
		if (!strcmp(field[i].key, key))
			return &row->values[i];
	return NULL;
}

void snapshot_fini(struct snapshot *s)
{
	enum snapshot_kind kind;

	for (kind = 0; kind < SNAPSHOT_KINDS; kind++)
		free(s->lists[kind].rows);
}

static void write_row(struct json *j, const struct snapshot_table *table,
		      const struct snapshot_row *row)
{
	size_t i;

	json_open(j, NULL, '{');
	for (i = 0; table->fields[i].key; i++)
		json_uint(j, table->fields[i].key, row->values[i]);
	if (table->has_name && *row->name)
		json_string(j, "name", row->name);
	else if (table->has_name)
		json_null(j, "name");
	json_close(j, '}');
}

static void write_snapshot(FILE *f, const struct snapshot *s)
{
	struct json j = { .f = f, .line_depth = 3 };
	enum snapshot_kind kind;
	size_t i;

	json_open(&j, NULL, '{');
	json_uint(&j, "snapshot_version", 1);
	for (kind = 0; kind < SNAPSHOT_KINDS; kind++) {
		json_open(&j, snapshot_tables[kind].key, '[');
		for (i = 0; i < s->lists[kind].count; i++)
			write_row(&j, &snapshot_tables[kind],
				  &s->lists[kind].rows[i]);
		json_close(&j, ']');
	}
	json_close(&j, '}');
}

static enum smi_exit write_file(const char *file, const struct snapshot *s)
{
	FILE *f = file ? fopen(file, "we") : stdout;
	enum smi_exit status;

	if (!f)
		return fail(SMI_FAILED, "cannot write '%s': %s", file,
			    strerror(errno));
	write_snapshot(f, s);
	status = finish_output(f);
	if (file)
		fclose(f);
	return status;
}

enum smi_exit cmd_snapshot(int argc, char **argv)
{
	const char *file = NULL;
	bool is_json = false;	/* it always is */
	const struct smi_option options[] = {
		{ 'o', "output", OPTION_STRING, &file },
		{ 'j', "json", OPTION_FLAG, &is_json },
		{ 0 }
	};
	struct snapshot snapshot;
	bool wants_help = false;
	enum smi_exit status;

	status = parse_options("snapshot", options, NULL, &wants_help, argc,
			       argv);
	if (status)
		return status;
	if (wants_help) {
		fputs(snapshot_help, stdout);
		return finish_output(stdout);
	}
	status = snapshot_collect(&snapshot);
	if (!status)
		status = write_file(file, &snapshot);
	snapshot_fini(&snapshot);
	return status;
}
