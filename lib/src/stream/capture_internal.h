/* SPDX-License-Identifier: MIT */
/*
 * Functions of capture.c for other files.  Those named _locked need the
 * capture lock.
 */
#ifndef VNPU_LIB_CAPTURE_INTERNAL_H
#define VNPU_LIB_CAPTURE_INTERNAL_H

#include "capture.h"
#include "stream.h"

/* Get the lane of a stream, or NULL.  It stays while the lock is held. */
struct vnpu_lane *vnpu_capture_lane(const struct vnpu_stream *stream);

/* Find the capture of a model that has not ended, or return NULL. */
struct vnpu_capture *vnpu_capture_find_locked(uint64_t model);

/*
 * Let a stream join a capture.  Returns 0, -ENOMEM, or -EAGAIN if the capture
 * has as many streams as a graph can have.
 */
int vnpu_capture_join_locked(struct vnpu_capture *capture,
			     struct vnpu_stream *stream,
			     struct vnpu_lane **lane);

/* Begin a capture or update with a stream: 0 or -ENOMEM. */
int vnpu_capture_attach_locked(struct vnpu_capture *capture,
			       struct vnpu_stream *stream);

/* Add a capture to the list of all captures, and remove it. */
void vnpu_capture_list_locked(struct vnpu_capture *capture);
void vnpu_capture_unlist_locked(struct vnpu_capture *capture);

/* Let the stream of a lane run tasks again; the caller drops its reference. */
void vnpu_capture_leave_locked(struct vnpu_lane *lane);

/* Remove a capture from the list, and let its streams run tasks again. */
void vnpu_capture_detach_locked(struct vnpu_capture *capture);

/* Drop the streams of a capture that is over; the lock is not held. */
void vnpu_capture_forget_streams(struct vnpu_capture *capture);

/* Refuse a stream as vnpu_capture_refuse() does. */
aclError vnpu_capture_refuse_locked(const struct vnpu_stream *stream);

/* Find an update of the groups of a model, or return NULL. */
struct vnpu_capture *vnpu_capture_find_update_locked(uint64_t model);

/* Check whether a stream updates a group instead of being captured. */
static inline bool vnpu_lane_updates(const struct vnpu_lane *lane)
{
	return lane && lane->capture->update;
}

/* Check whether a stream is captured, not updating a group and not bound. */
static inline bool vnpu_lane_captures(const struct vnpu_lane *lane)
{
	return lane && !lane->capture->update && !lane->capture->is_build;
}

/* Make a capture invalid, after a call in it has failed. */
void vnpu_capture_invalidate(struct vnpu_capture *capture);

#endif /* VNPU_LIB_CAPTURE_INTERNAL_H */
