// SPDX-License-Identifier: MIT
/* Updates of tasks, and of groups of them; see update.h. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fork.h"
#include "stream/block.h"
#include "stream/group.h"
#include "edit.h"
#include "update.h"

/*
 * An update that a later one replaces.  Its tasks are freed when the later
 * update is complete, and then the runs that had begun until then.
 */
struct vnpu_retired {
	struct vnpu_retired *next;
	struct vnpu_capture *update;
	struct vnpu_model_run by;	/* the update that replaces it */
	struct vnpu_model_run *runs;
	uint32_t nr_runs;
	bool is_replaced;		/* @runs is set */
};

static void retired_free(struct vnpu_retired *retired)
{
	for (uint32_t i = 0; i < retired->nr_runs; i++)
		vnpu_stream_put(retired->runs[i].stream);
	free(retired->runs);
	vnpu_stream_put(retired->by.stream);
	vnpu_capture_free(retired->update);
	free(retired);
}

void vnpu_model_free_retired(struct vnpu_model *model)
{
	struct vnpu_retired *retired;

	while ((retired = model->retired)) {
		model->retired = retired->next;
		retired_free(retired);
	}
}

static bool is_done(const struct vnpu_model_run *run)
{
	return vnpu_queue_is_done(&run->stream->queue, run->seq);
}

/*
 * Note the runs that may use replaced tasks; if there is no memory, retry
 * later.
 */
static void note_replaced(const struct vnpu_model *model,
			  struct vnpu_retired *retired)
{
	size_t size = model->nr_runs * sizeof(*retired->runs);

	retired->runs = malloc(size ? size : 1);
	if (!retired->runs)
		return;
	for (uint32_t i = 0; i < model->nr_runs; i++) {
		retired->runs[i] = model->runs[i];
		vnpu_stream_ref(retired->runs[i].stream);
	}
	retired->nr_runs = model->nr_runs;
	retired->is_replaced = true;
}

static bool is_unused(const struct vnpu_model *model,
		      struct vnpu_retired *retired)
{
	if (!retired->is_replaced && is_done(&retired->by))
		note_replaced(model, retired);
	if (!retired->is_replaced)
		return false;
	for (uint32_t i = 0; i < retired->nr_runs; i++)
		if (!is_done(&retired->runs[i]))
			return false;
	return true;
}

static void free_unused(struct vnpu_model *model)
{
	struct vnpu_retired **link = &model->retired, *retired;

	while ((retired = *link)) {
		if (!is_unused(model, retired)) {
			link = &retired->next;
			continue;
		}
		*link = retired->next;
		retired_free(retired);
	}
}

static aclError check(const struct vnpu_group *group,
		      const struct vnpu_capture *update)
{
	const struct vnpu_lane *lane = update->lanes[0];

	if (atomic_load(&update->status) !=
	    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE)
		return vnpu_error(ACL_ERROR_RT_MODEL_UPDATE_FAILED,
			"a call failed since aclmdlRICaptureTaskUpdateBegin; the group keeps its tasks");
	if (lane->count != group->count)
		return vnpu_error(ACL_ERROR_RT_MODEL_UPDATE_FAILED,
			"the group has %u tasks and its update %u; submit the calls with which the group was captured",
			group->count, lane->count);
	return ACL_SUCCESS;
}

aclError vnpu_update_submit(struct vnpu_stream *stream,
			    const struct vnpu_place *first,
			    const struct vnpu_task *tasks, uint32_t count,
			    uint64_t *seq)
{
	const size_t size = count * sizeof(*tasks);
	struct vnpu_task task = {
		.op = VNPU_TASK_GRAPH_UPDATE,
		.dst = first->graph,
		.length = count,
		.arg0 = first->stream,
		.arg1 = first->index,
	};
	struct vnpu_piece piece;
	int err = vnpu_block_reserve(stream, size, NULL, &piece);
	aclError ret;

	if (err)
		return vnpu_error_errno(err, "allocating memory for tasks");
	memcpy(piece.host, tasks, size);
	task.src = piece.va;
	*seq = 0;
	ret = vnpu_stream_submit(stream, &task, 1, seq);
	vnpu_book_submit(&stream->book, &piece, ret ? 0 : *seq);
	return ret;
}

void vnpu_update_describe(struct vnpu_model *model, uint32_t lane,
			  uint32_t first, const struct vnpu_task *tasks,
			  const struct vnpu_captured *infos, uint32_t count)
{
	struct vnpu_lane *to = model->capture->lanes[lane];

	/* Reports of failures read these. */
	vnpu_capture_lock();
	memcpy(to->tasks + first, tasks, count * sizeof(*tasks));
	memcpy(to->infos + first, infos, count * sizeof(*infos));
	vnpu_capture_unlock();
	vnpu_edit_forget(model, lane, first, count);
}

/* Keep what the group used until now; @retired may be NULL if it is the first. */
static void retire(struct vnpu_model *model, const struct vnpu_group *group,
		   struct vnpu_retired *retired, struct vnpu_stream *stream,
		   uint64_t seq)
{
	if (!group->current)
		return;
	retired->update = group->current;
	retired->by = (struct vnpu_model_run){
		.stream = stream,
		.seq = seq,
	};
	vnpu_stream_ref(stream);
	retired->next = model->retired;
	model->retired = retired;
}

static aclError update_locked(struct vnpu_model *model,
			      struct vnpu_stream *stream,
			      struct vnpu_capture *update)
{
	const struct vnpu_lane *lane = update->lanes[0];
	struct vnpu_group *group = update->update;
	const struct vnpu_place first = { model->graph->id, group->lane,
					  group->first };
	struct vnpu_retired *retired = NULL;
	unsigned int aborts = atomic_load(&stream->aborts);
	uint64_t seq;
	aclError ret;

	free_unused(model);
	ret = vnpu_model_reserve_run(model);
	if (!ret && group->current) {
		retired = calloc(1, sizeof(*retired));
		if (!retired)
			ret = vnpu_error(ACL_ERROR_BAD_ALLOC,
				"no host memory to update a group of tasks");
	}
	if (!ret)
		ret = vnpu_update_submit(stream, &first, lane->tasks,
					 lane->count, &seq);
	if (ret) {
		free(retired);
		return ret;
	}
	vnpu_model_note_update(model, stream, seq, aborts);
	retire(model, group, retired, stream, seq);
	group->current = update;
	vnpu_update_describe(model, group->lane, group->first, lane->tasks,
			     lane->infos, lane->count);
	return ACL_SUCCESS;
}

aclError vnpu_model_update(struct vnpu_model *model, struct vnpu_stream *stream,
			   struct vnpu_capture *update)
{
	aclError ret = check(update->update, update);

	if (ret || !update->lanes[0]->count) {
		vnpu_capture_free(update);
		return ret;
	}
	pthread_mutex_lock(&model->lock);
	ret = update_locked(model, stream, update);
	pthread_mutex_unlock(&model->lock);
	if (ret)
		vnpu_capture_free(update);
	return ret;
}
