/* SPDX-License-Identifier: MIT */
/*
 * The log, which CANN's environment variables control:
 *
 * ASCEND_GLOBAL_LOG_LEVEL	0 debug, 1 info, 2 warning, 3 error (the
 *				default), 4 none
 * ASCEND_MODULE_LOG_LEVEL	the level for APP, the program, and RUNTIME,
 *				the library, as in APP=1:RUNTIME=2; takes
 *				precedence over the global level
 * ASCEND_SLOG_PRINT_TO_STDOUT	1: lines go to standard output
 * ASCEND_PROCESS_LOG_PATH	a directory: lines go to a file of the process
 *				in debug/plog below it, unless they are printed
 *
 * Without the last two there is no log.  (CANN then writes below the home
 * directory; a simulator should not create files unless requested.)
 */
#ifndef VNPU_LIB_LOG_H
#define VNPU_LIB_LOG_H

#include <stdarg.h>

#include "acl/acl_base_rt.h"
#include "util.h"

/* Write a line of the library itself, on behalf of @func. */
void vnpu_log(aclLogLevel level, const char *func, const char *fmt, ...)
	VNPU_PRINTF(3, 4);

#endif /* VNPU_LIB_LOG_H */
