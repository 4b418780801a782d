/* SPDX-License-Identifier: MIT */
/*
 * Functions of rooms above that streams call, if they are set.
 */
#ifndef VNPU_LIB_STREAM_UPCALLS_H
#define VNPU_LIB_STREAM_UPCALLS_H

#include <stdatomic.h>
#include <stdint.h>

#include "stream.h"

/*
 * Submit tasks as vnpu_queue_submit(), and record them in a profile.  aclprof/
 * sets it while profiles record tasks.
 */
typedef int vnpu_submit_fn(struct vnpu_stream *stream,
			   const struct vnpu_task *tasks, unsigned int count,
			   uint64_t *seq);
extern _Atomic(vnpu_submit_fn *) vnpu_stream_recorder;

/*
 * Release memory after the program has waited for a stream or an event.  pool/
 * sets it when it has pools with stream order.
 */
typedef void vnpu_waited_fn(void);
extern _Atomic(vnpu_waited_fn *) vnpu_stream_waited;

#endif /* VNPU_LIB_STREAM_UPCALLS_H */
