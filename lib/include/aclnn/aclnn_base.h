/* SPDX-License-Identifier: MIT */
/*
 * The common part of all operators of aclnn.
 *
 * An operator X has two functions.  aclnnXGetWorkspaceSize() checks its
 * arguments and makes an executor, and aclnnX() submits it to a stream.  The
 * executor has all that the operator needs: the caller may destroy its tensors
 * and other arguments before the stream has run it.  The memory of tensors and
 * the workspace must stay until then.
 *
 * Both return 0, or an error that aclGetRecentErrMsg() explains: it names the
 * operator, the argument, and the value expected and given.
 */
#ifndef ACLNN_ACLNN_BASE_H
#define ACLNN_ACLNN_BASE_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values of aclnnStatus. */
#ifndef ACLNN_SUCCESS
#define ACLNN_SUCCESS			0
#define ACLNN_ERR_PARAM_NULLPTR		161001	/* NULL, where it is not allowed */
#define ACLNN_ERR_PARAM_INVALID		161002	/* other errors of arguments */
#define ACLNN_ERR_RUNTIME_ERROR		361001	/* the launch failed */
#define ACLNN_ERR_INNER			561000	/* no host memory */
#endif

/* Do nothing: the library needs no configuration. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char *configPath);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize(void);

/* Get the elements that a matrix of this shape takes as a weight. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnCalculateMatmulWeightSize(
	const aclIntArray *tensorShape, uint64_t *weightTensorSize);
ACL_FUNC_VISIBILITY aclnnStatus aclnnCalculateMatmulWeightSizeV2(
	const aclIntArray *tensorShape, aclDataType dataType,
	uint64_t *weightTensorSize);

#ifdef __cplusplus
}
#endif

#endif /* ACLNN_ACLNN_BASE_H */
