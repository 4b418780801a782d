/* SPDX-License-Identifier: GPL-2.0-only */
/* Clearing of free memory in the background, before it is allocated again. */
#ifndef VNPU_SCRUB_H
#define VNPU_SCRUB_H

#include <linux/kthread.h>
#include <linux/types.h>

#include "base/device.h"

struct vnpu_device;

int vnpu_scrub_init(void);
void vnpu_scrub_fini(void);

void vnpu_scrub_add(struct vnpu_device *dev);
void vnpu_scrub_remove(struct vnpu_device *dev);
void vnpu_scrub_used_locked(struct vnpu_device *dev);

#endif
