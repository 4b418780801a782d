/* SPDX-License-Identifier: MIT */
/* Models, for libhccl, to which these functions are exported. */
#ifndef VNPU_LIB_MODEL_ALIVE_H
#define VNPU_LIB_MODEL_ALIVE_H

#include <stdbool.h>

#include "acl/acl_rt.h"

/*
 * Check whether a model exists: it was not destroyed, and its context has not
 * ended.  A handle is not reused for a long time.
 */
ACL_FUNC_VISIBILITY bool vnpu_collective_model_is_alive(aclmdlRI model);

/* Refuse all runs of a model after one that has failed or was aborted. */
ACL_FUNC_VISIBILITY void vnpu_collective_model_guard(aclmdlRI model);

/* Check whether a run of a model has failed. */
ACL_FUNC_VISIBILITY bool vnpu_collective_model_has_failed(aclmdlRI model);

#endif /* VNPU_LIB_MODEL_ALIVE_H */
