/* SPDX-License-Identifier: MIT */
/*
 * Frees of pools that are in the order of a stream.
 */
#ifndef VNPU_LIB_POOL_ASYNC_H
#define VNPU_LIB_POOL_ASYNC_H

#include <stdint.h>

/* Free what streams have done with. */
void vnpu_async_reap(uint64_t handle);

/* The pool is ending: nothing of it is to be freed. */
void vnpu_async_forget(uint64_t handle);

#endif /* VNPU_LIB_POOL_ASYNC_H */
