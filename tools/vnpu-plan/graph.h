/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operators and their tensors as text: one per line, as words separated by
 * blanks.
 *
 *	tensor NAME SIZE [align=N] [at=N] [view=TENSOR] [inplace=TENSOR]
 *		[apart=TENSOR,...] [on-chip] [keep] [pinned]
 *	op NAME [in=TENSOR,...] [out=TENSOR,...] [wait=OP,...] [stream=N]
 *		[cost=N]
 */
#ifndef VNPU_PLAN_GRAPH_H
#define VNPU_PLAN_GRAPH_H

#include "csv.h"

struct graph_tensor {
	uint64_t size;
	uint32_t line;
};

/* Its lists are parsed when all names are known. */
struct graph_op {
	struct field in, out, wait;
	uint64_t cost;
	uint32_t stream;
	uint32_t line;
};

struct graph {
	struct vnpu_plan *plan;
	struct names tensors, ops;	/* numbers are those in the plan */
	struct graph_tensor *tensor;
	struct graph_op *op;
	uint32_t tensor_room, op_room;
	uint32_t *list;			/* of the operator that is read */
	uint32_t list_room;
	uint32_t line;
	/* Error of the text: "line 3: " and the reason. */
	char fault[512];
};

/**
 * graph_read() - read a text into a plan
 * @graph: filled; freed by graph_free() in any case
 * @text: not NUL-terminated; must stay while @graph is in use
 * @size: its size
 *
 * Return: 0; -EINVAL for an error, with the line and the reason in
 * graph->fault; -ENOMEM. graph_explain() describes errors that only solving
 * detects.
 */
int graph_read(struct graph *graph, const char *text, size_t size);
void graph_free(struct graph *graph);

/* Get vnpu_plan_fault(), with the line that it refers to. */
const char *graph_explain(struct graph *graph);

/**
 * graph_to_csv() - convert the tensors of a graph, with their lifetimes
 * @graph: the parsed graph
 * @plan: the solved plan: that of @graph, or one with operators that run again
 * @reruns: number of these
 * @csv: filled; freed by csv_free() in any case
 *
 * The output of the k-th rerun is NAME#k.
 */
int graph_to_csv(const struct graph *graph, const struct vnpu_plan *plan,
		 uint32_t reruns, struct csv *csv);

/*
 * Write the operators in their order; @reruns as above.  Return: 0, -ENOMEM,
 * -EIO.
 */
int graph_write_order(const struct graph *graph, const struct vnpu_plan *plan,
		      uint32_t reruns, FILE *f);

#endif /* VNPU_PLAN_GRAPH_H */
