// SPDX-License-Identifier: MIT
/* Calls that build models of bound streams. */
#include <stdlib.h>

#include "base/error.h"
#include "base/gate.h"
#include "stream/build.h"
#include "flow.h"

static aclError begin(struct vnpu_context *context, aclmdlRI *handle)
{
	struct vnpu_model *model;
	aclError ret = vnpu_model_create(context, &model);

	if (ret)
		return ret;
	model->flow = calloc(1, sizeof(*model->flow));
	if (model->flow)
		ret = vnpu_build_begin(context, model->handle, &model->capture);
	else
		ret = vnpu_error(ACL_ERROR_BAD_ALLOC,
				 "no host memory for a model");
	if (ret)
		vnpu_model_remove(model);
	else
		*handle = vnpu_u64_to_ptr(model->handle);
	vnpu_model_put(model);
	return ret;
}

aclError aclmdlRIBuildBegin(aclmdlRI *modelRI, uint32_t flag)
{
	VNPU_CALL();
	struct vnpu_stream *stream;
	aclError ret;

	vnpu_gate_pass();
	if (!modelRI)
		return vnpu_error_null("modelRI");
	if (flag)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				  "flag = %u is reserved; pass 0", flag);
	/* The default stream has a reference to the context. */
	ret = vnpu_stream_get(NULL, false, &stream);
	if (ret)
		return ret;
	ret = begin(stream->context, modelRI);
	vnpu_stream_put(stream);
	return ret;
}

/* Get a model that is built, not captured, and a stream. */
static aclError get(aclmdlRI handle, aclrtStream stream,
		    struct vnpu_model **model, struct vnpu_stream **found)
{
	aclError ret;

	if (!stream)
		return vnpu_error_null("stream");
	ret = vnpu_model_get(handle, model);
	if (ret)
		return ret;
	if (!(*model)->flow)
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"model %u was captured; pass one of aclmdlRIBuildBegin",
			(*model)->number);
	else
		ret = vnpu_stream_get(stream, false, found);
	if (ret)
		vnpu_model_put(*model);
	return ret;
}

static void put(struct vnpu_model *model, struct vnpu_stream *stream)
{
	vnpu_stream_put(stream);
	vnpu_model_put(model);
}

aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	struct vnpu_model *model;
	aclError ret;

	vnpu_gate_pass();
	if (flag != ACL_MODEL_STREAM_FLAG_HEAD &&
	    flag != ACL_MODEL_STREAM_FLAG_DEFAULT)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flag = 0x%x is not known; use ACL_MODEL_STREAM_FLAG_HEAD or ACL_MODEL_STREAM_FLAG_DEFAULT",
			flag);
	ret = get(modelRI, stream, &model, &found);
	if (ret)
		return ret;
	if (found->flags & ACL_STREAM_PERSISTENT)
		ret = vnpu_build_bind(model->capture, found,
				      flag == ACL_MODEL_STREAM_FLAG_HEAD);
	else
		ret = vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"stream %u was created without ACL_STREAM_PERSISTENT",
			found->number);
	put(model, found);
	return ret;
}

aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	struct vnpu_model *model;
	aclError ret;

	vnpu_gate_pass();
	ret = get(modelRI, stream, &model, &found);
	if (ret)
		return ret;
	ret = vnpu_build_close(model->capture, found);
	put(model, found);
	return ret;
}

aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	struct vnpu_model *model;
	aclError ret;

	vnpu_gate_pass();
	ret = get(modelRI, stream, &model, &found);
	if (ret)
		return ret;
	ret = vnpu_build_unbind(model->capture, found);
	put(model, found);
	return ret;
}

static aclError check(const struct vnpu_capture *capture)
{
	bool has_head = false;

	if (atomic_load(&capture->status) != ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE)
		return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
			"a stream of the model has refused a task; see the errors of the calls since aclmdlRIBindStream");
	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		has_head |= capture->lanes[i]->is_head;
	return has_head ? ACL_SUCCESS :
	       vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			  "no stream is bound to the model with ACL_MODEL_STREAM_FLAG_HEAD");
}

/* The bound streams take no tasks meanwhile. */
static aclError end_locked(struct vnpu_model *model)
{
	aclError ret = check(model->capture);

	if (!ret)
		ret = vnpu_flow_branches(model) ? vnpu_flow_make(model) :
		      vnpu_graph_object_create(model->context, model->capture,
					       &model->graph);
	if (ret) {
		vnpu_build_resume(model->capture);
		return ret;
	}
	model->has_launches = vnpu_model_launches(model->capture);
	vnpu_build_end(model->capture);
	atomic_store(&model->is_ready, true);
	return ACL_SUCCESS;
}

aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void *reserve)
{
	VNPU_CALL();
	struct vnpu_model *model;
	aclError ret;

	vnpu_gate_pass();
	if (reserve)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				  "reserve = %p is reserved; pass NULL", reserve);
	ret = vnpu_model_get(modelRI, &model);
	if (ret)
		return ret;
	pthread_mutex_lock(&model->lock);
	if (!model->flow)
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"model %u was captured; pass one of aclmdlRIBuildBegin",
			model->number);
	else
		ret = vnpu_build_pause(model->capture);
	if (!ret)
		ret = end_locked(model);
	pthread_mutex_unlock(&model->lock);
	vnpu_model_put(model);
	return ret;
}
