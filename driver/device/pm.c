// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspend, resume and hibernation of devices.
 *
 * The memory of a device is memory of the machine, which keeps its contents in
 * suspend-to-idle and suspend-to-RAM. Engines are freezable threads: they
 * freeze between two parts of a task, after all user processes, and continue
 * from there. So a device has no state to save, and no task is lost.
 *
 * A hibernation image contains System RAM, and so the chunks that arenas have
 * from the page allocator, with the data that describes them. It does not
 * contain a region that was kept out of System RAM. If a device has such a
 * region, the system does not hibernate.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/errno.h>
#include <linux/pm.h>
#include <linux/printk.h>

#include "base/device.h"
#include "exec/engine.h"
#include "pm.h"

/* The engines of the device are frozen: none is in a turn. */
static int vnpu_pm_suspend(struct device *sys)
{
	struct vnpu_device *dev = dev_get_drvdata(sys);

	vnpu_watchdog_stop(dev->engines);
	return 0;
}

static int vnpu_pm_resume(struct device *sys)
{
	struct vnpu_device *dev = dev_get_drvdata(sys);

	/* The watchdog stops by itself if the device has no stream. */
	if (vnpu_engines_are_started(dev->engines))
		vnpu_watchdog_start(dev->engines);
	return 0;
}

/* Called before the image of a hibernation is made. */
static int vnpu_pm_freeze(struct device *sys)
{
	struct vnpu_device *dev = dev_get_drvdata(sys);

	if (dev->arena.mapping) {
		pr_err("device %u: cannot hibernate: the image would not contain the memory of region=; suspend instead, or load the module without region=\n",
		       dev->index);
		return -EOPNOTSUPP;
	}
	return vnpu_pm_suspend(sys);
}

/* The operations of the class of devices. */
const struct dev_pm_ops vnpu_pm_ops = {
	.suspend = pm_sleep_ptr(vnpu_pm_suspend),
	.resume = pm_sleep_ptr(vnpu_pm_resume),
	.freeze = pm_sleep_ptr(vnpu_pm_freeze),
	.thaw = pm_sleep_ptr(vnpu_pm_resume),
	.poweroff = pm_sleep_ptr(vnpu_pm_suspend),
	.restore = pm_sleep_ptr(vnpu_pm_resume),
};
