/* SPDX-License-Identifier: MIT */
/*
 * Pools under aclrtMalloc().
 */
#ifndef VNPU_LIB_POOL_DEFAULT_H
#define VNPU_LIB_POOL_DEFAULT_H

#include <stdint.h>

/*
 * Allocate of the pool that serves a device, by the driver's number, at its
 * user's request or by the environment; NULL if there is none, or no room in
 * it.  Tells no error.  The device is the current one.
 */
void *vnpu_default_alloc(uint32_t device, uint64_t size);

/*
 * Free what is at an address of any pool; -ENOENT if it is of none, else what
 * vnpu_pool_give() says.
 */
int vnpu_default_free(uint64_t addr);

/* Write what they have learned, if the environment says so. */
void vnpu_default_save(void);

/* The pool of the device is about to end. */
void vnpu_default_forget(uint32_t device);

#endif /* VNPU_LIB_POOL_DEFAULT_H */
