/* SPDX-License-Identifier: MIT */
/*
 * Functions for libhccl, the library of collective operations.  They are exported
 * for that library alone, which is always of the same version.
 */
#ifndef VNPU_LIB_COLLECTIVE_H
#define VNPU_LIB_COLLECTIVE_H

#include <stdint.h>

#include "acl/acl_rt.h"

enum vnpu_collective_op {
	VNPU_COLLECTIVE_SUM,
	VNPU_COLLECTIVE_PROD,
	VNPU_COLLECTIVE_MAX,
	VNPU_COLLECTIVE_MIN,
};

/**
 * vnpu_collective_reduce() - submit a task that reduces an array into another
 * @dst: device address of the array that changes
 * @src: device address of the other array; it must not overlap @dst
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
vnpu_collective_reduce(void *dst, const void *src, uint64_t count,
		       enum vnpu_collective_op op, aclDataType type,
		       aclrtStream stream);

#endif /* VNPU_LIB_COLLECTIVE_H */
