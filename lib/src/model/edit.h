/* SPDX-License-Identifier: MIT */
/*
 * Edits of models: tasks that the program replaces or disables after the capture.
 *
 * An edit is pending until aclmdlRIUpdate(), which applies it to the graph
 * while the model does not run.  The edit then remains as the owner of its
 * arguments and kernel, until a later edit of the same task replaces it.
 *
 * The lock of the model protects all of this.  Functions named _locked need it.
 */
#ifndef VNPU_LIB_MODEL_EDIT_H
#define VNPU_LIB_MODEL_EDIT_H

#include <linux/vnpu_task.h>

#include "base/tree.h"
#include "stream/capture.h"
#include "model.h"

struct vnpu_edit {
	struct vnpu_tree_node node;	/* the key: lane and index */
	struct vnpu_task task;		/* as it is shown if it is disabled */
	struct vnpu_captured info;
	struct vnpu_launch_ref ref;	/* of its arguments and kernel */
	bool is_disabled;
	bool is_old;			/* an update of a group replaced it */
};

/* Get the edit that describes a task; NULL if the captured one does. */
struct vnpu_edit *vnpu_edit_find_locked(const struct vnpu_model *model,
					uint32_t lane, uint32_t index);

/*
 * Get the pending edit of a task, or make one that leaves the task as it is; NULL
 * without memory.
 */
struct vnpu_edit *vnpu_edit_make_locked(struct vnpu_model *model,
					uint32_t lane, uint32_t index);

/*
 * Apply the pending edits to the graph, in order; the model must not run.
 * After an error, the remaining edits are pending.
 */
aclError vnpu_edit_apply_locked(struct vnpu_model *model);

/*
 * Replace references by those of a later edit.  It takes over those that it
 * lacks, since it may have the same arguments.
 */
void vnpu_edit_take_ref(struct vnpu_launch_ref *ref,
			struct vnpu_launch_ref *before);

/* Note that an update of a group has replaced tasks; the lock is held. */
void vnpu_edit_forget(struct vnpu_model *model, uint32_t lane, uint32_t first,
		      uint32_t count);

/* Free the edits of a model that ends. */
void vnpu_edit_free_all(struct vnpu_model *model);

#endif /* VNPU_LIB_MODEL_EDIT_H */
