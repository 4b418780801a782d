/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills of memory.
 */
#ifndef ACL_ACL_RT_COPY_H
#define ACL_ACL_RT_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_memory.h"
#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Locations of both ends of some copies of a batch. */
typedef struct aclrtMemcpyBatchAttr {
	aclrtMemLocation dstLoc;
	aclrtMemLocation srcLoc;
	uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

/**
 * aclrtMemcpy() - copy memory, and wait for it
 * @dst: device or host address
 * @destMax: bytes that fit at @dst
 * @src: device or host address
 * @count: bytes; 0 succeeds whatever the other arguments are
 * @kind: must be a value up to ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE; otherwise
 *	ignored, because the addresses imply the direction
 *
 * The copy is not ordered with any stream.  Addresses may have any alignment
 * and be of different devices.  Ranges may overlap only if both are device
 * memory.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind,
 * ACL_ERROR_RT_PARAM_INVALID when @count exceeds @destMax or a range leaves its
 * allocation, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void *dst, size_t destMax,
	const void *src, size_t count, aclrtMemcpyKind kind);

/**
 * aclrtMemset() - set memory to a byte, and wait for it
 * @devPtr: device or host memory
 * @maxCount: bytes that fit there
 * @value: its low 8 bits are used
 * @count: bytes; 0 succeeds whatever the other arguments are
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID when
 * @count exceeds @maxCount or the range leaves its allocation on the device,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemset(void *devPtr, size_t maxCount,
	int32_t value, size_t count);

/**
 * aclrtMemsetD32() - set memory to a 32-bit value, and wait for it
 * @ptr: device memory, or memory of aclrtMallocHost(), aligned to 4 bytes
 * @memSize: bytes that fit there
 * @value: the value
 * @N: number of values; 0 succeeds whatever the other arguments are
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, an address that is not aligned or
 * neither of these memories, or when @N values exceed @memSize;
 * ACL_ERROR_RT_PARAM_INVALID when the range leaves its allocation;
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32(void *ptr, size_t memSize,
	uint32_t value, size_t N);

/**
 * aclrtMemcpy2d() - copy a rectangle, and wait for it
 * @dst: device or host address
 * @dpitch: bytes from one row to the next at @dst
 * @src: device or host address
 * @spitch: bytes from one row to the next at @src
 * @width: bytes of a row, at most either pitch
 * @height: rows
 * @kind: ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST or
 *	ACL_MEMCPY_DEFAULT
 *
 * A @width or @height of 0 succeeds whatever the other arguments are.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, another @kind or a @width above a
 * pitch; ACL_ERROR_RT_PARAM_INVALID when a row leaves its allocation;
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2d(void *dst, size_t dpitch,
	const void *src, size_t spitch, size_t width, size_t height,
	aclrtMemcpyKind kind);

/**
 * aclrtMemcpyBatch() - make several copies, and wait for them
 * @dsts: destinations
 * @destMaxs: bytes that fit there
 * @srcs: sources
 * @sizes: bytes
 * @numBatches: length of the four arrays, at least 1
 * @attrs: locations of both ends of the copies
 * @attrsIndexes: for each element of @attrs the first copy that it describes:
 *	increasing from 0
 * @numAttrs: length of @attrs and @attrsIndexes, 1 to @numBatches
 * @failIndex: on failure, set to the copy that failed, or to SIZE_MAX if the
 *	error does not concern a single one
 *
 * Copies between host and device only: one of the ends of each copy is device
 * memory.  Copies before the one that failed may have been done.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID
 * for attributes that do not match the addresses or each other, and for copies
 * that aclrtMemcpy() rejects; ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes,
	size_t numBatches, aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
	size_t numAttrs, size_t *failIndex);

/**
 * aclrtMemcpyBatchV2() - make several copies, without reporting which one
 * failed
 * @dsts: destinations
 * @destMaxs: bytes that fit there
 * @srcs: sources
 * @sizes: bytes
 * @numBatches: length of the four arrays, at least 1
 * @attrs: locations of both ends of the copies
 * @attrsIndexes: for each element of @attrs the first copy that it describes
 * @numAttrs: length of @attrs and @attrsIndexes
 *
 * Errors: as aclrtMemcpyBatch().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs,
	void **srcs, size_t *sizes, size_t numBatches,
	aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs);

/*
 * Work for streams
 *
 * These calls submit a task to the stream and return.  They report invalid
 * arguments.  Invalid memory only shows when the stream executes the task, and
 * a wait for the stream reports it:
 *
 * ACL_ERROR_RT_SYS_DMA			an address is not allocated, or must not
 *					be accessed
 * ACL_ERROR_RT_PARAM_INVALID		the task is invalid
 * ACL_ERROR_RT_TASK_TIMEOUT		it exceeded its time limit
 * ACL_ERROR_RT_DEVICE_TASK_ABORT	the device was reset
 * ACL_ERROR_RT_DEVICE_MEM_ERROR	the device memory has an error
 * ACL_ERROR_RT_LOST_HEARTBEAT		the device is gone
 *
 * If a stream has 2048 pending tasks, a call waits until it has fewer.
 *
 * All of them may fail with ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL, and with the code of
 * the task that stopped the streams of the context.
 */

/**
 * aclrtMemcpyAsync() - submit a copy to a stream
 * @dst: device or host address
 * @destMax: bytes that fit there
 * @src: device or host address
 * @count: bytes; 0 succeeds whatever the other arguments are
 * @kind: a value of aclrtMemcpyKind; the addresses imply the direction
 * @stream: a stream of the current context, or NULL
 *
 * Host memory of aclrtMallocHost() or aclrtHostRegister() must stay valid until
 * the copy is done.  With other host memory the call waits for the stream, and
 * returns after the copy.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind,
 * ACL_ERROR_RT_PARAM_INVALID when @count exceeds @destMax,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT from host to host.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void *dst, size_t destMax,
	const void *src, size_t count, aclrtMemcpyKind kind,
	aclrtStream stream);

/**
 * aclrtMemcpyAsyncWithCondition() - submit a copy to a stream
 * @dst: device or host address
 * @destMax: bytes that fit there
 * @src: device or host address
 * @count: bytes
 * @kind: a value of aclrtMemcpyKind
 * @stream: a stream of the current context, or NULL
 *
 * Deprecated: use aclrtMemcpyAsync().
 *
 * Errors: as aclrtMemcpyAsync().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithCondition(void *dst,
	size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
	aclrtStream stream);

/**
 * aclrtMemsetAsync() - submit a task that sets memory to a byte
 * @devPtr: device or host memory
 * @maxCount: bytes that fit there
 * @value: its low 8 bits are used
 * @count: bytes; 0 succeeds whatever the other arguments are
 * @stream: a stream of the current context, or NULL
 *
 * Host memory that was not allocated by aclrtMallocHost() or registered is set
 * when the stream has completed its earlier tasks, before the call returns.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID when
 * @count exceeds @maxCount.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void *devPtr, size_t maxCount,
	int32_t value, size_t count, aclrtStream stream);

/**
 * aclrtMemsetD32Async() - submit a task that sets memory to a 32-bit value
 * @ptr: device memory, or memory of aclrtMallocHost(), aligned to 4 bytes
 * @memSize: bytes that fit there
 * @value: the value
 * @N: number of values; 0 succeeds whatever the other arguments are
 * @stream: a stream of the current context, or NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, an address that is not aligned or
 * neither of these memories, or when @N values exceed @memSize.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32Async(void *ptr, size_t memSize,
	uint32_t value, size_t N, aclrtStream stream);

/**
 * aclrtMemcpy2dAsync() - submit the copy of a rectangle to a stream
 * @dst: device or host address
 * @dpitch: bytes from one row to the next at @dst
 * @src: device or host address
 * @spitch: bytes from one row to the next at @src
 * @width: bytes of a row, at most either pitch and 5000000
 * @height: rows, at most 5242880
 * @kind: ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST,
 *	ACL_MEMCPY_DEVICE_TO_DEVICE or ACL_MEMCPY_DEFAULT
 * @stream: a stream of the current context, or NULL
 *
 * A @width or @height of 0 succeeds whatever the other arguments are.  The
 * rules of aclrtMemcpyAsync() for host memory apply.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, another @kind, or a @width or
 * @height that is too large; ACL_ERROR_RT_FEATURE_NOT_SUPPORT from host to
 * host.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch,
	const void *src, size_t spitch, size_t width, size_t height,
	aclrtMemcpyKind kind, aclrtStream stream);

/**
 * aclrtMemcpyBatchAsync() - submit several copies to a stream
 * @dsts: destinations
 * @destMaxs: bytes that fit there
 * @srcs: sources
 * @sizes: bytes
 * @numBatches: number of copies
 * @attrs: locations of their ends
 * @attrsIndexes: for each element of @attrs the first copy that it describes
 * @numAttrs: length of @attrs and @attrsIndexes
 * @failIndex: set on failure to the copy that failed, or to SIZE_MAX
 * @stream: a stream of the current context, or NULL
 *
 * The copies are not ordered.  If one has host memory that is not pinned, the
 * call returns after all copies.
 *
 * Errors: as aclrtMemcpyBatch().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsync(void **dsts,
	size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
	aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
	size_t *failIndex, aclrtStream stream);

/**
 * aclrtMemcpyBatchAsyncV2() - submit copies without reporting which one failed
 * @dsts: destinations
 * @destMaxs: bytes that fit there
 * @srcs: sources
 * @sizes: bytes
 * @numBatches: number of copies
 * @attrs: locations of their ends
 * @attrsIndexes: for each element of @attrs the first copy that it describes
 * @numAttrs: length of @attrs and @attrsIndexes
 * @stream: a stream of the current context, or NULL
 *
 * Errors: as aclrtMemcpyBatch().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsyncV2(void **dsts,
	size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
	aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
	aclrtStream stream);

/**
 * aclrtGetMemcpyDescSize() - get the size of a copy descriptor
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @descSize: set to the size in bytes
 *
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind,
	size_t *descSize);

/**
 * aclrtSetMemcpyDesc() - write a copy descriptor
 * @desc: device memory of aclrtGetMemcpyDescSize() bytes
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @srcAddr: source, a device address
 * @dstAddr: destination, a device address
 * @count: bytes
 * @config: reserved: must be NULL
 *
 * The descriptor is complete when the call returns.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, another @kind or a @config,
 * ACL_ERROR_RT_PARAM_INVALID for a @desc that is not allocated on a device,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetMemcpyDesc(void *desc,
	aclrtMemcpyKind kind, void *srcAddr, void *dstAddr, size_t count,
	void *config);

/**
 * aclrtMemcpyAsyncWithDesc() - submit the copy that a descriptor describes
 * @desc: written by aclrtSetMemcpyDesc()
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @stream: a stream of the current context, or NULL
 *
 * The stream reads the descriptor when it reaches the task.  If it is invalid,
 * the task fails.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind,
 * ACL_ERROR_RT_PARAM_INVALID for a @desc that is not in device memory or not
 * aligned to 8 bytes.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithDesc(void *desc,
	aclrtMemcpyKind kind, aclrtStream stream);

/**
 * aclrtMemcpyAsyncWithOffset() - submit a copy between addresses in memory
 * @dst: points to the device address to copy to
 * @destMax: bytes that fit there
 * @dstDataOffset: added to that address
 * @src: points to the device address to copy from
 * @count: bytes
 * @srcDataOffset: added to that address
 * @kind: ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
 * @stream: a stream of the current context, or NULL
 *
 * @dst and @src may be in device or host memory.  The stream reads them when it
 *	reaches the task.  If one is in host memory that is not pinned, or is
 *	not aligned to 8 bytes, the call waits for that.  If an address read
 *	there is not a device address, the task fails, or the call if it waits.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @kind,
 * ACL_ERROR_RT_PARAM_INVALID when @count exceeds @destMax.  A call that waits
 * also returns ACL_ERROR_RT_PARAM_INVALID for an address that is not a device
 * address, and the errors of aclrtSynchronizeStream().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithOffset(void **dst,
	size_t destMax, size_t dstDataOffset, const void **src, size_t count,
	size_t srcDataOffset, aclrtMemcpyKind kind, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_COPY_H */
