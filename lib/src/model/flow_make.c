// SPDX-License-Identifier: MIT
/*
 * Graphs of built models with branches.
 *
 * The driver's graphs cannot jump.  So each lane becomes blocks, sequences of
 * tasks without a label or branch inside, and each block a graph of its own.
 * Word NEXT of the lane has the number of the block to run.  The graphs of a
 * lane, from the innermost to the outermost:
 *
 *	blocks	run the tasks, and end by writing NEXT;
 *	moves	for each block of another lane to which this one goes: let that
 *		lane begin there, and write 0 to NEXT;
 *	pass	IF NEXT is N: block N, for each of them in their order, and then
 *		the same for the moves;
 *	step	wait for a start, copy START to NEXT, and WHILE NEXT > 0: pass.
 *
 * The graph of the model has one stream for each lane: WHILE LIVE > 0: step.  One
 * more stream waits until no lane is active, by a counter, and then starts all
 * lanes with LIVE and START as 0, so that they end.  Around it, another graph
 * sets the counters and words first.
 *
 * Starts are counted: a lane that is started while it runs begins again after
 * its end.  The counter of active lanes is negative while there are some: each
 * lane counts down when it begins, and up at its end.  A failed task ends the
 * WHILE of its lane.  The lane then makes the counter positive for the rest of
 * the run, so that the others end as well, whatever they still count.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "io/io_graph.h"
#include "stream/copy.h"
#include "flow_make.h"

/* More than all lanes together count in a run. */
#define ENDED	(1ULL << 62)

static aclError no_memory(void)
{
	return vnpu_error(ACL_ERROR_BAD_ALLOC, "no host memory for a model");
}

void vnpu_flow_drop(struct vnpu_flow *flow)
{
	/* The outer graphs come last. */
	while (flow->nr_graphs)
		vnpu_model_destroy_graph(flow->graphs[--flow->nr_graphs]);
	free(flow->graphs);
	flow->graphs = NULL;
	while (flow->nr_counters)
		vnpu_io_timeline_destroy(flow->counters[--flow->nr_counters]);
	free(flow->counters);
	flow->counters = NULL;
	if (flow->has_memory)
		vnpu_lib_block_free(&flow->memory);
	flow->has_memory = false;
}

/* Make a graph of one stream, which belongs to the flow; gets its id. */
static aclError graph_make(struct vnpu_flow_maker *m,
			   const struct vnpu_task *tasks, uint32_t count,
			   const struct vnpu_graph_source *source, uint64_t *id)
{
	const struct vnpu_io_lane lane = { tasks, count };
	struct vnpu_flow *flow = m->model->flow;
	struct vnpu_graph **more = reallocarray(flow->graphs,
						flow->nr_graphs + 1,
						sizeof(struct vnpu_graph *));
	aclError ret;

	if (!more)
		return no_memory();
	flow->graphs = more;
	ret = vnpu_graph_of_tasks(m->model->context, &lane, 1, source,
				  &more[flow->nr_graphs]);
	if (!ret)
		*id = more[flow->nr_graphs++]->id;
	return ret;
}

static struct vnpu_task run_task(uint64_t graph, unsigned int how,
				 unsigned int cond, uint64_t va, uint64_t value)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_GRAPH,
		.mode = VNPU_GRAPH_COND(how, cond),
		.src = graph,
		.dst = va,
		.arg1 = value,
	};
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

static struct vnpu_task set_task(uint64_t counter, uint64_t value)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_SIGNAL,
		.mode = VNPU_SIGNAL_SET,
		.dst = counter,
		.arg0 = value,
	};
}

static struct vnpu_task wait_task(uint64_t counter, unsigned int cond)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_COUNTER_WAIT,
		.mode = cond,
		.src = counter,
	};
}

