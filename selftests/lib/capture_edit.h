/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests that look at tasks of captured models, and edit them. */
#ifndef SELFTESTS_LIB_CAPTURE_EDIT_H
#define SELFTESTS_LIB_CAPTURE_EDIT_H

#include "launch.h"

#define GLOBAL		ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
#define KERNEL		ACL_MODEL_RI_TASK_KERNEL
#define NOT_THIS_TASK	ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT
#define TOO_SHORT	ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY

#define COUNT		64
#define TASKS		16

/* A model, with the tasks of its first stream. */
struct edited {
	aclrtFuncHandle add;
	aclmdlRI model;
	aclrtStream stream;
	aclmdlRITask tasks[TASKS];
	uint32_t count;
};

static inline struct add_args args_of(void *x, uint32_t add)
{
	return (struct add_args){ x, x, add, COUNT };
}

static inline aclError add_to(aclrtFuncHandle add, void *x, uint32_t number,
			      aclrtStream stream)
{
	struct add_args args = args_of(x, number);

	return launch(add, 1, stream, &args, sizeof(args));
}

/* Get the streams, and the tasks of the first one. */
static inline aclError look(struct edited *e, aclrtStream *streams,
			    uint32_t room)
{
	aclError err = aclmdlRIGetStreams(e->model, streams, &room);

	if (err)
		return err;
	e->stream = streams[0];
	e->count = TASKS;
	return aclmdlRIGetTasksByStream(e->stream, e->tasks, &e->count);
}

/* Capture launches that add 1, 2, ... */
static inline aclError capture_adds(struct edited *e, void *x,
				    uint32_t launches, aclrtStream stream)
{
	aclError err = aclmdlRICaptureBegin(stream, GLOBAL);
	aclrtStream own;

	for (uint32_t i = 1; i <= launches && !err; i++)
		err = add_to(e->add, x, i, stream);
	if (!err)
		err = aclmdlRICaptureEnd(stream, &e->model);
	return err ? err : look(e, &own, 1);
}

/* Replace a task by a launch that adds a number. */
static inline aclError set_add(const struct edited *e, uint32_t task, void *x,
			       uint32_t number)
{
	struct add_args args = args_of(x, number);
	aclmdlRITaskParams params = {
		.type = KERNEL,
		.kernelTaskParams = {
			.funcHandle = e->add,
			.args = &args,
			.isHostArgs = 1,
			.argsSize = sizeof(args),
			.numBlocks = 1,
		},
	};

	return aclmdlRITaskSetParams(e->tasks[task], &params);
}

static inline aclError run(aclmdlRI model, aclrtStream stream)
{
	aclError err = aclmdlRIExecuteAsync(model, stream);

	return err ? err : aclrtSynchronizeStream(stream);
}

#define PREPARE(launches) ({						\
	struct edited e_ = { .add = FUNC("add") };			\
	OK(capture_adds(&e_, self->x, launches, self->stream));		\
	e_;								\
})

#define EXPECT_X(value) do {						\
	uint32_t value_ = value;					\
									\
	GET(COUNT * 4);							\
	EXPECT_EQ(value_, self->host[0]);				\
	EXPECT_EQ(value_, self->host[COUNT - 1]);			\
} while (0)

#define EXPECT_TYPE(expected, task) do {				\
	aclmdlRITaskType type_;						\
									\
	OK(aclmdlRITaskGetType(task, &type_));				\
	EXPECT_EQ(expected, type_);					\
} while (0)

#endif
