// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams: creation, look-up and end. stream_ring.c has the accesses of an
 * engine to the ring of a stream.
 */
#include <linux/dma-fence.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "account/account.h"
#include "account/id_pool.h"
#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "ras/inject.h"
#include "sync/wait.h"
#include "context.h"
#include "engine.h"
#include "fence.h"
#include "foreign.h"
#include "ring.h"
#include "sched_client.h"
#include "stream.h"
#include "task.h"

static atomic_t vnpu_streams_gen = ATOMIC_INIT(0);

static void vnpu_stream_release(struct vnpu_timeline *timeline)
{
	struct vnpu_stream *stream = vnpu_stream_of(timeline);

	if (stream->ring)
		vnpu_ring_put(stream->ring);
	kvfree(stream->latched);
	if (stream->context)
		vnpu_context_put(stream->context);
	mutex_destroy(&stream->ring_lock);
	vnpu_device_put(stream->dev);
	kfree_rcu(stream, timeline.rcu);
}

static int vnpu_stream_check_context(const struct vnpu_device *dev,
				     const struct vnpu_context *context)
{
	if (!context || context->dev == dev)
		return 0;
	/* A new device may have the index of the context's device. */
	return vnpu_device_is_gone(context->dev) ? -ENODEV : -EINVAL;
}

/* After this another thread may map the ring, unless it is that of a graph. */
static int vnpu_stream_add_offset(struct vnpu_stream *stream)
{
	if (stream->graph)
		return 0;
	return xa_alloc(&stream->client->rings, &stream->offset, stream,
			XA_LIMIT(0, VNPU_RING_OFFSETS - 1), GFP_KERNEL_ACCOUNT);
}

/**
 * vnpu_stream_create() - create a stream
 * @client: the client
 * @spec: its parameters
 *
 * Return: the stream with one reference, or ERR_PTR of -ENODEV, -EINVAL (the
 * context is of another device), -EAGAIN, -EDQUOT, -ENOMEM or -EINTR.
 */
struct vnpu_stream *vnpu_stream_create(struct vnpu_client *client,
				       const struct vnpu_stream_spec *spec)
{
	struct vnpu_stream *stream;
	struct vnpu_account *account;
	int ret;

	account = vnpu_client_account(client, spec->device);
	if (IS_ERR(account))
		return ERR_CAST(account);
	stream = kzalloc(sizeof(*stream), GFP_KERNEL_ACCOUNT);
	if (!stream)
		return ERR_PTR(-ENOMEM);
	stream->dev = vnpu_client_device_get(client, spec->device);
	if (!stream->dev) {
		ret = -ENODEV;
		goto err_free;
	}
	ret = vnpu_stream_check_context(stream->dev, spec->context);
	if (ret)
		goto err_device;
	stream->sched = vnpu_sched_client_of(client, stream->dev);
	ret = stream->sched ? vnpu_engines_start(stream->dev->engines) :
			      -ENOMEM;
	if (ret)
		goto err_device;
	ret = vnpu_id_alloc(account, VNPU_ID_STREAM, &stream->number);
	if (ret)
		goto err_device;

	vnpu_timeline_init(&stream->timeline, VNPU_TIMELINE_KIND_STREAM,
			   vnpu_stream_release);
	mutex_init(&stream->ring_lock);
	stream->fence_context = dma_fence_context_alloc(1);
	INIT_LIST_HEAD(&stream->fences);
	INIT_LIST_HEAD(&stream->foreign.link);
	stream->client = client;
	stream->ring_tasks = spec->ring_tasks;
	stream->ring_state = VNPU_RING_NEED_DOORBELL;
	stream->graph = spec->graph;
	INIT_LIST_HEAD(&stream->play.link);
	ret = vnpu_stream_add_offset(stream);
	if (ret)
		goto err_number;

	stream->share = &stream->sched->alone;
	stream->context = spec->context;
	if (stream->context) {
		stream->share = &stream->context->sched;
		vnpu_context_get(stream->context);
		atomic_inc(&stream->context->nr_streams);
		stream->stops = READ_ONCE(stream->context->stops);
	}
	stream->stop_on_error = spec->stop_on_error;
	stream->priority = spec->priority;
	stream->class = VNPU_ENGINE_COPY;
	INIT_LIST_HEAD(&stream->pace_link);
	INIT_LIST_HEAD(&stream->run.value_link);
	vnpu_engines_init_stream(stream);
	atomic_inc(&client->nr_streams);
	vnpu_watchdog_start(stream->dev->engines);
	return stream;

err_number:
	mutex_destroy(&stream->ring_lock);
	vnpu_id_free(account, VNPU_ID_STREAM, stream->number);
err_device:
	vnpu_device_put(stream->dev);
err_free:
	kfree(stream);
	return ERR_PTR(ret);
}

