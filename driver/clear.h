/* SPDX-License-Identifier: GPL-2.0-only */
/* Clearing free memory in the background, before it is wanted. */
#ifndef VNPU_CLEAR_H
#define VNPU_CLEAR_H

#include <linux/kthread.h>
#include <linux/types.h>

struct vnpu_device;

/**
 * struct vnpu_clear - what clears the free memory of a device
 * @work: clears a piece; constant. What follows is under the device's lock.
 * @uses: how often memory was allocated or freed
 * @seen: @uses when @work last looked
 * @is_armed: @work runs, or will
 */
struct vnpu_clear {
	struct kthread_delayed_work work;
	u64 uses;
	u64 seen;
	bool is_armed;
};

int vnpu_clear_init(void);
void vnpu_clear_fini(void);

void vnpu_clear_add(struct vnpu_device *dev);
void vnpu_clear_remove(struct vnpu_device *dev);
void vnpu_clear_used_locked(struct vnpu_device *dev);

#endif
