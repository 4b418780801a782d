/* SPDX-License-Identifier: MIT */
/*
 * Reporters, which run the functions that streams call, see reporter.c and
 * reporter_run.c.
 */
#ifndef VNPU_LIB_REPORTER_H
#define VNPU_LIB_REPORTER_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "stream.h"

/* A stream has at most one binding of each kind. */
enum vnpu_binding_kind {
	VNPU_BINDING_REPORT,		/* to a thread of the program */
	VNPU_BINDING_HOST_FUNC,		/* to the context's thread */
};

/*
 * Bind a stream to a reporter, which is created if necessary.  @owner is the
 * thread, or the handle of the context.  @start: for a context, starts the
 * thread that calls vnpu_reporter_serve(), and returns 0 or -errno.  It is
 * called if there is no thread, with the reporters locked, so that no other
 * stream relies on a thread that cannot be started. -EBUSY: the stream is
 * bound; -EXDEV: the reporter serves another device; -EUSERS: there are too
 * many; -ENOMEM; the error of the driver or @start.
 */
int vnpu_reporter_bind(enum vnpu_binding_kind kind, uint64_t owner,
		       const struct vnpu_stream *stream,
		       int (*start)(struct vnpu_context *context));

/*
 * Remove a binding. -ENOENT: the stream is not bound; -ESRCH: to another owner.
 */
int vnpu_reporter_unbind(enum vnpu_binding_kind kind, uint64_t owner,
			 uint64_t stream);

/* Make a stream call a function. */
aclError vnpu_reporter_launch(enum vnpu_binding_kind kind,
			      struct vnpu_stream *stream, aclrtCallback fn,
			      void *data, bool blocks);

/*
 * Run the calls that are due, or wait for one. -ESRCH: the reporter has no
 * stream, or lost its last one; -ETIMEDOUT.
 */
int vnpu_reporter_process(enum vnpu_binding_kind kind, uint64_t owner,
			  int64_t timeout_ms);

/*
 * Run the calls of a context's streams.  Returns 0 if it has no streams any
 * more and the thread has to end; otherwise an error, after which the thread
 * tries again.
 */
int vnpu_reporter_serve(uint64_t context);

/*
 * Drop the pending calls of a stream that is about to be aborted.
 */
void vnpu_reporter_drop(uint64_t stream);

/*
 * Detach a stream that ends.  Its pending calls still run if @is_done, and are
 * dropped if not.  The runtime lock may be held.
 */
void vnpu_reporter_forget(uint64_t stream, bool is_done);

#endif /* VNPU_LIB_REPORTER_H */
