/* SPDX-License-Identifier: MIT */
/* Functions that flow_make.c and flow_block.c share. */
#ifndef VNPU_LIB_MODEL_FLOW_MAKE_H
#define VNPU_LIB_MODEL_FLOW_MAKE_H

#include "flow.h"

/* The most tasks that are added to a block, see vnpu_block_end(). */
#define VNPU_BLOCK_TAIL	10

/* Words of device memory that a lane has. */
enum {
	VNPU_WORD_START,	/* number of the block to begin with */
	VNPU_WORD_NEXT,		/* number of the block to run next; 0 for none */
	VNPU_WORD_LIVE,		/* 0 at the end of the model */
	VNPU_WORD_NEXT_PTR,	/* address of VNPU_WORD_NEXT */
	VNPU_WORD_A,		/* for computations */
	VNPU_WORD_B,
	VNPU_WORD_C,
	VNPU_WORD_EIGHT,	/* 8 */
	VNPU_LANE_WORDS
};

/*
 * A block: tasks that run one after the other.  Its number is its index plus
 * one.
 */
struct vnpu_block {
	uint32_t lane;
	uint32_t first;			/* of its tasks */
	uint32_t count;
	const struct vnpu_turn *turn;	/* at its end; or NULL */
	bool is_last;			/* of its lane */
	uint32_t words;			/* index of those of the turn */
	uint64_t graph;
};

struct vnpu_flow_maker {
	struct vnpu_model *model;
	struct vnpu_block *blocks;
	uint32_t nr_blocks;
	bool *is_used;			/* for each lane */
	uint32_t nr_used;
	uint64_t *words;		/* contents of the device memory */
	uint32_t nr_words;
	uint64_t va;			/* of this memory */
};

/* Get the address of a word of a lane. */
static inline uint64_t vnpu_word_va(const struct vnpu_flow_maker *m,
				    uint32_t lane, uint32_t word)
{
	return m->va + (lane * VNPU_LANE_WORDS + word) * 8ULL;
}

/* Get the counter of the starts of a lane; or that of active lanes, see flow_make.c. */
static inline uint64_t vnpu_start_counter(const struct vnpu_flow_maker *m,
					  uint32_t lane)
{
	return m->model->flow->counters[lane];
}

static inline uint64_t vnpu_active_counter(const struct vnpu_flow_maker *m)
{
	return m->model->flow->counters[m->model->capture->nr_lanes];
}

/* Split the lanes into blocks. */
aclError vnpu_block_make_all(struct vnpu_flow_maker *m);

/* Get the number of the first block of a lane. */
uint32_t vnpu_block_of_lane(const struct vnpu_flow_maker *m, uint32_t lane);

/*
 * Get the numbers of the blocks at which a turn continues; returns their count.
 */
uint32_t vnpu_block_targets(const struct vnpu_flow_maker *m,
			    const struct vnpu_block *block, uint64_t *numbers);

/* Return the number of words that the turn of a block needs. */
uint32_t vnpu_block_words(const struct vnpu_block *block);

/* Fill the words of a block, once it has an address. */
void vnpu_block_fill(const struct vnpu_flow_maker *m,
		     const struct vnpu_block *block);

/* Write the tasks that end a block; returns their count. */
uint32_t vnpu_block_end(const struct vnpu_flow_maker *m,
			const struct vnpu_block *block, struct vnpu_task *at);

/* Write the tasks that let a lane begin with a block; returns 2. */
uint32_t vnpu_block_start(const struct vnpu_flow_maker *m, uint32_t number,
			  struct vnpu_task *at);

#endif /* VNPU_LIB_MODEL_FLOW_MAKE_H */
