// SPDX-License-Identifier: MIT
/* Models of captured tasks: their life, see model.h. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/error.h"
#include "cond.h"
#include "edit.h"
#include "end.h"
#include "flow.h"
#include "guard.h"
#include "inspect.h"
#include "model.h"
#include "model_alive.h"
#include "update.h"

/* Time for the driver to release a graph after the end of its runs. */
#define SETTLE_MS	10000

static struct vnpu_model *first;	/* protected by the runtime lock */

/*
 * Even if the driver keeps the graph, reports must not find its tasks any more.
 */
void vnpu_model_destroy_graph(struct vnpu_graph *graph)
{
	int tries = SETTLE_MS;

	while (vnpu_graph_object_destroy(graph) == -EBUSY && --tries)
		poll(NULL, 0, 1);
	vnpu_graph_object_free(graph);
}

static void model_free(struct vnpu_model *model)
{
	if (model->outer)
		vnpu_model_destroy_graph(model->outer);
	if (model->graph)
		vnpu_model_destroy_graph(model->graph);
	vnpu_flow_free(model);
	vnpu_cond_free(model);
	vnpu_model_drop_end(model);
	vnpu_model_free_retired(model);
	vnpu_model_free_used(model);
	vnpu_edit_free_all(model);
	vnpu_model_end_streams(model);
	if (model->capture) {
		/*
		 * A capture that began while the context ended is still active,
		 * and that of a built model may have streams.
		 */
		vnpu_capture_abandon(model->capture);
		vnpu_capture_free(model->capture);
	}
	for (uint32_t i = 0; i < model->nr_runs; i++)
		vnpu_stream_put(model->runs[i].stream);
	free(model->runs);
	pthread_mutex_destroy(&model->lock);
	vnpu_context_put_handle(model->context);
	free(model);
}

void vnpu_model_put(struct vnpu_model *model)
{
	if (vnpu_handle_put(model->handle))
		model_free(model);
}

bool vnpu_collective_model_is_alive(aclmdlRI handle)
{
	struct vnpu_model *model = vnpu_handle_get(VNPU_HANDLE_MODEL, handle);

	if (model)
		vnpu_model_put(model);
	return model;
}

aclError vnpu_model_get(aclmdlRI handle, struct vnpu_model **model)
{
	struct vnpu_current current;
	aclError ret;

	*model = NULL;
	if (!handle)
		return vnpu_error_null("modelRI");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	*model = vnpu_handle_get(VNPU_HANDLE_MODEL, handle);
	if (!*model)
		return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
			"modelRI = %p is not a model, or was destroyed with its context or device; pass an existing one",
			handle);
	if ((*model)->context->handle == current.context)
		return ACL_SUCCESS;
	vnpu_model_put(*model);
	*model = NULL;
	return vnpu_error(ACL_ERROR_RT_MODEL_CONTEXT,
		"modelRI = %p belongs to another context; call aclrtSetCurrentContext with the context it was captured in",
		handle);
}

aclError vnpu_model_get_ready(aclmdlRI handle, struct vnpu_model **model)
{
	aclError ret = vnpu_model_get(handle, model);

	if (ret || atomic_load(&(*model)->is_ready))
		return ret;
	vnpu_model_put(*model);
	*model = NULL;
	return vnpu_error(ACL_ERROR_RT_MODEL_CAPTURED,
		"modelRI = %p is being captured or built; call aclmdlRICaptureEnd or aclmdlRIBuildEnd first",
		handle);
}

aclError vnpu_model_create(struct vnpu_context *context,
			   struct vnpu_model **model)
{
	static _Atomic uint32_t numbers;
	struct vnpu_model *new = calloc(1, sizeof(*new));

	if (new) {
		new->handle = vnpu_handle_add(VNPU_HANDLE_MODEL, new);
		if (!new->handle) {
			free(new);
			new = NULL;
		}
	}
	if (!new)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a model");
	new->number = atomic_fetch_add(&numbers, 1);
	new->context = context;
	vnpu_handle_ref(context->handle);
	pthread_mutex_init(&new->lock, NULL);
	/* One reference is the caller's, the other that of the handle. */
	vnpu_handle_ref(new->handle);
	vnpu_runtime_lock();
	new->next = first;
	first = new;
	vnpu_runtime_unlock();
	*model = new;
	return ACL_SUCCESS;
}

