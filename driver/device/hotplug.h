/* SPDX-License-Identifier: GPL-2.0-only */
/* Files in sysfs that add and remove devices. */
#ifndef VNPU_HOTPLUG_H
#define VNPU_HOTPLUG_H

int vnpu_hotplug_init(void);
void vnpu_hotplug_fini(void);

#endif
