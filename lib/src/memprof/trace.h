/* SPDX-License-Identifier: MIT */
/*
 * Recording by the environment, see trace.c.
 */
#ifndef VNPU_LIB_PROFILE_TRACE_H
#define VNPU_LIB_PROFILE_TRACE_H

#include "record.h"

/* Check whether the environment asks for a trace. */
bool vnpu_trace_is_wanted(void);

/* Check whether the environment asks for a trace, and open its file. */
bool vnpu_trace_setup(void);

/*
 * Record that a block begins or ends, or ends @with_device.  The caller passes
 * the returned site to vnpu_trace_site() without the lock.
 */
struct vnpu_site *vnpu_trace_alloc(const struct vnpu_record *record);
void vnpu_trace_free(const struct vnpu_record *record, bool with_device);

/* Write the description of a site; the lock is not held. */
void vnpu_trace_site(const struct vnpu_site *site);

/* In a forked child: stop the trace, which belongs to the parent. */
void vnpu_trace_disown(void);

#endif /* VNPU_LIB_PROFILE_TRACE_H */
