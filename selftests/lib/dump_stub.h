/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions in place of the library's, for tests of lib/src/dump on the host. */
#ifndef SELFTESTS_LIB_DUMP_STUB_H
#define SELFTESTS_LIB_DUMP_STUB_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

#include "acl/acl_dump.h"
#include "acl/acl_rt.h"
#include "base/error.h"
#include "base/log.h"
#include "dump/dump.h"
#include "stream/copy.h"
#include "stream/stream.h"
#include "dump_look.h"

/* Behind the library's ARRAY_SIZE. */
#include "kselftest_harness.h"

int __lsan_do_recoverable_leak_check(void);

static char message[4096];	/* the last one of an error */
static aclError wait_result;
static bool reach = true;

__thread const char *vnpu_call_name;

aclError vnpu_error(aclError code, const char *fmt, ...)
{
	va_list list;

	va_start(list, fmt);
	vsnprintf(message, sizeof(message), fmt, list);
	va_end(list);
	return code;
}

aclError vnpu_error_null(const char *argument)
{
	return vnpu_error(ACL_ERROR_INVALID_PARAM, "%s is NULL", argument);
}

void vnpu_log(aclLogLevel level, const char *func, const char *fmt, ...)
{
	(void)level;
	(void)func;
	(void)fmt;
}

aclError vnpu_stream_wait(struct vnpu_stream *which, int32_t timeout)
{
	(void)which;
	(void)timeout;
	return wait_result;
}

bool vnpu_copy_reach(const void *ptr, uint64_t length, uint64_t *va)
{
	(void)length;
	*va = (uintptr_t)ptr;
	return reach;
}

aclError vnpu_copy(void *dst, const void *src, uint64_t length)
{
	memcpy(dst, src, length);
	return ACL_SUCCESS;
}

/*
 * The linker replaces the functions of the heap by these, which let one
 * allocation fail.
 */
static unsigned int fail_at;	/* number of the allocation, or 0 for none */

static bool fails(void)
{
	bool now = fail_at && !--fail_at;

	if (now)
		errno = ENOMEM;
	return now;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_reallocarray(void *old, size_t nr, size_t size);
FILE *__real_open_memstream(char **text, size_t *size);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t nr, size_t size)
{
	return fails() ? NULL : __real_calloc(nr, size);
}

void *__wrap_reallocarray(void *old, size_t nr, size_t size)
{
	return fails() ? NULL : __real_reallocarray(old, nr, size);
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
	return fails() ? NULL : __real_open_memstream(text, size);
}

#endif
