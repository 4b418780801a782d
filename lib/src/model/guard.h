/* SPDX-License-Identifier: MIT */
/* Models that cannot run again after a failure, see guard.c. */
#ifndef VNPU_LIB_MODEL_GUARD_H
#define VNPU_LIB_MODEL_GUARD_H

#include "model.h"

/* Check whether the stream of a run was aborted since the run was submitted. */
bool vnpu_model_was_aborted(const struct vnpu_model_run *run);

/* Refuse another run after a failure; the lock of the model is held. */
aclError vnpu_model_refuse_failed(struct vnpu_model *model);

#endif /* VNPU_LIB_MODEL_GUARD_H */
