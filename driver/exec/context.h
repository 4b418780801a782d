/* SPDX-License-Identifier: GPL-2.0-only */
/* Contexts: groups of streams of a client that share time and stop together. */
#ifndef VNPU_CONTEXT_H
#define VNPU_CONTEXT_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "sched_client.h"

struct vnpu_client;
struct vnpu_device;
struct vnpu_stream;

/**
 * struct vnpu_context_error - a task that failed
 * @error: result of the task, -errno; 0 if no task has failed
 * @op: operation of the task
 * @stream: id of its stream
 * @seq: its number in the stream
 * @addr: the device address at which it failed, or 0
 */
struct vnpu_context_error {
	int error;
	u32 op;
	u64 stream;
	u64 seq;
	u64 addr;
};

/**
 * struct vnpu_context - a context
 * @ref: number of references: one of its id, one of each of its streams
 * @client: the client that created the context; valid until the last stream of
 *	the context has ended; constant
 * @dev: the device of its streams, with a reference; constant
 * @sched: share of the client's time on the engines of @dev; the streams of the
 *	context point to it
 * @nr_streams: number of its streams that have not ended
 * @stops: number of times it was stopped; written under vnpu_engines.lock, may
 *	be read without it
 * @stop_work: wakes the streams of a stopped context. An engine that runs one
 *	of them queues it; the end of each stream flushes it.
 * @lock: protects the following; innermost
 * @nr_errors: number of failed tasks
 * @first: the first failed task since the last vnpu_context_clear()
 */
struct vnpu_context {
	struct kref ref;
	struct vnpu_client *client;
	struct vnpu_device *dev;
	struct vnpu_sched_context sched;
	atomic_t nr_streams;
	u32 stops;
	struct work_struct stop_work;
	spinlock_t lock;
	u32 nr_errors;
	struct vnpu_context_error first;
};

/**
 * struct vnpu_context_stats - the reported state of a context
 * @nr_errors: number of failed tasks since the context was created
 * @first: the first failed task since the last vnpu_context_clear(); its error
 *	is 0 if there is none
 */
struct vnpu_context_stats {
	u32 nr_errors;
	struct vnpu_context_error first;
};

struct vnpu_context *vnpu_context_create(struct vnpu_client *client,
					 u32 device, u32 weight,
					 bool is_urgent);
void vnpu_context_get(struct vnpu_context *context);
void vnpu_context_put(struct vnpu_context *context);

int vnpu_context_reserve_id(struct vnpu_client *client, u32 *id);
void vnpu_context_cancel_id(struct vnpu_client *client, u32 id);
void vnpu_context_publish_id(struct vnpu_client *client, u32 id,
			     struct vnpu_context *context);
struct vnpu_context *vnpu_context_get_by_id(struct vnpu_client *client, u32 id);
struct vnpu_context *vnpu_context_take_id(struct vnpu_client *client, u32 id);
void vnpu_contexts_end_all(struct vnpu_client *client);

void vnpu_context_note(struct vnpu_context *context,
		       const struct vnpu_context_error *error);
void vnpu_context_clear(struct vnpu_context *context);
void vnpu_context_read(struct vnpu_context *context,
		       struct vnpu_context_stats *f);
void vnpu_context_call_streams(struct vnpu_context *context);
void vnpu_context_remove_stream(struct vnpu_context *context);

#endif
