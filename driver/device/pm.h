/* SPDX-License-Identifier: GPL-2.0-only */
/* Suspend, resume and hibernation of devices. */
#ifndef VNPU_PM_H
#define VNPU_PM_H

#include <linux/pm.h>

extern const struct dev_pm_ops vnpu_pm_ops;

#endif
