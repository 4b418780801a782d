/* SPDX-License-Identifier: MIT */
/*
 * Pools of device memory, see mempool_segment.c.
 */
#ifndef VNPU_LIB_MEMPOOL_H
#define VNPU_LIB_MEMPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "stream.h"

/*
 * Give back what no stream uses any more; of each pool as much as its threshold
 * is kept, or with @all nothing.  True if there was something.
 */
bool vnpu_mempool_trim_all(bool all);

/*
 * Free what a pool has allocated at @va, at once; -ENOENT if it is no pool's, or
 * -EALREADY if it was freed before.
 */
int vnpu_mempool_free(uint64_t va);

/*
 * The pools of a device end, with what is allocated, and all else that is
 * allocated on it.  At once, as addresses that are free again could be those of
 * a pool that another thread has made meanwhile.  0 or -errno.
 */
int vnpu_mempool_reset(int32_t user_device, uint32_t device);

#endif /* VNPU_LIB_MEMPOOL_H */
