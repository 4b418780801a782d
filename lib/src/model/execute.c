// SPDX-License-Identifier: MIT
/*
 * Runs of models, and their end.
 *
 * A run is one task of the launching stream.  Waits for events outside come
 * before it, and records for the outside after it.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/gate.h"
#include "stream/event.h"
#include "stream/timeout.h"
#include "model.h"

/* Time for which aclmdlRIDestroy() waits for runs. */
#define DESTROY_MS	10000

static aclError do_outside(const struct vnpu_model *model,
			   struct vnpu_stream *stream, bool records)
{
	const struct vnpu_capture *capture = model->capture;
	aclError ret = ACL_SUCCESS;

	for (uint32_t i = 0; !ret && i < capture->nr_outside; i++) {
		const struct vnpu_outside *outside = &capture->outside[i];

		if (outside->is_record != records)
			continue;
		ret = records ? vnpu_event_record(outside->event, stream) :
				vnpu_event_wait(outside->event, stream,
						outside->timeout_ms);
	}
	return ret;
}

/* Make room for one more run; the lock of the model is held. */
static aclError reserve_run(struct vnpu_model *model)
{
	struct vnpu_model_run *more;

	more = reallocarray(model->runs, model->nr_runs + 1, sizeof(*more));
	if (!more)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory to run a model");
	model->runs = more;
	return ACL_SUCCESS;
}

/* Remember the last run of each stream. */
static void note_run(struct vnpu_model *model, struct vnpu_stream *stream,
		     uint64_t seq)
{
	for (uint32_t i = 0; i < model->nr_runs; i++) {
		if (model->runs[i].stream == stream) {
			model->runs[i].seq = seq;
			return;
		}
	}
	vnpu_stream_ref(stream);
	model->runs[model->nr_runs++] = (struct vnpu_model_run){ stream, seq };
}

static aclError run_locked(struct vnpu_model *model, struct vnpu_stream *stream)
{
	const struct vnpu_task task = {
		.op = VNPU_TASK_GRAPH,
		.src = model->graph->id,
	};
	uint64_t seq;
	aclError ret = reserve_run(model);

	if (!ret)
		ret = do_outside(model, stream, false);
	if (!ret)
		ret = vnpu_stream_submit(stream, &task, 1, &seq);
	if (ret)
		return ret;
	note_run(model, stream, seq);
	if (model->has_launches) {
		atomic_store(&stream->ran_graph, true);
		atomic_store(&stream->book.is_fresh, true);
	}
	return do_outside(model, stream, true);
}

/* Submit a run to a stream of the same context. */
static aclError run(struct vnpu_model *model, struct vnpu_stream *stream)
{
	aclError ret = vnpu_capture_refuse(stream);

	if (ret)
		return ret;
	pthread_mutex_lock(&model->lock);
	ret = run_locked(model, stream);
	pthread_mutex_unlock(&model->lock);
	return ret;
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	struct vnpu_model *model;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_model_get_ready(modelRI, &model);
	if (ret)
		return ret;
	ret = vnpu_stream_get(stream, false, &found);
	if (!ret) {
		ret = run(model, found);
		vnpu_stream_put(found);
	}
	vnpu_model_put(model);
	return ret;
}

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)
{
	VNPU_CALL();
	struct vnpu_stream *stream;
	struct vnpu_model *model;
	aclError ret = vnpu_timeout_check(timeout);

	vnpu_gate_pass();
	if (!ret)
		ret = vnpu_model_get_ready(modelRI, &model);
	if (ret)
		return ret;
	ret = vnpu_stream_get(NULL, false, &stream);
	if (!ret) {
		ret = run(model, stream);
		if (!ret)
			ret = vnpu_stream_wait(stream, timeout);
		vnpu_stream_put(stream);
	}
	vnpu_model_put(model);
	return ret;
}

static aclError destroy(struct vnpu_model *model)
{
	int left = DESTROY_MS;

	while (vnpu_model_is_running(model)) {
		if (!left--)
			return vnpu_error(ACL_ERROR_RT_MODEL_RUNNING,
				"model %u still runs after %d ms; wait for the streams that run it, or abort them",
				model->number, DESTROY_MS);
		poll(NULL, 0, 1);
	}
	vnpu_model_remove(model);
	return ACL_SUCCESS;
}

/* As with CANN, it is no error if the model does not exist. */
aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
	VNPU_CALL();
	struct vnpu_current current;
	struct vnpu_model *model;
	aclError ret;

	vnpu_gate_pass();
	if (!modelRI)
		return vnpu_error_null("modelRI");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	model = vnpu_handle_get(VNPU_HANDLE_MODEL, modelRI);
	if (!model)
		return ACL_SUCCESS;
	if (model->context->handle != current.context)
		ret = ACL_SUCCESS;
	else if (!atomic_load(&model->is_ready))
		ret = vnpu_error(ACL_ERROR_RT_MODEL_CAPTURED,
			"modelRI = %p is being captured; call aclmdlRICaptureEnd first",
			modelRI);
	else
		ret = destroy(model);
	vnpu_model_put(model);
	return ret;
}
