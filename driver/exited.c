// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last figures of clients that are gone, for whoever asks afterwards what a
 * program took. The table is bounded, and full as a rule: the user of whom most are
 * remembered makes room, with the client that is longest gone. So a user who opens
 * and closes files replaces the own ones, and none of a user who has fewer.
 *
 * What is remembered is allocated with the client, so that its end, which may
 * be a kill for lack of memory, never lacks it. It is noted in two steps, as a
 * client ends: what it holds, before that is given back, and the sums after.
 */
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/slab.h>

#include "client.h"
#include "exited.h"
#include "usage.h"
#include "user.h"

/* Protects what follows; innermost. */
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
 * vnpu_exited_create() - prepare to remember a client
 * @client: the client, of which all that is constant is known
 *
 * Return: with a reference, or NULL.
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
 * vnpu_exited_note_end() - note what a client has
 * @client: the client, from which everything is about to be taken
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

/* What was left of the client to note. False if it has used no device. */
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

/* The table's reference is the caller's from here on. */
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

/* There are no more users than clients in the table. */
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
 * vnpu_exited_add() - remember a client, if it has used a device
 * @client: the client, which has nothing any more
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
 * vnpu_exited_get_next() - the first that is remembered at or after a place
 * @seq: where to start; where it was found
 *
 * Return: with a reference, or NULL.
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
 * vnpu_exited_put() - give a reference back
 * @exited: what is remembered of a client
 */
void vnpu_exited_put(struct vnpu_exited *exited)
{
	kref_put(&exited->ref, vnpu_exited_release);
}

/**
 * vnpu_exited_generation() - changes when the table does
 */
unsigned int vnpu_exited_generation(void)
{
	return READ_ONCE(vnpu_exited_last_seq);
}

/**
 * vnpu_exited_forget_all() - empty the table, which nobody reads any more
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
