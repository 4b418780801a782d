/* SPDX-License-Identifier: MIT */
/* Functions of the program that are called when a model ends. */
#ifndef VNPU_LIB_MODEL_END_H
#define VNPU_LIB_MODEL_END_H

#include "model.h"

/* Call the functions of a model that was removed; without a lock. */
void vnpu_model_call_end(struct vnpu_model *model);

/* Drop them without a call. */
void vnpu_model_drop_end(struct vnpu_model *model);

#endif /* VNPU_LIB_MODEL_END_H */
