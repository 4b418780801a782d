/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of dump_files.c: functions in place of the library's, and calls of
 * operators.
 */
#ifndef SELFTESTS_LIB_DUMP_FILES_H
#define SELFTESTS_LIB_DUMP_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>

#include "ops/call.h"

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

static struct vnpu_context context;
static struct vnpu_stream stream = { .context = &context, .number = 3 };

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

/* The heap, whose Nth allocation fails: the linker replaces these functions. */
static unsigned int fail_at;	/* 0: none fails */

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

/* A call of operators that is being made. */
struct call {
	_Alignas(8) char bytes[16384];
};

static struct vnpu_op_call *head_of(struct call *call)
{
	return (struct vnpu_op_call *)(void *)call->bytes;
}

static void call_begin(struct call *call)
{
	*head_of(call) = (struct vnpu_op_call){
		.size = sizeof(struct vnpu_op_call),
		.version = VNPU_OP_CALL_VERSION,
	};
}

/* Append a step; the tensors follow, the inputs first. */
static void call_add(struct call *call, int inputs, int outputs, ...)
{
	struct vnpu_op_call *head = head_of(call);
	struct vnpu_op_launch *l = (void *)(call->bytes + head->size);
	va_list list;

	l->version = VNPU_OP_VERSION;
	l->op = 1;
	l->inputs = inputs;
	l->outputs = outputs;
	l->size = offsetof(struct vnpu_op_launch, tensor[inputs + outputs]);
	va_start(list, outputs);
	for (int i = 0; i < inputs + outputs; i++)
		l->tensor[i] = *va_arg(list, const struct vnpu_tensor *);
	va_end(list);
	head->size += l->size;
	head->steps++;
}

/* Make a tensor whose dimensions follow. */
static struct vnpu_tensor tensor(unsigned int dtype, void *data, size_t bytes,
				 int rank, ...)
{
	int64_t dims[VNPU_TENSOR_DIMS];
	struct vnpu_tensor t;
	va_list list;

	va_start(list, rank);
	for (int i = 0; i < rank; i++)
		dims[i] = va_arg(list, int);
	va_end(list);
	vnpu_tensor_init(&t, dtype, rank, dims, data);
	t.bytes = bytes;
	return t;
}

/* Begin a dump as aclInit() does, with these members besides the path. */
static aclError begin_with(const char *members)
{
	char text[8192];

	snprintf(text, sizeof(text), "{\"dump\": {\"dump_path\": \"%s\", %s}}",
		 folder, members);
	return vnpu_dump_configure("acl.json", text);
}

/* Call aclmdlSetDump() with a text, in which "@" stands for the folder. */
static aclError set_text(const char *text)
{
	char path[] = "/tmp/vnpu-dump-json-XXXXXX";
	const char *at = strchr(text, '@');
	int length = at ? at - text : (int)strlen(text);
	aclError ret;
	FILE *f = fdopen(mkstemp(path), "w");

	if (!f)
		abort();
	fprintf(f, "%.*s%s%s", length, text, at ? folder : "",
		at ? at + 1 : "");
	fclose(f);
	ret = aclmdlSetDump(path);
	unlink(path);
	return ret;
}

#endif
