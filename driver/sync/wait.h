/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads of the host that wait for timelines. */
#ifndef VNPU_WAIT_H
#define VNPU_WAIT_H

#include <linux/types.h>

struct vnpu_client;
struct vnpu_timeline;

/**
 * struct vnpu_wait_point - a point of a wait
 * @id: id of the timeline
 * @value: the value to wait for
 */
struct vnpu_wait_point {
	u64 id;
	u64 value;
};

int vnpu_wait_points(struct vnpu_client *client,
		     const struct vnpu_wait_point *points, u32 count, bool all,
		     u64 timeout_ns, u32 *index);
int vnpu_wait_killable(struct vnpu_timeline *timeline, u64 value);

#endif
