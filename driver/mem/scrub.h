/* SPDX-License-Identifier: GPL-2.0-only */
/* Clearing of free memory in the background, before it is allocated again. */
#ifndef VNPU_SCRUB_H
#define VNPU_SCRUB_H

#include <linux/kthread.h>
#include <linux/types.h>

struct vnpu_device;

/**
 * struct vnpu_clear - the background clearing of a device
 * @work: clears a piece; constant. The other members are under the device's
 *	lock.
 * @uses: number of allocations and frees so far
 * @seen: value of @uses at the last run of @work
 * @is_armed: true if @work is queued or running
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
