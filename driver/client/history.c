// SPDX-License-Identifier: GPL-2.0-only
/*
 * History of exited clients, for queries about the resources that a program
 * used. The table is bounded and usually full. To make room, it drops the
 * oldest record of the user with the most records. So a user that opens and
 * closes files replaces its own records, and none of a user that has fewer.
 *
 * The record is allocated with the client, so that the end of a client, which
 * may be a kill for lack of memory, needs no allocation. It is filled in two
 * steps: the memory that the client holds, before it is freed, and the totals
 * afterwards.
 */
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/slab.h>

#include "account/account.h"
#include "account/user.h"
#include "base/client.h"
#include "history.h"

/* Protects the following variables; innermost. */
static DEFINE_MUTEX(vnpu_exited_lock);
static struct rb_root vnpu_exited_table = RB_ROOT;
static LIST_HEAD(vnpu_exited_users);
static u32 vnpu_exited_count;
static unsigned long vnpu_exited_last_seq;

static void vnpu_exited_release(struct kref *ref)
{
	struct vnpu_exited *exited = container_of(ref, struct vnpu_exited, ref);

	put_pid(exited->pid);
	vnpu_user_put(exited->user);
	kfree(exited);
}

/**
 * vnpu_exited_create() - allocate the record of a client
 * @client: the client, whose constant members are set
 *
 * Return: the record with a reference, or NULL.
 */
struct vnpu_exited *vnpu_exited_create(const struct vnpu_client *client)
{
	struct vnpu_exited *exited;

	exited = kzalloc(sizeof(*exited), GFP_KERNEL_ACCOUNT);
	if (!exited)
		return NULL;
	kref_init(&exited->ref);
	exited->id = client->id;
	exited->pid = get_pid(client->pid);
	exited->uid = client->uid;
	vnpu_user_get(client->user);
	exited->user = client->user;
	exited->opened = ktime_get_ns();
	return exited;
}

/**
 * vnpu_exited_note_end() - record what a client holds at its end
 * @client: the client, whose resources are about to be freed
 */
void vnpu_exited_note_end(const struct vnpu_client *client)
{
	struct vnpu_exited *exited = client->exited;
	unsigned int i;

	vnpu_client_name(client, exited->comm);
	exited->nr_streams = atomic_read(&client->nr_streams);
	for (i = 0; i < VNPU_MAX_DEVICES; i++) {
		struct vnpu_usage *usage = vnpu_client_peek_usage(client, i);

		if (usage)
			exited->used[i] = READ_ONCE(usage->used);
	}
}

/* Record the totals of a client; false if it has not used any device. */
static bool vnpu_exited_note_sums(struct vnpu_exited *exited,
				  const struct vnpu_client *client)
{
	unsigned int i;

	exited->closed = ktime_get_ns();
	exited->busy_ns = vnpu_client_busy_ns(client);
	for (i = 0; i < VNPU_MAX_DEVICES; i++) {
		struct vnpu_usage *usage = vnpu_client_peek_usage(client, i);

		if (!usage)
			continue;
		__set_bit(i, exited->devices);
		exited->peak[i] = READ_ONCE(usage->peak);
	}
	return exited->busy_ns || !bitmap_empty(exited->devices,
						VNPU_MAX_DEVICES);
}

static struct vnpu_exited *vnpu_exited_of(const struct rb_node *node)
{
	return rb_entry(node, struct vnpu_exited, node);
}

static bool vnpu_exited_less(struct rb_node *a, const struct rb_node *b)
{
	return vnpu_exited_of(a)->seq < vnpu_exited_of(b)->seq;
}

static void vnpu_exited_insert_locked(struct vnpu_exited *exited)
{
	struct vnpu_user *user = exited->user;

	lockdep_assert_held(&vnpu_exited_lock);
	exited->seq = ++vnpu_exited_last_seq;
	rb_add(&exited->node, &vnpu_exited_table, vnpu_exited_less);
	vnpu_exited_count++;
	if (!user->nr_exited++)
		list_add_tail(&user->exited_link, &vnpu_exited_users);
	list_add_tail(&exited->user_link, &user->exited);
}

/* Remove a record; the table's reference passes to the caller. */
static void vnpu_exited_erase_locked(struct vnpu_exited *exited)
{
	struct vnpu_user *user = exited->user;

	lockdep_assert_held(&vnpu_exited_lock);
	rb_erase(&exited->node, &vnpu_exited_table);
	vnpu_exited_count--;
	list_del(&exited->user_link);
	if (!--user->nr_exited)
		list_del(&user->exited_link);
}

/* Choose the record to drop. There are at most as many users as records. */
static struct vnpu_exited *vnpu_exited_pick_locked(void)
{
	struct vnpu_user *user, *most = NULL;

	lockdep_assert_held(&vnpu_exited_lock);
	list_for_each_entry(user, &vnpu_exited_users, exited_link)
		if (!most || user->nr_exited > most->nr_exited)
			most = user;
	return list_first_entry(&most->exited, struct vnpu_exited, user_link);
}

/**
 * vnpu_exited_add() - add a client to the history, if it has used a device
 * @client: the client, whose resources were freed
 */
void vnpu_exited_add(const struct vnpu_client *client)
{
	struct vnpu_exited *exited = client->exited, *old = NULL;

	if (!vnpu_exited_note_sums(exited, client))
		return;
	kref_get(&exited->ref);
	mutex_lock(&vnpu_exited_lock);
	vnpu_exited_insert_locked(exited);
	if (vnpu_exited_count > VNPU_EXITED_MAX) {
		old = vnpu_exited_pick_locked();
		vnpu_exited_erase_locked(old);
	}
	mutex_unlock(&vnpu_exited_lock);
	if (old)
		vnpu_exited_put(old);
}

/**
 * vnpu_exited_get_next() - find the first record at or after a sequence number
 * @seq: the number to start at; set to that of the record found
 *
 * Return: the record with a reference, or NULL.
 */
struct vnpu_exited *vnpu_exited_get_next(unsigned long *seq)
{
	struct vnpu_exited *found = NULL;
	struct rb_node *node;

	mutex_lock(&vnpu_exited_lock);
	node = vnpu_exited_table.rb_node;
	while (node) {
		struct vnpu_exited *exited = vnpu_exited_of(node);

		if (exited->seq >= *seq) {
			found = exited;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	if (found) {
		*seq = found->seq;
		kref_get(&found->ref);
	}
	mutex_unlock(&vnpu_exited_lock);
	return found;
}

/**
 * vnpu_exited_put() - drop a reference
 * @exited: the record
 */
void vnpu_exited_put(struct vnpu_exited *exited)
{
	kref_put(&exited->ref, vnpu_exited_release);
}

/**
 * vnpu_exited_generation() - get a number that changes with the table
 */
unsigned int vnpu_exited_generation(void)
{
	return READ_ONCE(vnpu_exited_last_seq);
}

/**
 * vnpu_exited_forget_all() - empty the table, which has no more readers
 */
void vnpu_exited_forget_all(void)
{
	struct rb_node *node;

	while ((node = rb_first(&vnpu_exited_table))) {
		struct vnpu_exited *exited = vnpu_exited_of(node);

		mutex_lock(&vnpu_exited_lock);
		vnpu_exited_erase_locked(exited);
		mutex_unlock(&vnpu_exited_lock);
		vnpu_exited_put(exited);
	}
}
