/* SPDX-License-Identifier: MIT */
/*
 * Frees of pools in stream order.
 */
#ifndef VNPU_LIB_POOL_ASYNC_H
#define VNPU_LIB_POOL_ASYNC_H

#include <stdint.h>

/* Free memory that streams no longer use. */
void vnpu_async_reap(uint64_t handle);

/* Drop the queued frees of a pool that is being destroyed. */
void vnpu_async_forget(uint64_t handle);

#endif /* VNPU_LIB_POOL_ASYNC_H */
