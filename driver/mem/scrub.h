/* SPDX-License-Identifier: GPL-2.0-only */
/* Clearing of free memory in the background, before it is allocated again. */
#ifndef VNPU_SCRUB_H
#define VNPU_SCRUB_H

#include <linux/kthread.h>
#include <linux/types.h>

struct vnpu_device;

/**
 * struct vnpu_scrub - the background clearing of a device
 * @work: clears a piece; constant. The other members are under the device's
 *	lock.
 * @uses: number of allocations and frees so far
 * @seen: value of @uses at the last run of @work
 * @is_armed: true if @work is queued or running
 */
struct vnpu_scrub {
	struct kthread_delayed_work work;
	u64 uses;
	u64 seen;
	bool is_armed;
};

int vnpu_scrub_init(void);
void vnpu_scrub_fini(void);

void vnpu_scrub_add(struct vnpu_device *dev);
void vnpu_scrub_remove(struct vnpu_device *dev);
void vnpu_scrub_used_locked(struct vnpu_device *dev);

#endif
