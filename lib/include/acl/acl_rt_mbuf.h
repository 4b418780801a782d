/* SPDX-License-Identifier: MIT */
/*
 * Shared buffers: device memory that has a length of valid data, and 96 bytes
 * of user data for the control information of a program.  Buffers can refer to
 * the same memory, and can be chained.
 *
 * A chain is named by its first buffer, the head; a buffer alone is the head of
 * a chain of one.  A buffer belongs to the device that was current when its
 * memory was allocated, and ends with the reset of that device at the latest.
 *
 * Any thread may make any of these calls.  None but aclrtAllocBuf() needs a
 * context.
 */
#ifndef ACL_ACL_RT_MBUF_H
#define ACL_ACL_RT_MBUF_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtAllocBuf() - allocate a buffer with memory of the current device
 * @buf: set to the buffer; its data has length 0
 * @size: bytes of memory, at least 1 and at most 4 GiB
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for
 * more than 4 GiB, ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_MEMORY_ALLOCATION as
 * of aclrtMalloc(), ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError aclrtAllocBuf(aclrtMbuf *buf, size_t size);

/**
 * aclrtFreeBuf() - free all buffers of a chain
 * @buf: the head of a chain
 *
 * The memory of each is freed unless other buffers refer to it.  As
 * aclrtFree(), this does not wait for tasks that use the memory.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * buffer that was freed or that is not the head of its chain.
 */
ACL_FUNC_VISIBILITY aclError aclrtFreeBuf(aclrtMbuf buf);

/**
 * aclrtGetBufData() - get the memory of a buffer
 * @buf: a buffer
 * @dataPtr: set to its device address, which aclrtFree() must not free
 * @size: set to its size in bytes, as requested
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * buffer that was freed.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetBufData(const aclrtMbuf buf,
	void **dataPtr, size_t *size);

/**
 * aclrtSetBufDataLen() - set the length of the valid data
 * @buf: a buffer
 * @len: bytes, at least 1 and at most the size of its memory
 *
 * The length belongs to this buffer, not to the memory.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * buffer that was freed or another @len.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len);

/**
 * aclrtGetBufDataLen() - get the length of the valid data
 * @buf: a buffer
 * @len: set to the bytes, or to 0 if they were never set
 *
 * Errors: as aclrtGetBufData().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t *len);

/**
 * aclrtSetBufUserData() - write the user data of a buffer
 * @buf: a buffer
 * @dataPtr: bytes to write
 * @size: their number
 * @offset: first byte of the user data to write; with @size at most 96
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or a range beyond 96 bytes,
 * ACL_ERROR_RT_PARAM_INVALID for a buffer that was freed.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetBufUserData(aclrtMbuf buf,
	const void *dataPtr, size_t size, size_t offset);

/**
 * aclrtGetBufUserData() - read the user data of a buffer
 * @buf: a buffer
 * @dataPtr: filled
 * @size: number of bytes
 * @offset: first byte of the user data to read; with @size at most 96
 *
 * User data that was never written is zero.
 *
 * Errors: as aclrtSetBufUserData().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetBufUserData(const aclrtMbuf buf,
	void *dataPtr, size_t size, size_t offset);

/**
 * aclrtCopyBufRef() - create buffers that refer to the memory of others
 * @buf: a buffer
 * @newBuf: set to the head of a new chain
 *
 * The new chain has a buffer for @buf and for each after it in its chain, with
 * their lengths and copies of their user data.
 *
 * Errors: as aclrtGetBufData(), and ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError aclrtCopyBufRef(const aclrtMbuf buf,
	aclrtMbuf *newBuf);

/**
 * aclrtAppendBufChain() - append a chain to another one
 * @headBuf: the head of a chain
 * @buf: the head of another one, which ends
 *
 * A chain has at most 128 buffers.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * buffer that was freed or that is not the head of its chain, for the same
 * chain twice, and for a result of more than 128 buffers.
 */
ACL_FUNC_VISIBILITY aclError aclrtAppendBufChain(aclrtMbuf headBuf,
	aclrtMbuf buf);

/**
 * aclrtGetBufFromChain() - get a buffer of a chain by its index
 * @headBuf: the head of a chain
 * @index: index, from 0
 * @buf: set to the buffer
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * buffer that was freed or that is not the head of its chain, and for an @index
 * beyond the chain.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetBufFromChain(aclrtMbuf headBuf,
	uint32_t index, aclrtMbuf *buf);

/**
 * aclrtGetBufChainNum() - get the number of buffers of a chain
 * @headBuf: the head of a chain
 * @num: set to the number, at least 1
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * buffer that was freed or that is not the head of its chain.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetBufChainNum(aclrtMbuf headBuf,
	uint32_t *num);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_MBUF_H */
