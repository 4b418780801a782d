/* SPDX-License-Identifier: MIT */
/*
 * Reporters: who runs the functions that streams call, see reporter.c
 * and reporter_run.c.
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
 * Bind a stream to a reporter, which is made if need be.  @owner is the thread,
 * or the handle of the context.  @start: for a context, starts the thread that
 * calls vnpu_reporter_serve(), 0 or -errno; asked when there is none, with the
 * reporters locked, so that no other stream relies on one that cannot be.
 * -EBUSY: the stream is bound; -EXDEV: the reporter serves another device;
 * -EUSERS: there are too many; -ENOMEM; what the driver or @start said.
 */
int vnpu_reporter_bind(enum vnpu_binding_kind kind, uint64_t owner,
		       const struct vnpu_stream *stream,
		       int (*start)(struct vnpu_context *context));

/* -ENOENT: the stream is not bound; -ESRCH: it is to another owner. */
int vnpu_reporter_unbind(enum vnpu_binding_kind kind, uint64_t owner,
			 uint64_t stream);

/* Have a stream call a function; fails for @call. */
aclError vnpu_reporter_launch(const char *call, enum vnpu_binding_kind kind,
			      struct vnpu_stream *stream, aclrtCallback fn,
			      void *data, bool blocks);

/*
 * Run what is to be run by now, or if there is nothing, wait until there is.
 * -ESRCH: nobody has this reporter, or no more; -ETIMEDOUT.
 */
int vnpu_reporter_process(enum vnpu_binding_kind kind, uint64_t owner,
			  int64_t timeout_ms);

/*
 * Run what the streams of a context call.  0 when it has none any more and the
 * thread is to end; else why not, and it is to try again.
 */
int vnpu_reporter_serve(uint64_t context);

/*
 * A stream is about to be aborted: what it was to call, and did not yet, is not
 * called.
 */
void vnpu_reporter_drop(uint64_t stream);

/*
 * A stream ends.  What it was to call is still called if @is_done, and dropped
 * if not.  The runtime lock may be held.
 */
void vnpu_reporter_forget(uint64_t stream, bool is_done);

#endif /* VNPU_LIB_REPORTER_H */
