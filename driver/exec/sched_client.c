// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shares of users, clients and contexts in the time of a device's engines.
 * core/fairq.h describes how they share it.
 *
 * All users have the same weight. The weight of a client among the clients of
 * its user depends on the nice value of the thread that opened it, as for
 * processor time. A client sets the weights of its contexts.
 */
#include <linux/kref.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "account/user.h"
#include "base/client.h"
#include "base/device.h"
#include "engine.h"
#include "sched_client.h"

/**
 * vnpu_sched_weight() - compute the weight of a nice value
 * @nice: the nice value, from -20 to 19
 *
 * Return: VNPU_FAIR_WEIGHT for 0, and a fifth less for each step up.
 */
u32 vnpu_sched_weight(int nice)
{
	u32 weight = VNPU_FAIR_WEIGHT;

	for (; nice > 0; nice--)
		weight = weight * 4 / 5;
	for (; nice < 0; nice++)
		weight = weight * 5 / 4;
	return weight;
}

/* The default weight of a context corresponds to VNPU_FAIR_WEIGHT. */
static u32 vnpu_fair_weight(u32 weight)
{
	static_assert(VNPU_FAIR_WEIGHT % VNPU_CONTEXT_WEIGHT == 0);

	return weight * (VNPU_FAIR_WEIGHT / VNPU_CONTEXT_WEIGHT);
}

/* Return the existing entry of the user of @new, or insert @new. */
static struct vnpu_sched_user *
vnpu_sched_user_get_locked(struct vnpu_engines *engines,
			   struct vnpu_sched_user *new)
{
	struct rb_node **link = &engines->users.rb_node, *parent = NULL;
	struct vnpu_sched_user *user = new;

	lockdep_assert_held(&engines->lock);
	while (*link) {
		struct vnpu_sched_user *other =
			rb_entry(*link, struct vnpu_sched_user, node);

		if (other->user == new->user) {
			user = other;
			break;
		}
		parent = *link;
		link = new->user < other->user ? &parent->rb_left :
						 &parent->rb_right;
	}
	if (user == new) {
		rb_link_node(&new->node, parent, link);
		rb_insert_color(&new->node, &engines->users);
	}
	user->nr_clients++;
	return user;
}

static struct vnpu_sched_user *
vnpu_sched_user_create(struct vnpu_engines *engines, struct vnpu_user *of)
{
	struct vnpu_sched_user *user;
	u32 class;

	user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (!user)
		return NULL;
	vnpu_user_get(of);
	user->user = of;
	user->engines = engines;
	vnpu_pace_init(user);
	for (class = 0; class < VNPU_ENGINE_CLASSES; class++)
		vnpu_fair_user_init(&user->fair[class], &engines->ready[class],
				    VNPU_FAIR_WEIGHT);
	return user;
}

static void vnpu_sched_user_free(struct vnpu_sched_user *user)
{
	if (!user)
		return;
	/* No stream is in @paced any more, but the timer may still run. */
	hrtimer_cancel(&user->pace);
	vnpu_user_put(user->user);
	kfree(user);
}

/**
 * vnpu_sched_context_init() - initialise the share of a context without streams
 * @context: the share
 * @client: the context's client, which outlives the streams of the context
 * @weight: VNPU_CONTEXT_WEIGHT_MIN to VNPU_CONTEXT_WEIGHT_MAX
 * @is_urgent: true to serve the context before contexts of all clients that are
 *	not urgent
 */
void vnpu_sched_context_init(struct vnpu_sched_context *context,
			     struct vnpu_sched_client *client, u32 weight,
			     bool is_urgent)
{
	struct vnpu_engines *engines = client->dev->engines;
	u32 class;

	context->weight = weight;
	context->is_urgent = is_urgent;
	for (class = 0; class < VNPU_ENGINE_CLASSES; class++) {
		struct vnpu_fair_context *fair = &context->fair[class];

		if (is_urgent)
			vnpu_fair_context_init_urgent(fair,
						      &engines->ready[class],
						      vnpu_fair_weight(weight));
		else
			vnpu_fair_context_init(fair, &client->fair[class],
					       vnpu_fair_weight(weight));
	}
}

