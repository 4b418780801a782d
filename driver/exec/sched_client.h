/* SPDX-License-Identifier: GPL-2.0-only */
/* Shares of users, clients and contexts in the time of a device's engines. */
#ifndef VNPU_SCHED_CLIENT_H
#define VNPU_SCHED_CLIENT_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/rbtree.h>

#include "core/fairq.h"
#include "core.h"
#include "engine.h"

struct vnpu_client;
struct vnpu_device;
struct vnpu_user;

/**
 * struct vnpu_sched_user - share of a user in the time of a device's engines
 * @user: the user, with a reference; constant
 * @engines: the engines, which exist as long as a client of the user; constant
 * @pace: timer that wakes streams of @paced in batches
 * @node: entry in vnpu_engines.users. This and the following are protected by
 *	vnpu_engines.lock.
 * @nr_clients: number of the user's clients on the device; the last frees this
 * @fair: share of the engines of each class
 * @nr_free: number of the user's streams that pause on their own timers
 * @paced: list of the user's other streams that pause, vnpu_stream.pace_link,
 *	first come first served
 * @is_pacing: true if @pace is armed, or running
 */
struct vnpu_sched_user {
	struct vnpu_user *user;
	struct vnpu_engines *engines;
	struct hrtimer pace;
	struct rb_node node;
	u32 nr_clients;
	struct vnpu_fair_user fair[VNPU_ENGINE_CLASSES];
	u32 nr_free;
	struct list_head paced;
	bool is_pacing;
};

/**
 * struct vnpu_sched_context - share of a context in the time of a device's
 * engines
 * @fair: share of the engines of each class; protected by vnpu_engines.lock
 * @weight: VNPU_CONTEXT_WEIGHT_MIN to VNPU_CONTEXT_WEIGHT_MAX; written under
 *	vnpu_engines.lock, read without a lock
 * @is_urgent: true if engines serve the context before contexts of all clients
 *	that are not urgent; constant
 *
 * @fair is in a queue only while a stream of the context is. It refers to
 * vnpu_sched_client.fair of the context's client, which lives until the last
 * reference to the client is dropped.
 */
struct vnpu_sched_context {
	struct vnpu_fair_context fair[VNPU_ENGINE_CLASSES];
	u32 weight;
	bool is_urgent;
};

/**
 * struct vnpu_sched_client - share of a client in the time of a device's
 * engines
 * @dev: the device, with a reference; constant
 * @user: the share of the client's user; constant
 * @fair: share of the engines of each class. This and the following are
 *	protected by vnpu_engines.lock.
 * @alone: share of the streams without a context
 * @value_waiters: streams that wait for a value in memory, vnpu_run.value_link
 * @value_waking: those of them that are still to be woken after a task has
 *	written a value
 * @nr_value_waiters: number of streams on both lists; may be read without a
 *	lock
 * @port: the core, and the launches that wait for it
 *
 * Created with the client's first stream, context or core on the device. Freed with
 * the last reference to the client.
 */
struct vnpu_sched_client {
	struct vnpu_device *dev;
	struct vnpu_sched_user *user;
	struct vnpu_fair_client fair[VNPU_ENGINE_CLASSES];
	struct vnpu_sched_context alone;
	struct list_head value_waiters;
	struct list_head value_waking;
	u32 nr_value_waiters;
	struct vnpu_core_port port;
};

u32 vnpu_sched_weight(int nice);
struct vnpu_sched_client *vnpu_sched_client_of(struct vnpu_client *client,
					       struct vnpu_device *dev);
void vnpu_sched_context_init(struct vnpu_sched_context *context,
			     struct vnpu_sched_client *client, u32 weight,
			     bool is_urgent);
void vnpu_sched_context_set_weight(struct vnpu_sched_context *context,
				   struct vnpu_device *dev, u32 weight);
void vnpu_sched_clients_destroy(struct vnpu_client *client);

#endif
