/* SPDX-License-Identifier: MIT */
/*
 * The flow of built models: the places at which their streams branch.
 *
 * A turn is such a place.  An empty task of the stream stands for it.  The lock
 * of the model protects all of this until the model is built.
 */
#ifndef VNPU_LIB_MODEL_FLOW_H
#define VNPU_LIB_MODEL_FLOW_H

#include "mem/lib_block.h"
#include "label.h"
#include "model.h"

enum vnpu_turn_kind {
	VNPU_TURN_LABEL,	/* a label marks the task */
	VNPU_TURN_ACTIVATE,	/* the stream activates @target */
	VNPU_TURN_STREAM,	/* it goes on in @target if a condition holds */
	VNPU_TURN_INDEX,	/* it continues at a label of @list */
};

struct vnpu_turn {
	enum vnpu_turn_kind kind;
	uint32_t lane;			/* its place */
	uint32_t index;
	uint32_t target;		/* index of a lane */
	uint64_t left;			/* device addresses of the operands; or
					 * of the index */
	uint64_t right;
	aclrtCondition cond;
	aclrtCompareDataType type;
	struct vnpu_label_list *list;	/* holds a reference; or NULL */
	uint32_t count;			/* of its labels, to choose among */
};

struct vnpu_flow {
	struct vnpu_turn *turns;
	uint32_t nr_turns;
	/* The objects of the finished model, see flow_make.c. */
	struct vnpu_graph **graphs;
	uint32_t nr_graphs;
	uint64_t *counters;
	uint32_t nr_counters;
	struct vnpu_lib_block memory;
	bool has_memory;
};

/* Make the graphs of a model; its lock is held. */
aclError vnpu_flow_make(struct vnpu_model *model);

/* Check whether a model needs more than the graph of its lanes. */
bool vnpu_flow_branches(const struct vnpu_model *model);

/* The place of a task in the driver. */
struct vnpu_place {
	uint32_t graph;			/* id */
	uint32_t stream;		/* of the graph */
	uint32_t index;
};

/* Find the task of a ready model; false if its stream never runs. */
bool vnpu_flow_find(const struct vnpu_model *model, uint32_t lane,
		    uint32_t index, struct vnpu_place *place);

/* Drop what vnpu_flow_make() has made, after the graphs that use it. */
void vnpu_flow_drop(struct vnpu_flow *flow);

/* Free the flow of a model, which may have none. */
void vnpu_flow_free(struct vnpu_model *model);

/* Destroy a graph after its runs are complete, or after their streams have ended. */
void vnpu_model_destroy_graph(struct vnpu_graph *graph);

#endif /* VNPU_LIB_MODEL_FLOW_H */
