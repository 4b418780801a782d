// SPDX-License-Identifier: GPL-2.0-only
/* The command ops: operators that are supported, and those of a model. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "model.h"
#include "onnx/onnx.h"
#include "op/op.h"

/**
 * struct used - an operator of a model
 * @name: its name
 * @domain: its set of operators
 * @opset: the version of that set
 * @count: number of nodes
 */
struct used {
	const char *name;
	const char *domain;
	int64_t opset;
	uint32_t count;
};

static bool is_supported(const struct used *u)
{
	/* The reader evaluates both. */
	if (!*u->domain && (!strcmp(u->name, "Constant") ||
			    !strcmp(u->name, "If")))
		return true;
	return op_find(u->domain, u->name, u->opset);
}

static void print_table(struct out *o, const char *name)
{
	static const struct out_column columns[] = {
		{ "opsets", -8 }, { "inputs", -8 }, { "operator", 0 },
	};
	const struct op_row *row;
	char range[32];
	unsigned int i;

	out_list(o, "operators", NULL, columns);
	for (i = 0; (row = op_at(i)); i++) {
		if (name && strcmp(name, row->name))
			continue;
		out_row(o);
		snprintf(range, sizeof(range), "%u-%u", row->since, row->until);
		out_text(o, "opsets", "", range);
		snprintf(range, sizeof(range), row->max_in == OP_MANY ?
			 "%u-" : "%u-%u", row->min_in, row->max_in);
		out_text(o, "inputs", "", range);
		out_text(o, "name", "", row->name);
		out_row_end(o);
	}
	out_list_end(o);
}

static void add(struct used **list, size_t *count, const char *name,
		const char *domain, int64_t opset)
{
	size_t i;

	for (i = 0; i < *count; i++)
		if (!strcmp((*list)[i].name, name) &&
		    !strcmp((*list)[i].domain, domain))
			break;
	if (i == *count) {
		*list = reallocarray(*list, ++*count, sizeof(**list));
		if (!*list)
			die(EXIT_FAILED, "out of memory");
		(*list)[i] = (struct used){ name, domain, opset, 0 };
	}
	(*list)[i].count++;
}

static int by_name(const void *left, const void *right)
{
	const struct used *a = left, *b = right;
	int order = strcmp(a->domain, b->domain);

	return order ? order : strcmp(a->name, b->name);
}

/* Print operators; return how many are missing. */
static uint32_t print_used(struct out *o, struct used *list, size_t count)
{
	static const struct out_column columns[] = {
		{ "nodes", 6 }, { "supported", -9 }, { "domain", -12 },
		{ "operator", 0 },
	};
	uint32_t missing = 0;
	size_t i;

	if (count)
		qsort(list, count, sizeof(*list), by_name);
	out_list(o, "operators", NULL, columns);
	for (i = 0; i < count; i++) {
		bool supported = is_supported(&list[i]);

		out_row(o);
		out_uint(o, "nodes", "", list[i].count);
		out_bool(o, "supported", "", supported);
		out_text(o, "domain", "", *list[i].domain ? list[i].domain :
			 "ai.onnx");
		out_text(o, "name", "", list[i].name);
		out_row_end(o);
		missing += !supported;
	}
	out_list_end(o);
	out_uint(o, "missing", "missing operators", missing);
	return missing;
}

/* Print the operators of an ONNX model. */
static uint32_t print_onnx(struct out *o, const char *path,
			   const struct file *f)
{
	struct used *list = NULL;
	struct graph g = { 0 };
	char *folder = file_folder(path);
	uint32_t missing, i;
	size_t count = 0;

	g.folder = folder;
	if (onnx_read_model(&g, f->data, f->size))
		die(EXIT_REFUSED, "'%s': %s", path, g.error);
	for (i = 0; i < g.node_count; i++)
		add(&list, &count, g.nodes[i]->type, g.nodes[i]->domain,
		    g.nodes[i]->opset);
	out_uint(o, "opset", "opset", g.opset);
	missing = print_used(o, list, count);
	free(list);
	graph_free(&g);
	free(folder);
	return missing;
}

/* Print the operators of the steps of a compiled model. */
static void print_om(struct out *o, const char *path)
{
	static const struct out_column columns[] = {
		{ "steps", 6 }, { "operator", 0 },
	};
	const struct program_step *s = NULL;
	struct used *list = NULL;
	size_t count = 0, i;
	struct model m;

	die_if(EXIT_REFUSED, model_open(&m, path));
	while ((s = program_next(m.gears, s)))
		add(&list, &count, m.gears->text + s->type, "", 0);
	if (count)
		qsort(list, count, sizeof(*list), by_name);
	out_list(o, "operators", NULL, columns);
	for (i = 0; i < count; i++) {
		out_row(o);
		out_uint(o, "steps", "", list[i].count);
		out_text(o, "name", "", list[i].name);
		out_row_end(o);
	}
	out_list_end(o);
	free(list);
	model_close(&m);
}

/* Check that an operator exists. */
static void need_op(const char *name)
{
	const struct op_row *row;
	unsigned int i;

	for (i = 0; (row = op_at(i)); i++)
		if (!strcmp(row->name, name))
			return;
	die(EXIT_DIFFERS, "operator '%s' is not supported", name);
}

int command_ops(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "op", required_argument, NULL, 'o' },
		{ 0 }
	};
	const char *name = NULL, *path = NULL;
	bool is_json = false;
	uint32_t missing = 0;
	struct file f = { 0 };
	struct out o;
	int c;

	while ((c = next_option(argc, argv, options, "ops")) != -1) {
		is_json |= c == 'j';
		name = c == 'o' ? optarg : name;
	}
	if (optind < argc)
		path = only_operand(argc, argv, "ops");
	if (path && name)
		die(EXIT_USAGE, "ops: give a model, or --op");
	if (name)
		need_op(name);
	if (path)
		die_if(EXIT_REFUSED, file_read(&f, path));
	out_begin(&o, stdout, is_json);
	if (!path)
		print_table(&o, name);
	else if (f.size > sizeof(OM_MAGIC) && !memcmp(f.data, OM_MAGIC,
						      sizeof(OM_MAGIC)))
		print_om(&o, path);
	else
		missing = print_onnx(&o, path, &f);
	file_free(&f);
	if (out_end(&o))
		die(EXIT_FAILED, "standard output cannot be written");
	return missing ? EXIT_DIFFERS : EXIT_DONE;
}
