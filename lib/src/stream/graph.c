// SPDX-License-Identifier: MIT
/* Graphs of the driver, see graph.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fork.h"
#include "io/io_graph.h"
#include "graph.h"
#include "launch_report.h"

/* The number of runs among which the report of a core is looked for. */
#define RUNS	64

static struct vnpu_graph *first;	/* protected by the capture lock */

static aclError refused(const struct vnpu_capture *capture,
			const struct vnpu_io_new_graph *made, int err)
{
	const struct vnpu_lane *lane;

	if (err == -EAGAIN || err == -EDQUOT)
		return vnpu_error(ACL_ERROR_RT_NO_MODEL_RESOURCE,
			"the device has no %u streams left for a model, or this process may not have more; destroy models or streams",
			capture->nr_lanes);
	if (!made->bad_task || made->bad_lane >= capture->nr_lanes)
		return vnpu_error_errno(err, "creating a model");
	lane = capture->lanes[made->bad_lane];
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"task %u that stream %u captured (%s) is invalid: %s",
		made->bad_task - 1, lane->number,
		lane->infos[made->bad_task - 1].call, strerrordesc_np(-err));
}

aclError vnpu_graph_make(const struct vnpu_context *context,
			 const struct vnpu_capture *capture,
			 struct vnpu_graph **graph)
{
	struct vnpu_graph *new = calloc(1, sizeof(*new));
	struct vnpu_io_lane lanes[VNPU_IO_GRAPH_LANES];
	struct vnpu_io_new_graph made;
	int err;

	if (!new)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a model");
	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		lanes[i] = (struct vnpu_io_lane){
			.tasks = capture->lanes[i]->tasks,
			.count = capture->lanes[i]->count,
		};
	err = vnpu_io_graph_create(context->device, context->id, lanes,
				   capture->nr_lanes, &made);
	if (err) {
		free(new);
		return refused(capture, &made, err);
	}
	new->id = made.id;
	new->timeline = made.timeline;
	new->step = made.step;
	new->capture = capture;
	vnpu_capture_lock();
	new->next = first;
	first = new;
	vnpu_capture_unlock();
	*graph = new;
	return ACL_SUCCESS;
}

int vnpu_graph_unmake(struct vnpu_graph *graph)
{
	struct vnpu_graph **link = &first;
	int ret = vnpu_io_graph_destroy(graph->id);

	if (ret)
		return ret;
	vnpu_capture_lock();
	while (*link != graph)
		link = &(*link)->next;
	*link = graph->next;
	vnpu_capture_unlock();
	free(graph);
	return 0;
}

/* Report a failed launch: the cores number runs, the driver does not here. */
static aclError report_launch(const struct vnpu_stream *stream,
			      const struct vnpu_graph *graph,
			      const struct vnpu_io_graph_failure *failure)
{
	const struct vnpu_lane *lane = graph->capture->lanes[failure->lane];
	const struct vnpu_task *task = &lane->tasks[failure->index];
	uint64_t timeline = graph->timeline + failure->lane, seq = 0;

	for (uint64_t run = failure->runs;
	     run && run + RUNS > failure->runs; run--) {
		seq = run * graph->step + failure->index + 1;
		if (vnpu_launch_is_known(stream->context->device, timeline,
					 seq))
			break;
	}
	return vnpu_launch_report_as(stream, timeline, seq, failure->error,
				     task);
}

static aclError report(const struct vnpu_stream *stream,
		       const struct vnpu_io_stream *info,
		       const struct vnpu_graph *graph,
		       const struct vnpu_io_graph_failure *failure)
{
	const struct vnpu_lane *lane = graph->capture->lanes[failure->lane];
	char at[64] = "";

	if (failure->op == VNPU_TASK_LAUNCH)
		return report_launch(stream, graph, failure);
	if (failure->addr)
		snprintf(at, sizeof(at), " at device address 0x%llx",
			 (unsigned long long)failure->addr);
	return vnpu_error(vnpu_error_task_code(failure->error, failure->addr),
		"task %llu of stream %u ran a model, whose task %u of stream %u (%s, %s) failed with %s (%s)%s",
		(unsigned long long)info->error_seq, stream->number,
		failure->index, lane->number, vnpu_stream_op_name(failure->op),
		lane->infos[failure->index].call,
		strerrorname_np(failure->error),
		strerrordesc_np(failure->error), at);
}

aclError vnpu_graph_report(const struct vnpu_stream *stream,
			   const struct vnpu_io_stream *info)
{
	struct vnpu_io_graph_failure failure;
	const struct vnpu_graph *graph;
	struct vnpu_task task;
	aclError ret = ACL_SUCCESS;

	if (!vnpu_queue_task(&stream->queue, info->error_seq, &task))
		return ret;
	vnpu_capture_lock();
	graph = first;
	while (graph && graph->id != task.src)
		graph = graph->next;
	if (graph && !vnpu_io_graph_query(graph->id, stream->queue.id,
					  info->error_seq, &failure) &&
	    failure.error && failure.lane < graph->capture->nr_lanes &&
	    failure.index < graph->capture->lanes[failure.lane]->count)
		ret = report(stream, info, graph, &failure);
	vnpu_capture_unlock();
	return ret;
}
