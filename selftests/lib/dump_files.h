/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of dump_files.c: calls of operators. */
#ifndef SELFTESTS_LIB_DUMP_FILES_H
#define SELFTESTS_LIB_DUMP_FILES_H

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include "ops/call.h"

#include "dump_config.h"

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

#endif
