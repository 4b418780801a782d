/* SPDX-License-Identifier: MIT */
/*
 * Errors: the code that a call returns, the thread's last error, and the
 * message that explains it.
 *
 * Functions inside the library return 0 or -errno.  A call of AscendCL converts
 * this with one of the functions here, and returns their result.
 */
#ifndef VNPU_LIB_ERROR_H
#define VNPU_LIB_ERROR_H

#include "acl/acl_rt.h"
#include "acl/error_codes/rt_error_codes.h"
#include "util.h"

/**
 * vnpu_error() - fail with a code
 * @code: the return value of the call; a code of the runtime (all but those of
 *	the interface layer) also becomes the thread's last error
 * @call: name of the AscendCL call
 * @fmt: names the argument and its value, the error and the remedy
 *
 * Return: @code.
 */
aclError vnpu_error(aclError code, const char *call, const char *fmt, ...)
	VNPU_PRINTF(3, 4);

/*
 * Fail with ACL_ERROR_INVALID_PARAM for a NULL pointer where none is allowed.
 */
aclError vnpu_error_null(const char *call, const char *argument);

/* Fail with the code for a -errno of the kernel; @what names the operation. */
aclError vnpu_error_errno(int err, const char *call, const char *what);

/*
 * Get the code of a task that failed with a positive errno, at an address or 0.
 */
aclError vnpu_error_task_code(uint32_t err, uint64_t addr);

/* Fail with the code for the error @err of vnpu_io_open(). */
aclError vnpu_error_open(int err, const char *call);

/* Set whether messages belong to the process instead of each thread. */
void vnpu_error_share_messages(bool share);

#endif /* VNPU_LIB_ERROR_H */
