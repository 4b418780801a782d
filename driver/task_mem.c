// SPDX-License-Identifier: GPL-2.0-only
/* The memory that tasks use. */
#include "bind.h"
#include "client.h"
#include "device.h"
#include "mem.h"
#include "stream.h"
#include "task.h"

/**
 * vnpu_task_lock() - keep the client's bindings as they are
 * @stream: the stream, whose task is about to use them
 */
void vnpu_task_lock(struct vnpu_stream *stream)
{
	struct vnpu_client *client = stream->client;

	if (vnpu_stream_is_taken_in(stream))
		down_read(&client->map_lock);
	else
		down_read(&client->lock);
}

/**
 * vnpu_task_unlock() - no longer
 * @stream: the stream
 */
void vnpu_task_unlock(struct vnpu_stream *stream)
{
	struct vnpu_client *client = stream->client;

	if (vnpu_stream_is_taken_in(stream))
		up_read(&client->map_lock);
	else
		up_read(&client->lock);
}

/**
 * vnpu_task_pin_locked() - resolve a device address for a task
 * @stream: the stream, by vnpu_task_lock()
 * @va: device address
 * @length: bytes wanted at most, not 0
 * @access: how, VNPU_ACCESS_*
 * @span: filled, see vnpu_bind_pin_locked(). A task that was taken in takes no
 *	reference: to give it back may be to free the memory.
 *
 * Return: as vnpu_bind_pin_locked(), or -EBUSY: others have a say in when the
 * memory can be used.
 */
int vnpu_task_pin_locked(struct vnpu_stream *stream, u64 va, u64 length,
			 u32 access, struct vnpu_span *span)
{
	struct vnpu_client *client = stream->client;
	int ret = 0;

	if (vnpu_stream_is_taken_in(stream) &&
	    vnpu_bind_is_shared_locked(client, va, va))
		ret = -EBUSY;
	if (!ret)
		ret = vnpu_bind_pin_locked(client, va, length,
					   stream->dev->index, access, span);
	if (ret)
		stream->run.fault = va;
	return ret;
}

/**
 * vnpu_task_hold() - have a piece of memory for a task
 * @stream: whose task it is
 * @va: device address
 * @length: bytes wanted at most, not 0
 * @access: how, VNPU_ACCESS_*
 * @span: filled, to be given back by vnpu_task_unhold()
 *
 * What is short, and what belongs to a task that was taken in, has the client's
 * lock rather than a reference.
 *
 * Return: as vnpu_task_pin_locked().
 */
int vnpu_task_hold(struct vnpu_stream *stream, u64 va, u64 length, u32 access,
		   struct vnpu_span *span)
{
	int ret;

	if (vnpu_stream_is_taken_in(stream))
		length = min_t(u64, length, VNPU_TASK_INLINE);
	vnpu_task_lock(stream);
	ret = vnpu_task_pin_locked(stream, va, length, access, span);
	if (!ret && span->length <= VNPU_TASK_INLINE)
		return 0;
	if (!ret)
		vnpu_mem_get(span->mem);
	vnpu_task_unlock(stream);
	return ret;
}

/**
 * vnpu_task_unhold() - the piece is not used any more
 * @stream: whose task it is
 * @span: filled by vnpu_task_hold()
 */
void vnpu_task_unhold(struct vnpu_stream *stream, struct vnpu_span *span)
{
	if (span->length <= VNPU_TASK_INLINE) {
		vnpu_span_unpin(span);
		vnpu_task_unlock(stream);
	} else {
		vnpu_span_put(span);
	}
}