/**
 * vnpu_stream_end() - end a stream
 * @stream: the stream, which has not ended yet
 * @wait: true to wait, for a bounded time, until no core runs a launch of it, and
 *	no stream of a graph a task of its run
 *
 * When this returns, no engine uses the stream. Its remaining tasks are
 * dropped, and their waiters are woken.
 */
void vnpu_stream_end(struct vnpu_stream *stream, bool wait)
{
	if (!stream->graph)
		xa_erase(&stream->client->rings, stream->offset);
	vnpu_engines_detach(stream);
	if (stream->context)
		vnpu_context_remove_stream(stream->context);
	vnpu_task_drop(stream);
	vnpu_graph_leave(stream, wait);
	vnpu_foreign_end_all(stream);
	vnpu_launch_abandon(stream, wait);
	vnpu_timeline_end(&stream->timeline, 0);
	vnpu_id_free(vnpu_client_peek_account(stream->client,
					      stream->dev->index),
		     VNPU_ID_STREAM, stream->number);
	atomic_dec(&stream->client->nr_streams);
	atomic_inc(&vnpu_streams_gen);
	/*
	 * Order the store of the value before this. Pairs with
	 * smp_load_acquire() in vnpu_sync_fence_by_id().
	 */
	smp_store_release(&stream->client, NULL);
}

/**
 * vnpu_stream_add() - make a stream visible under its id
 * @stream: the stream, with a reserved id; takes the caller's reference
 */
void vnpu_stream_add(struct vnpu_stream *stream)
{
	struct vnpu_client *client = stream->client;
	u64 id = stream->id;

	vnpu_timeline_hold(&stream->timeline);
	vnpu_timeline_publish_id(client, id, &stream->timeline, false);
	/* Another thread may end the stream now; then this marks no entry. */
	xa_set_mark(&client->timelines, id, VNPU_MARK_STREAM);
	atomic_inc(&vnpu_streams_gen);
}

/**
 * vnpu_stream_get_by_id() - look up a stream by its id
 * @client: the client
 * @id: any number
 *
 * Return: the stream with a reference to its timeline, or NULL. Streams of
 * graphs are not found.
 */
struct vnpu_stream *vnpu_stream_get_by_id(struct vnpu_client *client, u64 id)
{
	struct vnpu_timeline *timeline;

	if (vnpu_timeline_find(client, id, &timeline) || !timeline)
		return NULL;
	if (vnpu_stream_is_of(timeline, client, id) &&
	    !vnpu_stream_of(timeline)->graph)
		return vnpu_stream_of(timeline);
	vnpu_timeline_put(timeline);
	return NULL;
}

/**
 * vnpu_stream_get_by_offset() - look up a stream by the mmap offset of its ring
 * @client: the client
 * @offset: any number
 *
 * Return: the stream with a reference to its timeline, or NULL.
 */
struct vnpu_stream *vnpu_stream_get_by_offset(struct vnpu_client *client,
					      unsigned long offset)
{
	struct vnpu_stream *stream;

	/* vnpu_stream_end() removes it before the last reference is dropped. */
	xa_lock(&client->rings);
	stream = xa_load(&client->rings, offset);
	if (stream)
		vnpu_timeline_get(&stream->timeline);
	xa_unlock(&client->rings);
	return stream;
}

