/* SPDX-License-Identifier: MIT */
/*
 * The log, which CANN's environment variables control:
 *
 * ASCEND_GLOBAL_LOG_LEVEL	0 debug, 1 info, 2 warning, 3 error (the
 *				default), 4 nothing
 * ASCEND_MODULE_LOG_LEVEL	the same for APP, what the program logs, and
 *				RUNTIME, the library: APP=1:RUNTIME=2, for
 *				instance; goes before the former
 * ASCEND_SLOG_PRINT_TO_STDOUT	1: lines go to standard output
 * ASCEND_PROCESS_LOG_PATH	a directory: lines go to a file of the process
 *				in debug/plog below it, unless they are printed
 *
 * With none of the last two there is no log.  (CANN writes below the home
 * directory then; a simulator should leave no files behind unasked.)
 */
#ifndef VNPU_LIB_LOG_H
#define VNPU_LIB_LOG_H

#include <stdarg.h>

#include "acl/acl_base_rt.h"
#include "util.h"

/* Write a line for the library itself, on behalf of @func. */
void vnpu_log(aclLogLevel level, const char *func, const char *fmt, ...)
	VNPU_PRINTF(3, 4);

#endif /* VNPU_LIB_LOG_H */
