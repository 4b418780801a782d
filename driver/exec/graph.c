// SPDX-License-Identifier: GPL-2.0-only
/*
 * Graphs: creation, look-up and end.
 *
 * A graph has a stream of its own, a lane, for each sequence of its tasks.
 * Lanes are streams like those of a program, except that their ring is kernel
 * memory, and its slots are the tasks of the graph. So scheduling, limits,
 * faults and reports are the same for tasks of graphs as for tasks of streams.
 */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "account/host_account.h"
#include "base/client.h"
#include "sync/timeline.h"
#include "graph.h"
#include "ring.h"
#include "stream.h"
#include "task.h"

/**
 * vnpu_graph_alloc() - allocate a graph without tasks
 * @nr_lanes: number of lanes, up to VNPU_GRAPH_STREAMS_MAX
 *
 * Return: the graph or NULL.
 */
struct vnpu_graph *vnpu_graph_alloc(u32 nr_lanes)
{
	struct vnpu_graph *graph;

	graph = kzalloc(struct_size(graph, lanes, nr_lanes),
			GFP_KERNEL_ACCOUNT);
	if (!graph)
		return NULL;
	graph->checker = kzalloc(sizeof(*graph->checker), GFP_KERNEL_ACCOUNT);
	if (!graph->checker) {
		kfree(graph);
		return NULL;
	}
	spin_lock_init(&graph->check_lock);
	INIT_LIST_HEAD(&graph->queue);
	graph->nr_lanes = nr_lanes;
	graph->step = 1;
	return graph;
}

/**
 * vnpu_graph_alloc_tasks() - allocate the tasks of a lane
 * @graph: a graph that is not open
 * @lane: index of a lane without tasks
 * @count: number of tasks, up to VNPU_GRAPH_TASKS_MAX; the caller fills them
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_graph_alloc_tasks(struct vnpu_graph *graph, u32 lane, u32 count)
{
	struct vnpu_graph_lane *f = &graph->lanes[lane];

	if (!count)
		return 0;
	f->tasks = kvmalloc_array(count, sizeof(*f->tasks), GFP_KERNEL_ACCOUNT);
	if (!f->tasks)
		return -ENOMEM;
	f->count = count;
	graph->nr_tasks += count;
	graph->step = max_t(u32, graph->step, roundup_pow_of_two(count));
	return 0;
}

/**
 * vnpu_graph_check() - check a task of a graph
 * @graph: the graph; its lanes have their tasks
 * @lane: index of the lane
 * @index: index of the task in the lane
 * @task: the kernel's copy of the task
 *
 * An engine checks the task again when it begins.
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP or -EOVERFLOW.
 */
int vnpu_graph_check(struct vnpu_graph *graph, u32 lane, u32 index,
		     const struct vnpu_task *task)
{
	u32 other;
	int ret;

	spin_lock(&graph->check_lock);
	ret = vnpu_task_check(graph->checker, task);
	spin_unlock(&graph->check_lock);
	if (ret || !(task->flags & VNPU_TASK_F_GRAPH))
		return ret;
	if (task->src >= graph->nr_lanes)
		return -EINVAL;
	other = array_index_nospec(task->src, graph->nr_lanes);
	if (task->arg0 >= graph->lanes[other].count)
		return -EINVAL;
	/* It would wait for itself for ever. */
	return other == lane && task->arg0 >= index ? -EINVAL : 0;
}

static int vnpu_graph_open_lane(struct vnpu_graph *graph, u32 i,
				const struct vnpu_stream_spec *spec)
{
	struct vnpu_graph_lane *lane = &graph->lanes[i];
	struct vnpu_ring_mem *ring;
	struct vnpu_stream *stream;

	ring = vnpu_ring_create_private(lane->tasks);
	if (!ring)
		return -ENOMEM;
	stream = vnpu_stream_create(graph->client, spec);
	if (IS_ERR(stream)) {
		vnpu_ring_put(ring);
		return PTR_ERR(stream);
	}
	stream->lane = i;
	/* Pairs with the smp_load_acquire() of readers of the pointer. */
	smp_store_release(&stream->ring, ring);
	lane->stream = stream;
	return 0;
}

static void vnpu_graph_end_lanes(struct vnpu_graph *graph)
{
	u32 i;

	for (i = 0; i < graph->nr_lanes && graph->lanes[i].stream; i++)
		vnpu_stream_end(graph->lanes[i].stream, true);
}

static int vnpu_graph_reserve_ids(struct vnpu_graph *graph)
{
	struct vnpu_client *client = graph->client;
	u64 first;
	u32 i;
	int ret;

	ret = vnpu_host_account_charge(client->host_account,
				       VNPU_HOST_OBJECTS, 1);
	if (ret)
		return ret;
	ret = xa_alloc(&client->graphs, &graph->id, XA_ZERO_ENTRY,
		       XA_LIMIT(1, VNPU_MAX_GRAPHS), GFP_KERNEL_ACCOUNT);
	if (ret) {
		ret = ret == -EBUSY ? -EAGAIN : ret;
		goto err_charge;
	}
	ret = vnpu_timeline_reserve_ids(client, graph->nr_lanes, &first);
	if (ret)
		goto err_id;
	for (i = 0; i < graph->nr_lanes; i++)
		graph->lanes[i].stream->id = first + i;
	return 0;

err_id:
	xa_release(&client->graphs, graph->id);
err_charge:
	vnpu_host_account_uncharge(client->host_account, VNPU_HOST_OBJECTS, 1);
	return ret;
}

