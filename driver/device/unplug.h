/* SPDX-License-Identifier: GPL-2.0-only */
/* Ends the use of a device that is removed. */
#ifndef VNPU_UNPLUG_H
#define VNPU_UNPLUG_H

struct vnpu_device;

void vnpu_device_unplug(struct vnpu_device *dev);

#endif
