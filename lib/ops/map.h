/* SPDX-License-Identifier: MIT */
/* The plan of elementwise operators, and of chains of them. See map.c, chain.c. */
#ifndef VNPU_OPS_MAP_H
#define VNPU_OPS_MAP_H

#include "iter.h"
#include "vec/vec.h"

/* Elements of a buffer; also the part's grain, as cache lines are not shared. */
#define MAP_TILE	512

/* How an operand gets to the row function. */
enum map_mode {
	MAP_IN_PLACE,
	MAP_BUFFERED,
	MAP_CONSTANT,
};

/**
 * struct chain - the steps of a chain
 * @count: their number; 0 for a single operator
 * @step: by step:
 *	@row: its row function
 *	@in: its inputs: an input of the chain, or that of CHAIN_RESULT and the
 *		number of an earlier step
 *	@inputs: their number
 *	@param: its first parameter in @params
 * @params: parameters of the steps, one after the other; those of a row are
 *	copied at once, so there is room behind the last
 */
struct chain {
	unsigned int count;
	struct {
		ops_row_fn row;
		uint8_t in[OPS_ROW_INPUTS];
		uint8_t inputs;
		uint8_t param;
	} step[VNPU_OP_LIST];
	double params[VNPU_OP_CHAIN_PARAMS + OPS_ROW_PARAMS];
};

struct map {
	struct ops_iter it;
	ops_row_fn row;
	uint8_t outputs;
	uint8_t class_size;
	bool gathers;
	uint8_t mode[OPS_OPERANDS];
	uint8_t size[OPS_OPERANDS];
	ops_load_fn load[OPS_OPERANDS];
	ops_store_fn store[OPS_ROW_OUTPUTS];
	double param[OPS_ROW_PARAMS];
	struct chain chain;
};
_Static_assert(sizeof(struct map) <= sizeof(((struct vnpu_op_job *)0)->plan),
	       "the plan is too small");

/* Copy the parameters of the launch to the plan. */
void map_read_params(const struct vnpu_op_job *job, struct map *m);

/*
 * Plan for a class; @row is NULL if elements are only converted, or if there is a
 * chain.
 */
void map_plan(struct vnpu_op_job *job, enum ops_class class, ops_row_fn row);

/*
 * Run the steps of a chain for @n elements.  @at: those of the operands, the output
 * first; @scratch: the buffers of the operands, and behind them room for results.
 */
void chain_run(const struct map *m, uint8_t *const *at, int64_t n,
	       uint8_t *scratch);

#endif
