/* SPDX-License-Identifier: MIT */
/*
 * Functions of capture.c for capture_event.c.  Those named _locked need the
 * capture lock.
 */
#ifndef VNPU_LIB_CAPTURE_INTERNAL_H
#define VNPU_LIB_CAPTURE_INTERNAL_H

#include "capture.h"
#include "stream.h"

/* Get the lane of a stream, which stays while the lock is held; NULL. */
struct vnpu_lane *vnpu_capture_lane(const struct vnpu_stream *stream);

/* Find the capture of a model that has not ended; NULL. */
struct vnpu_capture *vnpu_capture_find_locked(uint64_t model);

/*
 * Let a stream join a capture: 0, -ENOMEM, or -EAGAIN if it has as many as a
 * graph can have.
 */
int vnpu_capture_join_locked(struct vnpu_capture *capture,
			     struct vnpu_stream *stream,
			     struct vnpu_lane **lane);

/* Make a capture invalid, after a call in it has failed. */
void vnpu_capture_invalidate(struct vnpu_capture *capture);

#endif /* VNPU_LIB_CAPTURE_INTERNAL_H */
