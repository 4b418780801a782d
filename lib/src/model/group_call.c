// SPDX-License-Identifier: MIT
/* Calls that capture groups of tasks, and that update them. */
#include "base/error.h"
#include "base/gate.h"
#include "stream/group.h"
#include "cond.h"
#include "update.h"

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = vnpu_group_begin(found);
	vnpu_stream_put(found);
	return ret;
}

aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	uint64_t group;
	aclError ret;

	vnpu_gate_pass();
	if (!handle)
		return vnpu_error_null("handle");
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = vnpu_group_end(found, &group);
	if (!ret)
		*handle = vnpu_u64_to_ptr(group);
	vnpu_stream_put(found);
	return ret;
}

/* The model keeps the group. */
static aclError begin_update(struct vnpu_stream *stream,
			     struct vnpu_group *group)
{
	struct vnpu_model *model;
	aclError ret = vnpu_model_get_ready(vnpu_u64_to_ptr(group->model),
					    &model);

	if (ret)
		return ret;
	ret = vnpu_cond_refuse_part(model);
	if (!ret)
		ret = vnpu_update_begin(stream, group);
	vnpu_model_put(model);
	return ret;
}

aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream,
					aclrtTaskGrp handle)
{
	VNPU_CALL();
	struct vnpu_group *group;
	struct vnpu_stream *found;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = vnpu_group_get(handle, &group);
	if (!ret) {
		ret = begin_update(found, group);
		vnpu_group_put(group);
	}
	vnpu_stream_put(found);
	return ret;
}

static aclError end_update(struct vnpu_stream *stream)
{
	struct vnpu_capture *update;
	struct vnpu_model *model;
	void *object;
	aclError ret = vnpu_update_end(stream, &update, &object);

	if (ret)
		return ret;
	model = object;
	ret = vnpu_model_update(model, stream, update);
	vnpu_model_put(model);
	return ret;
}

aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = end_update(found);
	vnpu_stream_put(found);
	return ret;
}
