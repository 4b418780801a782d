// SPDX-License-Identifier: GPL-2.0-only
/* ioctls on graphs. */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <linux/vnpu_graph.h>
#include <linux/vnpu_task.h>

#include "base/client.h"
#include "base/device.h"
#include "exec/context.h"
#include "exec/graph.h"
#include "exec/stream.h"
#include "ioctl.h"

/* Number of tasks that are read or checked without a pause. */
#define VNPU_GRAPH_PAUSE	4096

/* Replace a stride of 0 by the size, and validate the result. */
static int vnpu_graph_choose_stride(u32 requested, size_t size, u32 *stride)
{
	*stride = requested ?: size;
	return *stride < size || *stride % sizeof(u64) ? -EINVAL : 0;
}

/* Read an array of tasks. Without gaps, one copy is enough for many. */
static int vnpu_graph_read_tasks(struct vnpu_task *tasks, u64 user, u32 count,
				 u32 stride)
{
	bool has_gaps = stride != sizeof(*tasks);
	u32 i, piece;
	int ret;

	for (i = 0; i < count; i += piece) {
		u64 addr = user + (u64)i * stride;

		if (addr < user)
			return -EFAULT;
		if (fatal_signal_pending(current))
			return -EINTR;
		piece = min_t(u32, count - i, VNPU_GRAPH_PAUSE);
		ret = has_gaps ?
		      vnpu_ucmd_read_array(&tasks[i], sizeof(*tasks), addr,
					   piece, stride) :
		      vnpu_ucmd_read_array(&tasks[i], piece * sizeof(*tasks),
					   addr, 1, 0);
		if (ret)
			return ret;
		cond_resched();
	}
	return 0;
}

/*
 * Check tasks for a lane, from an index on. Set *position to that of the task
 * that is refused, from 1 on.
 */
