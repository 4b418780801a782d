/* SPDX-License-Identifier: MIT */
/*
 * Pools under aclrtMalloc().
 */
#ifndef VNPU_LIB_POOL_DEFAULT_H
#define VNPU_LIB_POOL_DEFAULT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Allocate from the pool that the program or the environment has set for a
 * device, by the driver's number; NULL if there is none, or without room.
 * Reports no error.  The device is the current one.
 */
void *vnpu_default_alloc(uint32_t device, uint64_t size);

/* Check whether a device has such a pool. */
bool vnpu_default_is_set(uint32_t device);

/*
 * Free memory of any pool; -ENOENT if it belongs to none, else the result of
 * vnpu_cache_free().
 */
int vnpu_default_free(uint64_t addr);

/* Write the profiles, if the environment asks for them. */
void vnpu_default_save(void);

/* Detach the pool of a device that is about to end. */
void vnpu_default_forget(uint32_t device);

#endif /* VNPU_LIB_POOL_DEFAULT_H */
