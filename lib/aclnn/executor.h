/* SPDX-License-Identifier: MIT */
/* Executors, for the files that use or change them; see executor.c. */
#ifndef ACLNN_EXECUTOR_H
#define ACLNN_EXECUTOR_H

#include <string.h>

#include "step.h"

/**
 * struct executor - an operator that is ready to run
 * @op: the operator
 * @is_repeatable: it stays after it has run
 * @parts: for the launch
 * @workspace: bytes of workspace that it needs
 * @counted: tensors; the device finds their size; or NULL
 * @count_at: where the size is in the workspace
 * @collective: what ranks exchange before or behind the call
 * @place_count: number of places
 * @places: addresses in the call
 * @call: the call; without steps, there is nothing to do
 */
struct executor {
	const struct aclnn_op *op;
	bool is_repeatable;
	uint32_t parts;
	uint64_t workspace;
	const void *counted[2];
	uint64_t count_at;
	struct aclnn_collective collective;
	uint32_t place_count;
	struct aclnn_place *places;
	struct vnpu_op_call *call;
};

/* Get the executor of a handle, or NULL after a report; under their lock. */
struct executor *aclnn_executor_get(const char *name, aclOpExecutor *handle,
				    aclnnStatus *status);

/*
 * Get the kind of object that an argument is a handle of, and a word for it; 0 if
 * it is none.
 */
enum aclnn_object aclnn_object_kind(enum aclnn_kind kind, const char **what);

static inline void aclnn_address_set(struct vnpu_op_call *call,
				     const struct aclnn_place *place,
				     uint64_t address)
{
	memcpy((char *)call + place->at, &address, sizeof(address));
}

#endif /* ACLNN_EXECUTOR_H */
