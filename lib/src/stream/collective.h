/* SPDX-License-Identifier: MIT */
/*
 * Functions for libhccl, the library of collective operations.  They are exported
 * for that library alone, which is always of the same version.
 */
#ifndef VNPU_LIB_COLLECTIVE_H
#define VNPU_LIB_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

enum vnpu_collective_op {
	VNPU_COLLECTIVE_SUM,
	VNPU_COLLECTIVE_PROD,
	VNPU_COLLECTIVE_MAX,
	VNPU_COLLECTIVE_MIN,
};

/* The most arrays that one task reduces into another. */
#define VNPU_COLLECTIVE_SOURCES	4

/**
 * vnpu_collective_reduce() - submit a task that reduces arrays into another
 * @dst: device address of the array that changes
 * @src: device addresses of the other arrays, in the order of the operations; each
 *	is @dst, or does not overlap it
 * @nr: number of these, from 1 to VNPU_COLLECTIVE_SOURCES
 * @replaces: @dst is no operand; @nr is at least 2
 * @count: number of elements
 * @op: the operation
 * @type: a type of integers from 8 to 64 bits, or of floating-point numbers
 * @stream: a stream of the current context, or NULL
 *
 * Unlike aclrtReduceAsync() it takes all operations and types of the driver.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID; as aclrtReduceAsync().
 */
ACL_FUNC_VISIBILITY aclError
vnpu_collective_reduce(uint64_t dst, const uint64_t src[], unsigned int nr,
		       bool replaces, uint64_t count,
		       enum vnpu_collective_op op, aclDataType type,
		       aclrtStream stream);

/*
 * Set a counting notify in the order of a stream, or let the stream wait until it has
 * at least a value.  Unlike the calls of AscendCL they use all 64 bits of the counter.
 * Return: as aclrtCntNotifyRecord() and aclrtCntNotifyWaitWithTimeout().
 */
ACL_FUNC_VISIBILITY aclError
vnpu_collective_count_set(aclrtCntNotify notify, uint64_t value,
			  aclrtStream stream);
ACL_FUNC_VISIBILITY aclError
vnpu_collective_count_wait(aclrtCntNotify notify, uint64_t value,
			   aclrtStream stream);

/*
 * Mark the calling thread as one of libhccl: operators that it launches are parts of a
 * collective, which no dump shows.  The thread must not wait for its streams.
 */
ACL_FUNC_VISIBILITY void vnpu_collective_begin_thread(void);

/* Check whether the calling thread is one of libhccl. */
bool vnpu_collective_is_thread(void);

/* Check whether a stream is bound to a model, see aclmdlRIBindStream(). */
ACL_FUNC_VISIBILITY bool vnpu_collective_is_bound(aclrtStream stream);

#endif /* VNPU_LIB_COLLECTIVE_H */
