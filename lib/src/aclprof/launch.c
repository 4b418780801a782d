// SPDX-License-Identifier: MIT
/*
 * Launches in a profile: the kernel or operator, its blocks, and the tensors of
 * an operator.
 */
#include <stdlib.h>
#include <string.h>

#include <vnpu/kernel.h>

#include "core/protocol.h"
#include "ops/call.h"

#include "base/error.h"
#include "kernel/binary.h"
#include "kernel/book.h"
#include "prof.h"

/* Tensors that are recorded of an operator; lists may be longer. */
#define TENSORS_MAX	64

static const char *core_of_kernel(uint32_t type, uint32_t cores)
{
	switch (type) {
	case VNPU_KERNEL_TYPE_MIX_AIV_1_0:
		return "MIX_AIV";
	case VNPU_KERNEL_TYPE_MIX_AIC_1_0:
	case VNPU_KERNEL_TYPE_MIX_AIC_1_1:
	case VNPU_KERNEL_TYPE_MIX_AIC_1_2:
		return "MIX_AIC";
	default:
		return cores == VNPU_CORE_CUBE ? "AI_CORE" : "AI_VECTOR_CORE";
	}
}

static struct vnpu_prof_event *event_of_kernel(const struct vnpu_task *task)
{
	struct vnpu_function *function = vnpu_function_find(task->arg0);
	const struct vnpu_kernel_entry *entry;
	struct vnpu_prof_event *event;
	char name[VNPU_PROF_NAME_MAX + 1];
	size_t length;

	if (!function)
		return vnpu_prof_event_create(VNPU_PROF_TASK,
					      vnpu_stream_op_name(task->op));
	entry = vnpu_function_entry(function);
	length = entry->length < VNPU_PROF_NAME_MAX ? entry->length :
		 VNPU_PROF_NAME_MAX;
	memcpy(name, entry->symbol, length);
	name[length] = '\0';
	event = vnpu_prof_event_create(VNPU_PROF_TASK, name);
	if (event)
		event->core = core_of_kernel(entry->type, function->cores);
	vnpu_function_put(function);
	return event;
}

/* Check whether a list has a tensor of the same memory, type and shape. */
static bool has(const struct vnpu_tensor *const *list, unsigned int count,
		const struct vnpu_tensor *t)
{
	for (unsigned int i = 0; i < count; i++)
		if (list[i]->data + list[i]->offset == t->data + t->offset &&
		    list[i]->dtype == t->dtype)
			return true;
	return false;
}

static void put(const struct vnpu_tensor **list, uint32_t *count,
		const struct vnpu_tensor *t)
{
	if (t->dtype && !(t->flags & VNPU_TENSOR_F_IMMEDIATE) &&
	    *count < TENSORS_MAX && !has(list, *count, t))
		list[(*count)++] = t;
}

static struct vnpu_prof_tensors *copy(const struct vnpu_tensor *const *list,
				      uint32_t inputs, uint32_t count)
{
	struct vnpu_prof_tensors *tensors =
		malloc(sizeof(*tensors) + count * sizeof(tensors->tensor[0]));

	if (!tensors)
		return NULL;
	tensors->inputs = inputs;
	tensors->count = count;
	for (uint32_t i = 0; i < count; i++) {
		tensors->tensor[i].dtype = list[i]->dtype;
		tensors->tensor[i].rank = list[i]->rank;
		memcpy(tensors->tensor[i].dims, list[i]->dims,
		       sizeof(list[i]->dims));
	}
	return tensors;
}

/*
 * Collect the inputs of an operator, which are those of its steps that no step
 * before has written, and its outputs, which are those of the last step.
 */
static struct vnpu_prof_tensors *tensors_of(const struct vnpu_op_call *call)
{
	const struct vnpu_tensor *in[2 * TENSORS_MAX], *written[TENSORS_MAX];
	uint32_t inputs = 0, outputs = 0, count = 0;
	const struct vnpu_op_launch *step, *last = NULL;
	size_t at = 0, size;

	while ((step = vnpu_op_call_step(call, &at, &size))) {
		for (unsigned int i = 0; i < step->inputs; i++)
			if (!has(written, count, &step->tensor[i]))
				put(in, &inputs, &step->tensor[i]);
		for (unsigned int i = 0; i < step->outputs; i++)
			put(written, &count, &step->tensor[step->inputs + i]);
		last = step;
	}
	if (!last)
		return NULL;
	for (unsigned int i = 0; i < last->outputs; i++)
		put(in + inputs, &outputs, &last->tensor[last->inputs + i]);
	return copy(in, inputs, inputs + outputs);
}

static struct vnpu_prof_event *event_of_operator(struct vnpu_stream *stream,
						 const struct vnpu_task *task)
{
	const struct vnpu_op_call *call =
		vnpu_book_look(&stream->book, task->src, task->length);
	struct vnpu_prof_event *event =
		vnpu_prof_event_create(VNPU_PROF_TASK,
				       call ? call->name : vnpu_call_name);

	if (!event)
		return NULL;
	event->core = "AI_VECTOR_CORE";
	/* The name of the call may end with the executor. */
	event->call = event->name;
	if (call)
		event->tensors = tensors_of(call);
	return event;
}

struct vnpu_prof_event *vnpu_prof_launch_event(struct vnpu_stream *stream,
					       const struct vnpu_task *task)
{
	struct vnpu_prof_event *event = task->arg0 == CORE_OPERATOR ?
		event_of_operator(stream, task) : event_of_kernel(task);

	if (event)
		event->blocks = (uint32_t)task->arg1;
	return event;
}
