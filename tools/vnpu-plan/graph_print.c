// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results for operators, as text; see graph.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* Of "#4294967295". */
#define MAX_NUMBER	12

static size_t copy_length(const struct graph *g, const struct vnpu_plan *plan,
			  uint32_t index)
{
	struct vnpu_plan_rerun r;

	vnpu_plan_get_rerun(plan, index, &r);
	return g->tensors.name[r.tensor].length + MAX_NUMBER;
}

/* Copy the name of a rerun's output to @text. */
static char *name_copy(const struct graph *g, const struct vnpu_plan *plan,
		       uint32_t index, char *text, struct csv_row *row)
{
	struct field *f = &row->field[CSV_ID];
	struct vnpu_plan_rerun r;

	vnpu_plan_get_rerun(plan, index, &r);
	*f = g->tensors.name[r.tensor];
	memcpy(text, f->start, f->length);
	f->start = text;
	f->length += (uint32_t)snprintf(text + f->length, MAX_NUMBER, "#%u",
					index + 1);
	row->size = g->tensor[r.tensor].size;
	return text + f->length;
}

int graph_to_csv(const struct graph *g, const struct vnpu_plan *plan,
		 uint32_t reruns, struct csv *csv)
{
	uint32_t tensors = g->tensors.count, i;
	size_t length = 1;
	char *text;

	*csv = (struct csv){
		.column = { CSV_ID, CSV_LOWER, CSV_UPPER, CSV_SIZE },
		.columns = 4, .rows = tensors + reruns,
	};
	for (i = 0; i < reruns; i++)
		length += copy_length(g, plan, i);
	csv->own = malloc(length);
	csv->row = calloc((size_t)csv->rows + 1, sizeof(*csv->row));
	if (!csv->own || !csv->row)
		return -ENOMEM;
	text = csv->own;
	for (i = 0; i < csv->rows; i++) {
		struct csv_row *row = &csv->row[i];

		if (i < tensors) {
			row->field[CSV_ID] = g->tensors.name[i];
			row->size = g->tensor[i].size;
		} else {
			text = name_copy(g, plan, i - tensors, text, row);
		}
		vnpu_plan_get_life(plan, i, &row->lower, &row->upper);
	}
	return 0;
}

/* A rerun uses the stream of the operator that it precedes. */
static uint32_t stream_of(const struct graph *g, const struct vnpu_plan *plan,
			  uint32_t op)
{
	struct vnpu_plan_rerun r;

	while (op >= g->ops.count) {
		vnpu_plan_get_rerun(plan, op - g->ops.count, &r);
		op = r.before;
	}
	return g->op[op].stream;
}

static void write_op(const struct graph *g, const struct vnpu_plan *plan,
		     uint32_t op, FILE *f)
{
	uint32_t ops = g->ops.count;
	struct vnpu_plan_rerun r = { .op = op };
	const struct field *name;

	if (op >= ops)
		vnpu_plan_get_rerun(plan, op - ops, &r);
	name = &g->ops.name[r.op];
	fwrite(name->start, 1, name->length, f);
	if (op >= ops)
		fprintf(f, "#%u", op - ops + 1);
	fprintf(f, ",%u\n", stream_of(g, plan, op));
}

int graph_write_order(const struct graph *g, const struct vnpu_plan *plan,
		      uint32_t reruns, FILE *f)
{
	uint32_t ops = g->ops.count + reruns, position, i;
	uint32_t *order = malloc(((size_t)ops + 1) * sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (i = 0; i < ops; i++)
		if (!vnpu_plan_get_position(plan, i, &position))
			order[position] = i;
	fputs("position,op,stream\n", f);
	for (i = 0; i < ops; i++) {
		fprintf(f, "%u,", i);
		write_op(g, plan, order[i], f);
	}
	free(order);
	return ferror(f) ? -EIO : 0;
}
