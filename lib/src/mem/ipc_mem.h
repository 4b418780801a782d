/* SPDX-License-Identifier: MIT */
/*
 * Memory that other processes share by keys, see mem/ipc_mem.c.
 */
#ifndef VNPU_LIB_IPC_MEM_H
#define VNPU_LIB_IPC_MEM_H

#include <stdint.h>

/* Close all imports to a device; the runtime lock is held. */
void vnpu_ipc_close_all(uint32_t device);

#endif /* VNPU_LIB_IPC_MEM_H */
