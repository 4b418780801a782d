/* SPDX-License-Identifier: GPL-2.0-only */
/* The ioctls of ioctl_table.h for graphs. */
#ifndef SELFTESTS_VNPU_IOCTL_TABLE_GRAPH_H
#define SELFTESTS_VNPU_IOCTL_TABLE_GRAPH_H

#include "graph.h"

static const struct vnpu_task table_task;

static const struct vnpu_graph_stream table_graph_stream = {
	.tasks = (uintptr_t)&table_task,
	.count = 1,
};

static __u32 prepared_graph(struct __test_metadata *_metadata,
			    FIXTURE_DATA(abi) * self)
{
	struct graph g = {};

	EXPECT_EQ(0, graph_create_one(&g, &self->c, &table_task, 1));
	return g.id;
}

static void prepare_graph_create(struct __test_metadata *_metadata,
				 FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_graph_create *a = arg;

	(void)_metadata;
	(void)self;
	a->streams = addr(&table_graph_stream);
	a->count = 1;
	a->stride = sizeof(table_graph_stream);
}

static void prepare_graph_destroy(struct __test_metadata *_metadata,
				  FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_graph_destroy *a = arg;

	a->id = prepared_graph(_metadata, self);
}

static void prepare_graph_update(struct __test_metadata *_metadata,
				 FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_graph_update *a = arg;

	a->id = prepared_graph(_metadata, self);
	a->tasks = addr(&table_task);
	a->count = 1;
	a->stride = sizeof(table_task);
}

static void prepare_graph_query(struct __test_metadata *_metadata,
				FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_graph_query *a = arg;

	a->id = prepared_graph(_metadata, self);
	a->seq = 1;
}

/* clang-format off */
FIXTURE_VARIANT_ADD(abi, graph_create)
{
	.name = "VNPU_IOCTL_GRAPH_CREATE",
	.nr = VNPU_IOCTL_GRAPH_CREATE,
	.size = sizeof(struct vnpu_graph_create),
	.mandatory = END(vnpu_graph_create, count),
	.reserved = { SPAN(vnpu_graph_create, __reserved) },
	.out = {
		SPAN(vnpu_graph_create, out_id),
		SPAN(vnpu_graph_create, out_stream),
		SPAN(vnpu_graph_create, out_task),
		SPAN(vnpu_graph_create, out_timeline),
		SPAN(vnpu_graph_create, out_step),
	},
	.prepare = prepare_graph_create,
};

FIXTURE_VARIANT_ADD(abi, graph_destroy)
{
	.name = "VNPU_IOCTL_GRAPH_DESTROY",
	.nr = VNPU_IOCTL_GRAPH_DESTROY,
	.size = sizeof(struct vnpu_graph_destroy),
	.mandatory = END(vnpu_graph_destroy, id),
	.reserved = { SPAN(vnpu_graph_destroy, __reserved) },
	.prepare = prepare_graph_destroy,
};

FIXTURE_VARIANT_ADD(abi, graph_update)
{
	.name = "VNPU_IOCTL_GRAPH_UPDATE",
	.nr = VNPU_IOCTL_GRAPH_UPDATE,
	.size = sizeof(struct vnpu_graph_update),
	.mandatory = END(vnpu_graph_update, count),
	.out = { SPAN(vnpu_graph_update, out_task) },
	.prepare = prepare_graph_update,
};

FIXTURE_VARIANT_ADD(abi, graph_query)
{
	.name = "VNPU_IOCTL_GRAPH_QUERY",
	.nr = VNPU_IOCTL_GRAPH_QUERY,
	.size = sizeof(struct vnpu_graph_query),
	.mandatory = END(vnpu_graph_query, id),
	.out = {
		SPAN(vnpu_graph_query, out_device),
		SPAN(vnpu_graph_query, out_streams),
		SPAN(vnpu_graph_query, out_tasks),
		SPAN(vnpu_graph_query, out_runs),
		SPAN(vnpu_graph_query, out_failures),
		SPAN(vnpu_graph_query, out_error),
		SPAN(vnpu_graph_query, out_error_op),
		SPAN(vnpu_graph_query, out_error_stream),
		SPAN(vnpu_graph_query, out_error_index),
		SPAN(vnpu_graph_query, out_error_addr),
		SPAN(vnpu_graph_query, out_stream),
		SPAN(vnpu_graph_query, out_seq),
	},
	.prepare = prepare_graph_query,
};
/* clang-format on */

#endif
