/* SPDX-License-Identifier: MIT */
/*
 * Groups of captured tasks, and updates of them.
 *
 * A group is the launches that a stream captures from a begin to an end.  Its
 * update is a list of as many launches, which a stream stores instead of running
 * them.  model/ then replaces the tasks of the group by those of the update.
 */
#ifndef VNPU_LIB_GROUP_H
#define VNPU_LIB_GROUP_H

#include <stdint.h>

#include "capture.h"

struct vnpu_group {
	struct vnpu_group *next;	/* of the capture */
	uint64_t handle;		/* 0 until it ends */
	uint64_t model;			/* handle; constant, like these three */
	uint32_t lane;
	uint32_t first;
	uint32_t count;			/* constant once it has a handle */
	struct vnpu_capture *current;	/* its last update, with the arguments
					 * in use; lock of the model */
};

/* Get a reference to the group of a handle, or report an error. */
aclError vnpu_group_get(aclrtTaskGrp handle, struct vnpu_group **group);
void vnpu_group_put(struct vnpu_group *group);

/* Begin a group in a captured stream, and end it. */
aclError vnpu_group_begin(struct vnpu_stream *stream);
aclError vnpu_group_end(struct vnpu_stream *stream, uint64_t *handle);

/* Let a stream store the tasks of an update of a group of a model. */
aclError vnpu_update_begin(struct vnpu_stream *stream,
			   struct vnpu_group *group);

/*
 * End the update of a stream.  The caller gets the tasks, and a reference to the
 * object of the model; both stay NULL on failure.
 */
aclError vnpu_update_end(struct vnpu_stream *stream,
			 struct vnpu_capture **update, void **model);

/* Refuse a stream that updates a group: ACL_ERROR_STREAM_TASK_GROUP_STATUS. */
aclError vnpu_group_busy(const struct vnpu_stream *stream);

/* Free the groups of a capture, when its model ends. */
void vnpu_group_free_all(struct vnpu_group *groups);

#endif /* VNPU_LIB_GROUP_H */