static int vnpu_graph_check_tasks(struct vnpu_graph *graph, u32 lane, u32 first,
				  const struct vnpu_task *tasks, u32 count,
				  u32 *position)
{
	u32 i;
	int ret;

	for (i = 0; i < count; i++) {
		ret = vnpu_graph_check(graph, lane, first + i, &tasks[i]);
		if (ret) {
			*position = first + i + 1;
			return ret;
		}
		if (i % VNPU_GRAPH_PAUSE)
			continue;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/* Read the tasks of all streams. */
static int vnpu_graph_fill(struct vnpu_graph *graph,
			   struct vnpu_graph_stream *streams)
{
	u64 total = 0;
	u32 i;
	int ret;

	for (i = 0; i < graph->nr_lanes; i++) {
		total += streams[i].count;
		ret = vnpu_graph_choose_stride(streams[i].stride,
					       sizeof(struct vnpu_task),
					       &streams[i].stride);
		if (ret)
			return ret;
	}
	if (total > VNPU_GRAPH_TASKS_MAX)
		return -EINVAL;
	for (i = 0; i < graph->nr_lanes; i++) {
		ret = vnpu_graph_alloc_tasks(graph, i, streams[i].count) ?:
		      vnpu_graph_read_tasks(graph->lanes[i].tasks,
					    streams[i].tasks, streams[i].count,
					    streams[i].stride);
		if (ret)
			return ret;
	}
	return 0;
}

/* Check the tasks of all streams. Waits name tasks of any of them. */
static int vnpu_graph_check_all(struct vnpu_graph *graph,
				struct vnpu_graph_create *cmd)
{
	u32 i;
	int ret = 0;

	for (i = 0; i < graph->nr_lanes && !ret; i++) {
		const struct vnpu_graph_lane *lane = &graph->lanes[i];

		cmd->out_stream = i;
		ret = vnpu_graph_check_tasks(graph, i, 0, lane->tasks,
					     lane->count, &cmd->out_task);
	}
	return ret;
}

static struct vnpu_graph *vnpu_graph_read_all(struct vnpu_graph_create *cmd,
					      u32 stride)
{
	struct vnpu_graph_stream *streams;
	struct vnpu_graph *graph = NULL;
	int ret = -ENOMEM;

	streams = kcalloc(cmd->count, sizeof(*streams), GFP_KERNEL_ACCOUNT);
	if (streams)
		graph = vnpu_graph_alloc(cmd->count);
	if (graph)
		ret = vnpu_ucmd_read_array(streams, sizeof(*streams),
					   cmd->streams, cmd->count, stride) ?:
		      vnpu_graph_fill(graph, streams) ?:
		      vnpu_graph_check_all(graph, cmd);
	if (ret && graph)
		vnpu_graph_free(graph);
	kfree(streams);
	return ret ? ERR_PTR(ret) : graph;
}

static int vnpu_graph_open_in(struct vnpu_graph *graph,
			      struct vnpu_client *client,
			      const struct vnpu_graph_create *cmd)
{
	struct vnpu_context *context = NULL;
	int ret;

	if (cmd->context) {
		context = vnpu_context_get_by_id(client, cmd->context);
		if (!context)
			return -ENOENT;
	}
	ret = vnpu_graph_open(graph, client, cmd->device, context);
	if (context)
		vnpu_context_put(context);
	return ret;
}

int vnpu_ioctl_graph_create(struct vnpu_ucmd *ucmd)
{
	struct vnpu_graph_create *cmd = ucmd->cmd;
	struct vnpu_graph *graph;
	u32 stride;
	int ret;

	if (!cmd->count || cmd->count > VNPU_GRAPH_STREAMS_MAX)
		return -EINVAL;
	ret = vnpu_graph_choose_stride(cmd->stride,
				       sizeof(struct vnpu_graph_stream),
				       &stride);
	if (ret)
		return ret;
	cmd->out_task = 0;
	graph = vnpu_graph_read_all(cmd, stride);
	if (IS_ERR(graph)) {
		ret = PTR_ERR(graph);
		/* The error of the task, not that of this copy, is returned. */
		if (cmd->out_task)
			vnpu_ucmd_respond(ucmd);
		return ret;
	}
	ret = vnpu_graph_open_in(graph, ucmd->client, cmd);
	if (ret)
		goto err_free;
	cmd->out_id = graph->id;
	cmd->out_stream = 0;
	cmd->out_timeline = graph->lanes[0].stream->id;
	cmd->out_step = graph->step;
	ret = vnpu_ucmd_respond(ucmd);
	if (ret)
		goto err_close;
	vnpu_graph_publish(graph);
	return 0;

err_close:
	vnpu_graph_close(graph);
err_free:
	vnpu_graph_free(graph);
	return ret;
}

int vnpu_ioctl_graph_destroy(struct vnpu_ucmd *ucmd)
{
	const struct vnpu_graph_destroy *cmd = ucmd->cmd;

	return vnpu_graph_destroy(ucmd->client, cmd->id);
}

/* Read and check the tasks, and replace all of them or none. */
static int vnpu_graph_replace(struct vnpu_graph *graph, u32 lane, u32 stride,
			      struct vnpu_ucmd *ucmd)
{
	struct vnpu_graph_update *cmd = ucmd->cmd;
	struct vnpu_task *tasks;
	int ret;

	tasks = kvmalloc_array(max(cmd->count, 1U), sizeof(*tasks),
			       GFP_KERNEL_ACCOUNT);
	if (!tasks)
		return -ENOMEM;
	ret = vnpu_graph_read_tasks(tasks, cmd->tasks, cmd->count, stride) ?:
	      vnpu_graph_check_tasks(graph, lane, cmd->first, tasks, cmd->count,
				     &cmd->out_task);
	if (!ret)
		ret = vnpu_ucmd_respond(ucmd);
	/* The error of the task, not that of this copy, is returned. */
	else if (cmd->out_task)
		vnpu_ucmd_respond(ucmd);
	if (!ret)
		memcpy(&graph->lanes[lane].tasks[cmd->first], tasks,
		       cmd->count * sizeof(*tasks));
	kvfree(tasks);
	return ret;
}

int vnpu_ioctl_graph_update(struct vnpu_ucmd *ucmd)
{
	struct vnpu_graph_update *cmd = ucmd->cmd;
	struct vnpu_graph *graph;
	u32 lane, stride;
	int ret;

	ret = vnpu_graph_choose_stride(cmd->stride, sizeof(struct vnpu_task),
				       &stride);
	if (ret)
		return ret;
	graph = vnpu_graph_get(ucmd->client, cmd->id);
	if (!graph)
		return -ENOENT;
	ret = -EINVAL;
	cmd->out_task = 0;
	if (cmd->stream < graph->nr_lanes) {
		lane = array_index_nospec(cmd->stream, graph->nr_lanes);
		if (cmd->first <= graph->lanes[lane].count &&
		    cmd->count <= graph->lanes[lane].count - cmd->first)
			ret = vnpu_graph_replace(graph, lane, stride, ucmd);
	}
	vnpu_graph_put(graph);
	return ret;
}

int vnpu_ioctl_graph_query(struct vnpu_ucmd *ucmd)
{
	struct vnpu_graph_query *cmd = ucmd->cmd;
	struct vnpu_graph_stats f;
	struct vnpu_graph *graph;

	graph = vnpu_graph_get(ucmd->client, cmd->id);
	if (!graph)
		return -ENOENT;
	vnpu_graph_read(graph, cmd->stream, cmd->seq, &f);
	cmd->out_device = graph->dev->index;
	cmd->out_streams = graph->nr_lanes;
	cmd->out_tasks = graph->nr_tasks;
	vnpu_graph_put(graph);
	cmd->out_runs = f.runs;
	cmd->out_failures = f.nr_failures;
	cmd->out_error = -f.failure.error;
	cmd->out_error_op = f.failure.op;
	cmd->out_error_stream = f.failure.lane;
	cmd->out_error_index = f.failure.index;
	cmd->out_error_addr = f.failure.addr;
	cmd->out_stream = f.failure.stream;
	cmd->out_seq = f.failure.seq;
	return vnpu_ucmd_respond(ucmd);
}
