/* SPDX-License-Identifier: MIT */
/*
 * Errors: the code that a call returns, the thread's last error, and the
 * message that explains it.
 *
 * Inside the library functions return 0 or -errno; a call of AscendCL ends
 * with one of the functions here, which make its return value.
 */
#ifndef VNPU_LIB_ERROR_H
#define VNPU_LIB_ERROR_H

#include "acl/acl_rt.h"
#include "acl/error_codes/rt_error_codes.h"
#include "util.h"

/**
 * vnpu_error() - fail with a code
 * @code: what the call returns; a code of the runtime (all but those of the
 *	interface layer) also becomes the thread's last error
 * @call: name of the AscendCL call
 * @fmt: names the argument and its value, says what is wrong and what helps
 *
 * Return: @code.
 */
aclError vnpu_error(aclError code, const char *call, const char *fmt, ...)
	VNPU_PRINTF(3, 4);

/* A NULL pointer where none is allowed: ACL_ERROR_INVALID_PARAM. */
aclError vnpu_error_null(const char *call, const char *argument);

/* The code for what the kernel said, as -errno; @what it was asked for. */
aclError vnpu_error_errno(int err, const char *call, const char *what);

/* The code of a task that failed with a positive errno, at an address or 0. */
aclError vnpu_error_task_code(uint32_t err, uint64_t addr);

/* vnpu_io_open() failed with @err. */
aclError vnpu_error_open(int err, const char *call);

/* Whether messages belong to the process and not to each thread. */
void vnpu_error_share_messages(bool share);

#endif /* VNPU_LIB_ERROR_H */