static aclError make_block(struct vnpu_flow_maker *m, struct vnpu_block *block)
{
	const struct vnpu_lane *lane = m->model->capture->lanes[block->lane];
	const struct vnpu_graph_source source = {
		.lane = lane,
		.first = block->first,
		.count = block->count,
	};
	struct vnpu_task *tasks = calloc(block->count + VNPU_BLOCK_TAIL,
					 sizeof(*tasks));
	uint32_t count = block->count;
	aclError ret;

	if (!tasks)
		return no_memory();
	for (uint32_t i = 0; i < count; i++)
		tasks[i] = lane->tasks[block->first + i];
	count += vnpu_block_end(m, block, tasks + count);
	ret = graph_make(m, tasks, count, &source, &block->graph);
	free(tasks);
	return ret;
}

static aclError make_blocks(struct vnpu_flow_maker *m)
{
	aclError ret = ACL_SUCCESS;

	for (uint32_t i = 0; !ret && i < m->nr_blocks; i++)
		if (m->is_used[m->blocks[i].lane])
			ret = make_block(m, &m->blocks[i]);
	return ret;
}

/* The tasks of a pass, and the blocks that it has moves for. */
struct pass {
	uint32_t lane;
	struct vnpu_task *tasks;
	uint32_t count;
	bool *moves;		/* for each block */
};

static aclError add_move(struct vnpu_flow_maker *m, struct pass *pass,
			 uint32_t number)
{
	const uint64_t next = vnpu_word_va(m, pass->lane, VNPU_WORD_NEXT);
	struct vnpu_task tasks[3];
	uint32_t count = 0;
	uint64_t graph;
	aclError ret;

	if (!number || m->blocks[number - 1].lane == pass->lane ||
	    pass->moves[number - 1])
		return ACL_SUCCESS;
	pass->moves[number - 1] = true;
	tasks[count++] = write_task(next, 0);
	count += vnpu_block_start(m, number, tasks + count);
	ret = graph_make(m, tasks, count, NULL, &graph);
	if (!ret)
		pass->tasks[pass->count++] = run_task(graph, VNPU_GRAPH_IF,
						      VNPU_COND_EQ, next,
						      number);
	return ret;
}

static aclError fill_pass(struct vnpu_flow_maker *m, struct pass *pass)
{
	const uint64_t next = vnpu_word_va(m, pass->lane, VNPU_WORD_NEXT);
	aclError ret = ACL_SUCCESS;

	for (uint32_t i = 0; i < m->nr_blocks; i++)
		if (m->blocks[i].lane == pass->lane)
			pass->tasks[pass->count++] =
				run_task(m->blocks[i].graph, VNPU_GRAPH_IF,
					 VNPU_COND_EQ, next, i + 1);
	for (uint32_t i = 0; !ret && i < m->nr_blocks; i++) {
		const struct vnpu_block *block = &m->blocks[i];
		uint32_t words = vnpu_block_words(block);
		const uint64_t *numbers = m->words + block->words;

		if (block->lane != pass->lane)
			continue;
		/* The first two words are not block numbers. */
		for (uint32_t j = 2; !ret && j < words; j++)
			ret = add_move(m, pass, numbers[j]);
	}
	return ret;
}

static aclError make_pass(struct vnpu_flow_maker *m, uint32_t lane,
			  uint64_t *graph)
{
	struct pass pass = { .lane = lane };
	aclError ret;

	pass.tasks = calloc(2 * m->nr_blocks, sizeof(*pass.tasks));
	pass.moves = calloc(m->nr_blocks, sizeof(*pass.moves));
	ret = pass.tasks && pass.moves ? fill_pass(m, &pass) : no_memory();
	if (!ret)
		ret = graph_make(m, pass.tasks, pass.count, NULL, graph);
	free(pass.tasks);
	free(pass.moves);
	return ret;
}

static aclError make_step(struct vnpu_flow_maker *m, uint32_t lane,
			  uint64_t *graph)
{
	const uint64_t next = vnpu_word_va(m, lane, VNPU_WORD_NEXT);
	const uint64_t starts = vnpu_start_counter(m, lane);
	struct vnpu_task tasks[4];
	uint64_t pass;
	aclError ret = make_pass(m, lane, &pass);

	if (ret)
		return ret;
	tasks[0] = wait_task(starts, VNPU_COND_GREATER);
	tasks[1] = set_task(starts, UINT64_MAX);
	tasks[1].mode = VNPU_SIGNAL_ADD;
	tasks[2] = (struct vnpu_task){
		.op = VNPU_TASK_COPY,
		.dst = next,
		.src = vnpu_word_va(m, lane, VNPU_WORD_START),
		.length = sizeof(uint64_t),
	};
	tasks[3] = run_task(pass, VNPU_GRAPH_WHILE, VNPU_COND_GREATER, next, 0);
	return graph_make(m, tasks, 4, NULL, graph);
}

