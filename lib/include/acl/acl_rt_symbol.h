/* SPDX-License-Identifier: MIT */
/*
 * Variables of kernels that the host addresses by symbols (not supported).
 *
 * Variables of kernels are in the process that runs kernels, and have no device
 * addresses, so vnpu-cc registers no symbols.  Pass memory of aclrtMalloc() to
 * the kernel instead.
 *
 * Errors of all calls: ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_INVALID_SYMBOL for any other @symbol.
 */
#ifndef ACL_ACL_RT_SYMBOL_H
#define ACL_ACL_RT_SYMBOL_H

#include <stddef.h>

#include "acl_base.h"
#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclrtGetSymbolAddress() - get the device address of a variable (not supported)
 * @symbol: address of the variable in the host program
 * @devPtr: unchanged
 */
ACL_FUNC_VISIBILITY aclError aclrtGetSymbolAddress(const void *symbol,
	void **devPtr);

/**
 * aclrtGetSymbolSize() - get the size of a variable (not supported)
 * @symbol: address of the variable in the host program
 * @size: unchanged
 */
ACL_FUNC_VISIBILITY aclError aclrtGetSymbolSize(const void *symbol,
	size_t *size);

/**
 * aclrtMemcpyFromSymbol() - copy from a variable (not supported)
 * @dst: the destination
 * @dstMax: its size in bytes
 * @symbol: address of the variable in the host program
 * @count: bytes to copy
 * @offset: bytes of the variable before the first
 * @kind: the direction
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyFromSymbol(void *dst, size_t dstMax,
	const void *symbol, size_t count, size_t offset, aclrtMemcpyKind kind);

/**
 * aclrtMemcpyFromSymbolAsync() - copy from a variable in a stream (not
 * supported)
 * @dst: the destination
 * @dstMax: its size in bytes
 * @symbol: address of the variable in the host program
 * @count: bytes to copy
 * @offset: bytes of the variable before the first
 * @kind: the direction
 * @stream: the stream
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyFromSymbolAsync(void *dst,
	size_t dstMax, const void *symbol, size_t count, size_t offset,
	aclrtMemcpyKind kind, aclrtStream stream);

/**
 * aclrtMemcpyToSymbol() - copy to a variable (not supported)
 * @symbol: address of the variable in the host program
 * @src: the source
 * @count: bytes to copy
 * @offset: bytes of the variable before the first
 * @kind: the direction
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyToSymbol(const void *symbol,
	const void *src, size_t count, size_t offset, aclrtMemcpyKind kind);

/**
 * aclrtMemcpyToSymbolAsync() - copy to a variable in a stream (not supported)
 * @symbol: address of the variable in the host program
 * @src: the source
 * @count: bytes to copy
 * @offset: bytes of the variable before the first
 * @kind: the direction
 * @stream: the stream
 */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyToSymbolAsync(const void *symbol,
	const void *src, size_t count, size_t offset, aclrtMemcpyKind kind,
	aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_SYMBOL_H */
