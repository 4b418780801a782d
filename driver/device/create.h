/* SPDX-License-Identifier: GPL-2.0-only */
/* Creation and removal of devices, see create.c. */
#ifndef VNPU_DEVICE_CREATE_H
#define VNPU_DEVICE_CREATE_H

#include <linux/types.h>

struct class;
struct vnpu_config;
struct vnpu_device;

int vnpu_devices_init(const struct vnpu_config *cfg);
void vnpu_devices_fini(void);
struct class *vnpu_devices_class(void);
dev_t vnpu_devices_nodes(void);
struct vnpu_device *vnpu_device_add(u64 arena_size);
int vnpu_device_remove(unsigned int index);

#endif
