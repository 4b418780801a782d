/* SPDX-License-Identifier: MIT */
/* Parts of models with conditions, for cond.c and cond_call.c. */
#ifndef VNPU_LIB_MODEL_COND_INTERNAL_H
#define VNPU_LIB_MODEL_COND_INTERNAL_H

#include "mem/lib_block.h"
#include "model.h"

/* 8 bytes of device memory, which end with the model. */
struct vnpu_value {
	struct vnpu_value *next;
	struct vnpu_lib_block block;
};

struct vnpu_cond {
	struct vnpu_cond *next;	/* of the model; its lock */
	uint64_t handle;	/* constant, like the others */
	uint64_t model;		/* handle */
	uint64_t va;		/* of the value */
	uint32_t first;		/* the value that a run assigns */
	bool assigns;
};

/* A task of a model, which runs a part of the model. */
struct vnpu_branch {
	struct vnpu_branch *next;
	struct vnpu_model *part;	/* holds a reference */
	struct vnpu_lane *lane;		/* its place */
	uint32_t index;
};

void vnpu_cond_put(struct vnpu_cond *cond);

#endif /* VNPU_LIB_MODEL_COND_INTERNAL_H */
