// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs of graphs.
 *
 * Streams that have a GRAPH of the same graph as their task run it one after
 * the other. The first of them, the runner, begins all lanes, and waits for one
 * after the other; meanwhile it is BLOCKED (sched.c). A lane numbers its tasks
 * so that run R has the numbers from R * step + 1 on. The number of a task
 * modulo the step thus is its index in the graph, and a wait for a task of the
 * same run is a wait for a number.
 *
 * A run that is to end early stops its lanes, which then cancel their tasks. As
 * with a launch (task_launch.c), the task is over only when they have done so.
 * A stream that ends may leave its lanes behind: then the next run waits for
 * them before it begins.
 */
#include <linux/nospec.h>
#include <linux/overflow.h>

#include "base/client.h"
#include "sync/wait.h"
#include "context.h"
#include "core.h"
#include "engine.h"
#include "graph.h"
#include "ring.h"
#include "stream.h"
#include "task.h"

/* The number of lanes that begin in one turn of an engine. */
#define VNPU_GRAPH_BATCH	16

static struct vnpu_engines *vnpu_graph_engines(const struct vnpu_graph *graph)
{
	return graph->dev->engines;
}

/**
 * vnpu_graph_enter() - let a stream run a graph, or wait for its turn to do so
 * @stream: the stream; its task has just begun
 *
 * Return: 0, -ENOENT (no such graph) or -EINVAL (the stream is not one of its
 * device and context, or is one of this graph).
 */
int vnpu_graph_enter(struct vnpu_stream *stream)
{
	struct vnpu_graph_play *play = &stream->play;
	struct vnpu_engines *engines;
	struct vnpu_graph *graph;

	graph = vnpu_graph_get(stream->client, stream->run.task.src);
	if (!graph)
		return -ENOENT;
	if (graph->dev != stream->dev || graph->context != stream->context ||
	    graph == stream->graph) {
		vnpu_graph_put(graph);
		return -EINVAL;
	}
	play->graph = graph;
	play->waits = false;
	play->at = 0;
	engines = vnpu_graph_engines(graph);
	spin_lock_bh(&engines->lock);
	if (graph->runner) {
		play->state = VNPU_GRAPH_QUEUED;
		list_add_tail(&play->link, &graph->queue);
	} else {
		play->state = VNPU_GRAPH_SETTLING;
		graph->runner = stream;
	}
	spin_unlock_bh(&engines->lock);
	return 0;
}

/* End the use of the graph, and let the next stream run it. */
static void vnpu_graph_release(struct vnpu_stream *stream)
{
	struct vnpu_graph_play *play = &stream->play;
	struct vnpu_graph *graph = play->graph;
	struct vnpu_engines *engines = vnpu_graph_engines(graph);
	struct vnpu_stream *next = NULL;
	u32 classes = 0;

	spin_lock_bh(&engines->lock);
	list_del_init(&play->link);
	if (graph->runner == stream) {
		next = list_first_entry_or_null(&graph->queue,
						struct vnpu_stream, play.link);
		graph->runner = next;
	}
	if (next) {
		list_del_init(&next->play.link);
		classes = BIT(next->class);
		vnpu_engines_wake_locked(next);
	}
	spin_unlock_bh(&engines->lock);
	vnpu_core_call_engines(engines, classes);
	play->graph = NULL;
	vnpu_graph_put(graph);
}

static bool vnpu_graph_is_runner(struct vnpu_stream *stream)
{
	struct vnpu_graph *graph = stream->play.graph;
	struct vnpu_engines *engines = vnpu_graph_engines(graph);
	bool is_runner;

	spin_lock_bh(&engines->lock);
	is_runner = graph->runner == stream;
	spin_unlock_bh(&engines->lock);
	return is_runner;
}

static void vnpu_graph_wake(struct vnpu_waiter *waiter)
{
	vnpu_engines_wake(container_of(waiter, struct vnpu_stream, run.waiter));
}

static struct vnpu_timeline *vnpu_graph_timeline(struct vnpu_graph_play *play)
{
	return &play->graph->lanes[play->at].stream->timeline;
}

static void vnpu_graph_stop_waiting(struct vnpu_stream *stream)
{
	struct vnpu_graph_play *play = &stream->play;

	/* A thread may still be waking this stream. */
	if (play->waits)
		vnpu_waiter_remove(&stream->run.waiter,
				   vnpu_graph_timeline(play));
	play->waits = false;
}