bool vnpu_model_launches(const struct vnpu_capture *capture)
{
	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		if (capture->lanes[i]->nr_refs)
			return true;
	return false;
}

aclError vnpu_model_complete(struct vnpu_model *model)
{
	aclError ret;

	model->has_launches = vnpu_model_launches(model->capture);
	ret = vnpu_cond_complete(model);
	if (!ret)
		ret = vnpu_graph_object_create(model->context, model->capture,
					       &model->graph);
	if (!ret)
		ret = vnpu_cond_wrap(model);
	if (ret)
		return ret;
	atomic_store(&model->is_ready, true);
	return ACL_SUCCESS;
}

static void unlink_locked(const struct vnpu_model *model)
{
	struct vnpu_model **link = &first;

	while (*link != model)
		link = &(*link)->next;
	*link = model->next;
}

bool vnpu_model_remove(struct vnpu_model *model)
{
	struct vnpu_model *taken;

	vnpu_runtime_lock();
	taken = vnpu_handle_remove(VNPU_HANDLE_MODEL,
				   vnpu_u64_to_ptr(model->handle));
	if (taken)
		unlink_locked(model);
	vnpu_runtime_unlock();
	if (taken) {
		vnpu_cond_remove_parts(model);
		vnpu_model_call_end(model);
		vnpu_model_put(model);
	}
	return taken;
}

aclError vnpu_model_reserve_run(struct vnpu_model *model)
{
	struct vnpu_model_run *more;

	more = reallocarray(model->runs, model->nr_runs + 1, sizeof(*more));
	if (!more)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory to run a model");
	model->runs = more;
	return ACL_SUCCESS;
}

/* Only the last run of each stream matters. */
static struct vnpu_model_run *note(struct vnpu_model *model,
				   struct vnpu_stream *stream, uint64_t seq,
				   unsigned int aborts)
{
	for (uint32_t i = 0; i < model->nr_runs; i++) {
		if (model->runs[i].stream == stream) {
			model->runs[i].seq = seq;
			return &model->runs[i];
		}
	}
	vnpu_stream_ref(stream);
	model->runs[model->nr_runs] = (struct vnpu_model_run){
		.stream = stream,
		.seq = seq,
		.aborts = aborts,
	};
	return &model->runs[model->nr_runs++];
}

void vnpu_model_note_run(struct vnpu_model *model, struct vnpu_stream *stream,
			 uint64_t seq, unsigned int aborts)
{
	note(model, stream, seq, aborts)->run = seq;
}

void vnpu_model_note_update(struct vnpu_model *model,
			    struct vnpu_stream *stream, uint64_t seq,
			    unsigned int aborts)
{
	note(model, stream, seq, aborts);
}

bool vnpu_model_is_running_locked(struct vnpu_model *model)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < model->nr_runs; i++) {
		struct vnpu_model_run run = model->runs[i];

		model->was_aborted |= vnpu_model_was_aborted(&run);
		if (vnpu_queue_is_done(&run.stream->queue, run.seq))
			vnpu_stream_put(run.stream);
		else
			model->runs[kept++] = run;
	}
	model->nr_runs = kept;
	return kept;
}

bool vnpu_model_is_running(struct vnpu_model *model)
{
	bool ret;

	pthread_mutex_lock(&model->lock);
	ret = vnpu_model_is_running_locked(model);
	pthread_mutex_unlock(&model->lock);
	return ret;
}

struct vnpu_model *vnpu_model_remove_all(struct vnpu_context *context)
{
	struct vnpu_model **link = &first, *model, *removed = NULL;

	while ((model = *link)) {
		if (model->context != context) {
			link = &model->next;
			continue;
		}
		*link = model->next;
		vnpu_handle_remove(VNPU_HANDLE_MODEL,
				   vnpu_u64_to_ptr(model->handle));
		if (model->capture)
			vnpu_capture_abandon(model->capture);
		model->next = removed;
		removed = model;
	}
	return removed;
}

void vnpu_model_free_all(struct vnpu_model *models)
{
	struct vnpu_model *next;

	for (; models; models = next) {
		next = models->next;
		vnpu_model_put(models);
	}
}
