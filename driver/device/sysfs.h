/* SPDX-License-Identifier: GPL-2.0-only */
/* The attributes of a device in /sys/class/vnpu. */
#ifndef VNPU_SYSFS_H
#define VNPU_SYSFS_H

struct attribute_group;

/* Attributes of all devices; the driver data is the struct vnpu_device. */
extern const struct attribute_group *vnpu_sysfs_groups[];

#endif