/* Wait for the lanes. Return true as long as one has tasks left. */
static bool vnpu_graph_waits(struct vnpu_stream *stream)
{
	struct vnpu_graph_play *play = &stream->play;
	struct vnpu_graph *graph = play->graph;

	for (; play->at < graph->nr_lanes; play->at++) {
		struct vnpu_timeline *timeline = vnpu_graph_timeline(play);
		u64 end = graph->lanes[play->at].end;

		if (vnpu_timeline_value(timeline) >= end) {
			vnpu_graph_stop_waiting(stream);
			continue;
		}
		if (play->waits ||
		    vnpu_waiter_add(&stream->run.waiter, timeline, end,
				    vnpu_graph_wake)) {
			play->waits = true;
			return true;
		}
	}
	play->at = 0;
	return false;
}

static int vnpu_graph_begin_run(struct vnpu_stream *stream)
{
	struct vnpu_graph *graph = stream->play.graph;
	struct vnpu_engines *engines = vnpu_graph_engines(graph);
	u64 base;
	u32 i;

	if (check_add_overflow(stream->base, stream->run.task.arg0, &base))
		return -EOVERFLOW;
	spin_lock_bh(&engines->lock);
	/* From the first beginning on, a failure may stop all of them. */
	for (i = 0; i < graph->nr_lanes; i++)
		vnpu_engines_unstop_locked(graph->lanes[i].stream);
	graph->runs++;
	graph->base = base;
	graph->failure = (struct vnpu_graph_failure){
		.stream = stream->id,
		.seq = stream->run.seq,
	};
	spin_unlock_bh(&engines->lock);
	return 0;
}

static void vnpu_graph_begin_lane(struct vnpu_stream *stream,
				  struct vnpu_graph_lane *lane)
{
	const struct vnpu_graph *graph = stream->play.graph;

	if (!lane->count)
		return;
	vnpu_engines_set_priority(lane->stream, READ_ONCE(stream->priority));
	WRITE_ONCE(lane->stream->timeout_ms, READ_ONCE(stream->timeout_ms));
	/* It applies to a graph that this lane runs. */
	WRITE_ONCE(lane->stream->stop_on_error,
		   READ_ONCE(stream->stop_on_error));
	lane->end = graph->runs * graph->step + lane->count;
	/*
	 * Order the stores to the graph before this. Pairs with
	 * smp_load_acquire() in vnpu_graph_look_at_lane().
	 */
	smp_store_release(&lane->stream->ring->ring->tail, lane->end);
	vnpu_engines_kick(lane->stream);
}

/* Begin some lanes. Return true if there are more. */
static bool vnpu_graph_begin_some(struct vnpu_stream *stream, u64 *cost)
{
	struct vnpu_graph_play *play = &stream->play;
	struct vnpu_graph *graph = play->graph;
	u32 i;

	for (i = 0; i < VNPU_GRAPH_BATCH && play->at < graph->nr_lanes; i++)
		vnpu_graph_begin_lane(stream, &graph->lanes[play->at++]);
	*cost += i * VNPU_TASK_COST;
	if (play->at < graph->nr_lanes)
		return true;
	play->at = 0;
	return false;
}

/* Return the result of a run that is over, or VNPU_TASK_MORE to repeat it. */
static int vnpu_graph_finish(struct vnpu_stream *stream, u64 *cost)
{
	struct vnpu_graph *graph = stream->play.graph;
	struct vnpu_engines *engines = vnpu_graph_engines(graph);
	int error;

	spin_lock_bh(&engines->lock);
	error = graph->failure.error;
	stream->run.fault = graph->failure.addr;
	spin_unlock_bh(&engines->lock);
	if (!error && vnpu_task_graph_how(&stream->run.task) ==
		      VNPU_GRAPH_WHILE) {
		stream->play.state = VNPU_GRAPH_SETTLING;
		*cost += VNPU_TASK_COST;
		return VNPU_TASK_MORE;
	}
	vnpu_graph_release(stream);
	return error;
}

