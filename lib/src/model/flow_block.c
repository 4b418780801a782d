// SPDX-License-Identifier: MIT
/*
 * Blocks of built models, see flow_make.c.
 *
 * A block ends by writing the number of the next one.  Where a stream branches,
 * the number comes from a table in device memory: tasks compute the index, and
 * from that the address in the table.
 */
#include <stdlib.h>

#include "base/error.h"
#include "flow_make.h"

/*
 * The words of a turn are the largest index, the address of the table, and the
 * table.
 */
enum { LAST, TABLE, NUMBERS };

static void block_add(struct vnpu_flow_maker *m, uint32_t lane, uint32_t first,
		      uint32_t end, const struct vnpu_turn *turn)
{
	m->blocks[m->nr_blocks++] = (struct vnpu_block){
		.lane = lane,
		.first = first,
		.count = end - first,
		.turn = turn,
	};
}

/* A label begins a block, and other turns end one. */
static void split(struct vnpu_flow_maker *m, uint32_t lane)
{
	const struct vnpu_flow *flow = m->model->flow;
	uint32_t first = 0;

	for (uint32_t i = 0; i < flow->nr_turns; i++) {
		const struct vnpu_turn *turn = &flow->turns[i];

		if (turn->lane != lane)
			continue;
		if (turn->kind != VNPU_TURN_LABEL) {
			block_add(m, lane, first, turn->index + 1, turn);
			first = turn->index + 1;
		} else if (turn->index > first) {
			block_add(m, lane, first, turn->index, NULL);
			first = turn->index;
		}
	}
	block_add(m, lane, first, m->model->capture->lanes[lane]->count, NULL);
	m->blocks[m->nr_blocks - 1].is_last = true;
}

/* Check whether a block begins at a place, or before it. */
static bool is_at_most(const struct vnpu_block *block, uint32_t lane,
		       uint32_t index)
{
	return block->lane != lane ? block->lane < lane : block->first <= index;
}

/* Get the number of the block that begins with a task: blocks are sorted. */
static uint32_t block_at(const struct vnpu_flow_maker *m, uint32_t lane,
			 uint32_t index)
{
	uint32_t from = 0, to = m->nr_blocks;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (is_at_most(&m->blocks[middle], lane, index))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

uint32_t vnpu_block_of_lane(const struct vnpu_flow_maker *m, uint32_t lane)
{
	return block_at(m, lane, 0);
}

static bool is_set(const struct vnpu_model *model,
		   const struct vnpu_label *label)
{
	return atomic_load(&label->model) == model->handle && label->is_set;
}

static aclError check_labels(const struct vnpu_model *model,
			     const struct vnpu_turn *turn)
{
	for (uint32_t i = 0; i < turn->count && turn->list; i++)
		if (!is_set(model, turn->list->labels[i]))
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"label %u of a list was not set in this model; call aclrtSetLabel with a stream that is bound to it",
				i);
	return ACL_SUCCESS;
}

/*
 * Refuse waits between streams: they work only within one graph, but each block
 * has its own.
 */
static aclError check_waits(const struct vnpu_capture *capture)
{
	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		for (uint32_t j = 0; j < capture->lanes[i]->count; j++)
			if (capture->lanes[i]->tasks[j].flags &
			    VNPU_TASK_F_GRAPH)
				return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
					"task %u of stream %u waits for another stream of a model with branches; use a notify, or an event of ACL_EVENT_EXTERNAL",
					j, capture->lanes[i]->number);
	return ACL_SUCCESS;
}

aclError vnpu_block_make_all(struct vnpu_flow_maker *m)
{
	const struct vnpu_capture *capture = m->model->capture;
	const struct vnpu_flow *flow = m->model->flow;
	aclError ret = check_waits(capture);

	for (uint32_t i = 0; !ret && i < flow->nr_turns; i++)
		ret = check_labels(m->model, &flow->turns[i]);
	if (ret)
		return ret;
	/* Each turn adds one at most, and so does the end of each lane. */
	m->blocks = calloc(flow->nr_turns + capture->nr_lanes,
			   sizeof(*m->blocks));
	if (!m->blocks)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a model");
	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		split(m, i);
	return ACL_SUCCESS;
}

