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
struct vnpu_usage;

/* The kinds of numbers that a device has. */
#define VNPU_NUMBER_STREAM	VNPU_LIMIT_STREAMS
#define VNPU_NUMBER_EVENT	VNPU_LIMIT_EVENTS
#define VNPU_NUMBER_COUNTER	VNPU_LIMIT_COUNTERS
#define VNPU_NUMBER_KINDS	3

/**
 * struct vnpu_numbers - a pool of numbers, which start at 0
 * @ida: numbers in use; has a lock of its own
 * @count: size of the pool; constant
 * @used: how many numbers are in use
 * @charged: how many numbers are charged to clients, under the device's lock. A
 *	number may stay in use a little longer, if a task still waits for it.
 */
struct vnpu_numbers {
	struct ida ida;
	u32 count;
	atomic_t used;
	u32 charged;
};

void vnpu_numbers_init(struct vnpu_numbers *numbers, u32 count);
void vnpu_numbers_fini(struct vnpu_numbers *numbers);
u32 vnpu_numbers_free(const struct vnpu_numbers *numbers);

int vnpu_number_take(struct vnpu_usage *usage, u32 kind, u32 *number);
void vnpu_number_put(struct vnpu_usage *usage, u32 kind, u32 number);
void vnpu_number_uncharge(struct vnpu_usage *usage, u32 kind);
void vnpu_number_free(struct vnpu_numbers *numbers, u32 number);
u32 vnpu_number_left(struct vnpu_usage *usage, u32 kind,
		     struct vnpu_quota_state *limit);

int vnpu_event_take(struct vnpu_client *client, u32 device, u32 *number,
		    u32 *available);
int vnpu_event_give(struct vnpu_client *client, u32 device, u32 number);
void vnpu_events_give_all(struct vnpu_client *client);

#endif
