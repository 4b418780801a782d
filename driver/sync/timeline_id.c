// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client's ids of timelines, counters and streams.
 *
 * They increase and are never reused, so the id of a destroyed timeline is
 * recognised: waiting for it returns at once.
 */
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/xarray.h>

#include <linux/vnpu.h>

#include "account/host_account.h"
#include "base/client.h"
#include "timeline.h"

/**
 * vnpu_timeline_reserve_ids() - reserve consecutive ids
 * @client: the client
 * @count: number of ids, not 0
 * @first: set to the first id
 *
 * Return: 0, -EDQUOT or -ENOMEM.
 */
int vnpu_timeline_reserve_ids(struct vnpu_client *client, u32 count, u64 *first)
{
	u32 i;
	int ret;

	ret = vnpu_host_account_charge(client->host_account, VNPU_HOST_OBJECTS,
				       count);
	if (ret)
		return ret;
	*first = atomic64_add_return(count, &client->last_timeline) - count + 1;
	for (i = 0; i < count; i++) {
		ret = xa_insert(&client->timelines, *first + i, XA_ZERO_ENTRY,
				GFP_KERNEL_ACCOUNT);
		if (ret)
			goto err;
	}
	return 0;

err:
	while (i--)
		xa_release(&client->timelines, *first + i);
	vnpu_host_account_uncharge(client->host_account, VNPU_HOST_OBJECTS, count);
	return ret;
}

/**
 * vnpu_timeline_reserve_id() - reserve an id
 * @client: the client
 * @id: set to the id
 *
 * Return: 0, -EDQUOT or -ENOMEM.
 */
int vnpu_timeline_reserve_id(struct vnpu_client *client, u64 *id)
{
	return vnpu_timeline_reserve_ids(client, 1, id);
}

/**
 * vnpu_timeline_cancel_id() - free a reserved id
 * @client: the client
 * @id: the reserved id
 */
void vnpu_timeline_cancel_id(struct vnpu_client *client, u64 id)
{
	xa_release(&client->timelines, id);
	vnpu_host_account_uncharge(client->host_account, VNPU_HOST_OBJECTS, 1);
}

/**
 * vnpu_timeline_publish_id() - give a reserved id to a timeline
 * @client: the client
 * @id: the reserved id
 * @timeline: takes the caller's reference, and the caller's hold unless
 *	@wait_only
 * @wait_only: the client may not signal it
 */
void vnpu_timeline_publish_id(struct vnpu_client *client, u64 id,
			      struct vnpu_timeline *timeline, bool wait_only)
{
	/* The slot exists since the reservation. */
	xa_store(&client->timelines, id,
		 xa_tag_pointer(timeline, wait_only ? VNPU_TAG_WAIT_ONLY : 0),
		 0);
}

/**
 * vnpu_timeline_drop() - drop the reference of an id or file
 * @timeline: the timeline
 * @wait_only: if false, the id or file held the timeline, too
 */
void vnpu_timeline_drop(struct vnpu_timeline *timeline, bool wait_only)
{
	if (!wait_only)
		vnpu_timeline_unhold(timeline);
	vnpu_timeline_put(timeline);
}

/**
 * vnpu_timeline_find_rights() - look up a timeline and the client's rights
 * @client: the client
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
 * vnpu_timeline_find() - look up a timeline
 * @client: the client
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
 * vnpu_timeline_find_to_signal() - look up a timeline in order to change it
 * @client: the client
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
