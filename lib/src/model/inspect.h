/* SPDX-License-Identifier: MIT */
/* Tasks of models, as programs see and edit them. */
#ifndef VNPU_LIB_MODEL_INSPECT_H
#define VNPU_LIB_MODEL_INSPECT_H

#include <linux/vnpu_task.h>

#include "model.h"

/* A task that a program names. */
struct vnpu_model_task {
	struct vnpu_model *model;	/* holds a reference */
	uint32_t lane;
	uint32_t index;
};

/* Get the task of a handle, or report an error. */
aclError vnpu_model_task_get(aclmdlRITask handle, struct vnpu_model_task *task);
void vnpu_model_task_put(const struct vnpu_model_task *task);

/* The task as it is after the next update, and the call that made it. */
struct vnpu_task_view {
	struct vnpu_task task;
	struct vnpu_captured info;
};

struct vnpu_task_view
vnpu_model_task_view_locked(const struct vnpu_model_task *task);

/* Get the type of a task. */
aclmdlRITaskType vnpu_model_task_type(const struct vnpu_task_view *view);

/* Get the group that contains a task, or NULL. */
const struct vnpu_group *
vnpu_model_task_group(const struct vnpu_model_task *task);

/* Remove the handles of the streams and tasks of a model. */
void vnpu_model_end_streams(struct vnpu_model *model);

#endif /* VNPU_LIB_MODEL_INSPECT_H */
