/* SPDX-License-Identifier: MIT */
/*
 * Errors: the code that a call returns, the thread's last error, and the
 * message that explains it.
 *
 * Functions inside the library return 0 or -errno.  A call of AscendCL converts
 * this with one of the functions here, and returns their result.  The message
 * begins with the name that VNPU_CALL() has set.
 */
#ifndef VNPU_LIB_ERROR_H
#define VNPU_LIB_ERROR_H

#include "acl/acl_rt.h"
#include "acl/error_codes/rt_error_codes.h"
#include "util.h"

/*
 * The name of the call of this thread, for messages; NULL in a thread of the
 * library outside of its callbacks.
 */
extern __thread const char *vnpu_call_name
	__attribute__((visibility("hidden")));

static inline void vnpu_call_end(const char *const *outer)
{
	vnpu_call_name = *outer;
}

static inline const char *vnpu_call_begin(const char *name)
{
	const char *outer = vnpu_call_name;

	vnpu_call_name = name;
	return outer;
}

/*
 * The first line of each exported function that can fail: sets the name of the
 * call until the function returns.  Then the name is that of the caller again:
 * of a call that makes another one, directly or in a callback.
 */
#define VNPU_CALL()	VNPU_CALL_AS(__func__)

/* The same under a name that is no function's. */
#define VNPU_CALL_AS(name) \
	__attribute__((cleanup(vnpu_call_end), unused)) \
	const char *const vnpu_outer = vnpu_call_begin(name)

/**
 * vnpu_error() - fail with a code
 * @code: the return value of the call; a code of the runtime (all but those of
 *	the interface layer) also becomes the thread's last error
 * @fmt: names the argument and its value, the error and the remedy
 *
 * Return: @code.
 */
aclError vnpu_error(aclError code, const char *fmt, ...)
	VNPU_PRINTF(2, 3);

/*
 * Fail with ACL_ERROR_INVALID_PARAM for a NULL pointer where none is allowed.
 */
aclError vnpu_error_null(const char *argument);

/* Fail with the code for a -errno of the kernel; @what names the operation. */
aclError vnpu_error_errno(int err, const char *what);

/*
 * Get the code of a task that failed with a positive errno, at an address or 0.
 */
aclError vnpu_error_task_code(uint32_t err, uint64_t addr);

/* Fail with the code for the error @err of vnpu_io_open(). */
aclError vnpu_error_open(int err);

/* Set whether messages belong to the process instead of each thread. */
void vnpu_error_share_messages(bool share);

#endif /* VNPU_LIB_ERROR_H */
