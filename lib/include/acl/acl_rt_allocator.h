/* SPDX-License-Identifier: MIT */
/*
 * Allocators of programs: a program can register functions that allocate memory
 * for a stream, for the libraries above to look up.  This library itself never
 * calls them.
 */
#ifndef ACL_ACL_RT_ALLOCATOR_H
#define ACL_ACL_RT_ALLOCATOR_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *(*aclrtAllocatorAllocFunc)(aclrtAllocator allocator, size_t size);
typedef void (*aclrtAllocatorFreeFunc)(aclrtAllocator allocator,
	aclrtAllocatorBlock block);
typedef void *(*aclrtAllocatorAllocAdviseFunc)(aclrtAllocator allocator,
	size_t size, aclrtAllocatorAddr addr);
typedef void *(*aclrtAllocatorGetAddrFromBlockFunc)(aclrtAllocatorBlock block);

/**
 * aclrtAllocatorCreateDesc() - create an empty description of an allocator
 *
 * Return: a description, to be freed with aclrtAllocatorDestroyDesc(); NULL
 * without host memory.
 */
ACL_FUNC_VISIBILITY aclrtAllocatorDesc aclrtAllocatorCreateDesc(void);

/**
 * aclrtAllocatorDestroyDesc() - free a description of an allocator
 * @allocatorDesc: the description; streams that it was registered for keep a
 *	copy
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or an invalid description.
 */
ACL_FUNC_VISIBILITY aclError
aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc);

/**
 * aclrtAllocatorSetObjToDesc() - set the object that is passed to the functions
 * @allocatorDesc: the description
 * @allocator: the program's object
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or an invalid description.
 */
ACL_FUNC_VISIBILITY aclError
aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc,
	aclrtAllocator allocator);

/**
 * aclrtAllocatorSetAllocFuncToDesc() - set the function that allocates
 * @allocatorDesc: the description
 * @func: the function
 *
 * Errors: as aclrtAllocatorSetObjToDesc().
 */
ACL_FUNC_VISIBILITY aclError
aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc,
	aclrtAllocatorAllocFunc func);

/**
 * aclrtAllocatorSetFreeFuncToDesc() - set the function that frees
 * @allocatorDesc: the description
 * @func: the function
 *
 * Errors: as aclrtAllocatorSetObjToDesc().
 */
ACL_FUNC_VISIBILITY aclError
aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc,
	aclrtAllocatorFreeFunc func);

/**
 * aclrtAllocatorSetAllocAdviseFuncToDesc() - set the function that allocates
 * near an address
 * @allocatorDesc: the description
 * @func: the function; the only one that is optional
 *
 * Errors: as aclrtAllocatorSetObjToDesc().
 */
ACL_FUNC_VISIBILITY aclError
aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc,
	aclrtAllocatorAllocAdviseFunc func);

/**
 * aclrtAllocatorSetGetAddrFromBlockFuncToDesc() - set the function that returns
 * the address of a block
 * @allocatorDesc: the description
 * @func: the function
 *
 * Errors: as aclrtAllocatorSetObjToDesc().
 */
ACL_FUNC_VISIBILITY aclError
aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
	aclrtAllocatorGetAddrFromBlockFunc func);

/**
 * aclrtAllocatorRegister() - register an allocator for a stream
 * @stream: the stream, not NULL
 * @allocatorDesc: a complete description, which is copied
 *
 * Replaces the earlier registration for the stream.  The registration ends with
 * the stream.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, an invalid description or stream,
 * and a description without object or without a required function.
 */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorRegister(aclrtStream stream,
	aclrtAllocatorDesc allocatorDesc);

/**
 * aclrtAllocatorGetByStream() - get the allocator of a stream
 * @stream: the stream
 * @allocatorDesc: set to the description that was registered, which may have
 *	been destroyed since
 * @allocator: set to the program's object, or NULL
 * @allocFunc: set to the function that allocates, or NULL
 * @freeFunc: set to the function that frees, or NULL
 * @allocAdviseFunc: set to the function that allocates near an address, or to
 *	NULL if there is none; or NULL
 * @getAddrFromBlockFunc: set to the function that returns the address of a
 *	block, or NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @stream or @allocatorDesc, and for
 * a stream without an allocator.
 */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorGetByStream(aclrtStream stream,
	aclrtAllocatorDesc *allocatorDesc, aclrtAllocator *allocator,
	aclrtAllocatorAllocFunc *allocFunc, aclrtAllocatorFreeFunc *freeFunc,
	aclrtAllocatorAllocAdviseFunc *allocAdviseFunc,
	aclrtAllocatorGetAddrFromBlockFunc *getAddrFromBlockFunc);

/**
 * aclrtAllocatorUnregister() - forget the allocator of a stream
 * @stream: the stream; one without an allocator is fine
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtAllocatorUnregister(aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_ALLOCATOR_H */
