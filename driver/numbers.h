/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of a device's objects, of which there are only so many. */
#ifndef VNPU_NUMBERS_H
#define VNPU_NUMBERS_H

#include <linux/atomic.h>
#include <linux/idr.h>
#include <linux/types.h>

struct vnpu_client;

/**
 * struct vnpu_numbers - numbers from 0 on
 * @ida: those in use; has a lock of its own
 * @count: how many there are; constant
 * @used: how many are in use
 */
struct vnpu_numbers {
	struct ida ida;
	u32 count;
	atomic_t used;
};

void vnpu_numbers_init(struct vnpu_numbers *numbers, u32 count);
void vnpu_numbers_fini(struct vnpu_numbers *numbers);
int vnpu_numbers_take(struct vnpu_numbers *numbers, u32 *number);
void vnpu_numbers_put(struct vnpu_numbers *numbers, u32 number);
u32 vnpu_numbers_free(const struct vnpu_numbers *numbers);

int vnpu_event_take(struct vnpu_client *client, u32 device, u32 *number,
		    u32 *available);
int vnpu_event_give(struct vnpu_client *client, u32 device, u32 number);
void vnpu_events_give_all(struct vnpu_client *client);

#endif
