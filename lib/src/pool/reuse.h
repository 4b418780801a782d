/* SPDX-License-Identifier: MIT */
/*
 * When a stream may use memory that another one has freed: the rules of pools in
 * stream order, for vnpu_pool_t (async.c) and for aclrtMemPool
 * (mempool_segment.c).
 *
 * Memory is free after the last task that its stream had at the time of the
 * free.  It may go
 *
 * - to the stream itself, at once;
 * - to a stream that was made to wait for that task or a later one;
 * - to any stream, when the task is done;
 * - to any stream that is made to wait for the task.
 *
 * The configuration of a pool allows each of the last three.
 */
#ifndef VNPU_LIB_POOL_REUSE_H
#define VNPU_LIB_POOL_REUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/stream.h"

/* Memory that a stream has freed; without a stream, it is free. */
struct vnpu_freed {
	struct vnpu_stream *by;		/* holds a reference, or NULL */
	uint64_t seq;			/* its last task at the free */
};

/* Check whether the task is done. */
bool vnpu_reuse_is_done(const struct vnpu_freed *freed);

/*
 * Get the task of @owner up to which its frees may be reused by @stream at once:
 * UINT64_MAX for all, 0 for none.  @follows_events allows the second rule.
 */
uint64_t vnpu_reuse_until(const struct vnpu_stream *stream,
			  const struct vnpu_stream *owner, bool follows_events);

/*
 * Make @stream run after the task, and record this.  Returns the result of
 * vnpu_stream_submit().
 */
aclError vnpu_reuse_after(struct vnpu_stream *stream,
			  const struct vnpu_freed *freed);

#endif /* VNPU_LIB_POOL_REUSE_H */
