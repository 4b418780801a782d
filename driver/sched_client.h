/* SPDX-License-Identifier: GPL-2.0-only */
/* What a client, and its user, are to the engines of a device. */
#ifndef VNPU_SCHED_CLIENT_H
#define VNPU_SCHED_CLIENT_H

#include <linux/rbtree.h>

#include "core/fairq.h"
#include "engine.h"

struct vnpu_client;
struct vnpu_device;
struct vnpu_user;

/**
 * struct vnpu_sched_user - a user, to the engines of a device
 * @node: in vnpu_engines.users. This and what follows is under vnpu_engines.lock.
 * @user: the user, with a reference; constant
 * @nr_clients: how many of its clients there are; it goes with the last
 * @fair: its share of the engines of each class
 */
struct vnpu_sched_user {
	struct rb_node node;
	struct vnpu_user *user;
	u32 nr_clients;
	struct vnpu_fair_user fair[VNPU_ENGINE_CLASSES];
};

/**
 * struct vnpu_sched_client - a client, to the engines of a device
 * @dev: the device, with a reference; constant
 * @user: whose client it is; constant
 * @fair: its share of the engines of each class. This and what follows is under
 *	vnpu_engines.lock.
 *
 * Made with the client's first stream on the device, and there until the client's
 * last reference goes.
 */
struct vnpu_sched_client {
	struct vnpu_device *dev;
	struct vnpu_sched_user *user;
	struct vnpu_fair_client fair[VNPU_ENGINE_CLASSES];
};

u32 vnpu_sched_weight(int nice);
struct vnpu_sched_client *vnpu_sched_client_of(struct vnpu_client *client,
					       struct vnpu_device *dev);
void vnpu_sched_clients_destroy(struct vnpu_client *client);

#endif
