// SPDX-License-Identifier: GPL-2.0-only
/*
 * The attributes of a device in /sys/class/vnpu. Each file has one value, for
 * scripts and for monitors that read only sysfs. They are an ABI: see
 * Documentation/ABI.
 */
#include <linux/device.h>
#include <linux/math64.h>
#include <linux/sysfs.h>
#include <linux/time64.h>

#include <linux/vnpu.h>

#include "base/device.h"
#include "base/soc.h"
#include "exec/engine.h"
#include "mem/pages.h"
#include "sysfs.h"

static struct vnpu_device *vnpu_device_of_sys(struct device *sys)
{
	return dev_get_drvdata(sys);
}

static void vnpu_sysfs_get_stats(struct device *sys,
				 struct vnpu_allocator_stats *stats)
{
	struct vnpu_device *dev = vnpu_device_of_sys(sys);

	spin_lock(&dev->lock);
	vnpu_pages_get_stats_locked(dev, stats);
	spin_unlock(&dev->lock);
}

static ssize_t uuid_show(struct device *sys, struct device_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "%pUb\n", &vnpu_device_of_sys(sys)->uuid);
}
static DEVICE_ATTR_RO(uuid);

static ssize_t health_show(struct device *sys, struct device_attribute *attr,
			   char *buf)
{
	static const char * const words[] = {
		[VNPU_HEALTH_OK] = "ok",
		[VNPU_HEALTH_WARNING] = "warning",
		[VNPU_HEALTH_ALARM] = "alarm",
		[VNPU_HEALTH_CRITICAL] = "critical",
		[VNPU_HEALTH_UNKNOWN] = "unknown",
	};

	return sysfs_emit(buf, "%s\n",
			  words[READ_ONCE(vnpu_device_of_sys(sys)->health)]);
}
static DEVICE_ATTR_RO(health);

static ssize_t soc_show(struct device *sys, struct device_attribute *attr,
			char *buf)
{
	return sysfs_emit(buf, "%s\n", vnpu_device_of_sys(sys)->soc->name);
}
static DEVICE_ATTR_RO(soc);

static ssize_t ai_cores_show(struct device *sys, struct device_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "%u\n", vnpu_device_of_sys(sys)->soc->ai_cores);
}
static DEVICE_ATTR_RO(ai_cores);

static ssize_t vector_cores_show(struct device *sys,
				 struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n",
			  vnpu_device_of_sys(sys)->soc->vector_cores);
}
static DEVICE_ATTR_RO(vector_cores);

static ssize_t memory_total_bytes_show(struct device *sys,
				       struct device_attribute *attr, char *buf)
{
	struct vnpu_allocator_stats stats;

	vnpu_sysfs_get_stats(sys, &stats);
	return sysfs_emit(buf, "%llu\n", (u64)stats.total << VNPU_PAGE_SHIFT);
}
static DEVICE_ATTR_RO(memory_total_bytes);

static ssize_t memory_used_bytes_show(struct device *sys,
				      struct device_attribute *attr, char *buf)
{
	struct vnpu_allocator_stats stats;

	vnpu_sysfs_get_stats(sys, &stats);
	return sysfs_emit(buf, "%llu\n",
			  (u64)(stats.total - stats.free) << VNPU_PAGE_SHIFT);
}
static DEVICE_ATTR_RO(memory_used_bytes);

static ssize_t memory_largest_free_bytes_show(struct device *sys,
					      struct device_attribute *attr,
					      char *buf)
{
	struct vnpu_allocator_stats stats;

	vnpu_sysfs_get_stats(sys, &stats);
	return sysfs_emit(buf, "%llu\n", (u64)stats.largest << VNPU_PAGE_SHIFT);
}
static DEVICE_ATTR_RO(memory_largest_free_bytes);

static void vnpu_sysfs_get_class(struct device *sys, u32 class,
				 struct vnpu_class_stats *f)
{
	vnpu_engines_read_class(vnpu_device_of_sys(sys)->engines, class, f);
}

static ssize_t vnpu_sysfs_show_busy(struct device *sys, u32 class, char *buf)
{
	struct vnpu_class_stats f;

	vnpu_sysfs_get_class(sys, class, &f);
	return sysfs_emit(buf, "%llu\n", div_u64(f.busy_ns, NSEC_PER_USEC));
}

static ssize_t vnpu_sysfs_show_count(struct device *sys, u32 class, char *buf)
{
	struct vnpu_class_stats f;

	vnpu_sysfs_get_class(sys, class, &f);
	return sysfs_emit(buf, "%u\n", f.count);
}

static ssize_t copy_busy_time_us_show(struct device *sys,
				      struct device_attribute *attr, char *buf)
{
	return vnpu_sysfs_show_busy(sys, VNPU_ENGINE_COPY, buf);
}
static DEVICE_ATTR_RO(copy_busy_time_us);

static ssize_t vector_busy_time_us_show(struct device *sys,
					struct device_attribute *attr,
					char *buf)
{
	return vnpu_sysfs_show_busy(sys, VNPU_ENGINE_VECTOR, buf);
}
static DEVICE_ATTR_RO(vector_busy_time_us);

static ssize_t aicore_busy_time_us_show(struct device *sys,
					struct device_attribute *attr,
					char *buf)
{
	return vnpu_sysfs_show_busy(sys, VNPU_ENGINE_AICORE, buf);
}
static DEVICE_ATTR_RO(aicore_busy_time_us);

static ssize_t copy_engines_show(struct device *sys,
				 struct device_attribute *attr, char *buf)
{
	return vnpu_sysfs_show_count(sys, VNPU_ENGINE_COPY, buf);
}
static DEVICE_ATTR_RO(copy_engines);

static ssize_t vector_engines_show(struct device *sys,
				   struct device_attribute *attr, char *buf)
{
	return vnpu_sysfs_show_count(sys, VNPU_ENGINE_VECTOR, buf);
}
static DEVICE_ATTR_RO(vector_engines);

static ssize_t resets_show(struct device *sys, struct device_attribute *attr,
			   char *buf)
{
	const struct vnpu_device *dev = vnpu_device_of_sys(sys);

	return sysfs_emit(buf, "%llu\n", READ_ONCE(dev->engines->resets));
}
static DEVICE_ATTR_RO(resets);

static ssize_t hangs_show(struct device *sys, struct device_attribute *attr,
			  char *buf)
{
	const struct vnpu_device *dev = vnpu_device_of_sys(sys);

	return sysfs_emit(buf, "%llu\n", READ_ONCE(dev->engines->hangs));
}
static DEVICE_ATTR_RO(hangs);

static struct attribute *vnpu_sysfs_attrs[] = {
	&dev_attr_uuid.attr,
	&dev_attr_health.attr,
	&dev_attr_soc.attr,
	&dev_attr_ai_cores.attr,
	&dev_attr_vector_cores.attr,
	&dev_attr_memory_total_bytes.attr,
	&dev_attr_memory_used_bytes.attr,
	&dev_attr_memory_largest_free_bytes.attr,
	&dev_attr_copy_busy_time_us.attr,
	&dev_attr_vector_busy_time_us.attr,
	&dev_attr_aicore_busy_time_us.attr,
	&dev_attr_copy_engines.attr,
	&dev_attr_vector_engines.attr,
	&dev_attr_resets.attr,
	&dev_attr_hangs.attr,
	NULL
};

static const struct attribute_group vnpu_sysfs_group = {
	.attrs = vnpu_sysfs_attrs,
};

const struct attribute_group *vnpu_sysfs_groups[] = {
	&vnpu_sysfs_group,
	NULL
};
