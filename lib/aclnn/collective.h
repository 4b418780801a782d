/* SPDX-License-Identifier: MIT */
/*
 * Data that ranks exchange before or behind a call.  libhccl does it, see
 * collective.c.
 */
#ifndef ACLNN_COLLECTIVE_H
#define ACLNN_COLLECTIVE_H

#include "aclnn.h"

enum aclnn_exchange {
	ACLNN_NO_EXCHANGE,
	ACLNN_ALL_GATHER,	/* before the call */
	ACLNN_ALL_REDUCE,	/* behind it, as the next one */
	ACLNN_REDUCE_SCATTER,
};

/**
 * struct aclnn_buffer - contiguous elements of an argument or of the workspace
 * @arg: the argument, or ACLNN_WORKSPACE
 * @address: of the argument or of the workspace
 * @offset: of the first element from there, in bytes
 */
struct aclnn_buffer {
	int arg;
	uint64_t address, offset;
};

/**
 * struct aclnn_collective - what ranks exchange
 * @kind: the operation
 * @comm: the communicator
 * @from: elements of this rank
 * @to: the result
 * @count: number of elements, as HCCL counts them
 * @type: HcclDataType
 */
struct aclnn_collective {
	enum aclnn_exchange kind;
	void *comm;
	struct aclnn_buffer from, to;
	uint64_t count;
	int type;
};

/*
 * Find the communicator of a name, and the number of its ranks; NULL after a
 * report.
 */
void *aclnn_collective_comm(struct aclnn_build *b, unsigned int arg,
			    uint32_t *ranks);

/* Set the address of an argument or of the workspace. */
void aclnn_collective_move(struct aclnn_collective *collective, int arg,
			   uint64_t address);

/* Exchange data on a stream; 0, or a status that was reported. */
aclnnStatus aclnn_collective_run(const struct aclnn_collective *collective,
				 const char *name, aclrtStream stream);

#endif /* ACLNN_COLLECTIVE_H */
