// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client's ids of timelines, counters and streams.
 *
 * They count up and are never used again, so that an id of what is gone is known
 * for what it is: to wait for it is to wait for nothing.
 */
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/xarray.h>

#include <linux/vnpu.h>

#include "client.h"
#include "engine.h"
#include "fence.h"
#include "stream.h"
#include "timeline.h"

/**
 * vnpu_timeline_reserve_id() - get an id that stands for nothing yet
 * @client: whose
 * @id: the id
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_timeline_reserve_id(struct vnpu_client *client, u64 *id)
{
	*id = atomic64_inc_return(&client->last_timeline);
	return xa_insert(&client->timelines, *id, XA_ZERO_ENTRY,
			 GFP_KERNEL_ACCOUNT);
}

/**
 * vnpu_timeline_cancel_id() - an id is not needed after all
 * @client: whose
 * @id: reserved
 */
void vnpu_timeline_cancel_id(struct vnpu_client *client, u64 id)
{
	xa_release(&client->timelines, id);
}

/**
 * vnpu_timeline_publish_id() - from now on the id stands for it
 * @client: whose
 * @id: reserved
 * @timeline: held by the client; takes the caller's reference
 */
void vnpu_timeline_publish_id(struct vnpu_client *client, u64 id,
			      struct vnpu_timeline *timeline)
{
	/* The slot is there since it was reserved. */
	xa_store(&client->timelines, id, timeline, 0);
}

/**
 * vnpu_timeline_find() - look a timeline up
 * @client: whose
 * @id: any number
 * @timeline: set to it, with a reference; or to NULL if it is gone
 *
 * Return: 0, or -ENOENT if there has never been such a timeline.
 */
int vnpu_timeline_find(struct vnpu_client *client, u64 id,
		       struct vnpu_timeline **timeline)
{
	struct vnpu_timeline *found;

	*timeline = NULL;
	if (!id || id > atomic64_read(&client->last_timeline))
		return -ENOENT;
	rcu_read_lock();
	found = xa_load(&client->timelines, id);
	if (found && kref_get_unless_zero(&found->ref))
		*timeline = found;
	rcu_read_unlock();
	return 0;
}

/**
 * vnpu_timeline_take_id() - an id is to stand for nothing any more
 * @client: whose
 * @id: any number
 * @is_stream: whether it has to be a stream of the client itself, or must not be
 *
 * Return: what it stood for, with the id's reference; ERR_PTR of -ENOENT or
 * -EINVAL.
 */
struct vnpu_timeline *vnpu_timeline_take_id(struct vnpu_client *client, u64 id,
					    bool is_stream)
{
	struct xarray *timelines = &client->timelines;
	struct vnpu_timeline *timeline;

	xa_lock(timelines);
	timeline = xa_load(timelines, id);
	if (!timeline)
		timeline = ERR_PTR(-ENOENT);
	else if (vnpu_stream_is_of(timeline, client, id) != is_stream)
		timeline = ERR_PTR(is_stream ? -ENOENT : -EINVAL);
	else
		__xa_erase(timelines, id);
	xa_unlock(timelines);
	return timeline;
}

/**
 * vnpu_timelines_end_all() - at the end of a client
 * @client: the client
 *
 * When this returns, no engine runs anything for it.
 */
void vnpu_timelines_end_all(struct vnpu_client *client)
{
	struct vnpu_timeline *timeline;
	unsigned long id;

	/*
	 * All at once first: what one engine still does, others do meanwhile; and
	 * another driver that waits for a fence of one stream while it is asked
	 * for another is not waited for.
	 */
	xa_for_each_marked(&client->timelines, id, timeline, VNPU_MARK_STREAM) {
		vnpu_engines_doom(vnpu_stream_of(timeline));
		vnpu_fences_end(vnpu_stream_of(timeline));
	}
	xa_for_each_marked(&client->timelines, id, timeline, VNPU_MARK_STREAM)
		vnpu_stream_end(vnpu_stream_of(timeline));
	xa_for_each(&client->timelines, id, timeline) {
		xa_erase(&client->timelines, id);
		vnpu_timeline_unhold(timeline);
		vnpu_timeline_put(timeline);
		cond_resched();
	}
	vnpu_timelines_flush();
}
