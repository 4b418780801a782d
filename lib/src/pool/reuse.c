// SPDX-License-Identifier: MIT
/* The rules for the reuse of memory in stream order, see reuse.h. */
#include "stream/order.h"
#include "reuse.h"

bool vnpu_reuse_is_done(const struct vnpu_freed *freed)
{
	return !freed->by || vnpu_queue_is_done(&freed->by->queue, freed->seq);
}

uint64_t vnpu_reuse_until(const struct vnpu_stream *stream,
			  const struct vnpu_stream *owner, bool follows_events)
{
	if (owner == stream)
		return UINT64_MAX;
	return follows_events ? vnpu_order_after(stream, owner->queue.id) : 0;
}

aclError vnpu_reuse_after(struct vnpu_stream *stream,
			  const struct vnpu_freed *freed)
{
	const struct vnpu_task task = {
		.op = VNPU_TASK_WAIT,
		.src = freed->by->queue.id,
		.arg0 = freed->seq,
	};
	aclError ret = vnpu_stream_submit(stream, &task, 1, NULL);

	if (!ret)
		vnpu_order_note(stream, task.src, task.arg0);
	return ret;
}
