/* SPDX-License-Identifier: GPL-2.0-only */
/* Graphs: tasks in streams of their own that one task runs, see graph_run.c. */
#ifndef VNPU_GRAPH_H
#define VNPU_GRAPH_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <linux/vnpu_graph.h>
#include <linux/vnpu_task.h>

struct vnpu_client;
struct vnpu_context;
struct vnpu_device;
struct vnpu_stream;

/**
 * struct vnpu_graph_failure - a run in which a task failed
 * @error: result of the first task that failed, -errno; 0 if none has
 * @op: its operation
 * @lane: index of its stream in the graph
 * @index: index of the task in that stream
 * @addr: the device address at which it failed, or 0
 * @stream: id of the stream that launched the run
 * @seq: number of the launch in that stream
 */
struct vnpu_graph_failure {
	int error;
	u32 op;
	u32 lane;
	u32 index;
	u64 addr;
	u64 stream;
	u64 seq;
};

/**
 * struct vnpu_graph_lane - a stream of a graph
 * @stream: the stream, with a reference; constant
 * @tasks: its tasks. An update may replace them while an engine copies them,
 *	like a program that writes to a ring.
 * @count: number of tasks; constant
 * @end: number of the last task of the last run that has begun here, or 0. Only
 *	the stream that runs the graph accesses it.
 */
struct vnpu_graph_lane {
	struct vnpu_stream *stream;
	struct vnpu_task *tasks;
	u32 count;
	u64 end;
};

/**
 * struct vnpu_graph - a graph
 * @id: its id in the client; constant
 * @users: number of tasks and calls that use it; protected by the lock of
 *	vnpu_client.graphs. The graph is not destroyed while there is one.
 * @client: the client; constant
 * @dev: the device, to which the streams have references; constant
 * @context: the context of the streams, which have references, or NULL;
 *	constant
 * @nr_tasks: number of tasks of all lanes; constant
 * @step: distance of the numbers of a task in successive runs, a power of two;
 *	constant
 * @check_lock: protects @checker; innermost
 * @checker: a stream that never runs, with the task that is being checked
 * @runner: the stream that runs the graph, or NULL. This and the following are
 *	protected by vnpu_engines.lock.
 * @queue: list of the streams that wait to run it, vnpu_graph_play.link
 * @runs: number of runs that have begun
 * @base: base of relative values in the current run. Its runner writes it
 *	before a lane begins, and the engine of the lane reads it then.
 * @failure: the first failure in the current run
 * @nr_failures: number of runs that have failed
 * @failures: the last runs that have failed; number N is at index N %
 *	VNPU_GRAPH_FAILURES
 * @nr_lanes: number of lanes; constant
 * @lanes: the lanes
 */
struct vnpu_graph {
	u32 id;
	u32 users;
	struct vnpu_client *client;
	struct vnpu_device *dev;
	struct vnpu_context *context;
	u32 nr_tasks;
	u32 step;
	spinlock_t check_lock;
	struct vnpu_stream *checker;

	struct vnpu_stream *runner;
	struct list_head queue;
	u64 runs;
	u64 base;
	struct vnpu_graph_failure failure;
	u64 nr_failures;
	struct vnpu_graph_failure failures[VNPU_GRAPH_FAILURES];

	u32 nr_lanes;
	struct vnpu_graph_lane lanes[];
};

/**
 * enum vnpu_graph_state - the state of a stream that has a GRAPH as its task
 * @VNPU_GRAPH_QUEUED: another stream runs the graph
 * @VNPU_GRAPH_SETTLING: the run begins as soon as the previous one is over,
 *	which the runner may have abandoned, and if its condition is satisfied
 * @VNPU_GRAPH_STARTING: the lanes begin
 * @VNPU_GRAPH_RUNNING: the lanes have begun, or were stopped
 */
enum vnpu_graph_state {
	VNPU_GRAPH_QUEUED,
	VNPU_GRAPH_SETTLING,
	VNPU_GRAPH_STARTING,
	VNPU_GRAPH_RUNNING,
};

/**
 * struct vnpu_graph_play - the state of a stream that runs a graph
 * @graph: the graph, of which the stream is a user; NULL for none. Belongs,
 *	like all but @link, to the owner of the stream.
 * @state: the state
 * @waits: true if vnpu_run.waiter waits for lane @at
 * @at: the lane to begin or to wait for next
 * @link: entry in vnpu_graph.queue, or empty; protected by vnpu_engines.lock
 */
struct vnpu_graph_play {
	struct vnpu_graph *graph;
	enum vnpu_graph_state state;
	bool waits;
	u32 at;
	struct list_head link;
};

/**
 * struct vnpu_graph_stats - the reported state of a graph
 * @runs: number of runs that have begun
 * @nr_failures: number of runs that have failed
 * @failure: the failure of the requested run; its error is 0 if unknown
 */
struct vnpu_graph_stats {
	u64 runs;
	u64 nr_failures;
	struct vnpu_graph_failure failure;
};

/* graph.c: the life of a graph */
struct vnpu_graph *vnpu_graph_alloc(u32 nr_lanes);
int vnpu_graph_alloc_tasks(struct vnpu_graph *graph, u32 lane, u32 count);
int vnpu_graph_check(struct vnpu_graph *graph, u32 lane, u32 index,
		     const struct vnpu_task *task);
int vnpu_graph_open(struct vnpu_graph *graph, struct vnpu_client *client,
		    u32 device, struct vnpu_context *context);
void vnpu_graph_publish(struct vnpu_graph *graph);
void vnpu_graph_close(struct vnpu_graph *graph);
void vnpu_graph_free(struct vnpu_graph *graph);
struct vnpu_graph *vnpu_graph_get(struct vnpu_client *client, u64 id);
void vnpu_graph_put(struct vnpu_graph *graph);
int vnpu_graph_destroy(struct vnpu_client *client, u32 id);
void vnpu_graphs_end_all(struct vnpu_client *client);

/* graph_run.c: for the stream that runs a graph */
int vnpu_graph_enter(struct vnpu_stream *stream);
int vnpu_graph_look(struct vnpu_stream *stream, u64 *cost);
void vnpu_graph_drop(struct vnpu_stream *stream);
bool vnpu_graph_is_out(struct vnpu_stream *stream);
void vnpu_graph_leave(struct vnpu_stream *stream, bool wait);
void vnpu_graph_read(struct vnpu_graph *graph, u64 stream, u64 seq,
		     struct vnpu_graph_stats *f);

/* For an engine that runs a lane. */
int vnpu_graph_look_at_lane(struct vnpu_stream *lane);
int vnpu_graph_resolve(struct vnpu_stream *lane);
void vnpu_graph_note(struct vnpu_stream *lane, int error);

#endif