/* Get the number of the block after this one in its lane; 0 at the end. */
static uint32_t next_of(const struct vnpu_flow_maker *m,
			const struct vnpu_block *block)
{
	return block->is_last ? 0 : block - m->blocks + 2;
}

/* Check whether the tasks compute the inverse of a condition. */
static bool is_inverse(aclrtCondition cond)
{
	return cond == ACL_RT_NOT_EQUAL || cond == ACL_RT_GREATER ||
	       cond == ACL_RT_LESS;
}

uint32_t vnpu_block_targets(const struct vnpu_flow_maker *m,
			    const struct vnpu_block *block, uint64_t *numbers)
{
	const struct vnpu_turn *turn = block->turn;
	bool holds;

	if (!turn || turn->kind == VNPU_TURN_ACTIVATE)
		return 0;
	if (turn->kind == VNPU_TURN_STREAM) {
		holds = !is_inverse(turn->cond);
		numbers[holds] = vnpu_block_of_lane(m, turn->target);
		numbers[!holds] = next_of(m, block);
		return 2;
	}
	for (uint32_t i = 0; i < turn->count; i++)
		numbers[i] = block_at(m, turn->list->labels[i]->lane,
				      turn->list->labels[i]->index);
	return turn->count;
}

uint32_t vnpu_block_words(const struct vnpu_block *block)
{
	const struct vnpu_turn *turn = block->turn;

	if (!turn || turn->kind == VNPU_TURN_ACTIVATE)
		return 0;
	return NUMBERS + (turn->kind == VNPU_TURN_STREAM ? 2 : turn->count);
}

static uint64_t turn_va(const struct vnpu_flow_maker *m,
			const struct vnpu_block *block, uint32_t word)
{
	return m->va + (block->words + word) * 8ULL;
}

void vnpu_block_fill(const struct vnpu_flow_maker *m,
		     const struct vnpu_block *block)
{
	uint64_t *words = m->words + block->words;

	if (!vnpu_block_words(block))
		return;
	words[LAST] = vnpu_block_targets(m, block, words + NUMBERS) - 1;
	words[TABLE] = turn_va(m, block, NUMBERS);
}

static struct vnpu_task write_task(uint64_t to, uint64_t value)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_VALUE_WRITE,
		.mode = sizeof(uint64_t),
		.dst = to,
		.arg0 = value,
	};
}

static struct vnpu_task copy_task(uint64_t to, uint64_t from, uint64_t length)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_COPY,
		.dst = to,
		.src = from,
		.length = length,
	};
}

static struct vnpu_task reduce_task(uint64_t to, uint64_t from,
				    unsigned int op, unsigned int type)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_REDUCE,
		.mode = VNPU_REDUCE(op, type),
		.dst = to,
		.src = from,
		.length = 1,
	};
}

static struct vnpu_task add_task(uint64_t counter, uint64_t value)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_SIGNAL,
		.mode = VNPU_SIGNAL_ADD,
		.dst = counter,
		.arg0 = value,
	};
}

uint32_t vnpu_block_start(const struct vnpu_flow_maker *m, uint32_t number,
			  struct vnpu_task *at)
{
	uint32_t lane = m->blocks[number - 1].lane;

	at[0] = write_task(vnpu_word_va(m, lane, VNPU_WORD_START), number);
	at[1] = add_task(vnpu_start_counter(m, lane), 1);
	return 2;
}

/*
 * Write the number in the table at the index in word A, at most the last one.
 */
