/* SPDX-License-Identifier: MIT */
/*
 * Reports of failed tasks to callbacks of the program.
 *
 * While the program has callbacks for failures, a thread of the library checks
 * all streams whenever they progress.  Any thread may call any of these
 * functions.
 */
#ifndef VNPU_LIB_FAILURE_H
#define VNPU_LIB_FAILURE_H

#include "stream.h"

/*
 * Check all streams: the failures so far are reported to the callbacks that are
 * registered so far.
 */
void vnpu_failure_scan(void);

/*
 * Watch one more callback or stream.  Without the thread, a failure is reported
 * when the program finds it.  A caller that has added a callback has called
 * vnpu_thread_prepare() before.
 */
void vnpu_failure_watch(void);

/*
 * Have the thread report all failures of the stream since the last check.  The
 * caller may hold the runtime lock.
 */
void vnpu_failure_note(struct vnpu_stream *stream);

/* Report failures before their records are reused: see vnpu_queue_reuse_fn. */
uint64_t vnpu_failure_reuse(struct vnpu_queue *queue, uint64_t done);

#endif /* VNPU_LIB_FAILURE_H */
