// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last figures of clients that are gone: who asks afterwards what a program
 * took is told. The table is bounded; the longest gone make room.
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

/* Protects what follows; innermost. */
static DEFINE_MUTEX(vnpu_exited_lock);
static struct vnpu_exited *vnpu_exited_table[VNPU_EXITED_MAX];
static unsigned long vnpu_exited_last_seq;

static void vnpu_exited_release(struct kref *ref)
{
	struct vnpu_exited *exited = container_of(ref, struct vnpu_exited, ref);

	put_pid(exited->pid);
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

/**
 * vnpu_exited_add() - remember a client, if it has used a device
 * @client: the client, which has nothing any more
 */
void vnpu_exited_add(const struct vnpu_client *client)
{
	struct vnpu_exited *exited = client->exited, **slot, *oldest;

	if (!vnpu_exited_note_sums(exited, client))
		return;
	kref_get(&exited->ref);
	mutex_lock(&vnpu_exited_lock);
	exited->seq = ++vnpu_exited_last_seq;
	slot = &vnpu_exited_table[exited->seq % VNPU_EXITED_MAX];
	oldest = *slot;
	*slot = exited;
	mutex_unlock(&vnpu_exited_lock);
	if (oldest)
		vnpu_exited_put(oldest);
}

/**
 * vnpu_exited_get_next() - the first that is remembered at or after a place
 * @seq: where to start; where it was found
 *
 * Return: with a reference, or NULL.
 */
struct vnpu_exited *vnpu_exited_get_next(unsigned long *seq)
{
	struct vnpu_exited *exited = NULL;
	unsigned long last;

	mutex_lock(&vnpu_exited_lock);
	last = vnpu_exited_last_seq;
	if (last >= VNPU_EXITED_MAX)
		*seq = max(*seq, last - VNPU_EXITED_MAX + 1);
	*seq = max(*seq, 1UL);
	if (*seq <= last) {
		exited = vnpu_exited_table[*seq % VNPU_EXITED_MAX];
		kref_get(&exited->ref);
	}
	mutex_unlock(&vnpu_exited_lock);
	return exited;
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
	unsigned int i;

	for (i = 0; i < VNPU_EXITED_MAX; i++)
		if (vnpu_exited_table[i])
			vnpu_exited_put(vnpu_exited_table[i]);
}
