/* SPDX-License-Identifier: MIT */
/*
 * Reductions over the ranks of a communicator, which follow a call.  libhccl
 * computes them, see reduction.c.
 */
#ifndef ACLNN_REDUCTION_H
#define ACLNN_REDUCTION_H

#include "aclnn.h"

/**
 * struct aclnn_reduction - the sum of an output over all ranks, behind the call
 * @comm: the communicator, or NULL for no reduction
 * @arg: the output, which is contiguous
 * @offset: of its first element from its address, in bytes
 * @count: number of elements
 * @type: HcclDataType
 * @op: HcclReduceOp
 */
struct aclnn_reduction {
	void *comm;
	int arg;
	uint64_t offset, count;
	int type, op;
};

/* Find the communicator of a name, or NULL after a report. */
void *aclnn_reduction_comm(struct aclnn_build *b, unsigned int arg);

/* Reduce an output at a known address; 0, or a status that was reported. */
aclnnStatus aclnn_reduction_run(const struct aclnn_reduction *reduction,
				const char *name, uint64_t address,
				aclrtStream stream);

#endif /* ACLNN_REDUCTION_H */
