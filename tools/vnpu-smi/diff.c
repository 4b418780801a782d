// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi diff: the changes between two snapshots.
 *
 * Both are sorted by their keys, so one pass over both finds the rows that are
 * new, gone, or in both.
 */
#include "option.h"
#include "snapshot.h"
#include "table.h"

static const char diff_help[] =
"usage: vnpu-smi diff A [B] [--fail-on-leak] [OPTION...]\n"
"\n"
"Compare the devices and clients in snapshot B, or now, with those in snapshot A:\n"
"the files of vnpu-smi snapshot.\n"
"\n"
"  -l, --fail-on-leak exit with 8 if memory, objects, bindings or streams of a\n"
"                   device or client have increased\n"
TABLE_HELP
"  -h, --help       print this and exit\n";

struct diff_request {
	const char *before;
	const char *after;
	bool fails_on_leak;
	struct table_options table;
};

static const struct column columns[] = {
	{ "change", "Change", -6, 0 },
	{ "what", NULL, -6, 0 },
	{ "device", "Dev", -3, 0 },
	{ "client", "Client", -6, 0 },
	{ "pid", "Pid", -7, 0 },
	{ "field", "Field", -17, 0 },
	{ "before", "Before", 12, 0 },
	{ "after", "After", 12, 0 },
	{ "leak", "Leak", -4, 0 },
	{ "name", NULL, -15, 0 },
};

#define COLUMN_COUNT	(sizeof(columns) / sizeof(columns[0]))

static const struct snapshot_row nothing;

/* The comparison: its output, and the number of leaks. */
struct walk {
	struct table *table;
	size_t leaks;
};

static struct cell cell_value(const uint64_t *value)
{
	return value ? cell_uint(*value) : cell_none();
}

/* Print a changed field; @before or @after may be &nothing. */
static void show_change(struct walk *w, enum snapshot_kind kind, size_t field,
			const struct snapshot_row *before,
			const struct snapshot_row *after)
{
	const struct snapshot_table *table = &snapshot_tables[kind];
	const struct snapshot_row *row = after == &nothing ? before : after;
	uint64_t from = before->values[field], to = after->values[field];
	bool is_leak = table->fields[field].role == SNAPSHOT_HELD && to > from;
	const struct cell cells[COLUMN_COUNT] = {
		cell_string(before == &nothing ? "came" :
			    after == &nothing ? "gone" :
			    to > from ? "grew" : "shrank"),
		cell_string(table->word),
		cell_value(snapshot_value(kind, row, "device")),
		cell_value(snapshot_value(kind, row, "client")),
		cell_value(snapshot_value(kind, row, "pid")),
		cell_string(table->fields[field].key),
		cell_uint(from),
		cell_uint(to),
		cell_bool(is_leak),
		cell_string(*row->name ? row->name : NULL),
	};

	table_row(w->table, cells);
	w->leaks += is_leak;
}

/* A new or gone row without values is shown by its first variable field. */
static void compare_rows(struct walk *w, enum snapshot_kind kind,
			 const struct snapshot_row *before,
			 const struct snapshot_row *after)
{
	const struct snapshot_field *field = snapshot_tables[kind].fields;
	bool is_told = before != &nothing && after != &nothing;
	size_t i, first = 0;

	for (i = 0; field[i].key; i++) {
		if (field[i].role != SNAPSHOT_HELD &&
		    field[i].role != SNAPSHOT_COUNTER)
			continue;
		if (!first)
			first = i;
		if (before->values[i] == after->values[i])
			continue;
		show_change(w, kind, i, before, after);
		is_told = true;
	}
	if (!is_told)
		show_change(w, kind, first, before, after);
}

static void compare_lists(struct walk *w, enum snapshot_kind kind,
			  const struct snapshot_list *before,
			  const struct snapshot_list *after)
{
	size_t a = 0, b = 0;

	while (a < before->count || b < after->count) {
		int order = a == before->count ? 1 : b == after->count ? -1 :
			    snapshot_compare(kind, &before->rows[a],
					     &after->rows[b]);

		compare_rows(w, kind, order > 0 ? &nothing : &before->rows[a],
			     order < 0 ? &nothing : &after->rows[b]);
		a += order <= 0;
		b += order >= 0;
	}
}

static enum smi_exit show_all(const struct diff_request *r, struct table *t,
			      const struct snapshot *before,
			      const struct snapshot *after)
{
	struct walk walk = { .table = t };
	enum snapshot_kind kind;
	enum smi_exit status;

	table_start(t, "changes");
	for (kind = 0; kind < SNAPSHOT_KINDS; kind++)
		compare_lists(&walk, kind, &before->lists[kind],
			      &after->lists[kind]);
	status = table_end(t);
	if (!status && r->fails_on_leak && walk.leaks)
		status = fail(SMI_LEAK, "%zu leaks were found",
			      walk.leaks);
	return status;
}

/* The files come first; *@wants_help is set if only the help is requested. */
static enum smi_exit parse_request(struct diff_request *r, bool *wants_help,
				   int argc, char **argv)
{
	const struct smi_option options[] = {
		{ 'l', "fail-on-leak", OPTION_FLAG, &r->fails_on_leak },
		TABLE_OPTIONS(&r->table),
		{ 0 }
	};
	const char **files[] = { &r->before, &r->after };
	enum smi_exit status;
	size_t i;

	for (i = 0; i < 2 && argc > 1 && argv[1][0] != '-'; i++) {
		*files[i] = argv[1];
		argc--;
		argv++;
	}
	status = parse_options("diff", options, NULL, wants_help, argc, argv);
	if (!status && !*wants_help && !r->before)
		status = fail(SMI_USAGE,
			      "a snapshot is needed; see 'vnpu-smi diff --help'");
	return status;
}

enum smi_exit cmd_diff(int argc, char **argv)
{
	struct snapshot before = { 0 }, after = { 0 };
	struct diff_request request = { 0 };
	bool wants_help = false;
	enum smi_exit status;
	struct table table;

	status = parse_request(&request, &wants_help, argc, argv);
	if (status)
		return status;
	if (wants_help) {
		fputs(diff_help, stdout);
		return finish_output(stdout);
	}
	status = table_init(&table, columns, COLUMN_COUNT, &request.table,
			    false);
	if (!status)
		status = snapshot_read(&before, request.before);
	if (!status)
		status = request.after ? snapshot_read(&after, request.after) :
					 snapshot_collect(&after);
	if (!status)
		status = show_all(&request, &table, &before, &after);
	snapshot_fini(&before);
	snapshot_fini(&after);
	return status;
}
