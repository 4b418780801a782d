/* SPDX-License-Identifier: MIT */
/*
 * Reports of launches that failed: the task in the stream's ring, and what the
 * core has reported about it.
 */
#ifndef VNPU_LIB_LAUNCH_REPORT_H
#define VNPU_LIB_LAUNCH_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/vnpu_task.h>

#include "kernel/exception.h"
#include "stream.h"

/*
 * Get the code of a failed launch: @error is its positive errno, and @task the
 * task, or NULL if its slot has another one.
 */
aclError vnpu_launch_code(uint32_t device, uint64_t stream, uint64_t seq,
			  uint32_t error, const struct vnpu_task *task);

/* Report a failed launch for a call that waits for its stream. */
aclError vnpu_launch_report(const struct vnpu_stream *stream, uint64_t seq,
			    uint32_t error);

/*
 * Report a failed launch that has the number @seq in another timeline, that of
 * a graph.  @task may be NULL.
 */
aclError vnpu_launch_report_as(const struct vnpu_stream *stream,
			       uint64_t timeline, uint64_t seq, uint32_t error,
			       const struct vnpu_task *task);

/* Check whether the core of a device has reported a launch of a timeline. */
bool vnpu_launch_is_known(uint32_t device, uint64_t timeline, uint64_t seq);

/*
 * Note that all tasks up to @seq are complete: write the output of the stream's
 * kernels, and recycle what its launches used.
 */
void vnpu_launch_synchronized(struct vnpu_stream *stream, uint64_t seq);

/*
 * Write the output of kernels on a device, after streams of it have ended.  Callers
 * hold no lock of the library.
 */
void vnpu_launch_flush(uint32_t device);

#endif /* VNPU_LIB_LAUNCH_REPORT_H */
