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

/* Watch one more stream; the runtime lock is held. */
void vnpu_failure_add_stream(void);

/*
 * Make the thread report all failures of the stream since the last check.  The
 * caller may hold the runtime lock.
 */
void vnpu_failure_note(struct vnpu_stream *stream);

/* Report failures before their records are reused: see vnpu_queue_reuse_fn. */
uint64_t vnpu_failure_reuse(struct vnpu_queue *queue, uint64_t done);

#endif /* VNPU_LIB_FAILURE_H */
