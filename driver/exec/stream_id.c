// SPDX-License-Identifier: GPL-2.0-only
/*
 * Remove the ids of streams and timelines from a client: one, or all at its
 * end.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include "account/user.h"
#include "base/client.h"
#include "sync/timeline.h"
#include "engine.h"
#include "fence.h"
#include "stream.h"

/* The kinds of ids. */
enum vnpu_id_use {
	VNPU_ID_OF_STREAM,	/* a stream that the client has created */
	VNPU_ID_OF_LANE,	/* a stream of a graph */
	VNPU_ID_OF_OTHER,	/* any other timeline */
};

static enum vnpu_id_use vnpu_id_use(const struct vnpu_client *client, u64 id,
				    void *entry)
{
	struct vnpu_timeline *timeline = vnpu_timeline_of_entry(entry);

	if (!vnpu_stream_is_of(timeline, client, id))
		return VNPU_ID_OF_OTHER;
	return vnpu_stream_of(timeline)->graph ? VNPU_ID_OF_LANE :
						 VNPU_ID_OF_STREAM;
}

/* Remove an id, and return its entry; @error if that has the wrong kind. */
static void *vnpu_timeline_take_entry(struct vnpu_client *client, u64 id,
				      enum vnpu_id_use use, int error)
{
	struct xarray *timelines = &client->timelines;
	void *entry;

	xa_lock(timelines);
	entry = xa_load(timelines, id);
	if (!entry)
		entry = ERR_PTR(-ENOENT);
	else if (vnpu_id_use(client, id, entry) != use)
		entry = ERR_PTR(error);
	else
		__xa_erase(timelines, id);
	xa_unlock(timelines);
	if (!IS_ERR(entry))
		vnpu_host_account_uncharge(client->host_account, VNPU_HOST_OBJECTS, 1);
	return entry;
}

/**
 * vnpu_timeline_take_stream_id() - remove a stream's id from its client
 * @client: the client
 * @id: any number
 *
 * Return: the timeline of a stream that the client has created, with the id's
 * hold and reference; or ERR_PTR(-ENOENT).
 */
struct vnpu_timeline *vnpu_timeline_take_stream_id(struct vnpu_client *client,
						   u64 id)
{
	/* Streams that the client has created have no tag. */
	return vnpu_timeline_take_entry(client, id, VNPU_ID_OF_STREAM, -ENOENT);
}

/**
 * vnpu_timeline_take_lane_id() - remove the id of a stream of a graph
 * @client: the client
 * @id: the id; the caller drops its hold and reference
 */
void vnpu_timeline_take_lane_id(struct vnpu_client *client, u64 id)
{
	void *entry = vnpu_timeline_take_entry(client, id, VNPU_ID_OF_LANE,
					       -EINVAL);

	WARN_ON_ONCE(IS_ERR(entry));
}

/**
 * vnpu_timeline_give_up_id() - remove an id of a timeline
 * @client: the client
 * @id: any number
 *
 * Return: 0, -ENOENT, or -EINVAL for a stream that the client has created.
 */
int vnpu_timeline_give_up_id(struct vnpu_client *client, u64 id)
{
	void *entry = vnpu_timeline_take_entry(client, id, VNPU_ID_OF_OTHER,
					       -EINVAL);

	if (IS_ERR(entry))
		return PTR_ERR(entry);
	vnpu_timeline_drop(vnpu_timeline_of_entry(entry),
			   xa_pointer_tag(entry) == VNPU_TAG_WAIT_ONLY);
	return 0;
}

/**
 * vnpu_timelines_end_all() - end all timelines of a client that ends
 * @client: the client
 *
 * When this returns, no engine runs anything for it.
 */
void vnpu_timelines_end_all(struct vnpu_client *client)
{
	struct vnpu_timeline *timeline;
	unsigned long id;
	void *entry;

	/*
	 * Kill all streams first, so that engines finish them in parallel. Also
	 * signal all fences before the first wait: another driver may wait for
	 * a fence of one stream during a call for another stream.
	 */
	xa_for_each_marked(&client->timelines, id, timeline, VNPU_MARK_STREAM) {
		vnpu_engines_kill(vnpu_stream_of(timeline));
		vnpu_fences_end(vnpu_stream_of(timeline));
	}
	xa_for_each_marked(&client->timelines, id, timeline, VNPU_MARK_STREAM)
		vnpu_stream_end(vnpu_stream_of(timeline), false);
	xa_for_each(&client->timelines, id, entry) {
		xa_erase(&client->timelines, id);
		vnpu_host_account_uncharge(client->host_account, VNPU_HOST_OBJECTS, 1);
		vnpu_timeline_drop(vnpu_timeline_of_entry(entry),
				   xa_pointer_tag(entry) == VNPU_TAG_WAIT_ONLY);
		cond_resched();
	}
	vnpu_timelines_flush();
}
