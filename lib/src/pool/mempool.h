/* SPDX-License-Identifier: MIT */
/*
 * Pools of device memory, see mempool_segment.c.
 */
#ifndef VNPU_LIB_MEMPOOL_H
#define VNPU_LIB_MEMPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/stream.h"

/* Check whether there are pools, without the lock. */
bool vnpu_mempool_exists(void);

/*
 * Return memory that no stream uses any more; each pool keeps as much as its
 * threshold, or with @all nothing.  True if there was any.
 */
bool vnpu_mempool_trim_all(bool all);

/*
 * Free an allocation of a pool at @va, at once; -ENOENT if it belongs to no
 * pool, -EALREADY if it was freed before.
 */
int vnpu_mempool_free(uint64_t va);

/*
 * End the pools of a device with their allocations, and free all other memory
 * on it.  This is one operation, because an address that becomes free could be
 * reused by a pool that another thread creates in between.  0 or -errno.
 */
int vnpu_mempool_reset(int32_t user_device, uint32_t device);

#endif /* VNPU_LIB_MEMPOOL_H */
