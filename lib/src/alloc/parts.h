/* SPDX-License-Identifier: MIT */
/* The parts of which device memory is made up, for libhccl. */
#ifndef VNPU_LIB_PARTS_H
#define VNPU_LIB_PARTS_H

#include <stdint.h>

#include "acl/acl_rt.h"

/**
 * vnpu_collective_memory_parts() - count the parts of device memory
 * @ptr: address of the first byte
 * @size: bytes, at least 1
 *
 * A part is an allocation or a mapping.  Adjoining mappings of the program, and
 * adjoining chunks of a pool, make up one buffer; adjoining allocations do not.
 *
 * Return: number of parts; 0 unless device memory has all bytes.
 */
ACL_FUNC_VISIBILITY unsigned int
vnpu_collective_memory_parts(const void *ptr, uint64_t size);

#endif /* VNPU_LIB_PARTS_H */
