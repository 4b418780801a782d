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
#include <time.h>

#include "base/error.h"
#include "base/gate.h"
#include "stream/event.h"
#include "stream/timeout.h"
#include "cond.h"
#include "guard.h"

/* Time for which aclmdlRIDestroy() waits for runs. */
#define DESTROY_MS	10000

static aclError do_outside(const struct vnpu_model *model,
			   struct vnpu_stream *stream, bool records)
{
	const struct vnpu_capture *capture = model->capture;
	aclError ret = ACL_SUCCESS;

	for (uint32_t i = 0; !ret && i < capture->nr_outside; i++) {
		const struct vnpu_outside *outside = &capture->outside[i];

		if (outside->is_record != records || outside->is_off)
			continue;
		ret = records ? vnpu_event_record(outside->event, stream) :
				vnpu_event_wait(outside->event, stream,
						outside->timeout_ms);
	}
	return ret;
}

static aclError run_locked(struct vnpu_model *model, struct vnpu_stream *stream)
{
	const struct vnpu_task task = {
		.op = VNPU_TASK_GRAPH,
		.src = vnpu_model_run_id(model),
	};
	/* An abort after this point may drop the run. */
	unsigned int aborts = atomic_load(&stream->aborts);
	uint64_t seq;
	aclError ret = vnpu_model_refuse_failed(model);

	if (!ret)
		ret = vnpu_model_reserve_run(model);
	if (!ret)
		ret = do_outside(model, stream, false);
	if (!ret)
		ret = vnpu_stream_submit(stream, &task, 1, &seq);
	if (ret)
		return ret;
	vnpu_model_note_run(model, stream, seq, aborts);
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
	ret = vnpu_cond_refuse_part(model);
	if (!ret)
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
	ret = vnpu_cond_refuse_part(model);
	if (!ret)
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

/* Abort the streams that run the model. */
static int abort_runs_locked(struct vnpu_model *model)
{
	int ret, result = 0;

	for (uint32_t i = 0; i < model->nr_runs; i++) {
		const struct vnpu_model_run *run = &model->runs[i];

		if (vnpu_queue_is_done(&run->stream->queue, run->run))
			continue;
		ret = vnpu_stream_drop_work(run->stream);
		/* A stream that was destroyed in the meantime has no work. */
		if (ret && ret != -ENOENT && !result)
			result = ret;
	}
	return result;
}

/* As with CANN, the runs of a captured model end with its stream alone. */
aclError aclmdlRIAbort(aclmdlRI modelRI)
{
	VNPU_CALL();
	struct vnpu_model *model;
	aclError ret = vnpu_model_get_ready(modelRI, &model);
	int err = 0;

	if (ret)
		return ret;
	if (model->flow) {
		pthread_mutex_lock(&model->lock);
		err = abort_runs_locked(model);
		pthread_mutex_unlock(&model->lock);
		if (err)
			ret = vnpu_error_errno(err, "aborting a stream");
	} else {
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"model %u was captured; call aclrtStreamAbort with the stream that runs it",
			model->number);
	}
	vnpu_model_put(model);
	return ret;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

static aclError destroy(struct vnpu_model *model)
{
	uint64_t end = now_ms() + DESTROY_MS;

	while (vnpu_model_is_running(model)) {
		if (now_ms() >= end)
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
	else if (model->parent)
		ret = vnpu_cond_refuse_part(model);
	else if (!atomic_load(&model->is_ready) && !model->flow)
		ret = vnpu_error(ACL_ERROR_RT_MODEL_CAPTURED,
			"modelRI = %p is being captured; call aclmdlRICaptureEnd first",
			modelRI);
	else
		ret = destroy(model);
	vnpu_model_put(model);
	return ret;
}
