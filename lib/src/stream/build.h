/* SPDX-License-Identifier: MIT */
/*
 * Streams that are bound to models which a program builds (aclmdlRIBindStream).
 *
 * A bound stream has a lane, like a stream that captures.  The capture of such
 * a model begins without a stream, and its lanes stay when it is over: their
 * streams then take no tasks until they are unbound.
 */
#ifndef VNPU_LIB_BUILD_H
#define VNPU_LIB_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "capture.h"
#include "stream.h"

/* Begin a capture without streams for a model. */
aclError vnpu_build_begin(const struct vnpu_context *context, uint64_t model,
			  struct vnpu_capture **capture);

/* Bind a stream, and unbind it. */
aclError vnpu_build_bind(struct vnpu_capture *capture,
			 struct vnpu_stream *stream, bool is_head);
aclError vnpu_build_unbind(struct vnpu_capture *capture,
			   struct vnpu_stream *stream);

/* Get the handle of the model to which a stream is bound, or report an error. */
aclError vnpu_build_model(const struct vnpu_stream *stream, uint64_t *model);

/* Store a task of a stream that is bound to a model; gets its place. */
aclError vnpu_build_add(struct vnpu_capture *capture,
			const struct vnpu_stream *stream,
			const struct vnpu_task *task, uint32_t *lane,
			uint32_t *index);

/* Get the index of the lane of a stream that is bound to a model. */
aclError vnpu_build_lane(struct vnpu_capture *capture,
			 const struct vnpu_stream *stream, uint32_t *lane);

/* Let a stream take no more tasks. */
aclError vnpu_build_close(struct vnpu_capture *capture,
			  const struct vnpu_stream *stream);

/*
 * Pause all streams, so that they take no tasks.  Then end the capture, or
 * resume the streams that were not closed before.
 */
aclError vnpu_build_pause(struct vnpu_capture *capture);
void vnpu_build_end(struct vnpu_capture *capture);
void vnpu_build_resume(struct vnpu_capture *capture);

/* End the capture of a build if it has not ended, and unbind all streams. */
void vnpu_build_abandon(struct vnpu_capture *capture);

/* Check whether a stream is bound to a model. */
bool vnpu_build_is_bound(const struct vnpu_stream *stream);

#endif /* VNPU_LIB_BUILD_H */
