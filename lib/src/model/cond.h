/* SPDX-License-Identifier: MIT */
/*
 * Conditions of models: a task of a model runs another one, its part, depending
 * on a value in device memory.
 *
 * A part is captured while its model is.  It ends with the model, which has
 * references to its parts.
 */
#ifndef VNPU_LIB_MODEL_COND_H
#define VNPU_LIB_MODEL_COND_H

#include "model.h"

/* Let the tasks of a model name the graphs of its parts, once it is captured. */
aclError vnpu_cond_complete(struct vnpu_model *model);

/* Make a graph that assigns the values and then runs that of the model. */
aclError vnpu_cond_wrap(struct vnpu_model *model);

/* Remove the parts of a model that was removed, without a lock. */
void vnpu_cond_remove_parts(struct vnpu_model *model);

/* Free the conditions of a model, and drop its parts. */
void vnpu_cond_free(struct vnpu_model *model);

/* Refuse a part where a whole model is needed. */
aclError vnpu_cond_refuse_part(const struct vnpu_model *model);

#endif /* VNPU_LIB_MODEL_COND_H */