/* Begin a run if its condition is satisfied. Return VNPU_TASK_MORE then. */
static int vnpu_graph_begin(struct vnpu_stream *stream)
{
	bool holds;
	int ret;

	ret = vnpu_task_graph_decide(stream, &holds);
	if (ret)
		return ret;
	if (!holds) {
		vnpu_graph_release(stream);
		return 0;
	}
	return vnpu_graph_begin_run(stream) ?: VNPU_TASK_MORE;
}

/**
 * vnpu_graph_look() - begin or continue a run
 * @stream: the stream, after vnpu_graph_enter()
 * @cost: increased by the cost of this call
 *
 * Return: VNPU_TASK_BLOCKED, VNPU_TASK_MORE, -EAGAIN or -EREMOTE as for other
 * tasks, or the result of the run.
 */
int vnpu_graph_look(struct vnpu_stream *stream, u64 *cost)
{
	struct vnpu_graph_play *play = &stream->play;
	int ret;

	switch (play->state) {
	case VNPU_GRAPH_QUEUED:
		if (!vnpu_graph_is_runner(stream))
			return VNPU_TASK_BLOCKED;
		play->state = VNPU_GRAPH_SETTLING;
		fallthrough;
	case VNPU_GRAPH_SETTLING:
		if (vnpu_graph_waits(stream))
			return VNPU_TASK_BLOCKED;
		ret = vnpu_graph_begin(stream);
		if (ret != VNPU_TASK_MORE)
			return ret;
		play->state = VNPU_GRAPH_STARTING;
		fallthrough;
	case VNPU_GRAPH_STARTING:
		if (vnpu_graph_begin_some(stream, cost))
			return VNPU_TASK_MORE;
		play->state = VNPU_GRAPH_RUNNING;
		fallthrough;
	case VNPU_GRAPH_RUNNING:
		break;
	}
	if (vnpu_graph_waits(stream))
		return VNPU_TASK_BLOCKED;
	return vnpu_graph_finish(stream, cost);
}

/* Let the lanes cancel their tasks. */
static void vnpu_graph_stop(struct vnpu_graph *graph)
{
	struct vnpu_engines *engines = vnpu_graph_engines(graph);
	u32 i;

	/* No lane begins a task after the failure of another. */
	spin_lock_bh(&engines->lock);
	for (i = 0; i < graph->nr_lanes; i++)
		WRITE_ONCE(graph->lanes[i].stream->stopped, true);
	spin_unlock_bh(&engines->lock);
	for (i = 0; i < graph->nr_lanes; i++)
		vnpu_engines_kick(graph->lanes[i].stream);
}

/**
 * vnpu_graph_drop() - end a run early
 * @stream: the stream, which may have none. After this, vnpu_graph_is_out() or
 *	vnpu_graph_leave() wait for the lanes.
 */
void vnpu_graph_drop(struct vnpu_stream *stream)
{
	struct vnpu_graph_play *play = &stream->play;

	if (!play->graph)
		return;
	vnpu_graph_stop_waiting(stream);
	play->at = 0;
	if (play->state <= VNPU_GRAPH_SETTLING) {
		vnpu_graph_release(stream);
		return;
	}
	play->state = VNPU_GRAPH_RUNNING;
	vnpu_graph_stop(play->graph);
}

/**
 * vnpu_graph_is_out() - check if lanes still run for a task that is over
 * @stream: the stream of the task, which may be no GRAPH; its owner calls this
 *
 * Return: true if there are some: they will wake the stream.
 */
bool vnpu_graph_is_out(struct vnpu_stream *stream)
{
	if (likely(!stream->play.graph))
		return false;
	if (vnpu_graph_waits(stream))
		return true;
	vnpu_graph_release(stream);
	return false;
}

/**
 * vnpu_graph_leave() - end the run of a stream that ends
 * @stream: the stream, after vnpu_graph_drop(), which may have none
 * @wait: true to wait until no lane runs a task
 */
void vnpu_graph_leave(struct vnpu_stream *stream, bool wait)
{
	struct vnpu_graph *graph = stream->play.graph;
	u32 i;

	if (!graph)
		return;
	for (i = 0; wait && i < graph->nr_lanes; i++)
		if (vnpu_wait_killable(&graph->lanes[i].stream->timeline,
				       graph->lanes[i].end))
			break;
	vnpu_graph_release(stream);
}

/**
 * vnpu_graph_read() - read the state of a graph
 * @graph: the graph, which the caller uses
 * @stream: id of the stream of a launch that has failed; 0 for the last
 * @seq: number of that launch
 * @f: filled
 */