/* Fill the tasks that end all lanes when none is active. */
static uint32_t fill_end(const struct vnpu_flow_maker *m,
			 struct vnpu_task *tasks)
{
	uint32_t count = 0;

	tasks[count++] = wait_task(vnpu_active_counter(m), VNPU_COND_GEQ);
	for (uint32_t i = 0; i < m->model->capture->nr_lanes; i++) {
		if (!m->is_used[i])
			continue;
		tasks[count++] = write_task(vnpu_word_va(m, i, VNPU_WORD_LIVE),
					    0);
		tasks[count++] = write_task(vnpu_word_va(m, i, VNPU_WORD_START),
					    0);
		tasks[count] = set_task(vnpu_start_counter(m, i), 1);
		tasks[count++].mode = VNPU_SIGNAL_ADD;
	}
	return count;
}

/* Make the graph of the model. */
static aclError make_inner(struct vnpu_flow_maker *m)
{
	struct vnpu_task tasks[VNPU_IO_GRAPH_LANES][2];
	struct vnpu_task end[1 + 3 * VNPU_IO_GRAPH_LANES];
	struct vnpu_io_lane lanes[VNPU_IO_GRAPH_LANES];
	uint32_t count = 0;
	aclError ret = ACL_SUCCESS;
	uint64_t step;

	for (uint32_t i = 0; i < m->model->capture->nr_lanes; i++) {
		if (!m->is_used[i])
			continue;
		ret = make_step(m, i, &step);
		if (ret)
			return ret;
		tasks[count][0] = run_task(step, VNPU_GRAPH_WHILE,
				VNPU_COND_GREATER,
				vnpu_word_va(m, i, VNPU_WORD_LIVE), 0);
		tasks[count][1] = set_task(vnpu_active_counter(m), ENDED);
		lanes[count] = (struct vnpu_io_lane){ tasks[count], 2 };
		count++;
	}
	lanes[count++] = (struct vnpu_io_lane){ end, fill_end(m, end) };
	return vnpu_graph_of_tasks(m->model->context, lanes, count, NULL,
				   &m->model->graph);
}

/* Fill the tasks that begin a run. */
static uint32_t fill_begin(const struct vnpu_flow_maker *m,
			   struct vnpu_task *tasks)
{
	const struct vnpu_capture *capture = m->model->capture;
	uint32_t count = 0;
	uint64_t heads = 0;

	for (uint32_t i = 0; i < capture->nr_lanes; i++) {
		bool is_head = capture->lanes[i]->is_head;

		if (!m->is_used[i])
			continue;
		heads += is_head;
		tasks[count++] = write_task(vnpu_word_va(m, i, VNPU_WORD_LIVE),
					    1);
		tasks[count++] = write_task(vnpu_word_va(m, i, VNPU_WORD_START),
					    vnpu_block_of_lane(m, i));
		tasks[count++] = set_task(vnpu_start_counter(m, i), is_head);
	}
	tasks[count++] = set_task(vnpu_active_counter(m), -heads);
	return count;
}

static aclError make_outer(struct vnpu_flow_maker *m)
{
	struct vnpu_task tasks[1 + 3 * VNPU_IO_GRAPH_LANES];
	uint32_t count = fill_begin(m, tasks);

	return vnpu_graph_wrap(m->model->context, tasks, count, m->model->graph,
			       &m->model->outer);
}

