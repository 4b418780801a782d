// SPDX-License-Identifier: MIT
/* Edits of models, see edit.h. */
#include <stdlib.h>

#include "base/error.h"
#include "base/fork.h"
#include "io/io_graph.h"
#include "edit.h"
#include "flow.h"

static struct vnpu_edit *edit_of(struct vnpu_tree_node *node)
{
	return node ? container_of(node, struct vnpu_edit, node) : NULL;
}

static struct vnpu_edit *find(struct vnpu_tree_node *root, uint32_t lane,
			      uint32_t index)
{
	struct vnpu_edit *edit = edit_of(vnpu_tree_at_most(root, lane, index));

	return edit && edit->node.hi == lane && edit->node.lo == index ?
	       edit : NULL;
}

static void edit_free(struct vnpu_edit *edit)
{
	vnpu_launch_ref_put(&edit->ref);
	free(edit);
}

struct vnpu_edit *vnpu_edit_find_locked(const struct vnpu_model *model,
					uint32_t lane, uint32_t index)
{
	struct vnpu_edit *edit = find(model->edits, lane, index);

	if (edit)
		return edit;
	edit = find(model->edited, lane, index);
	return edit && !edit->is_old ? edit : NULL;
}

struct vnpu_edit *vnpu_edit_make_locked(struct vnpu_model *model,
					uint32_t lane, uint32_t index)
{
	const struct vnpu_lane *from = model->capture->lanes[lane];
	struct vnpu_edit *edit = find(model->edits, lane, index);
	const struct vnpu_edit *before;

	if (edit)
		return edit;
	edit = calloc(1, sizeof(*edit));
	if (!edit)
		return NULL;
	before = vnpu_edit_find_locked(model, lane, index);
	edit->task = before ? before->task : from->tasks[index];
	edit->info = before ? before->info : from->infos[index];
	edit->is_disabled = before && before->is_disabled;
	edit->node.hi = lane;
	edit->node.lo = index;
	vnpu_tree_add(&model->edits, &edit->node);
	return edit;
}

/*
 * Disconnect an event: runs of the model no longer wait for it, or record it,
 * for this task.
 */
static void disconnect(const struct vnpu_model *model,
		       const struct vnpu_edit *edit)
{
	const struct vnpu_capture *capture = model->capture;

	for (uint32_t i = 0; i < capture->nr_outside; i++)
		if (capture->outside[i].lane == edit->node.hi &&
		    capture->outside[i].index == edit->node.lo)
			capture->outside[i].is_off = true;
}

void vnpu_edit_take_ref(struct vnpu_launch_ref *ref,
			struct vnpu_launch_ref *before)
{
	if (!ref->chunk) {
		ref->chunk = before->chunk;
		before->chunk = NULL;
	}
	if (!ref->function) {
		ref->function = before->function;
		before->function = NULL;
	}
	vnpu_launch_ref_put(before);
}

static void note_applied(struct vnpu_model *model, struct vnpu_edit *edit,
			 const struct vnpu_task *task)
{
	struct vnpu_lane *lane = model->capture->lanes[edit->node.hi];
	struct vnpu_edit *before = find(model->edited, edit->node.hi,
					edit->node.lo);

	/* Reports of failures read these. */
	vnpu_capture_lock();
	lane->tasks[edit->node.lo] = *task;
	lane->infos[edit->node.lo] = edit->info;
	vnpu_capture_unlock();
	disconnect(model, edit);
	vnpu_tree_remove(&model->edits, &edit->node);
	if (before) {
		vnpu_tree_remove(&model->edited, &before->node);
		vnpu_edit_take_ref(&edit->ref, &before->ref);
		free(before);
	}
	vnpu_tree_add(&model->edited, &edit->node);
}

/*
 * Replace a task in its graph; the tasks of a stream that never runs have none.
 */
static int replace(const struct vnpu_model *model, uint32_t lane,
		   uint32_t index, const struct vnpu_task *task)
{
	struct vnpu_place at;

	if (!vnpu_flow_find(model, lane, index, &at))
		return 0;
	return vnpu_io_graph_update(at.graph, at.stream, at.index, task, 1);
}

static int apply(struct vnpu_model *model, struct vnpu_edit *edit)
{
	struct vnpu_task task = edit->is_disabled ?
			(struct vnpu_task){ .op = VNPU_TASK_NOP } : edit->task;
	int err = replace(model, edit->node.hi, edit->node.lo, &task);

	if (err)
		return err;
	if (task.op == VNPU_TASK_LAUNCH)
		model->has_launches = true;
	note_applied(model, edit, &task);
	return 0;
}

aclError vnpu_edit_apply_locked(struct vnpu_model *model)
{
	struct vnpu_edit *edit;
	int err;

	while ((edit = edit_of(vnpu_tree_at_least(model->edits, 0, 0)))) {
		err = apply(model, edit);
		if (err)
			return vnpu_error_errno(err, "updating a model");
	}
	return ACL_SUCCESS;
}

void vnpu_edit_forget(struct vnpu_model *model, uint32_t lane, uint32_t first,
		      uint32_t count)
{
	struct vnpu_tree_node *node = vnpu_tree_at_least(model->edited, lane,
							 first);

	while (node && node->hi == lane && node->lo < first + count) {
		edit_of(node)->is_old = true;
		node = vnpu_tree_at_least(model->edited, lane, node->lo + 1);
	}
}

static void free_tree(struct vnpu_tree_node **root)
{
	struct vnpu_edit *edit;

	while ((edit = edit_of(*root))) {
		vnpu_tree_remove(root, &edit->node);
		edit_free(edit);
	}
}

void vnpu_edit_free_all(struct vnpu_model *model)
{
	free_tree(&model->edits);
	free_tree(&model->edited);
	vnpu_book_fini(&model->book);
}
