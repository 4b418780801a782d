/* SPDX-License-Identifier: MIT */
/*
 * Streams.  All of struct vnpu_stream is under the runtime lock.
 */
#ifndef VNPU_LIB_STREAM_H
#define VNPU_LIB_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"

struct vnpu_stream {
	struct vnpu_stream *next;	/* of the context's streams */
	struct vnpu_context *context;
	uint64_t handle;
	uint32_t id;			/* unique among the device's */
	uint32_t priority;
	uint32_t flags;
	uint32_t overflow_check;
	uint32_t custom_tag;
	uint32_t cache_op_info;
};

/* For context.c; the runtime lock is held. */

/* ACL_SUCCESS or a code without a message. */
aclError vnpu_stream_create(struct vnpu_context *context, uint32_t priority,
			    uint32_t flags, struct vnpu_stream **stream);
void vnpu_stream_destroy(struct vnpu_stream *stream);

/* What counts for a priority that a program asks for. */
uint32_t vnpu_stream_priority(uint32_t priority);

/**
 * vnpu_stream_lock() - the stream that a program means
 * @call: name of the AscendCL call
 * @handle: a stream, or NULL for the current context's default stream
 * @any_context: whether one of another context will do
 * @stream: set to it
 *
 * On success the runtime lock is held, and to be dropped by the caller.
 */
aclError vnpu_stream_lock(const char *call, aclrtStream handle,
			  bool any_context, struct vnpu_stream **stream);

struct vnpu_stream_config {
	uint32_t priority;
	uint32_t flags;
};

/* Read a description of a stream, if it is one that lives. */
aclError vnpu_stream_config_get(const char *call,
				const aclrtStreamConfigHandle *handle,
				struct vnpu_stream_config *config);

#endif /* VNPU_LIB_STREAM_H */
