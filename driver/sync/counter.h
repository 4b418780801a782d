/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters: values that can increase and decrease; only tasks wait for them. */
#ifndef VNPU_COUNTER_H
#define VNPU_COUNTER_H

#include <linux/list.h>
#include <linux/types.h>

struct vnpu_client;
struct vnpu_timeline;

/**
 * struct vnpu_counter_waiter - a waiter for a counter
 * @link: in vnpu_timeline.counter_waiters; empty when it does not wait
 * @value: the value to compare the counter with
 * @mask: the bits of the counter to compare, or 0 for all
 * @cond: VNPU_COND_*
 * @clear: set the counter to 0 when the condition is satisfied
 * @wake: called then, with the counter's lock held
 */
struct vnpu_counter_waiter {
	struct list_head link;
	u64 value;
	u64 mask;
	u32 cond;
	bool clear;
	void (*wake)(struct vnpu_counter_waiter *waiter);
};

struct vnpu_timeline *vnpu_counter_create(struct vnpu_client *client,
					  unsigned int device, u64 value);
int vnpu_counter_signal(struct vnpu_timeline *counter, u64 value, u32 mode,
			u64 *change, u64 *cost);
bool vnpu_counter_wake_some(struct vnpu_timeline *counter, u64 change, u64 *cost);
void vnpu_counter_end(struct vnpu_timeline *counter);
int vnpu_counter_wait(struct vnpu_timeline *counter,
		      struct vnpu_counter_waiter *waiter, u64 *cost);
bool vnpu_counter_is_waited(struct vnpu_timeline *counter,
			    const struct vnpu_counter_waiter *waiter);
void vnpu_counter_stop_waiting(struct vnpu_timeline *counter,
			       struct vnpu_counter_waiter *waiter);

bool vnpu_cond_is_valid(u32 cond);
bool vnpu_cond_holds(u32 cond, u64 found, u64 value);

#endif
