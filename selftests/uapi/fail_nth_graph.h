/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that are made to fail: graphs. */
#ifndef SELFTESTS_VNPU_FAIL_NTH_GRAPH_H
#define SELFTESTS_VNPU_FAIL_NTH_GRAPH_H

#include "fail_nth_stream.h"

/* Three streams, two with tasks; one waits for the other. */
static int have_graph(data_t *self)
{
	const struct vnpu_task first[2] = {}, second[] = {
		task_wait_in(0, 1), {},
	};
	const struct vnpu_graph_stream streams[] = {
		LANE(first), LANE(second), {},
	};

	return graph_create(&self->graph, &self->c, streams, 3);
}

static int graph_give(data_t *self)
{
	int ret = graph_destroy(&self->graph);

	if (!ret)
		self->graph.id = 0;
	return ret;
}

static void no_graph(data_t *self, int ret)
{
	if (self->graph.id)
		graph_give(self);
	no_streams(self, ret);
}

#define SWEEP_GRAPH(_name, _before, ...) \
	SWEEP(_name, _before, no_graph, true, __VA_ARGS__)

SWEEP_GRAPH(graph_create, NULL, {
	return have_graph(self);
})

SWEEP_GRAPH(graph_in_a_context, have_context, {
	const struct vnpu_graph_stream stream = {};

	return graph_create_in(&self->graph, &self->c, 0, self->context,
			       &stream, 1);
})

SWEEP_GRAPH(graph_destroy, have_graph, {
	return graph_give(self);
})

SWEEP_GRAPH(graph_update, have_graph, {
	const struct vnpu_task tasks[2] = {};

	return graph_update(&self->graph, 1, 0, tasks, 2);
})

SWEEP_GRAPH(graph_query, have_graph, {
	struct vnpu_graph_query q;

	return graph_query(&self->graph, 0, 0, &q);
})

#endif
