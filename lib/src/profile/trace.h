/* SPDX-License-Identifier: MIT */
/*
 * The record that the environment asks for, see trace.c.
 */
#ifndef VNPU_LIB_PROFILE_TRACE_H
#define VNPU_LIB_PROFILE_TRACE_H

#include "record.h"

/* Whether it asks for one. */
bool vnpu_trace_is_wanted(void);

/* The same; and opens the file. */
bool vnpu_trace_setup(void);

/*
 * A block begins or ends, or ends @with_device.  A site that is returned is to
 * be told by vnpu_trace_site() without the lock.
 */
struct vnpu_site *vnpu_trace_alloc(const struct vnpu_record *record);
void vnpu_trace_free(const struct vnpu_record *record, bool with_device);

/* Not under the lock. */
void vnpu_trace_site(const struct vnpu_site *site);

/* In the child of a fork: what is recorded is the parent's. */
void vnpu_trace_disown(void);

#endif /* VNPU_LIB_PROFILE_TRACE_H */
