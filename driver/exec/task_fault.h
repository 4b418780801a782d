/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults of tasks: the failures of a client's tasks at addresses, to be
 * reported.
 */
#ifndef VNPU_TASK_FAULT_H
#define VNPU_TASK_FAULT_H

#include <linux/ratelimit.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct vnpu_stream;

/* The number of faults of a client that are reported in this many seconds. */
#define VNPU_TASK_FAULT_BURST	3
#define VNPU_TASK_FAULT_SECONDS	5

/**
 * struct vnpu_task_fault - a task that has failed at a device address
 * @client: the client
 * @device: index of the device
 * @stream: id of the stream
 * @number: its number on the device
 * @seq: number of the task
 * @op: its operation
 * @error: the result, -errno
 * @va: the address
 * @offset: offset of the address in the client's window
 * @is_inside: true if it is inside the window
 * @untold: number of the client's faults since the last report that were not
 *	reported
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
 * struct vnpu_task_faults - the faults of a client
 * @work: reports @faults
 * @lock: protects the following; innermost
 * @limit: limits the number of reports
 * @untold: number of faults since the last recorded one that are not reported
 * @nr: number of recorded faults
 * @faults: the recorded faults, the oldest first
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
