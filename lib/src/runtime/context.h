/* SPDX-License-Identifier: MIT */
/*
 * Contexts, which tie a thread to a device.
 *
 * A device has a primary context while it is set; programs may create others.
 * The current context belongs to the thread.  A reference to the handle of a
 * context, which its streams have, protects the constant and atomic members;
 * the runtime lock protects the rest of struct vnpu_context.
 */
#ifndef VNPU_LIB_CONTEXT_H
#define VNPU_LIB_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "base/handle.h"
#include "option.h"

struct vnpu_event;
struct vnpu_stream;

struct vnpu_context {
	struct vnpu_context *next;	/* of all contexts */
	uint64_t handle;		/* constant, like the next four */
	int32_t user_device;		/* its number in this process */
	uint32_t device;		/* its number in the driver */
	uint32_t id;			/* in the driver */
	bool is_primary;
	atomic_bool stops_on_failure;
	_Atomic aclError failure;	/* that stopped the context, or 0 */
	unsigned int options_set;	/* bit N: options[N] was set */
	int64_t options[VNPU_CONTEXT_OPTIONS];
	struct vnpu_stream *default_stream;	/* constant, like the next */
	uint64_t default_handle;	/* of this stream */
	struct vnpu_stream *streams;	/* all streams, including the default
					 * one */
	struct vnpu_event *events;
};

/* The current context in the thread's own record, readable without a lock. */
struct vnpu_current {
	uint64_t context;
	uint64_t default_stream;
	int32_t user_device;
	uint32_t device;
	uint32_t last_task;		/* of the thread, in any context */
};

/**
 * vnpu_context_current() - get the current context of this thread
 * @current: filled
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_CONTEXT_NULL without one; the code of
 * vnpu_error_open() in a forked child.
 */
aclError vnpu_context_current(struct vnpu_current *current);

/* Get the thread's record if its context exists; else NULL. */
struct vnpu_current *vnpu_context_mine(void);

/* Get the thread's record, also of a destroyed context, or NULL. */
struct vnpu_current *vnpu_context_last(void);

/* Record the last task that this thread has submitted. */
void vnpu_context_note_task(uint32_t task);

/*
 * Get the current context as an object.  On success the runtime lock is held
 * and the caller drops it; on failure @context is NULL.
 */
aclError vnpu_context_lock(struct vnpu_context **context);

/* Find the context of a handle; takes the runtime lock on success. */
aclError vnpu_context_find(aclrtContext handle, struct vnpu_context **context);

/* The rest needs the runtime lock. */

/* Add a context to the list, or remove it. */
void vnpu_context_add_locked(struct vnpu_context *context);
void vnpu_context_remove_locked(struct vnpu_context *context);

/* Drop a reference to the handle of a context. */
void vnpu_context_put_handle(struct vnpu_context *context);

/* Get the first of all contexts. */
struct vnpu_context *vnpu_context_first(void);

/* Make a context the current one of this thread. */
void vnpu_context_make_current(const struct vnpu_context *context);

#endif /* VNPU_LIB_CONTEXT_H */
