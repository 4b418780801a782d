/* SPDX-License-Identifier: MIT */
/*
 * Branches and loops of models that a program builds, see acl_rt_model_build.h.
 *
 * A label marks a place in a stream of such a model.  A stream that switches to
 * a label, or to another stream, ends there; its remaining tasks run only if a
 * stream switches to a label before them.  A stream that activates another one
 * does not end: both run at the same time.
 *
 * Conditions read device memory when the stream reaches them.
 *
 * Any thread may call these functions.
 */
#ifndef ACL_ACL_RT_LABEL_H
#define ACL_ACL_RT_LABEL_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum aclrtCondition {
	ACL_RT_EQUAL		= 0,
	ACL_RT_NOT_EQUAL	= 1,
	ACL_RT_GREATER		= 2,
	ACL_RT_GREATER_OR_EQUAL	= 3,
	ACL_RT_LESS		= 4,
	ACL_RT_LESS_OR_EQUAL	= 5
} aclrtCondition;

typedef enum aclrtCompareDataType {
	ACL_RT_SWITCH_INT32	= 0,
	ACL_RT_SWITCH_INT64	= 1
} aclrtCompareDataType;

/**
 * aclrtCreateLabel() - create a label in the current context
 * @label: set to the label; destroy it with aclrtDestroyLabel()
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_OVER_LIMIT for more than
 * 65535 labels of the process, ACL_ERROR_BAD_ALLOC, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateLabel(aclrtLabel *label);

/**
 * aclrtSetLabel() - let a label mark the next task of a stream
 * @label: a label that was not set before
 * @stream: a stream that is bound to a model, which is being built
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID if the
 * label was set before, ACL_ERROR_RT_STREAM_MODEL if the stream is not bound to
 * a model or takes no more tasks, ACL_ERROR_RT_LABEL_CONTEXT if the label belongs
 * to another context, ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
 * ACL_ERROR_BAD_ALLOC, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetLabel(aclrtLabel label,
	aclrtStream stream);

/**
 * aclrtDestroyLabel() - destroy a label
 * @label: the label
 *
 * Lists that have it, and models, are not concerned.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_LABEL_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyLabel(aclrtLabel label);

/**
 * aclrtCreateLabelList() - create a list of labels
 * @labels: the labels, of the current context; they may be set later
 * @num: their number, 1 to 65535
 * @labelList: set to the list; destroy it with aclrtDestroyLabelList()
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another number, ACL_ERROR_BAD_ALLOC, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_LABEL_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateLabelList(aclrtLabel *labels,
	size_t num, aclrtLabelList *labelList);

/**
 * aclrtDestroyLabelList() - destroy a list of labels
 * @labelList: the list
 *
 * Models that use it are not concerned.
 *
 * Errors: as aclrtDestroyLabel().
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyLabelList(aclrtLabelList labelList);

/**
 * aclrtSwitchLabelByIndex() - let a stream go on at one of some labels
 * @ptr: device address of the index, a uint32_t
 * @maxValue: number of labels to choose among, 1 to that of the list.  A larger
 *	index stands for the last of them.
 * @labelList: the list.  aclmdlRIBuildEnd() requires that all of these labels
 *	are set in streams of the same model.
 * @stream: a stream that is bound to a model, which is being built
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID,
 * ACL_ERROR_RT_STREAM_MODEL, ACL_ERROR_RT_LABEL_CONTEXT,
 * ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, ACL_ERROR_BAD_ALLOC,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSwitchLabelByIndex(void *ptr,
	uint32_t maxValue, aclrtLabelList labelList, aclrtStream stream);

/**
 * aclrtActiveStream() - let another stream of a model run
 * @activeStream: a stream that is bound to the same model
 * @stream: a stream that is bound to a model, which is being built; it goes on
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_STREAM_MODEL,
 * ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, ACL_ERROR_BAD_ALLOC,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtActiveStream(aclrtStream activeStream,
	aclrtStream stream);

/**
 * aclrtSwitchStream() - let a stream go on in another one if a condition holds
 * @leftValue: device address of the left operand
 * @cond: the condition
 * @rightValue: device address of the right operand
 * @dataType: type of both
 * @trueStream: a stream that is bound to the same model
 * @falseStream: NULL
 * @stream: a stream that is bound to a model, which is being built.  It goes on
 *	itself if the condition does not hold.
 *
 * Errors: as aclrtActiveStream(); ACL_ERROR_RT_PARAM_INVALID.
 */
ACL_FUNC_VISIBILITY aclError aclrtSwitchStream(void *leftValue,
	aclrtCondition cond, void *rightValue, aclrtCompareDataType dataType,
	aclrtStream trueStream, aclrtStream falseStream, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_LABEL_H */
