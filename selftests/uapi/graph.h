/* SPDX-License-Identifier: GPL-2.0-only */
/* Graphs for the tests: a function for each ioctl, and their tasks. */
#ifndef SELFTESTS_VNPU_GRAPH_H
#define SELFTESTS_VNPU_GRAPH_H

#include <linux/vnpu_graph.h>

#include "stream.h"

struct graph {
	const struct client *c;
	__u32 id;
	__u64 timeline;	/* of its first stream */
	__u64 step;
};

/* The streams of a graph, from arrays of tasks. */
#define LANE(tasks_)	{ .tasks = addr(tasks_), .count = ARRAY_SIZE(tasks_) }

static inline int graph_create_in(struct graph *g, const struct client *c,
				  __u32 device, __u32 context,
				  const struct vnpu_graph_stream *streams,
				  __u32 count)
{
	struct vnpu_graph_create a = {
		.size = sizeof(a),
		.device = device,
		.context = context,
		.streams = addr(streams),
		.count = count,
	};
	int ret = call(c->fd, VNPU_IOCTL_GRAPH_CREATE, &a);

	if (!ret)
		*g = (struct graph){ c, a.out_id, a.out_timeline, a.out_step };
	return ret;
}

static inline int graph_create(struct graph *g, const struct client *c,
			       const struct vnpu_graph_stream *streams,
			       __u32 count)
{
	return graph_create_in(g, c, 0, 0, streams, count);
}

/* Make a graph of one stream. */
static inline int graph_create_one(struct graph *g, const struct client *c,
				   const struct vnpu_task *tasks, __u32 count)
{
	const struct vnpu_graph_stream stream = {
		.tasks = addr(tasks), .count = count,
	};

	return graph_create(g, c, &stream, 1);
}

static inline int graph_destroy(const struct graph *g)
{
	struct vnpu_graph_destroy a = { .size = sizeof(a), .id = g->id };

	return call(g->c->fd, VNPU_IOCTL_GRAPH_DESTROY, &a);
}

static inline int graph_update(const struct graph *g, __u32 stream, __u32 first,
			       const struct vnpu_task *tasks, __u32 count)
{
	struct vnpu_graph_update a = {
		.size = sizeof(a),
		.id = g->id,
		.stream = stream,
		.tasks = addr(tasks),
		.first = first,
		.count = count,
	};

	return call(g->c->fd, VNPU_IOCTL_GRAPH_UPDATE, &a);
}

/* @seq: number of a GRAPH in the stream @stream, which is 0 for the last. */
static inline int graph_query(const struct graph *g, __u64 stream, __u64 seq,
			      struct vnpu_graph_query *q)
{
	*q = (struct vnpu_graph_query){
		.size = sizeof(*q), .id = g->id, .stream = stream, .seq = seq,
	};
	return call(g->c->fd, VNPU_IOCTL_GRAPH_QUERY, q);
}

static inline struct vnpu_task task_graph(const struct graph *g)
{
	return (struct vnpu_task){ .op = VNPU_TASK_GRAPH, .src = g->id };
}

/* Run a graph IF, or WHILE, the number at @va and @value satisfy @cond. */
static inline struct vnpu_task task_graph_cond(const struct graph *g, int how,
					       int cond, __u64 va, __u64 value)
{
	struct vnpu_task t = task_graph(g);

	t.mode = (__u16)VNPU_GRAPH_COND(how, cond);
	t.dst = va;
	t.arg1 = value;
	return t;
}

static inline struct vnpu_task task_graph_update(const struct graph *g,
						 __u32 stream, __u32 first,
						 __u64 va, __u64 count)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_GRAPH_UPDATE,
		.dst = g->id,
		.src = va,
		.length = count,
		.arg0 = stream,
		.arg1 = first,
	};
}

/* Wait for a task of the same graph. */
static inline struct vnpu_task task_wait_in(__u32 stream, __u32 index)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_WAIT,
		.flags = VNPU_TASK_F_GRAPH,
		.src = stream,
		.arg0 = index,
	};
}

static inline struct vnpu_task task_write(__u64 va, __u64 value)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_VALUE_WRITE,
		.mode = 8,
		.dst = va,
		.arg0 = value,
	};
}

/* Add the number at @src to that at @dst. */
static inline struct vnpu_task task_sum(__u64 dst, __u64 src)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_REDUCE,
		.mode = VNPU_REDUCE(VNPU_REDUCE_SUM, VNPU_TYPE_S64),
		.dst = dst,
		.src = src,
		.length = 1,
	};
}

#endif /* SELFTESTS_VNPU_GRAPH_H */
