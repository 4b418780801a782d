/* SPDX-License-Identifier: MIT */
/* The memory of communication buffers on a device, see pool.c. */
#ifndef VNPU_HCCL_POOL_H
#define VNPU_HCCL_POOL_H

#include <stdint.h>

#include "acl/acl.h"

struct hccl_pool;

/* Get the memory of the current device, which has number @device. */
aclError hccl_pool_get(int32_t device, struct hccl_pool **pool);

/* Drop a reference; @pool may be NULL.  The caller has freed all its memory. */
void hccl_pool_put(struct hccl_pool *pool);

/* Allocate memory; @alignment is a power of two, at most 4096. */
aclError hccl_pool_alloc(struct hccl_pool *pool, uint64_t size,
			 uint64_t alignment, void **at);

/*
 * Free memory; @at may be NULL, and so may @pool if the reset of the device has
 * freed all memory.
 */
void hccl_pool_free(struct hccl_pool *pool, void *at);

/* A child of fork() has none; under hccl_lock(). */
void hccl_pool_in_child(void);

#endif /* VNPU_HCCL_POOL_H */
