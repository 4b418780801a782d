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

/* The number of latest runs for which to look up a core's report. */
#define RUNS	64

static struct vnpu_graph *first;	/* protected by the capture lock */

static aclError no_streams(uint32_t lanes)
{
	return vnpu_error(ACL_ERROR_RT_NO_MODEL_RESOURCE,
		"the device has no %u streams left for a model, or this process may not have more; destroy models or streams",
		lanes);
}

/* Report that the driver refuses a captured task. */
static aclError bad_task(const struct vnpu_lane *lane, uint32_t index, int err)
{
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"task %u that stream %u captured (%s) is invalid: %s", index,
		lane->number, lane->infos[index].call, strerrordesc_np(-err));
}

static aclError refused(const struct vnpu_capture *capture,
			const struct vnpu_io_new_graph *made, int err)
{
	if (err == -EAGAIN || err == -EDQUOT)
		return no_streams(capture->nr_lanes);
	if (!made->bad_task || made->bad_lane >= capture->nr_lanes)
		return vnpu_error_errno(err, "creating a model");
	return bad_task(capture->lanes[made->bad_lane], made->bad_task - 1,
			err);
}

static void publish(struct vnpu_graph *graph,
		    const struct vnpu_io_new_graph *made)
{
	graph->id = made->id;
	graph->timeline = made->timeline;
	graph->step = made->step;
	vnpu_capture_lock();
	graph->next = first;
	first = graph;
	vnpu_capture_unlock();
}

aclError vnpu_graph_object_create(const struct vnpu_context *context,
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
	new->capture = capture;
	publish(new, &made);
	*graph = new;
	return ACL_SUCCESS;
}

static void lanes_free(struct vnpu_io_lane *lanes, uint32_t count)
{
	for (uint32_t i = 0; lanes && i < count; i++)
		free((void *)lanes[i].tasks);
	free(lanes);
}

/* Copy tasks; NULL without memory. */
static struct vnpu_io_lane *lanes_copy(const struct vnpu_io_lane *from,
				       uint32_t count)
{
	struct vnpu_io_lane *lanes = calloc(count, sizeof(*lanes));

	for (uint32_t i = 0; lanes && i < count; i++) {
		const size_t size = from[i].count * sizeof(*from[i].tasks);
		struct vnpu_task *tasks = malloc(size ? size : 1);

		if (!tasks) {
			lanes_free(lanes, i);
			return NULL;
		}
		memcpy(tasks, from[i].tasks, size);
		lanes[i] = (struct vnpu_io_lane){ tasks, from[i].count };
	}
	return lanes;
}

aclError vnpu_graph_of_tasks(const struct vnpu_context *context,
			     const struct vnpu_io_lane *lanes, uint32_t count,
			     const struct vnpu_graph_source *source,
			     struct vnpu_graph **graph)
{
	struct vnpu_graph *new = calloc(1, sizeof(*new));
	struct vnpu_io_new_graph made = { .bad_task = 0 };
	int err = -ENOMEM;

	if (new) {
		new->lanes = lanes_copy(lanes, count);
		new->nr_lanes = count;
		if (source)
			new->source = *source;
	}
	if (new && new->lanes)
		err = vnpu_io_graph_create(context->device, context->id, lanes,
					   count, &made);
	if (!err) {
		publish(new, &made);
		*graph = new;
		return ACL_SUCCESS;
	}
	if (new)
		lanes_free(new->lanes, count);
	free(new);
	if (err == -EAGAIN || err == -EDQUOT)
		return no_streams(count);
	if (source && made.bad_task && made.bad_task <= source->count)
		return bad_task(source->lane,
				source->first + made.bad_task - 1, err);
	return vnpu_error_errno(err, "creating a model");
}

aclError vnpu_graph_wrap(const struct vnpu_context *context,
			 const struct vnpu_task *tasks, uint32_t count,
			 const struct vnpu_graph *inner,
			 struct vnpu_graph **graph)
{
	struct vnpu_task *all = calloc(count + 1, sizeof(*all));
	const struct vnpu_io_lane lane = { all, count + 1 };
	aclError ret;

	if (!all)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a model");
	memcpy(all, tasks, count * sizeof(*all));
	all[count] = (struct vnpu_task){
		.op = VNPU_TASK_GRAPH,
		.src = inner->id,
	};
	ret = vnpu_graph_of_tasks(context, &lane, 1, NULL, graph);
	free(all);
	return ret;
}

int vnpu_graph_object_destroy(const struct vnpu_graph *graph)
{
	return vnpu_io_graph_destroy(graph->id);
}

