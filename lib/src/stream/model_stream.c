// SPDX-License-Identifier: MIT
/* Streams and tasks of models, see model_stream.h. */
#include <stdlib.h>

#include "base/handle.h"
#include "io/io_graph.h"
#include "model_stream.h"

/*
 * The bits of the handle of a task: 63-56 its kind, 55-42 the lowest bits of
 * the slot's generation, 41-22 its index, 21-0 the slot.
 */
#define TASK_BITS		20
#define TASK_SHIFT		VNPU_INDEX_BITS
#define GENERATION_BITS		(VNPU_GENERATION_BITS - TASK_BITS)
#define GENERATION_SHIFT	(TASK_SHIFT + TASK_BITS)
#define KIND_SHIFT		(VNPU_INDEX_BITS + VNPU_GENERATION_BITS)

_Static_assert(VNPU_IO_GRAPH_TASKS == 1U << TASK_BITS, "bits of an index");

static uint64_t bits(uint64_t value, unsigned int shift, unsigned int count)
{
	return value >> shift & ((1ULL << count) - 1);
}

struct vnpu_model_stream *vnpu_model_stream_create(uint64_t model,
						   uint32_t lane,
						   uint32_t number)
{
	struct vnpu_model_stream *stream = malloc(sizeof(*stream));

	if (!stream)
		return NULL;
	stream->model = model;
	stream->lane = lane;
	stream->number = number;
	stream->handle = vnpu_handle_add(VNPU_HANDLE_MODEL_STREAM, stream);
	if (stream->handle)
		return stream;
	free(stream);
	return NULL;
}

void vnpu_model_stream_end(struct vnpu_model_stream *stream)
{
	vnpu_handle_remove(VNPU_HANDLE_MODEL_STREAM,
			   vnpu_u64_to_ptr(stream->handle));
	vnpu_model_stream_put(stream);
}

struct vnpu_model_stream *vnpu_model_stream_get(const void *handle)
{
	return vnpu_handle_get(VNPU_HANDLE_MODEL_STREAM, handle);
}

void vnpu_model_stream_put(struct vnpu_model_stream *stream)
{
	if (vnpu_handle_put(stream->handle))
		free(stream);
}

uint64_t vnpu_model_stream_task(const struct vnpu_model_stream *stream,
				uint32_t index)
{
	return (uint64_t)VNPU_HANDLE_MODEL_TASK << KIND_SHIFT |
	       bits(stream->handle, VNPU_INDEX_BITS, GENERATION_BITS)
			<< GENERATION_SHIFT |
	       (uint64_t)index << TASK_SHIFT |
	       bits(stream->handle, 0, VNPU_INDEX_BITS);
}

struct vnpu_model_stream *vnpu_model_stream_of_task(const void *handle,
						    uint32_t *index)
{
	uint64_t value = vnpu_ptr_to_u64(handle), live;
	struct vnpu_slot *slot = vnpu_slot_of(value);

	if (!vnpu_handle_is_of_kind(value, VNPU_HANDLE_MODEL_TASK) || !slot)
		return NULL;
	live = atomic_load_explicit(&slot->handle, memory_order_acquire);
	if (bits(live, VNPU_INDEX_BITS, GENERATION_BITS) !=
	    bits(value, GENERATION_SHIFT, GENERATION_BITS))
		return NULL;
	*index = bits(value, TASK_SHIFT, TASK_BITS);
	return vnpu_model_stream_get(vnpu_u64_to_ptr(live));
}
