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

#include "base/client.h"

struct vnpu_stream;

void vnpu_task_faults_init(struct vnpu_task_faults *faults);
void vnpu_task_faults_end(struct vnpu_task_faults *faults);
void vnpu_task_fault_note(const struct vnpu_stream *stream, int error);

#endif
