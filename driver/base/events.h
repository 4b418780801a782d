/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that any room reports to user space. netlink/ implements these calls,
 * so that no other room depends on it.
 */
#ifndef VNPU_EVENTS_H
#define VNPU_EVENTS_H

#include <linux/types.h>

struct vnpu_compaction;
struct vnpu_device;
struct vnpu_hang;
struct vnpu_history;
struct vnpu_oom;
struct vnpu_task_fault;

void vnpu_event_send_oom(struct vnpu_device *dev, const struct vnpu_oom *oom);
void vnpu_event_send_quota(struct vnpu_device *dev,
			   const struct vnpu_oom *oom);
void vnpu_event_send_hang(struct vnpu_device *dev,
			  const struct vnpu_hang *hang);
void vnpu_event_send_dev_add(struct vnpu_device *dev);
void vnpu_event_send_dev_remove(struct vnpu_device *dev);
void vnpu_event_send_reset(struct vnpu_device *dev, u32 reason, u64 resets);
void vnpu_event_send_health(struct vnpu_device *dev, u32 before);
void vnpu_event_send_open(const struct vnpu_history *history);
void vnpu_event_send_close(const struct vnpu_history *history);
void vnpu_event_send_task_fault(const struct vnpu_task_fault *fault);
void vnpu_event_send_compact(const struct vnpu_compaction *compaction);

#endif
