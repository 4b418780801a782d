/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operators and their tensors as text: a line for each, of words with blanks
 * between them.
 *
 *	tensor NAME SIZE [align=N] [at=N] [view=TENSOR] [inplace=TENSOR]
 *		[on-chip] [keep] [pinned]
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

/* Its lists are read when all names are known. */
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
	/* Where the text is refused: "line 3: " and why. */
	char fault[512];
};

/**
 * graph_read() - read a text into a plan
 * @graph: filled; freed by graph_free() in any case
 * @text: not ended by a NUL; must stay while @graph is in use
 * @size: of it
 *
 * Return: 0; -EINVAL where it is refused, and graph->fault tells the line and
 * the reason; -ENOMEM.  What only shows when it is solved is told by
 * graph_explain().
 */
int graph_read(struct graph *graph, const char *text, size_t size);
void graph_free(struct graph *graph);

/* What vnpu_plan_fault() says, with the line that it is about. */
const char *graph_explain(struct graph *graph);

/**
 * graph_to_csv() - the tensors of a graph, with their lives
 * @graph: what was read
 * @plan: it is solved: that of @graph, or one in which operators run again
 * @reruns: how many do
 * @csv: filled; freed by csv_free() in any case
 *
 * What the k-th of these makes is NAME#k.
 *
 * Return: 0, -ENOMEM.
 */
int graph_to_csv(const struct graph *graph, const struct vnpu_plan *plan,
		 uint32_t reruns, struct csv *csv);

/*
 * Write in which order operators are to run; @reruns as above.  Return: 0,
 * -ENOMEM, -EIO.
 */
int graph_write_order(const struct graph *graph, const struct vnpu_plan *plan,
		      uint32_t reruns, FILE *f);

#endif /* VNPU_PLAN_GRAPH_H */
