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
static DEFINE_MUTEX(vnpu_history_lock);
static struct rb_root vnpu_history_table = RB_ROOT;
static LIST_HEAD(vnpu_history_users);
static u32 vnpu_history_count;
static unsigned long vnpu_history_last_seq;

static void vnpu_history_release(struct kref *ref)
{
	struct vnpu_history *history = container_of(ref, struct vnpu_history, ref);

	put_pid(history->pid);
	vnpu_user_put(history->user);
	kfree(history);
}

/**
 * vnpu_history_create() - allocate the record of a client
 * @client: the client; its constant members are set
 *
 * Return: the record with a reference, or NULL.
 */
struct vnpu_history *vnpu_history_create(const struct vnpu_client *client)
{
	struct vnpu_history *history;

	history = kzalloc(sizeof(*history), GFP_KERNEL_ACCOUNT);
	if (!history)
		return NULL;
	kref_init(&history->ref);
	history->id = client->id;
	history->pid = get_pid(client->pid);
	history->uid = client->uid;
	vnpu_user_get(client->user);
	history->user = client->user;
	history->opened = ktime_get_ns();
	return history;
}

/**
 * vnpu_history_note_end() - record what a client holds at its end
 * @client: the client; its resources are about to be freed
 */
void vnpu_history_note_end(const struct vnpu_client *client)
{
	struct vnpu_history *history = client->history;
	unsigned int i;

	vnpu_client_name(client, history->comm);
	history->nr_streams = atomic_read(&client->nr_streams);
	for (i = 0; i < VNPU_MAX_DEVICES; i++) {
		struct vnpu_account *account = vnpu_client_peek_account(client, i);

		if (account)
			history->used[i] = READ_ONCE(account->used);
	}
}

/* Record the totals of a client; false if it has not used any device. */
static bool vnpu_history_note_sums(struct vnpu_history *history,
				   const struct vnpu_client *client)
{
	unsigned int i;

	history->closed = ktime_get_ns();
	history->busy_ns = vnpu_client_busy_ns(client);
	for (i = 0; i < VNPU_MAX_DEVICES; i++) {
		struct vnpu_account *account = vnpu_client_peek_account(client, i);

		if (!account)
			continue;
		__set_bit(i, history->devices);
		history->peak[i] = READ_ONCE(account->peak);
	}
	return history->busy_ns || !bitmap_empty(history->devices,
						 VNPU_MAX_DEVICES);
}

static struct vnpu_history *vnpu_history_of(const struct rb_node *node)
{
	return rb_entry(node, struct vnpu_history, node);
}

static bool vnpu_history_less(struct rb_node *a, const struct rb_node *b)
{
	return vnpu_history_of(a)->seq < vnpu_history_of(b)->seq;
}

static void vnpu_history_insert_locked(struct vnpu_history *history)
{
	struct vnpu_user *user = history->user;

	lockdep_assert_held(&vnpu_history_lock);
	history->seq = ++vnpu_history_last_seq;
	rb_add(&history->node, &vnpu_history_table, vnpu_history_less);
	vnpu_history_count++;
	if (!user->nr_records++)
		list_add_tail(&user->history_link, &vnpu_history_users);
	list_add_tail(&history->user_link, &user->history);
}

/* Remove a record; the table's reference passes to the caller. */
static void vnpu_history_erase_locked(struct vnpu_history *history)
{
	struct vnpu_user *user = history->user;

	lockdep_assert_held(&vnpu_history_lock);
	rb_erase(&history->node, &vnpu_history_table);
	vnpu_history_count--;
	list_del(&history->user_link);
	if (!--user->nr_records)
		list_del(&user->history_link);
}

/* Choose the record to drop. There are at most as many users as records. */
static struct vnpu_history *vnpu_history_pick_locked(void)
{
	struct vnpu_user *user, *most = NULL;

	lockdep_assert_held(&vnpu_history_lock);
	list_for_each_entry(user, &vnpu_history_users, history_link)
		if (!most || user->nr_records > most->nr_records)
			most = user;
	return list_first_entry(&most->history, struct vnpu_history, user_link);
}

/**
 * vnpu_history_add() - add a client to the history, if it has used a device
 * @client: the client; its resources were freed
 */
void vnpu_history_add(const struct vnpu_client *client)
{
	struct vnpu_history *history = client->history, *old = NULL;

	if (!vnpu_history_note_sums(history, client))
		return;
	kref_get(&history->ref);
	mutex_lock(&vnpu_history_lock);
	vnpu_history_insert_locked(history);
	if (vnpu_history_count > VNPU_HISTORY_MAX) {
		old = vnpu_history_pick_locked();
		vnpu_history_erase_locked(old);
	}
	mutex_unlock(&vnpu_history_lock);
	if (old)
		vnpu_history_put(old);
}

/**
 * vnpu_history_get_next() - find the first record at or after a sequence number
 * @seq: the number to start at; set to that of the record found
 *
 * Return: the record with a reference, or NULL.
 */
struct vnpu_history *vnpu_history_get_next(unsigned long *seq)
{
	struct vnpu_history *found = NULL;
	struct rb_node *node;

	mutex_lock(&vnpu_history_lock);
	node = vnpu_history_table.rb_node;
	while (node) {
		struct vnpu_history *history = vnpu_history_of(node);

		if (history->seq >= *seq) {
			found = history;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	if (found) {
		*seq = found->seq;
		kref_get(&found->ref);
	}
	mutex_unlock(&vnpu_history_lock);
	return found;
}

/**
 * vnpu_history_put() - drop a reference
 * @history: the record
 */
void vnpu_history_put(struct vnpu_history *history)
{
	kref_put(&history->ref, vnpu_history_release);
}

/**
 * vnpu_history_generation() - get a number that changes with the table
 *
 * Return: the number.
 */
unsigned int vnpu_history_generation(void)
{
	return READ_ONCE(vnpu_history_last_seq);
}

/**
 * vnpu_history_forget_all() - empty the table, which has no more readers
 */
void vnpu_history_forget_all(void)
{
	struct rb_node *node;

	while ((node = rb_first(&vnpu_history_table))) {
		struct vnpu_history *history = vnpu_history_of(node);

		mutex_lock(&vnpu_history_lock);
		vnpu_history_erase_locked(history);
		mutex_unlock(&vnpu_history_lock);
		vnpu_history_put(history);
	}
}
