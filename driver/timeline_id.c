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

#include "account.h"
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
 * Return: 0, -EDQUOT or -ENOMEM.
 */
int vnpu_timeline_reserve_id(struct vnpu_client *client, u64 *id)
{
	int ret = vnpu_account_charge(client->account, VNPU_HOST_OBJECTS, 1);

	if (ret)
		return ret;
	*id = atomic64_inc_return(&client->last_timeline);
	ret = xa_insert(&client->timelines, *id, XA_ZERO_ENTRY,
			GFP_KERNEL_ACCOUNT);
	if (ret)
		vnpu_account_uncharge(client->account, VNPU_HOST_OBJECTS, 1);
	return ret;
}

/**
 * vnpu_timeline_cancel_id() - an id is not needed after all
 * @client: whose
 * @id: reserved
 */
void vnpu_timeline_cancel_id(struct vnpu_client *client, u64 id)
{
	xa_release(&client->timelines, id);
	vnpu_account_uncharge(client->account, VNPU_HOST_OBJECTS, 1);
}

/**
 * vnpu_timeline_publish_id() - from now on the id stands for it
 * @client: whose
 * @id: reserved
 * @timeline: takes the caller's reference, and his hold unless @wait_only
 * @wait_only: the client may not signal it
 */
void vnpu_timeline_publish_id(struct vnpu_client *client, u64 id,
			      struct vnpu_timeline *timeline, bool wait_only)
{
	/* The slot is there since it was reserved. */
	xa_store(&client->timelines, id,
		 xa_tag_pointer(timeline, wait_only ? VNPU_TAG_WAIT_ONLY : 0),
		 0);
}

/**
 * vnpu_timeline_drop() - an id or file is no more
 * @timeline: whose reference it had
 * @wait_only: otherwise it held the timeline, too
 */
void vnpu_timeline_drop(struct vnpu_timeline *timeline, bool wait_only)
{
	if (!wait_only)
		vnpu_timeline_unhold(timeline);
	vnpu_timeline_put(timeline);
}

/**
 * vnpu_timeline_find_rights() - look a timeline up, and what may be done with it
 * @client: whose
 * @id: any number
 * @timeline: set to it, with a reference; or to NULL if it is gone
 * @wait_only: set to whether the client may not signal it
 *
 * Return: 0, or -ENOENT if there has never been such a timeline.
 */
int vnpu_timeline_find_rights(struct vnpu_client *client, u64 id,
			      struct vnpu_timeline **timeline,
			      bool *wait_only)
{
	struct vnpu_timeline *found;
	void *entry;

	*timeline = NULL;
	*wait_only = false;
	if (!id || id > atomic64_read(&client->last_timeline))
		return -ENOENT;
	rcu_read_lock();
	entry = xa_load(&client->timelines, id);
	found = vnpu_timeline_of_entry(entry);
	if (found && kref_get_unless_zero(&found->ref)) {
		*timeline = found;
		*wait_only = xa_pointer_tag(entry) == VNPU_TAG_WAIT_ONLY;
	}
	rcu_read_unlock();
	return 0;
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
	bool wait_only;

	return vnpu_timeline_find_rights(client, id, timeline, &wait_only);
}

/**
 * vnpu_timeline_find_to_signal() - look a timeline up that is to be changed
 * @client: whose
 * @id: any number
 * @timeline: set to it, with a reference; or to NULL if it is gone
 *
 * Return: 0, -ENOENT if there has never been such a timeline, or -EACCES if the
 * client may only wait for it.
 */
int vnpu_timeline_find_to_signal(struct vnpu_client *client, u64 id,
				 struct vnpu_timeline **timeline)
{
	bool wait_only;
	int ret;

	ret = vnpu_timeline_find_rights(client, id, timeline, &wait_only);
	if (!wait_only)
		return ret;
	/* Engines come here. */
	vnpu_timeline_put_later(*timeline);
	*timeline = NULL;
	return -EACCES;
}

/* An id is to stand for nothing any more; @error if the kind is not right. */
static void *vnpu_timeline_take_entry(struct vnpu_client *client, u64 id,
				      bool is_stream, int error)
{
	struct xarray *timelines = &client->timelines;
	void *entry;

	xa_lock(timelines);
	entry = xa_load(timelines, id);
	if (!entry)
		entry = ERR_PTR(-ENOENT);
	else if (vnpu_stream_is_of(vnpu_timeline_of_entry(entry), client, id) !=
		 is_stream)
		entry = ERR_PTR(error);
	else
		__xa_erase(timelines, id);
	xa_unlock(timelines);
	if (!IS_ERR(entry))
		vnpu_account_uncharge(client->account, VNPU_HOST_OBJECTS, 1);
	return entry;
}

/**
 * vnpu_timeline_take_stream_id() - take a stream from its client
 * @client: whose
 * @id: any number
 *
 * Return: the timeline of a stream that the client has made, with the id's hold
 * and reference; or ERR_PTR(-ENOENT).
 */
struct vnpu_timeline *vnpu_timeline_take_stream_id(struct vnpu_client *client,
						   u64 id)
{
	/* What the client has made has no tag. */
	return vnpu_timeline_take_entry(client, id, true, -ENOENT);
}

/**
 * vnpu_timeline_give_up_id() - an id is to stand for nothing any more
 * @client: whose
 * @id: any number
 *
 * Return: 0, -ENOENT, or -EINVAL for a stream that the client has made.
 */
int vnpu_timeline_give_up_id(struct vnpu_client *client, u64 id)
{
	void *entry = vnpu_timeline_take_entry(client, id, false, -EINVAL);

	if (IS_ERR(entry))
		return PTR_ERR(entry);
	vnpu_timeline_drop(vnpu_timeline_of_entry(entry),
			   xa_pointer_tag(entry) == VNPU_TAG_WAIT_ONLY);
	return 0;
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
	void *entry;

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
	xa_for_each(&client->timelines, id, entry) {
		xa_erase(&client->timelines, id);
		vnpu_account_uncharge(client->account, VNPU_HOST_OBJECTS, 1);
		vnpu_timeline_drop(vnpu_timeline_of_entry(entry),
				   xa_pointer_tag(entry) == VNPU_TAG_WAIT_ONLY);
		cond_resched();
	}
	vnpu_timelines_flush();
}
