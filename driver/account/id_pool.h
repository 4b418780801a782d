/* SPDX-License-Identifier: GPL-2.0-only */
/* Pools of numbers for a device's streams, events and counters. */
#ifndef VNPU_ID_POOL_H
#define VNPU_ID_POOL_H

#include <linux/atomic.h>
#include <linux/idr.h>
#include <linux/types.h>

#include <linux/vnpu.h>

struct vnpu_client;
struct vnpu_quota_state;
struct vnpu_account;

/* The kinds of numbers that a device has. */
#define VNPU_ID_STREAM	VNPU_LIMIT_STREAMS
#define VNPU_ID_EVENT	VNPU_LIMIT_EVENTS
#define VNPU_ID_COUNTER	VNPU_LIMIT_COUNTERS
#define VNPU_ID_KINDS	3

/**
 * struct vnpu_id_pool - a pool of numbers, which start at 0
 * @ida: numbers in use; has a lock of its own
 * @count: size of the pool; constant
 * @used: how many numbers are in use
 * @charged: how many numbers are charged to clients, under the device's lock. A
 *	number may stay in use a little longer, if a task still waits for it.
 */
struct vnpu_id_pool {
	struct ida ida;
	u32 count;
	atomic_t used;
	u32 charged;
};

void vnpu_id_pool_init(struct vnpu_id_pool *pool, u32 count);
void vnpu_id_pool_fini(struct vnpu_id_pool *pool);
u32 vnpu_id_pool_available(const struct vnpu_id_pool *pool);

int vnpu_id_alloc(struct vnpu_account *account, u32 kind, u32 *number);
void vnpu_id_free(struct vnpu_account *account, u32 kind, u32 number);
void vnpu_id_uncharge(struct vnpu_account *account, u32 kind);
void vnpu_id_release(struct vnpu_id_pool *pool, u32 number);
u32 vnpu_id_left(struct vnpu_account *account, u32 kind,
		 struct vnpu_quota_state *limit);

int vnpu_event_alloc(struct vnpu_client *client, u32 device, u32 *number,
		     u32 *available);
int vnpu_event_free(struct vnpu_client *client, u32 device, u32 number);
void vnpu_events_free_all(struct vnpu_client *client);

#endif
