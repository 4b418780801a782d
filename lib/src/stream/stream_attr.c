// SPDX-License-Identifier: MIT
/*
 * Attributes of streams.
 */
#include "base/error.h"
#include "io/io_stream.h"
#include "model_stream.h"
#include "stream.h"

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
	VNPU_CALL();
	struct vnpu_model_stream *captured;
	struct vnpu_stream *found;
	aclError ret;

	if (!streamId)
		return vnpu_error_null("streamId");
	captured = vnpu_model_stream_get(stream);
	if (captured) {
		*streamId = captured->number;
		vnpu_model_stream_put(captured);
		return ACL_SUCCESS;
	}
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	*streamId = found->number;
	vnpu_stream_put(found);
	return ACL_SUCCESS;
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	if (!priority)
		return vnpu_error_null("priority");
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	*priority = found->priority;
	vnpu_stream_put(found);
	return ACL_SUCCESS;
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	if (!flags)
		return vnpu_error_null("flags");
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	*flags = found->flags;
	vnpu_stream_put(found);
	return ACL_SUCCESS;
}

static aclError value_error(const char *what, uint64_t value)
{
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"%s = %llu is out of range; use 0 or 1", what,
		(unsigned long long)value);
}

/* No stream of the context is created in the meantime. */
static int stop_all(struct vnpu_context *context)
{
	int ret = 0;

	vnpu_runtime_lock();
	context->stops_on_failure = true;
	for (struct vnpu_stream *stream = context->streams; stream && !ret;
	     stream = stream->next)
		ret = vnpu_io_stream_set_stop(stream->queue.id, true);
	vnpu_runtime_unlock();
	return ret;
}

/* The mode belongs to the context; stopping on failure cannot be reverted. */
static aclError set_failure_mode(aclrtStream stream, uint64_t mode)
{
	struct vnpu_stream *found;
	bool is_step_back = false;
	aclError ret;
	int err = 0;

	if (mode != ACL_CONTINUE_ON_FAILURE && mode != ACL_STOP_ON_FAILURE)
		return value_error("mode", mode);
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	if (mode == ACL_STOP_ON_FAILURE)
		err = stop_all(found->context);
	else
		is_step_back = found->context->stops_on_failure;
	vnpu_stream_put(found);
	if (is_step_back)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"the streams of this context stop on failure, which cannot be reverted; use another context");
	return err ? vnpu_error_errno(err, "changing a stream") :
		     ACL_SUCCESS;
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
	VNPU_CALL();

	return set_failure_mode(stream, mode);
}

aclError aclrtSetStreamAttribute(aclrtStream stream,
				 aclrtStreamAttr stmAttrType,
				 aclrtStreamAttrValue *value)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;
	int err = 0;

	if (!value)
		return vnpu_error_null("value");

	switch (stmAttrType) {
	case ACL_STREAM_ATTR_FAILURE_MODE:
		return set_failure_mode(stream, value->failureMode);
	case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
		if (value->overflowSwitch > 1)
			return value_error("overflowSwitch",
					   value->overflowSwitch);
		break;
	case ACL_STREAM_ATTR_CACHE_OP_INFO:
		if (value->cacheOpInfoSwitch > 1)
			return value_error("cacheOpInfoSwitch",
					   value->cacheOpInfoSwitch);
		break;
	case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
	case ACL_STREAM_ATTR_PRIORITY:
		break;
	default:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"stmAttrType = %d is not known; use a value of aclrtStreamAttr",
			stmAttrType);
	}

	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	switch (stmAttrType) {
	case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
		found->overflow_check = value->overflowSwitch;
		break;
	case ACL_STREAM_ATTR_CACHE_OP_INFO:
		found->cache_op_info = value->cacheOpInfoSwitch;
		break;
	case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
		found->custom_tag = value->userCustomTag;
		break;
	default:
		found->priority = vnpu_stream_priority(value->streamPriority);
		err = vnpu_io_stream_set_priority(found->queue.id,
						  found->priority);
		break;
	}
	vnpu_stream_put(found);
	return err ? vnpu_error_errno(err, "changing a stream") :
		     ACL_SUCCESS;
}

aclError aclrtGetStreamAttribute(aclrtStream stream,
				 aclrtStreamAttr stmAttrType,
				 aclrtStreamAttrValue *value)
{
	VNPU_CALL();
	aclrtStreamAttrValue result = { .reserve = { 0 } };
	struct vnpu_stream *found;
	bool is_known = true;
	aclError ret;

	if (!value)
		return vnpu_error_null("value");
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	switch (stmAttrType) {
	case ACL_STREAM_ATTR_FAILURE_MODE:
		result.failureMode = found->context->stops_on_failure ?
			ACL_STOP_ON_FAILURE : ACL_CONTINUE_ON_FAILURE;
		break;
	case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
		result.overflowSwitch = found->overflow_check;
		break;
	case ACL_STREAM_ATTR_CACHE_OP_INFO:
		result.cacheOpInfoSwitch = found->cache_op_info;
		break;
	case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
		result.userCustomTag = found->custom_tag;
		break;
	case ACL_STREAM_ATTR_PRIORITY:
		result.streamPriority = found->priority;
		break;
	default:
		is_known = false;
		break;
	}
	vnpu_stream_put(found);
	if (!is_known)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"stmAttrType = %d is not known; use a value of aclrtStreamAttr",
			stmAttrType);
	*value = result;
	return ACL_SUCCESS;
}
