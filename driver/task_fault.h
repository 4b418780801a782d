/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults of tasks: what a client's tasks have failed at, to be told of. */
#ifndef VNPU_TASK_FAULT_H
#define VNPU_TASK_FAULT_H

#include <linux/ratelimit.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct vnpu_stream;

/* Of each client so many are told of in so many seconds. */
#define VNPU_TASK_FAULT_BURST	3
#define VNPU_TASK_FAULT_SECONDS	5

/**
 * struct vnpu_task_fault - a task that has failed at a device address
 * @client: whose
 * @device: index of the device
 * @stream: id of the stream
 * @number: its number on the device
 * @seq: number of the task
 * @op: its operation
 * @error: what came of it, -errno
 * @va: the address
 * @offset: of the address in the client's window
 * @is_inside: it is in there
 * @untold: how many were not told of since the last of the client that was
 */
struct vnpu_task_fault {
	u64 client;
	u32 device;
	u64 stream;
	u32 number;
	u64 seq;
	u32 op;
	int error;
	u64 va;
	u64 offset;
	bool is_inside;
	u64 untold;
};

/**
 * struct vnpu_task_faults - those of a client
 * @work: tells of @faults
 * @lock: protects what follows; innermost
 * @limit: of how many is told
 * @untold: how many were not told of since the last that was, or will be
 * @nr: how many there are to be told of
 * @faults: they, the oldest first
 */
struct vnpu_task_faults {
	struct work_struct work;
	spinlock_t lock;
	struct ratelimit_state limit;
	u64 untold;
	u32 nr;
	struct vnpu_task_fault faults[VNPU_TASK_FAULT_BURST];
};

void vnpu_task_faults_init(struct vnpu_task_faults *faults);
void vnpu_task_faults_end(struct vnpu_task_faults *faults);
void vnpu_task_fault_note(const struct vnpu_stream *stream, int error);

#endif
