/* SPDX-License-Identifier: GPL-2.0-only */
/* Devices when the system suspends. */
#ifndef VNPU_PM_H
#define VNPU_PM_H

#include <linux/pm.h>

extern const struct dev_pm_ops vnpu_pm_ops;

#endif
