// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts: groups of streams of a client on one device. The streams of a
 * context share its time (see sched_client.c) and stop together, and the
 * context records the first error of any of them.
 *
 * A stream belongs to one context for its whole life. If a task of a stream
 * with stop_on_error fails, the engine increments vnpu_context.stops. Each
 * stream of the context compares this with its own copy, see
 * vnpu_stream_is_stopped(). A worker then wakes the streams that wait.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include <linux/vnpu.h>

#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "sync/timeline.h"
#include "context.h"
#include "engine.h"
#include "stream.h"

static void vnpu_context_stop_work(struct work_struct *work)
{
	struct vnpu_context *context =
		container_of(work, struct vnpu_context, stop_work);
	struct vnpu_stream *stream;
	unsigned long id = 0;

	for (; (stream = vnpu_stream_get_next(context->client, &id)); id++) {
		if (stream->context == context)
			vnpu_engines_kick(stream);
		vnpu_timeline_put(&stream->timeline);
		cond_resched();
	}
}

static void vnpu_context_release(struct kref *ref)
{
	struct vnpu_context *context =
		container_of(ref, struct vnpu_context, ref);

	vnpu_device_put(context->dev);
	kfree(context);
}

/**
 * vnpu_context_create() - create a context without streams
 * @client: the client that the context belongs to
 * @device: index of the device
 * @weight: VNPU_CONTEXT_WEIGHT_MIN to VNPU_CONTEXT_WEIGHT_MAX
 * @is_urgent: true to serve the context before contexts of all clients that are
 *	not urgent; the caller has checked the capability
 *
 * Return: the context with one reference, or ERR_PTR of -ENODEV or -ENOMEM.
 */
struct vnpu_context *vnpu_context_create(struct vnpu_client *client, u32 device,
					 u32 weight, bool is_urgent)
{
	struct vnpu_sched_client *sched;
	struct vnpu_context *context;
	int ret = -ENODEV;

	context = kzalloc(sizeof(*context), GFP_KERNEL_ACCOUNT);
	if (!context)
		return ERR_PTR(-ENOMEM);
	context->dev = vnpu_client_device_get(client, device);
	if (!context->dev)
		goto err_free;
	ret = -ENOMEM;
	sched = vnpu_sched_client_of(client, context->dev);
	if (!sched)
		goto err_device;
	vnpu_sched_context_init(&context->sched, sched, weight, is_urgent);
	kref_init(&context->ref);
	context->client = client;
	INIT_WORK(&context->stop_work, vnpu_context_stop_work);
	spin_lock_init(&context->lock);
	return context;

err_device:
	vnpu_device_put(context->dev);
err_free:
	kfree(context);
	return ERR_PTR(ret);
}

/**
 * vnpu_context_get() - take a reference
 * @context: a context that the caller has a reference to
 */
void vnpu_context_get(struct vnpu_context *context)
{
	kref_get(&context->ref);
}

/**
 * vnpu_context_put() - drop a reference
 * @context: the context
 */
void vnpu_context_put(struct vnpu_context *context)
{
	kref_put(&context->ref, vnpu_context_release);
}

/**
 * vnpu_context_reserve_id() - reserve an id for a new context
 * @client: the client
 * @id: set to the id
 *
 * Return: 0, -EAGAIN (the client has VNPU_MAX_CONTEXTS) or -ENOMEM.
 */
int vnpu_context_reserve_id(struct vnpu_client *client, u32 *id)
{
	int ret = xa_alloc(&client->contexts, id, XA_ZERO_ENTRY,
			   XA_LIMIT(1, VNPU_MAX_CONTEXTS), GFP_KERNEL_ACCOUNT);

	return ret == -EBUSY ? -EAGAIN : ret;
}

/**
 * vnpu_context_cancel_id() - free a reserved id
 * @client: the client
 * @id: the reserved id
 */
void vnpu_context_cancel_id(struct vnpu_client *client, u32 id)
{
	xa_release(&client->contexts, id);
}

/**
 * vnpu_context_publish_id() - assign a reserved id to a context
 * @client: the client
 * @id: the reserved id
 * @context: the context; takes the caller's reference
 */
void vnpu_context_publish_id(struct vnpu_client *client, u32 id,
			     struct vnpu_context *context)
{
	/* The reservation has allocated the slot, so this cannot fail. */
	xa_store(&client->contexts, id, context, 0);
}

/**
 * vnpu_context_get_by_id() - look up a context
 * @client: the client
 * @id: any number
 *
 * Return: the context with a reference, or NULL.
 */
struct vnpu_context *vnpu_context_get_by_id(struct vnpu_client *client, u32 id)
{
	struct vnpu_context *context;

	xa_lock(&client->contexts);
	context = xa_load(&client->contexts, id);
	if (context)
		kref_get(&context->ref);
	xa_unlock(&client->contexts);
	return context;
}

/**
 * vnpu_context_take_id() - remove the id of a context
 * @client: the client
 * @id: any number
 *
 * Return: the context with the id's reference, or NULL.
 */
struct vnpu_context *vnpu_context_take_id(struct vnpu_client *client, u32 id)
{
	struct vnpu_context *context;

	xa_lock(&client->contexts);
	/* This is NULL for a reserved id. */
	context = xa_load(&client->contexts, id);
	if (context)
		__xa_erase(&client->contexts, id);
	xa_unlock(&client->contexts);
	return context;
}

/**
 * vnpu_contexts_end_all() - remove the ids of all contexts of a client
 * @client: the client; its streams have ended
 */
void vnpu_contexts_end_all(struct vnpu_client *client)
{
	struct vnpu_context *context;
	unsigned long id;

	xa_for_each(&client->contexts, id, context) {
		xa_erase(&client->contexts, id);
		vnpu_context_put(context);
		cond_resched();
	}
}

/**
 * vnpu_context_note() - record a failed task
 * @context: the context of its stream
 * @error: description of the task
 */
void vnpu_context_note(struct vnpu_context *context,
		       const struct vnpu_context_error *error)
{
	spin_lock(&context->lock);
	if (!context->first.error)
		context->first = *error;
	context->nr_errors++;
	spin_unlock(&context->lock);
}

/**
 * vnpu_context_clear() - clear the first error
 * @context: the context
 *
 * The next task that fails is the first again.
 */
void vnpu_context_clear(struct vnpu_context *context)
{
	spin_lock(&context->lock);
	context->first = (struct vnpu_context_error){ };
	spin_unlock(&context->lock);
}

/**
 * vnpu_context_read() - read the errors of a context
 * @context: the context
 * @f: filled with the errors
 */
void vnpu_context_read(struct vnpu_context *context,
		       struct vnpu_context_stats *f)
{
	spin_lock(&context->lock);
	f->nr_errors = context->nr_errors;
	f->first = context->first;
	spin_unlock(&context->lock);
}

/**
 * vnpu_context_call_streams() - let engines check all streams of a context
 * @context: the context, which was stopped
 *
 * Called by the engine that runs one of the streams. Does not sleep: a worker
 * wakes the streams.
 */
void vnpu_context_call_streams(struct vnpu_context *context)
{
	queue_work(system_unbound_wq, &context->stop_work);
}

/**
 * vnpu_context_remove_stream() - remove an ending stream from its context
 * @context: the context; the stream keeps its reference
 *
 * No engine owns the stream. When this returns, no worker that it has queued
 * looks for streams of the client.
 */
void vnpu_context_remove_stream(struct vnpu_context *context)
{
	flush_work(&context->stop_work);
	atomic_dec(&context->nr_streams);
}
