// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addition and removal of devices through sysfs, for scripts:
 * /sys/class/vnpu/new_device and del_device. netlink/hotplug.c offers the same
 * to programs.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/string.h>

#include "base/device.h"
#include "base/params.h"
#include "compat.h"
#include "create.h"
#include "hotplug.h"

/* Add a device. The line holds the size of its memory, or is empty. */
static ssize_t new_device_store(VNPU_CLASS_CONST struct class *class,
				VNPU_CLASS_CONST struct class_attribute *attr,
				const char *buf, size_t count)
{
	struct vnpu_device *dev;
	char line[32];
	u64 size = 0;
	int ret;

	if (strscpy(line, buf, sizeof(line)) < 0)
		return -EINVAL;
	ret = *strim(line) ? vnpu_params_arena(strim(line), &size) : 0;
	if (ret)
		return ret;
	dev = vnpu_device_add(size);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	vnpu_device_put(dev);
	return count;
}
static CLASS_ATTR_WO(new_device);

/* Remove a device. The line holds its number. */
static ssize_t del_device_store(VNPU_CLASS_CONST struct class *class,
				VNPU_CLASS_CONST struct class_attribute *attr,
				const char *buf, size_t count)
{
	unsigned int index;
	int ret;

	ret = kstrtouint(buf, 0, &index);
	if (!ret)
		ret = vnpu_device_remove(index);
	return ret ?: count;
}
static CLASS_ATTR_WO(del_device);

/**
 * vnpu_hotplug_init() - create the files that add and remove devices
 *
 * Return: 0 or -errno.
 */
int vnpu_hotplug_init(void)
{
	struct class *class = vnpu_devices_class();
	int ret;

	ret = class_create_file(class, &class_attr_new_device);
	if (ret)
		return ret;
	ret = class_create_file(class, &class_attr_del_device);
	if (ret)
		class_remove_file(class, &class_attr_new_device);
	return ret;
}

/**
 * vnpu_hotplug_fini() - remove the files, and wait for the end of current
 * writes
 */
void vnpu_hotplug_fini(void)
{
	struct class *class = vnpu_devices_class();

	class_remove_file(class, &class_attr_del_device);
	class_remove_file(class, &class_attr_new_device);
}