static uint32_t choose(const struct vnpu_flow_maker *m,
		       const struct vnpu_block *block, struct vnpu_task *at)
{
	const uint64_t a = vnpu_word_va(m, block->lane, VNPU_WORD_A);
	uint32_t count = 0;

	at[count++] = reduce_task(a, vnpu_word_va(m, block->lane,
						  VNPU_WORD_EIGHT),
				  VNPU_REDUCE_PROD, VNPU_TYPE_U64);
	at[count++] = reduce_task(a, turn_va(m, block, TABLE),
				  VNPU_REDUCE_SUM, VNPU_TYPE_U64);
	at[count++] = (struct vnpu_task){
		.op = VNPU_TASK_COPY_INDIRECT,
		.dst = vnpu_word_va(m, block->lane, VNPU_WORD_NEXT_PTR),
		.src = a,
		.length = sizeof(uint64_t),
	};
	return count;
}

static uint32_t choose_label(const struct vnpu_flow_maker *m,
			     const struct vnpu_block *block,
			     struct vnpu_task *at)
{
	const uint64_t a = vnpu_word_va(m, block->lane, VNPU_WORD_A);
	uint32_t count = 0;

	at[count++] = write_task(a, 0);
	at[count++] = copy_task(a, block->turn->left, sizeof(uint32_t));
	at[count++] = reduce_task(a, turn_va(m, block, LAST), VNPU_REDUCE_MIN,
				  VNPU_TYPE_U64);
	return count + choose(m, block, at + count);
}

/*
 * Set word A to 1 or 0: whether the operands are equal, or whether the left one
 * is their maximum (>=) or minimum (<=).  The other conditions are inverse.
 */
static uint32_t choose_stream(const struct vnpu_flow_maker *m,
			      const struct vnpu_block *block,
			      struct vnpu_task *at)
{
	const struct vnpu_turn *turn = block->turn;
	const bool is_long = turn->type == ACL_RT_SWITCH_INT64;
	const unsigned int type = is_long ? VNPU_TYPE_S64 : VNPU_TYPE_S32;
	const uint64_t length = is_long ? 8 : 4;
	const uint64_t a = vnpu_word_va(m, block->lane, VNPU_WORD_A);
	const uint64_t b = vnpu_word_va(m, block->lane, VNPU_WORD_B);
	const uint64_t c = vnpu_word_va(m, block->lane, VNPU_WORD_C);
	uint32_t count = 0;

	at[count++] = write_task(a, 0);
	at[count++] = copy_task(a, turn->left, length);
	at[count++] = copy_task(b, turn->right, length);
	if (turn->cond == ACL_RT_EQUAL || turn->cond == ACL_RT_NOT_EQUAL) {
		at[count++] = reduce_task(a, b, VNPU_REDUCE_EQUAL, type);
	} else {
		bool is_max = turn->cond == ACL_RT_GREATER_OR_EQUAL ||
			      turn->cond == ACL_RT_LESS;

		at[count++] = copy_task(c, a, length);
		at[count++] = reduce_task(a, b, is_max ? VNPU_REDUCE_MAX :
							 VNPU_REDUCE_MIN, type);
		at[count++] = reduce_task(a, c, VNPU_REDUCE_EQUAL, type);
	}
	return count + choose(m, block, at + count);
}

uint32_t vnpu_block_end(const struct vnpu_flow_maker *m,
			const struct vnpu_block *block, struct vnpu_task *at)
{
	const struct vnpu_turn *turn = block->turn;
	const uint32_t next = next_of(m, block);
	uint32_t count = 0;

	if (turn && turn->kind == VNPU_TURN_INDEX)
		return choose_label(m, block, at);
	if (turn && turn->kind == VNPU_TURN_STREAM)
		return choose_stream(m, block, at);
	if (turn) {
		at[count++] = add_task(vnpu_active_counter(m), UINT64_MAX);
		count += vnpu_block_start(m, vnpu_block_of_lane(m, turn->target),
					  at + count);
	}
	at[count++] = write_task(vnpu_word_va(m, block->lane, VNPU_WORD_NEXT),
				 next);
	if (!next)
		at[count++] = add_task(vnpu_active_counter(m), 1);
	return count;
}