/* Find the lanes that can run. */
static aclError find_used(struct vnpu_flow_maker *m)
{
	const struct vnpu_capture *capture = m->model->capture;
	const struct vnpu_flow *flow = m->model->flow;

	m->is_used = calloc(capture->nr_lanes, sizeof(*m->is_used));
	if (!m->is_used)
		return no_memory();
	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		m->is_used[i] = capture->lanes[i]->is_head;
	for (uint32_t i = 0; i < flow->nr_turns; i++) {
		const struct vnpu_turn *turn = &flow->turns[i];

		if (turn->kind == VNPU_TURN_ACTIVATE ||
		    turn->kind == VNPU_TURN_STREAM)
			m->is_used[turn->target] = true;
		for (uint32_t j = 0; turn->list && j < turn->count; j++)
			m->is_used[turn->list->labels[j]->lane] = true;
	}
	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		m->nr_used += m->is_used[i];
	if (m->nr_used < VNPU_IO_GRAPH_LANES)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_OVER_LIMIT,
		"a model with branches has at most %u streams",
		VNPU_IO_GRAPH_LANES - 1);
}

static aclError make_counters(const struct vnpu_flow_maker *m)
{
	const uint32_t lanes = m->model->capture->nr_lanes;
	struct vnpu_flow *flow = m->model->flow;
	uint32_t number;
	int err;

	flow->counters = calloc(lanes + 1, sizeof(*flow->counters));
	if (!flow->counters)
		return no_memory();
	while (flow->nr_counters <= lanes) {
		err = vnpu_io_counter_create(m->model->context->device, 0,
				&flow->counters[flow->nr_counters], &number);
		if (err == -EAGAIN || err == -EDQUOT)
			return vnpu_error(ACL_ERROR_RT_NO_NOTIFY_RESOURCE,
				"the device has no %u notifies left for a model with branches, or this process may not have more",
				lanes + 1);
		if (err)
			return vnpu_error_errno(err, "creating a counter");
		flow->nr_counters++;
	}
	return ACL_SUCCESS;
}

/* Give each block its words, and allocate all of them. */
static aclError make_memory(struct vnpu_flow_maker *m)
{
	const uint32_t lanes = m->model->capture->nr_lanes;
	struct vnpu_flow *flow = m->model->flow;
	int err;

	m->nr_words = lanes * VNPU_LANE_WORDS;
	for (uint32_t i = 0; i < m->nr_blocks; i++) {
		m->blocks[i].words = m->nr_words;
		if (__builtin_add_overflow(m->nr_words,
					   vnpu_block_words(&m->blocks[i]),
					   &m->nr_words))
			return no_memory();
	}
	m->words = calloc(m->nr_words, sizeof(*m->words));
	if (!m->words)
		return no_memory();
	err = vnpu_lib_block_alloc(m->model->context->device,
				   m->nr_words * sizeof(*m->words), &flow->memory);
	if (err)
		return vnpu_error_errno(err, "allocating memory for a model");
	flow->has_memory = true;
	m->va = vnpu_lib_block_va(&flow->memory);
	for (uint32_t i = 0; i < lanes; i++) {
		uint64_t *words = m->words + i * VNPU_LANE_WORDS;

		words[VNPU_WORD_NEXT_PTR] = vnpu_word_va(m, i, VNPU_WORD_NEXT);
		words[VNPU_WORD_EIGHT] = sizeof(uint64_t);
	}
	for (uint32_t i = 0; i < m->nr_blocks; i++)
		vnpu_block_fill(m, &m->blocks[i]);
	return vnpu_copy(vnpu_u64_to_ptr(m->va), m->words,
			 m->nr_words * sizeof(*m->words));
}

static aclError make(struct vnpu_flow_maker *m)
{
	aclError ret = vnpu_block_make_all(m);

	if (!ret)
		ret = find_used(m);
	if (!ret)
		ret = make_counters(m);
	if (!ret)
		ret = make_memory(m);
	if (!ret)
		ret = make_blocks(m);
	if (!ret)
		ret = make_inner(m);
	return ret ? ret : make_outer(m);
}

aclError vnpu_flow_make(struct vnpu_model *model)
{
	struct vnpu_flow_maker m = { .model = model };
	aclError ret = make(&m);

	free(m.blocks);
	free(m.is_used);
	free(m.words);
	if (!ret)
		return ret;
	if (model->graph)
		vnpu_model_destroy_graph(model->graph);
	model->graph = NULL;
	vnpu_flow_drop(model->flow);
	return ret;
}