/**
 * vnpu_stream_get_next() - find the first stream of a client at or after an id
 * @client: the client, which may be ending
 * @id: the id to start at; set to the id of the stream
 *
 * Return: the stream with a reference to its timeline, or NULL.
 */
struct vnpu_stream *vnpu_stream_get_next(struct vnpu_client *client,
					 unsigned long *id)
{
	struct vnpu_timeline *timeline;

	xa_lock(&client->timelines);
	timeline = xa_find(&client->timelines, id, ULONG_MAX,
			   VNPU_MARK_STREAM);
	if (timeline)
		vnpu_timeline_get(timeline);
	xa_unlock(&client->timelines);
	return timeline ? vnpu_stream_of(timeline) : NULL;
}

/**
 * vnpu_streams_generation() - get a number that each addition and end of a
 * stream changes
 *
 * Return: the number.
 */
unsigned int vnpu_streams_generation(void)
{
	return atomic_read(&vnpu_streams_gen);
}

/**
 * vnpu_stream_get_ring() - get the ring of a stream, and create it if necessary
 * @stream: the stream
 *
 * Return: the ring with a reference, or ERR_PTR(-ENOMEM).
 */
struct vnpu_ring_mem *vnpu_stream_get_ring(struct vnpu_stream *stream)
{
	struct vnpu_ring_mem *mem;

	mutex_lock(&stream->ring_lock);
	mem = stream->ring;
	if (!mem) {
		mem = vnpu_ring_create(stream->ring_tasks);
		if (mem) {
			WRITE_ONCE(mem->ring->state, stream->ring_state);
			/*
			 * Order the stores to the ring before that of the
			 * pointer. Pairs with the smp_load_acquire() of it.
			 */
			smp_store_release(&stream->ring, mem);
		}
	}
	if (mem)
		kref_get(&mem->ref);
	mutex_unlock(&stream->ring_lock);
	return mem ?: ERR_PTR(-ENOMEM);
}

/**
 * vnpu_stream_doorbell() - let an engine check the ring of a stream
 * @stream: the stream
 *
 * Return: 0, -ENOENT (no ring, or the stream is ending) or -EIO (the stream is
 * broken).
 */
int vnpu_stream_doorbell(struct vnpu_stream *stream)
{
	/* Pairs with smp_store_release() in vnpu_stream_get_ring(). */
	if (!smp_load_acquire(&stream->ring))
		return -ENOENT;
	if (vnpu_timeline_error(&stream->timeline))
		return -EIO;
	if (vnpu_inject_is_on() && vnpu_inject_doorbell(stream))
		return 0;
	return vnpu_engines_kick(stream) ? 0 : -ENOENT;
}

/**
 * vnpu_stream_abort() - cancel the submitted tasks of a stream
 * @stream: the stream
 * @completed: set to the number of the last task that is cancelled or complete
 *
 * Return: 0, -EIO (the stream is broken) or -EINTR.
 */
int vnpu_stream_abort(struct vnpu_stream *stream, u64 *completed)
{
	struct vnpu_ring_mem *mem;
	u64 tail = 0, done;

	/* Pairs with smp_store_release() in vnpu_stream_get_ring(). */
	mem = smp_load_acquire(&stream->ring);
	if (mem)
		/* Order the load of the tail before that of the value. */
		tail = smp_load_acquire(&mem->ring->tail);
	done = vnpu_timeline_value(&stream->timeline);
	if (vnpu_timeline_error(&stream->timeline))
		return -EIO;
	/* If the tail is invalid, the next engine breaks the stream. */
	if (tail - done > stream->ring_tasks)
		tail = done;
	*completed = tail;
	vnpu_engines_cancel(stream, tail);
	if (!mem)
		return 0;
	vnpu_engines_kick(stream);
	return vnpu_wait_killable(&stream->timeline, tail);
}

/**
 * vnpu_stream_stop() - stop a stream and its context after a failed task
 * @stream: the stream, which the calling engine runs
 */
void vnpu_stream_stop(struct vnpu_stream *stream)
{
	vnpu_engines_stop(stream, stream->run.seq);
	if (stream->context)
		vnpu_context_call_streams(stream->context);
}
