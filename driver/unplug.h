/* SPDX-License-Identifier: GPL-2.0-only */
/* What becomes of the users of a device that is taken away. */
#ifndef VNPU_UNPLUG_H
#define VNPU_UNPLUG_H

struct vnpu_device;

void vnpu_device_unplug(struct vnpu_device *dev);

#endif
