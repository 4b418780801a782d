/* SPDX-License-Identifier: GPL-2.0-only */
/* Files in debugfs for developers of the driver. */
#ifndef VNPU_DEBUGFS_H
#define VNPU_DEBUGFS_H

struct vnpu_device;

void vnpu_debugfs_init(void);
void vnpu_debugfs_fini(void);
void vnpu_debugfs_add(struct vnpu_device *dev);
void vnpu_debugfs_remove(struct vnpu_device *dev);

#endif
