/* SPDX-License-Identifier: MIT */
/*
 * HCCL: symmetric windows, memory that is registered for operations.  Operations
 * read any buffer directly; a window only names memory.
 */
#ifndef HCCL_SYM_WIN_H
#define HCCL_SYM_WIN_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A window. */
typedef void *HcclCommSymWindow;

/**
 * HcclCommSymWinRegister() - make a window
 * @comm: the communicator; all ranks register windows of the same size
 * @addr: device memory, which must stay allocated
 * @size: bytes, inside one block or mapping
 * @winHandle: set to the window
 * @flag: 1
 *
 * The call does not wait for the other ranks.
 *
 * Errors: HCCL_E_PARA for other memory, or if it overlaps another window.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommSymWinRegister(HcclComm comm, void *addr,
	uint64_t size, HcclCommSymWindow *winHandle, uint32_t flag);

/**
 * HcclCommSymWinDeregister() - remove a window
 * @winHandle: the window; windows also end with their communicator
 *
 * Errors: HCCL_E_PARA if it is not a window.
 */
ACL_FUNC_VISIBILITY HcclResult
HcclCommSymWinDeregister(HcclCommSymWindow winHandle);

/**
 * HcclCommSymWinGet() - find the window that contains memory
 * @comm: the communicator
 * @ptr: address
 * @size: bytes, at least 1
 * @winHandle: set to the window
 * @offset: set to the distance of @ptr from the start of the window
 *
 * Errors: HCCL_E_NOT_FOUND.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommSymWinGet(HcclComm comm, void *ptr,
	size_t size, HcclCommSymWindow *winHandle, size_t *offset);

#ifdef __cplusplus
}
#endif

#endif /* HCCL_SYM_WIN_H */