/**
 * vnpu_graph_open() - create the streams of a graph, and reserve its ids
 * @graph: the graph, with its tasks
 * @client: the client
 * @device: index of the device
 * @context: context of the streams, or NULL
 *
 * Return: 0, or -errno of vnpu_stream_create(), of the reservation of an id, or
 * -EAGAIN (the client has VNPU_MAX_GRAPHS).
 */
int vnpu_graph_open(struct vnpu_graph *graph, struct vnpu_client *client,
		    u32 device, struct vnpu_context *context)
{
	const struct vnpu_stream_spec spec = {
		.device = device,
		.context = context,
		.ring_tasks = graph->step,
		.graph = graph,
	};
	int ret = 0;
	u32 i;

	graph->client = client;
	graph->context = context;
	for (i = 0; i < graph->nr_lanes && !ret; i++)
		ret = vnpu_graph_open_lane(graph, i, &spec);
	if (!ret) {
		graph->dev = graph->lanes[0].stream->dev;
		ret = vnpu_graph_reserve_ids(graph);
	}
	if (ret)
		vnpu_graph_end_lanes(graph);
	return ret;
}

/**
 * vnpu_graph_close() - undo vnpu_graph_open()
 * @graph: the graph, which was not published
 */
void vnpu_graph_close(struct vnpu_graph *graph)
{
	struct vnpu_client *client = graph->client;
	u32 i;

	for (i = 0; i < graph->nr_lanes; i++)
		vnpu_timeline_cancel_id(client, graph->lanes[i].stream->id);
	xa_release(&client->graphs, graph->id);
	vnpu_host_account_uncharge(client->host_account, VNPU_HOST_OBJECTS, 1);
	vnpu_graph_end_lanes(graph);
}

/**
 * vnpu_graph_publish() - make a graph and its streams visible under their ids
 * @graph: the graph, which is open
 */
void vnpu_graph_publish(struct vnpu_graph *graph)
{
	u32 i;

	for (i = 0; i < graph->nr_lanes; i++) {
		/* The id takes a reference of its own. */
		vnpu_timeline_get(&graph->lanes[i].stream->timeline);
		vnpu_stream_add(graph->lanes[i].stream);
	}
	/* The reservation has allocated the slot, so this cannot fail. */
	xa_store(&graph->client->graphs, graph->id, graph, 0);
}

/**
 * vnpu_graph_free() - free a graph
 * @graph: the graph, after the end of its streams
 */
void vnpu_graph_free(struct vnpu_graph *graph)
{
	u32 i;

	for (i = 0; i < graph->nr_lanes; i++) {
		struct vnpu_graph_lane *lane = &graph->lanes[i];

		if (lane->stream)
			vnpu_timeline_put(&lane->stream->timeline);
		kvfree(lane->tasks);
	}
	kfree(graph->checker);
	kfree(graph);
}

/**
 * vnpu_graph_get() - look up a graph in order to use it
 * @client: the client
 * @id: any number
 *
 * Return: the graph, which stays until vnpu_graph_put(), or NULL.
 */
struct vnpu_graph *vnpu_graph_get(struct vnpu_client *client, u64 id)
{
	struct vnpu_graph *graph;

	if (id > VNPU_MAX_GRAPHS)
		return NULL;
	xa_lock(&client->graphs);
	/* This is NULL for a reserved id. */
	graph = xa_load(&client->graphs, id);
	if (graph)
		graph->users++;
	xa_unlock(&client->graphs);
	return graph;
}

/**
 * vnpu_graph_put() - end the use of a graph
 * @graph: the graph, which another thread may destroy after this
 */
void vnpu_graph_put(struct vnpu_graph *graph)
{
	struct xarray *graphs = &graph->client->graphs;

	xa_lock(graphs);
	graph->users--;
	xa_unlock(graphs);
}

/* Remove the id of a graph that has no users. */
static struct vnpu_graph *vnpu_graph_take_id(struct vnpu_client *client, u32 id)
{
	struct vnpu_graph *graph;

	xa_lock(&client->graphs);
	graph = xa_load(&client->graphs, id);
	if (!graph)
		graph = ERR_PTR(-ENOENT);
	else if (graph->users)
		graph = ERR_PTR(-EBUSY);
	else
		__xa_erase(&client->graphs, id);
	xa_unlock(&client->graphs);
	return graph;
}

static void vnpu_graph_uncharge(struct vnpu_client *client)
{
	vnpu_host_account_uncharge(client->host_account, VNPU_HOST_OBJECTS, 1);
}

/**
 * vnpu_graph_destroy() - destroy a graph
 * @client: the client
 * @id: any number
 *
 * Return: 0, -ENOENT, or -EBUSY (the graph has a user).
 */
int vnpu_graph_destroy(struct vnpu_client *client, u32 id)
{
	struct vnpu_graph *graph = vnpu_graph_take_id(client, id);
	u32 i;

	if (IS_ERR(graph))
		return PTR_ERR(graph);
	vnpu_graph_uncharge(client);
	for (i = 0; i < graph->nr_lanes; i++)
		vnpu_timeline_take_lane_id(client, graph->lanes[i].stream->id);
	vnpu_graph_end_lanes(graph);
	for (i = 0; i < graph->nr_lanes; i++)
		vnpu_timeline_drop(&graph->lanes[i].stream->timeline, false);
	vnpu_graph_free(graph);
	return 0;
}

/**
 * vnpu_graphs_end_all() - free the graphs of a client that ends
 * @client: the client, after the end of its streams
 */
void vnpu_graphs_end_all(struct vnpu_client *client)
{
	struct vnpu_graph *graph;
	unsigned long id;

	xa_for_each(&client->graphs, id, graph) {
		WARN_ON_ONCE(graph->users);
		xa_erase(&client->graphs, id);
		vnpu_graph_uncharge(client);
		vnpu_graph_free(graph);
		cond_resched();
	}
}
