// SPDX-License-Identifier: MIT
/*
 * The interface to the kernel: graphs, see io_graph.h.
 */
#include <errno.h>

#include <linux/vnpu_graph.h>

#include "base/util.h"
#include "io_call.h"
#include "io_graph.h"

_Static_assert(VNPU_IO_GRAPH_LANES == VNPU_GRAPH_STREAMS_MAX, "streams");
_Static_assert(VNPU_IO_GRAPH_TASKS == VNPU_GRAPH_TASKS_MAX, "tasks");

int vnpu_io_graph_create(uint32_t device, uint32_t context,
			 const struct vnpu_io_lane *lanes, uint32_t count,
			 struct vnpu_io_new_graph *out)
{
	struct vnpu_graph_stream streams[VNPU_IO_GRAPH_LANES];
	struct vnpu_graph_create create = {
		.size = sizeof(create),
		.device = device,
		.context = context,
		.streams = vnpu_ptr_to_u64(streams),
		.count = count,
	};
	int ret;

	if (count > VNPU_IO_GRAPH_LANES)
		return -EINVAL;
	for (uint32_t i = 0; i < count; i++)
		streams[i] = (struct vnpu_graph_stream){
			.tasks = vnpu_ptr_to_u64(lanes[i].tasks),
			.count = lanes[i].count,
		};
	do {
		ret = vnpu_io_call(VNPU_IOCTL_GRAPH_CREATE, &create);
	} while (ret == -EINTR);
	*out = (struct vnpu_io_new_graph){
		.id = create.out_id,
		.timeline = create.out_timeline,
		.step = create.out_step,
		.bad_lane = create.out_stream,
		.bad_task = create.out_task,
	};
	return ret;
}

int vnpu_io_graph_update(uint32_t id, uint32_t lane, uint32_t first,
			 const struct vnpu_task *tasks, uint32_t count)
{
	struct vnpu_graph_update update = {
		.size = sizeof(update),
		.id = id,
		.stream = lane,
		.tasks = vnpu_ptr_to_u64(tasks),
		.first = first,
		.count = count,
	};

	return vnpu_io_retry(VNPU_IOCTL_GRAPH_UPDATE, &update);
}

int vnpu_io_graph_destroy(uint32_t id)
{
	struct vnpu_graph_destroy destroy = {
		.size = sizeof(destroy),
		.id = id,
	};

	return vnpu_io_retry(VNPU_IOCTL_GRAPH_DESTROY, &destroy);
}

int vnpu_io_graph_query(uint32_t id, uint64_t stream, uint64_t seq,
			struct vnpu_io_graph_failure *out)
{
	struct vnpu_graph_query query = {
		.size = sizeof(query),
		.id = id,
		.stream = stream,
		.seq = seq,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_GRAPH_QUERY, &query);

	*out = (struct vnpu_io_graph_failure){
		.runs = query.out_runs,
		.error = query.out_error,
		.op = query.out_error_op,
		.lane = query.out_error_stream,
		.index = query.out_error_index,
		.addr = query.out_error_addr,
	};
	return ret;
}
