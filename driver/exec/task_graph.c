// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that run a graph (graph_run.c), or replace tasks of one. */
#include <linux/nospec.h>

#include "base/client.h"
#include "sync/counter.h"
#include "engine.h"
#include "graph.h"
#include "stream.h"
#include "task.h"
#include "task_mem.h"

/* The number of tasks that are replaced at a time. */
#define VNPU_UPDATE_BATCH	16

/* Get how a GRAPH depends on its condition: 0 for not at all. */
u32 vnpu_task_graph_how(const struct vnpu_task *task)
{
	return task->mode & U8_MAX;
}

int vnpu_task_graph_prepare(struct vnpu_stream *stream)
{
	const struct vnpu_task *task = &stream->run.task;

	if (!task->mode)
		return task->dst || task->arg1 ? -EOPNOTSUPP : 0;
	switch (vnpu_task_graph_how(task)) {
	case VNPU_GRAPH_IF:
	case VNPU_GRAPH_WHILE:
		break;
	default:
		return -EINVAL;
	}
	return vnpu_cond_is_valid(task->mode >> 8) && !(task->dst & 7) ?
	       0 : -EINVAL;
}

/**
 * vnpu_task_graph_decide() - evaluate the condition of a GRAPH
 * @stream: the stream of the task
 * @holds: set to whether the graph is to run
 *
 * Return: 0, or as vnpu_task_read_locked().
 */
int vnpu_task_graph_decide(struct vnpu_stream *stream, bool *holds)
{
	const struct vnpu_task *task = &stream->run.task;
	u64 found;
	int ret;

	*holds = true;
	if (!task->mode)
		return 0;
	ret = vnpu_task_lock(stream);
	if (ret)
		return ret;
	ret = vnpu_task_read_locked(stream, &task->dst, &found, 1);
	vnpu_task_unlock(stream);
	/*
	 * Order the load of the value before the tasks of the graph and later
	 * tasks, which use the data that it announces. Pairs with smp_wmb() in
	 * vnpu_value_store().
	 */
	smp_rmb();
	if (!ret)
		*holds = vnpu_cond_holds(task->mode >> 8, found, task->arg1);
	return ret;
}

int vnpu_task_graph_run(struct vnpu_stream *stream, u64 *cost)
{
	int ret = stream->play.graph ? 0 : vnpu_graph_enter(stream);

	return ret ?: vnpu_graph_look(stream, cost);
}

void vnpu_task_graph_drop(struct vnpu_stream *stream)
{
	vnpu_graph_drop(stream);
}

int vnpu_task_graph_update_prepare(struct vnpu_stream *stream)
{
	const struct vnpu_task *task = &stream->run.task;

	if (task->src & 7 || task->length > VNPU_GRAPH_TASKS_MAX)
		return -EINVAL;
	return vnpu_task_check_range(task->src,
				     task->length * sizeof(*task));
}

/* Read a task from device memory. It may be in several pieces. */
static int vnpu_update_read(struct vnpu_stream *stream, u64 va, u64 *words)
{
	u64 vas[VNPU_TASK_VALUES];
	u32 i;
	int ret;

	for (i = 0; i < VNPU_TASK_VALUES; i++)
		vas[i] = va + i * sizeof(*words);
	ret = vnpu_task_lock(stream);
	if (ret)
		return ret;
	ret = vnpu_task_read_locked(stream, vas, words, VNPU_TASK_VALUES);
	vnpu_task_unlock(stream);
	return ret;
}

static int vnpu_update_one(struct vnpu_stream *stream, struct vnpu_graph *graph,
			   u32 lane, u32 index)
{
	union {
		struct vnpu_task task;
		u64 words[VNPU_TASK_VALUES];
	} copy;
	u64 va = stream->run.task.src + stream->run.done * sizeof(copy);
	int ret;

	ret = vnpu_update_read(stream, va, copy.words) ?:
	      vnpu_graph_check(graph, lane, index, &copy.task);
	if (!ret)
		graph->lanes[lane].tasks[index] = copy.task;
	return ret;
}

static int vnpu_update_some(struct vnpu_stream *stream,
			    struct vnpu_graph *graph, u64 *cost)
{
	const struct vnpu_task *task = &stream->run.task;
	struct vnpu_run *run = &stream->run;
	u64 first = task->arg1, length = task->length;
	u32 i, lane;

	if (graph->dev != stream->dev || task->arg0 >= graph->nr_lanes)
		return -EINVAL;
	lane = array_index_nospec(task->arg0, graph->nr_lanes);
	if (first > graph->lanes[lane].count ||
	    length > graph->lanes[lane].count - first)
		return -EINVAL;
	for (i = 0; run->done < length; i++) {
		int ret;

		if (i == VNPU_UPDATE_BATCH)
			return VNPU_TASK_MORE;
		ret = vnpu_update_one(stream, graph, lane, first + run->done);
		if (ret)
			return ret;
		run->done++;
		*cost += VNPU_TASK_COST;
	}
	return 0;
}

int vnpu_task_graph_update_run(struct vnpu_stream *stream, u64 *cost)
{
	struct vnpu_graph *graph;
	int ret;

	graph = vnpu_graph_get(stream->client, stream->run.task.dst);
	if (!graph)
		return -ENOENT;
	ret = vnpu_update_some(stream, graph, cost);
	vnpu_graph_put(graph);
	return ret;
}
