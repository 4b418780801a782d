/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tasks of a profile, which libvnpu writes as a trace in JSON.
 */
#ifndef VNPU_PROF_PROFILE_H
#define VNPU_PROF_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct task - a task that a device has done
 * @device: number of the device in the process
 * @stream: number of the stream
 * @id: number of the task in its stream
 * @begin: start, in ns of CLOCK_MONOTONIC
 * @end: end
 * @ready: submission, or the end of the task before it in its stream if that is
 *	later
 * @bytes: copied or filled bytes
 * @name: the operation, or the name of a kernel or operator
 * @call: the call that submitted it
 * @core: kind of cores of a launch, or NULL
 * @blocks: number of blocks of a launch
 * @shapes: dimensions of the inputs and of the outputs of an operator:
 *	"2,3;3,4"; "" if they are not known
 * @types: their types: "FLOAT;FLOAT"
 */
struct task {
	uint32_t device;
	uint32_t stream;
	uint64_t id;
	uint64_t begin;
	uint64_t end;
	uint64_t ready;
	uint64_t bytes;
	char *name;
	char *call;
	char *core;
	uint32_t blocks;
	char *shapes[2];
	char *types[2];
};

struct json_object;

/**
 * struct profile - the events of all files of a directory
 * @task: the tasks, by device and start
 * @count: number of tasks
 * @room: private
 * @events: all events of the files, in JSON
 * @files: number of files
 * @lost: events that the library dropped
 */
struct profile {
	struct task *task;
	size_t count;
	size_t room;
	struct json_object *events;
	unsigned int files;
	uint64_t lost;
};

/**
 * profile_read() - read all profiles of a directory
 * @profile: filled; freed by profile_free() in any case
 * @dir: the directory
 *
 * Return: NULL, or a message that the caller frees.
 */
char *profile_read(struct profile *profile, const char *dir);

void profile_free(struct profile *profile);

/* Check whether a task is a run of a captured or compiled model, as a whole. */
bool task_is_model(const struct task *task);

/* Check whether a task belongs to a call of HCCL. */
bool task_is_communication(const struct task *task);

/* The type of an operator: its name without aclnn. */
const char *task_type(const struct task *task);

#endif /* VNPU_PROF_PROFILE_H */
