// SPDX-License-Identifier: MIT
/*
 * Lists of arguments in memory of the program, see args.h.
 *
 * The handle of such a list is its address, which a program may pass when the
 * memory is free again.  So before the library uses an address, it has the kernel
 * read there, and checks the contents.  It cannot protect a program that unmaps the
 * memory during a call, or has made it read-only.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "args.h"
#include "binary.h"

#define MAGIC	0x7647524156504e57ULL

/*
 * Handles are in the part of the address space that programs do not have: they
 * begin with their kind, and user space has at most 56 bits.  A pointer with a tag
 * in its highest byte (arm64) is no list.
 */
static bool is_address(const void *handle)
{
	return handle && !(vnpu_ptr_to_u64(handle) >> 56) &&
	       !(vnpu_ptr_to_u64(handle) % VNPU_ARGS_SLOT);
}

/* The kernel reads a set of signals before it refuses to do -1 with it. */
static bool is_readable(const void *at)
{
	int before = errno;
	bool is_there;

	syscall(SYS_rt_sigprocmask, -1, at, NULL, sizeof(uint64_t));
	is_there = errno == EINVAL;
	errno = before;
	return is_there;
}

/* Functions that may read free memory, by design. */
#define READS_ANYTHING	__attribute__((no_sanitize("address", "thread")))

/* Check all sizes and offsets of a list, and the ends of its buffer. */
READS_ANYTHING
static bool is_sound(const struct vnpu_args *args)
{
	if (args->handle || args->count > VNPU_ARGS_PARAMS ||
	    args->room < VNPU_ARGS_SLOT || args->room > VNPU_ARGS_BYTES ||
	    args->used > args->room ||
	    args->end > args->used)
		return false;
	for (uint32_t i = 0; i < args->count; i++) {
		const struct vnpu_arg *arg = &args->args[i];

		if (arg->offset > args->end ||
		    arg->size > args->end - arg->offset ||
		    (arg->is_place && arg->size != sizeof(uint64_t)) ||
		    arg->data > args->used)
			return false;
	}
	return is_readable(args->buffer) &&
	       is_readable(args->buffer + args->room - sizeof(uint64_t));
}

READS_ANYTHING
struct vnpu_args *vnpu_args_user(aclrtArgsHandle handle)
{
	struct vnpu_args *args = handle;

	if (!is_address(handle) || !is_readable(args) ||
	    !is_readable((char *)(args + 1) - sizeof(uint64_t)))
		return NULL;
	if (args->magic == MAGIC && args->self == vnpu_ptr_to_u64(args) &&
	    vnpu_handle_is_live(args->binary) && is_sound(args))
		return args;
	return NULL;
}

aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle,
				      aclrtArgsHandle argsHandle,
				      void *userHostMem, size_t actualArgsSize)
{
	VNPU_CALL();
	struct vnpu_function *function;
	struct vnpu_args *args = argsHandle;
	uint64_t binary;
	aclError ret;

	if (!argsHandle)
		return vnpu_error_null("argsHandle");
	if (!userHostMem)
		return vnpu_error_null("userHostMem");
	ret = vnpu_function_get(funcHandle, &function);
	if (ret)
		return ret;
	binary = function->binary->handle;
	vnpu_function_put(function);
	if (!is_address(argsHandle))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"argsHandle = %p is not memory that is aligned to %d",
			argsHandle, VNPU_ARGS_SLOT);
	if (actualArgsSize < VNPU_ARGS_SLOT)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"actualArgsSize = %zu is below the %d bytes of an argument; pass the size from aclrtKernelArgsGetMemSize",
			actualArgsSize, VNPU_ARGS_SLOT);
	if (actualArgsSize > VNPU_ARGS_BYTES)
		actualArgsSize = VNPU_ARGS_BYTES;
	memset(args, 0, sizeof(*args));
	args->magic = MAGIC;
	args->self = vnpu_ptr_to_u64(args);
	args->binary = binary;
	args->number = vnpu_args_number();
	args->buffer = userHostMem;
	args->room = actualArgsSize;
	return ACL_SUCCESS;
}

/* Check the handle of a function, which a call needs for nothing else. */
static aclError check_function(aclrtFuncHandle handle)
{
	struct vnpu_function *function;
	aclError ret = vnpu_function_get(handle, &function);

	if (!ret)
		vnpu_function_put(function);
	return ret;
}

aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle,
					 size_t *memSize)
{
	VNPU_CALL();
	aclError ret;

	if (!memSize)
		return vnpu_error_null("memSize");
	ret = check_function(funcHandle);
	if (!ret)
		*memSize = sizeof(struct vnpu_args);
	return ret;
}

aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle,
				   size_t userArgsSize, size_t *actualArgsSize)
{
	VNPU_CALL();
	aclError ret;

	if (!actualArgsSize)
		return vnpu_error_null("actualArgsSize");
	ret = check_function(funcHandle);
	if (ret)
		return ret;
	if (userArgsSize > VNPU_ARGS_BYTES)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"userArgsSize = %zu is too large; arguments take at most %u bytes",
			userArgsSize, VNPU_ARGS_BYTES);
	/* There are no hidden arguments; slots have whole words. */
	*actualArgsSize = vnpu_align_up(userArgsSize, VNPU_ARGS_SLOT);
	return ACL_SUCCESS;
}
