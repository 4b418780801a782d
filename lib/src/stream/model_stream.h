/* SPDX-License-Identifier: MIT */
/*
 * Streams and tasks of models, as programs see them (aclmdlRIGetStreams).
 *
 * A stream of a model names captured tasks, and takes no new ones.  Only calls
 * that look at models, and aclrtStreamGetId(), accept its handle.
 *
 * A task has no object: its handle has the slot of its stream, its index, and the
 * lowest bits of the generation of the slot.  It ends with the handle of its
 * stream, and matches another one only after 16384 uses of the slot.
 */
#ifndef VNPU_LIB_MODEL_STREAM_H
#define VNPU_LIB_MODEL_STREAM_H

#include <stdint.h>

/* All members are constant. */
struct vnpu_model_stream {
	uint64_t handle;
	uint64_t model;		/* handle */
	uint32_t lane;		/* index of its tasks in the model */
	uint32_t number;	/* of the captured stream */
};

/* Make the stream of a lane; NULL without memory. */
struct vnpu_model_stream *vnpu_model_stream_create(uint64_t model,
						   uint32_t lane,
						   uint32_t number);

/* Remove its handle. */
void vnpu_model_stream_end(struct vnpu_model_stream *stream);

/* Get a reference to the stream of a handle; NULL if it is none. */
struct vnpu_model_stream *vnpu_model_stream_get(const void *handle);
void vnpu_model_stream_put(struct vnpu_model_stream *stream);

/* Make the handle of a task. */
uint64_t vnpu_model_stream_task(const struct vnpu_model_stream *stream,
				uint32_t index);

/* Get a reference to the stream of a task, and its index; NULL if it is none. */
struct vnpu_model_stream *vnpu_model_stream_of_task(const void *handle,
						    uint32_t *index);

#endif /* VNPU_LIB_MODEL_STREAM_H */
