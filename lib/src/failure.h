/* SPDX-License-Identifier: MIT */
/*
 * Telling the program of tasks that failed, without being asked.
 *
 * While the program has functions for that, a thread of the library looks at
 * all streams whenever they come further.  Any thread may call any of these.
 */
#ifndef VNPU_LIB_FAILURE_H
#define VNPU_LIB_FAILURE_H

#include "stream.h"

/*
 * Look at all streams: what failed so far is for the functions that there are
 * so far.
 */
void vnpu_failure_scan(void);

/*
 * There is a function more, or a stream more, to be watched.  Without a thread
 * for that, what fails is told of when the program finds it.  Who has added a
 * function called vnpu_thread_prepare() before.
 */
void vnpu_failure_watch(void);

/*
 * Have all be told that failed in the stream since the last look, by the thread.
 * The runtime lock may be held.
 */
void vnpu_failure_note(struct vnpu_stream *stream);

/* The same, before records may be replaced: see vnpu_queue_reuse_fn. */
uint64_t vnpu_failure_reuse(struct vnpu_queue *queue, uint64_t done);

#endif /* VNPU_LIB_FAILURE_H */