/**
 * vnpu_sched_context_set_weight() - change the weight of a context
 * @context: the share of the context
 * @dev: the context's device
 * @weight: VNPU_CONTEXT_WEIGHT_MIN to VNPU_CONTEXT_WEIGHT_MAX
 */
void vnpu_sched_context_set_weight(struct vnpu_sched_context *context,
				   struct vnpu_device *dev, u32 weight)
{
	struct vnpu_engines *engines = dev->engines;
	u32 class;

	spin_lock_bh(&engines->lock);
	WRITE_ONCE(context->weight, weight);
	for (class = 0; class < VNPU_ENGINE_CLASSES; class++)
		vnpu_fair_context_set_weight(&context->fair[class],
					     vnpu_fair_weight(weight));
	spin_unlock_bh(&engines->lock);
}

/*
 * Publish @new, unless another thread was faster. Return the published share.
 */
static struct vnpu_sched_client *
vnpu_sched_client_publish(struct vnpu_client *client, struct vnpu_device *dev,
			  struct vnpu_sched_client *new,
			  struct vnpu_sched_user *user)
{
	struct vnpu_sched_client **slot = &client->sched[dev->index];
	struct vnpu_engines *engines = dev->engines;
	struct vnpu_sched_client *old;
	u32 class;

	INIT_LIST_HEAD(&new->value_waiters);
	INIT_LIST_HEAD(&new->value_waking);
	vnpu_core_port_init(&new->port);
	spin_lock_bh(&engines->lock);
	old = *slot;
	if (!old) {
		kref_get(&dev->ref);
		new->dev = dev;
		new->user = vnpu_sched_user_get_locked(engines, user);
		for (class = 0; class < VNPU_ENGINE_CLASSES; class++)
			vnpu_fair_client_init(&new->fair[class],
					      &new->user->fair[class],
					      client->weight);
		vnpu_sched_context_init(&new->alone, new, VNPU_CONTEXT_WEIGHT,
					false);
		/* Pairs with smp_load_acquire() in vnpu_sched_client_of(). */
		smp_store_release(slot, new);
	}
	spin_unlock_bh(&engines->lock);
	return old ?: new;
}

/**
 * vnpu_sched_client_of() - find or create the share of a client on a device
 * @client: the client
 * @dev: the device
 *
 * Return: the share, or NULL if the host has no memory.
 */
struct vnpu_sched_client *vnpu_sched_client_of(struct vnpu_client *client,
					       struct vnpu_device *dev)
{
	struct vnpu_sched_client *sched, *new;
	struct vnpu_sched_user *user;

	/* Pairs with smp_store_release() in vnpu_sched_client_publish(). */
	sched = smp_load_acquire(&client->sched[dev->index]);
	if (sched)
		return sched;
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	user = vnpu_sched_user_create(dev->engines, client->user);
	if (new && user)
		sched = vnpu_sched_client_publish(client, dev, new, user);
	if (!sched || sched->user != user)
		vnpu_sched_user_free(user);
	if (sched != new)
		kfree(new);
	return sched;
}

static void vnpu_sched_client_destroy(struct vnpu_sched_client *sched)
{
	struct vnpu_engines *engines = sched->dev->engines;
	struct vnpu_sched_user *user = sched->user;

	spin_lock_bh(&engines->lock);
	if (--user->nr_clients)
		user = NULL;
	else
		rb_erase(&user->node, &engines->users);
	spin_unlock_bh(&engines->lock);
	vnpu_sched_user_free(user);
	vnpu_device_put(sched->dev);
	kfree(sched);
}

/**
 * vnpu_sched_clients_destroy() - free the shares of a client on all devices
 * @client: the client, without streams and references
 */
void vnpu_sched_clients_destroy(struct vnpu_client *client)
{
	u32 i;

	for (i = 0; i < VNPU_MAX_DEVICES; i++)
		if (client->sched[i])
			vnpu_sched_client_destroy(client->sched[i]);
}
