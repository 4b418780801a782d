// SPDX-License-Identifier: GPL-2.0-only
/* The table of devices, and their making and end. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "compat.h"
#include "device.h"
#include "engine.h"
#include "params.h"
#include "quota.h"

static DEFINE_XARRAY(vnpu_devices);

/* Of what represents them in sysfs. It outlives them all. */
static struct class *vnpu_class;

/* Real PCI domains of this machine are small, those of bridges above 0xffff. */
#define VNPU_BUS_DOMAIN		0xfffe

static const uuid_t vnpu_uuid_base =
	UUID_INIT(0x76be1a3f, 0x5c0d, 0x4d8e,
		  0x9a, 0x41, 0x0f, 0x6e, 0xd2, 0x73, 0xb8, 0x00);

static void vnpu_device_free(struct vnpu_device *dev)
{
	vnpu_numbers_fini(&dev->streams);
	vnpu_numbers_fini(&dev->events);
	vnpu_numbers_fini(&dev->counters);
	mutex_destroy(&dev->lock);
	mutex_destroy(&dev->compact_lock);
	kfree(dev);
}

static void vnpu_device_release(struct kref *ref)
{
	struct vnpu_device *dev = container_of(ref, struct vnpu_device, ref);

	vnpu_quota_remove_all(dev);
	vnpu_engines_destroy(dev->engines);
	device_unregister(dev->sys);
	vnpu_buddy_destroy(dev->buddy);
	kvfree(dev->segs);
	vnpu_arena_fini(&dev->arena);
	vnpu_device_free(dev);
}

static struct vnpu_device *vnpu_device_create(const struct vnpu_config *cfg,
					      unsigned int index)
{
	struct vnpu_device *dev;
	int ret;

	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return ERR_PTR(-ENOMEM);

	kref_init(&dev->ref);
	mutex_init(&dev->compact_lock);
	mutex_init(&dev->lock);
	INIT_LIST_HEAD(&dev->mems);
	INIT_LIST_HEAD(&dev->usages);
	dev->quotas = RB_ROOT;
	vnpu_numbers_init(&dev->streams, VNPU_MAX_STREAMS);
	vnpu_numbers_init(&dev->events, VNPU_MAX_EVENTS);
	vnpu_numbers_init(&dev->counters, VNPU_MAX_COUNTERS);
	vnpu_inject_init(&dev->inject);
	dev->index = index;
	dev->health = VNPU_HEALTH_OK;
	dev->uuid = vnpu_uuid_base;
	dev->uuid.b[UUID_SIZE - 1] = index;

	ret = vnpu_arena_init(&dev->arena, cfg, index);
	if (ret)
		goto err_free;
	dev->segs = vnpu_arena_segments(&dev->arena, &dev->nr_segs);
	if (!dev->segs) {
		ret = -ENOMEM;
		goto err_arena;
	}
	/* Whoever had this memory before us left something in it. */
	dev->buddy = vnpu_buddy_create(dev->segs, dev->nr_segs, true);
	if (IS_ERR(dev->buddy)) {
		ret = PTR_ERR(dev->buddy);
		goto err_segs;
	}
	dev->engines = vnpu_engines_create(dev);
	if (!dev->engines) {
		ret = -ENOMEM;
		goto err_buddy;
	}
	dev->sys = device_create(vnpu_class, NULL, MKDEV(0, 0), NULL,
				 "vnpu%u", index);
	if (IS_ERR(dev->sys)) {
		ret = PTR_ERR(dev->sys);
		goto err_engines;
	}
	return dev;

err_engines:
	vnpu_engines_destroy(dev->engines);
err_buddy:
	vnpu_buddy_destroy(dev->buddy);
err_segs:
	kvfree(dev->segs);
err_arena:
	vnpu_arena_fini(&dev->arena);
err_free:
	vnpu_device_free(dev);
	return ERR_PTR(ret);
}

/**
 * vnpu_devices_init() - make all devices
 * @cfg: how many, and of what
 *
 * Return: 0 or -errno, after a message in the log; then there are none.
 */
int vnpu_devices_init(const struct vnpu_config *cfg)
{
	unsigned int i;
	int ret;

	vnpu_class = vnpu_class_create("vnpu");
	if (IS_ERR(vnpu_class)) {
		ret = PTR_ERR(vnpu_class);
		pr_err("there can be no class of devices (%d)\n", ret);
		return ret;
	}
	for (i = 0; i < cfg->ndevs; i++) {
		struct vnpu_device *dev = vnpu_device_create(cfg, i);

		if (IS_ERR(dev)) {
			ret = PTR_ERR(dev);
			goto err;
		}
		ret = xa_insert(&vnpu_devices, i, dev, GFP_KERNEL);
		if (ret) {
			vnpu_device_put(dev);
			goto err;
		}
	}
	return 0;

err:
	pr_err("device %u of %u cannot be made (%d)\n", i, cfg->ndevs, ret);
	vnpu_devices_fini();
	return ret;
}

/**
 * vnpu_devices_fini() - take all devices out of the table
 *
 * Each ends with its last user.
 */
void vnpu_devices_fini(void)
{
	struct vnpu_device *dev;
	unsigned long index;

	xa_for_each(&vnpu_devices, index, dev) {
		xa_erase(&vnpu_devices, index);
		vnpu_inject_clear_all(&dev->inject);
		vnpu_device_put(dev);
	}
	xa_destroy(&vnpu_devices);
	class_destroy(vnpu_class);
}

/**
 * vnpu_devices_count() - one more than the highest index in use
 *
 * Return: 0 when there is no device.
 */
unsigned int vnpu_devices_count(void)
{
	struct vnpu_device *dev;
	unsigned int count = 0;
	unsigned long index;

	rcu_read_lock();
	xa_for_each(&vnpu_devices, index, dev)
		count = index + 1;
	rcu_read_unlock();
	return count;
}

/**
 * vnpu_device_get_next() - the first device at or after an index
 * @index: where to start; where it was found
 *
 * Return: the device with a reference, or NULL.
 */
struct vnpu_device *vnpu_device_get_next(unsigned long *index)
{
	struct vnpu_device *dev;

	xa_lock(&vnpu_devices);
	dev = xa_find(&vnpu_devices, index, ULONG_MAX, XA_PRESENT);
	if (dev)
		kref_get(&dev->ref);
	xa_unlock(&vnpu_devices);
	return dev;
}

/**
 * vnpu_device_get() - a device by its index
 * @index: any number
 *
 * Return: the device with a reference, or NULL.
 */
struct vnpu_device *vnpu_device_get(unsigned int index)
{
	struct vnpu_device *dev;

	xa_lock(&vnpu_devices);
	dev = xa_load(&vnpu_devices, index);
	if (dev)
		kref_get(&dev->ref);
	xa_unlock(&vnpu_devices);
	return dev;
}

/**
 * vnpu_device_put() - give a reference back
 * @dev: the device
 */
void vnpu_device_put(struct vnpu_device *dev)
{
	kref_put(&dev->ref, vnpu_device_release);
}

/**
 * vnpu_device_bus_id() - the address of a device in the form of PCI's
 * @dev: the device
 * @buf: filled with a string
 */
void vnpu_device_bus_id(const struct vnpu_device *dev,
			char buf[VNPU_DEVICE_BUS_ID_LEN])
{
	snprintf(buf, VNPU_DEVICE_BUS_ID_LEN, "%04X:%02X:00.0",
		 VNPU_BUS_DOMAIN, dev->index);
}
