/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of dump_files.c: calls of operators, and configurations. */
#ifndef SELFTESTS_LIB_DUMP_FILES_H
#define SELFTESTS_LIB_DUMP_FILES_H

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include "ops/call.h"

#include "dump_stub.h"

static struct vnpu_context context;
static struct vnpu_stream stream = { .context = &context, .number = 3 };

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