void vnpu_graph_read(struct vnpu_graph *graph, u64 stream, u64 seq,
		     struct vnpu_graph_stats *f)
{
	struct vnpu_engines *engines = vnpu_graph_engines(graph);
	u32 i;

	*f = (struct vnpu_graph_stats){ };
	spin_lock_bh(&engines->lock);
	f->runs = graph->runs;
	f->nr_failures = graph->nr_failures;
	for (i = 1; i <= min_t(u64, f->nr_failures, VNPU_GRAPH_FAILURES); i++) {
		const struct vnpu_graph_failure *failure =
			&graph->failures[(f->nr_failures - i) %
					 VNPU_GRAPH_FAILURES];

		if (!stream || (failure->stream == stream &&
				failure->seq == seq)) {
			f->failure = *failure;
			break;
		}
	}
	spin_unlock_bh(&engines->lock);
}

/**
 * vnpu_graph_look_at_lane() - look for tasks of a lane
 * @lane: the lane, with no task
 *
 * Return: 1 if there are some, 0 if there are none.
 */
int vnpu_graph_look_at_lane(struct vnpu_stream *lane)
{
	struct vnpu_ring_mem *mem = lane->ring;
	u64 base, tail;

	/* Pairs with smp_store_release() in vnpu_graph_begin_lane(). */
	tail = smp_load_acquire(&mem->ring->tail);
	if (tail == lane->taken)
		return 0;
	base = (tail - 1) & ~(u64)(lane->ring_tasks - 1);
	/* The last run may have ended right before this one begins. */
	if (lane->taken <= base) {
		lane->base = lane->graph->base;
		vnpu_stream_set_completed(lane, base);
		/*
		 * Order the store of the value before this. Pairs with
		 * smp_load_acquire() in vnpu_stream_read_task().
		 */
		smp_store_release(&lane->taken, base);
	}
	if (unlikely(vnpu_stream_is_stopped(lane))) {
		WRITE_ONCE(lane->cancelled,
			   lane->cancelled + (u32)(tail - lane->taken));
		vnpu_stream_set_completed(lane, tail);
		/* Likewise. */
		smp_store_release(&lane->taken, tail);
		return 0;
	}
	lane->slots = mem->slots;
	lane->seen = tail;
	return 1;
}

/**
 * vnpu_graph_resolve() - make a wait for a task of the same run absolute
 * @lane: the lane, which has just fetched it
 *
 * Return: 0 or -EINVAL.
 */
int vnpu_graph_resolve(struct vnpu_stream *lane)
{
	const struct vnpu_graph *graph = lane->graph;
	struct vnpu_task *task = &lane->run.task;
	u32 other;

	if (task->op != VNPU_TASK_WAIT || task->src >= graph->nr_lanes ||
	    task->arg0 >= graph->step)
		return -EINVAL;
	other = array_index_nospec(task->src, graph->nr_lanes);
	task->src = graph->lanes[other].stream->id;
	task->arg0 += ((lane->run.seq - 1) & ~(u64)(lane->ring_tasks - 1)) + 1;
	task->flags &= ~VNPU_TASK_F_GRAPH;
	return 0;
}

/**
 * vnpu_graph_note() - record that a task of a run has failed
 * @lane: the lane, which still has the task
 * @error: the result of the task, -errno
 */
void vnpu_graph_note(struct vnpu_stream *lane, int error)
{
	const struct vnpu_run *run = &lane->run;
	struct vnpu_graph *graph = lane->graph;
	struct vnpu_engines *engines = vnpu_graph_engines(graph);
	struct vnpu_graph_failure *failure = &graph->failure;
	bool stops;

	spin_lock_bh(&engines->lock);
	if (!failure->error) {
		failure->error = error;
		failure->op = run->task.op;
		failure->lane = lane->lane;
		failure->index = (run->seq - 1) & (lane->ring_tasks - 1);
		failure->addr = run->fault;
		graph->failures[graph->nr_failures++ % VNPU_GRAPH_FAILURES] =
			*failure;
	}
	stops = graph->runner && READ_ONCE(graph->runner->stop_on_error);
	spin_unlock_bh(&engines->lock);
	if (stops)
		vnpu_graph_stop(graph);
}