void vnpu_graph_object_free(struct vnpu_graph *graph)
{
	struct vnpu_graph **link = &first;

	vnpu_capture_lock();
	while (*link != graph)
		link = &(*link)->next;
	*link = graph->next;
	vnpu_capture_unlock();
	lanes_free(graph->lanes, graph->nr_lanes);
	free(graph);
}

/* The captured task that has failed. */
struct place {
	const struct vnpu_lane *lane;
	uint32_t index;
};

/* Find the captured task for a failure in a graph; false if there is none. */
static bool find_place(const struct vnpu_graph *graph,
		       const struct vnpu_io_graph_failure *failure,
		       struct place *place)
{
	const struct vnpu_graph_source *source = &graph->source;
	uint32_t index = failure->index;

	if (graph->capture) {
		if (failure->lane >= graph->capture->nr_lanes)
			return false;
		place->lane = graph->capture->lanes[failure->lane];
		place->index = index;
		return index < place->lane->count;
	}
	/* The last captured task of a source made the tasks after it. */
	if (source->count && index >= source->count)
		index = source->count - 1;
	place->lane = source->lane;
	place->index = source->first + index;
	return source->count;
}

/*
 * Report a failed launch.  The core's report has a number that depends on the
 * run.  The driver does not say which run failed, so try the latest ones.
 */
static aclError report_launch(const struct vnpu_stream *stream,
			      const struct vnpu_graph *graph,
			      const struct vnpu_io_graph_failure *failure,
			      const struct place *place)
{
	const struct vnpu_task *task = &place->lane->tasks[place->index];
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
		       const struct vnpu_io_graph_failure *failure,
		       const struct place *place)
{
	char at[64] = "";

	if (failure->op == VNPU_TASK_LAUNCH)
		return report_launch(stream, graph, failure, place);
	if (failure->addr)
		snprintf(at, sizeof(at), " at device address 0x%llx",
			 (unsigned long long)failure->addr);
	return vnpu_error(vnpu_error_task_code(failure->error, failure->addr),
		"task %llu of stream %u ran a model: its task %u of stream %u (%s, %s) failed with %s (%s)%s",
		(unsigned long long)info->error_seq, stream->number,
		place->index, place->lane->number,
		vnpu_stream_op_name(failure->op),
		place->lane->infos[place->index].call,
		strerrorname_np(failure->error),
		strerrordesc_np(failure->error), at);
}

static const struct vnpu_graph *find_locked(uint64_t id)
{
	const struct vnpu_graph *graph = first;

	while (graph && graph->id != id)
		graph = graph->next;
	return graph;
}

/* Get the graph that a failed task of a graph runs, or NULL. */
static const struct vnpu_graph *
below_locked(const struct vnpu_graph *graph,
	     const struct vnpu_io_graph_failure *failure)
{
	const struct vnpu_io_lane *own;
	struct place place;

	if (failure->op != VNPU_TASK_GRAPH)
		return NULL;
	if (graph->capture)
		return find_place(graph, failure, &place) ?
		       find_locked(place.lane->tasks[place.index].src) : NULL;
	if (failure->lane >= graph->nr_lanes)
		return NULL;
	own = &graph->lanes[failure->lane];
	return failure->index < own->count ?
	       find_locked(own->tasks[failure->index].src) : NULL;
}

/* Descend to the task that failed first: it is in the innermost graph. */
static const struct vnpu_graph *
descend_locked(const struct vnpu_graph *graph,
	       struct vnpu_io_graph_failure *failure)
{
	const struct vnpu_graph *next;

	while ((next = below_locked(graph, failure))) {
		struct vnpu_io_graph_failure found;

		if (vnpu_io_graph_query(next->id, 0, 0, &found) ||
		    !found.error)
			break;
		*failure = found;
		graph = next;
	}
	return graph;
}

aclError vnpu_graph_report(const struct vnpu_stream *stream,
			   const struct vnpu_io_stream *info)
{
	struct vnpu_io_graph_failure failure;
	const struct vnpu_graph *graph;
	struct vnpu_task task;
	struct place place;
	aclError ret = ACL_SUCCESS;

	if (!vnpu_queue_task(&stream->queue, info->error_seq, &task))
		return ret;
	vnpu_capture_lock();
	graph = find_locked(task.src);
	if (graph && !vnpu_io_graph_query(graph->id, stream->queue.id,
					  info->error_seq, &failure)) {
		graph = descend_locked(graph, &failure);
		if (failure.error && find_place(graph, &failure, &place))
			ret = report(stream, info, graph, &failure, &place);
	}
	vnpu_capture_unlock();
	return ret;
}
