/* SPDX-License-Identifier: MIT */
/*
 * Memory that other processes share by keys, see mem/ipc_mem.c.
 */
#ifndef VNPU_LIB_IPC_MEM_H
#define VNPU_LIB_IPC_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_rt.h"

/* Close all imports to a device; the runtime lock is held. */
void vnpu_ipc_close_all(uint32_t device);

/*
 * For libhccl, for which they are exported.  They report no error, as the caller
 * has other means if memory cannot be shared.
 */

/* Share memory with all processes that get @key: 0 or -errno. */
ACL_FUNC_VISIBILITY int vnpu_collective_key_create(const void *ptr, size_t size,
						   char *key, size_t key_size);

/* Check whether the memory of a key of this process has not been freed. */
ACL_FUNC_VISIBILITY bool vnpu_collective_key_is_valid(const char *key);

#endif /* VNPU_LIB_IPC_MEM_H */
