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

/* End the capture; its model ends as well if that fails. */
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
