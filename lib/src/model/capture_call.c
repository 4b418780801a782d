// SPDX-License-Identifier: MIT
/* Calls that capture the tasks of streams. */
#include <stdlib.h>

#include "base/error.h"
#include "base/gate.h"
#include "model.h"

static bool is_mode(aclmdlRICaptureMode mode)
{
	return (unsigned int)mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
}

static aclError bad_mode(aclmdlRICaptureMode mode)
{
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"mode = %d is not known; use a value of aclmdlRICaptureMode",
		mode);
}

static aclError begin(struct vnpu_stream *stream, aclmdlRICaptureMode mode)
{
	struct vnpu_model *model;
	aclError ret = vnpu_model_create(stream->context, &model);

	if (ret)
		return ret;
	ret = vnpu_capture_begin(stream, mode, model->handle, &model->capture);
	if (ret)
		vnpu_model_remove(model);
	vnpu_model_put(model);
	return ret;
}

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	vnpu_gate_pass();
	if (!is_mode(mode))
		return bad_mode(mode);
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = begin(found, mode);
	vnpu_stream_put(found);
	return ret;
}

/* Check that the model of a part is being captured. */
static aclError check_parent(const struct vnpu_model *part)
{
	struct vnpu_model *parent;
	aclError ret = ACL_SUCCESS;

	if (!part->parent)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"model %u is no part of another model; pass one of aclmdlRIAddCondTask",
			part->number);
	parent = vnpu_handle_get(VNPU_HANDLE_MODEL,
				 vnpu_u64_to_ptr(part->parent));
	if (!parent || atomic_load(&parent->is_ready))
		ret = vnpu_error(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
			"the capture of the model of which model %u is a part is over",
			part->number);
	if (parent)
		vnpu_model_put(parent);
	return ret;
}

/* Capture a part of a model, once. */
static aclError begin_part(struct vnpu_stream *stream, struct vnpu_model *part,
			   aclmdlRICaptureMode mode)
{
	aclError ret = check_parent(part);

	if (ret)
		return ret;
	pthread_mutex_lock(&part->lock);
	if (part->capture)
		ret = vnpu_error(ACL_ERROR_RT_MODEL_CAPTURED,
			"model %u is being captured, or was captured before",
			part->number);
	else
		ret = vnpu_capture_begin(stream, mode, part->handle,
					 &part->capture);
	pthread_mutex_unlock(&part->lock);
	return ret;
}

aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI,
				       aclmdlRICaptureMode mode)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	struct vnpu_model *model;
	aclError ret;

	vnpu_gate_pass();
	if (!is_mode(mode))
		return bad_mode(mode);
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = vnpu_model_get(modelRI, &model);
	if (!ret) {
		ret = begin_part(found, model, mode);
		vnpu_model_put(model);
	}
	vnpu_stream_put(found);
	return ret;
}

/* End a capture; if that fails, its model ends as well. */
static aclError end(struct vnpu_stream *stream, aclmdlRI *handle)
{
	struct vnpu_model *model;
	void *object;
	aclError ret = vnpu_capture_end(stream, &object);

	model = object;
	if (!model)
		return ret;
	if (!ret)
		ret = vnpu_model_complete(model);
	if (ret)
		vnpu_model_remove(model);
	else
		*handle = vnpu_u64_to_ptr(model->handle);
	vnpu_model_put(model);
	return ret;
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	vnpu_gate_pass();
	if (!modelRI)
		return vnpu_error_null("modelRI");
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = end(found, modelRI);
	vnpu_stream_put(found);
	return ret;
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream,
				aclmdlRICaptureStatus *status,
				aclmdlRI *modelRI)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	uint64_t model;
	aclError ret;

	if (!status)
		return vnpu_error_null("status");
	if (!modelRI)
		return vnpu_error_null("modelRI");
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	*status = vnpu_capture_status(found, &model);
	*modelRI = vnpu_u64_to_ptr(model);
	vnpu_stream_put(found);
	return ACL_SUCCESS;
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
{
	VNPU_CALL();

	if (!mode)
		return vnpu_error_null("mode");
	if (!is_mode(*mode))
		return bad_mode(*mode);
	*mode = vnpu_capture_exchange(*mode);
	return ACL_SUCCESS;
}
