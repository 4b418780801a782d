// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of devices: creation, lookup and removal.
 *
 * Devices are created when the module is loaded or later, and can be removed
 * while they are in use (unplug.c). A removed device is not in the table any
 * more, but keeps its number and its memory until the last reference is
 * released.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "account/id_pool.h"
#include "account/quota.h"
#include "base/device.h"
#include "base/events.h"
#include "base/params.h"
#include "exec/engine.h"
#include "exec/reset.h"
#include "mem/scrub.h"
#include "ras/inject.h"
#include "compat.h"
#include "create.h"
#include "debugfs.h"
#include "pm.h"
#include "sysfs.h"
#include "unplug.h"

/*
 * Held while a device is inserted and its node is created, and while a device
 * is erased from the table. So a device that a removal finds in the table has
 * its node. The holder waits for no engine.
 */
static DEFINE_MUTEX(vnpu_devices_lock);

/* The device numbers in use, including those of removed devices. */
static DEFINE_IDA(vnpu_indices);

/* The parameters of the module; constant once devices can be added. */
static struct vnpu_config vnpu_config;

/* The workqueue that frees devices. */
static struct workqueue_struct *vnpu_device_wq;

/* The class of the devices in sysfs, which outlives all devices. */
static struct class *vnpu_class;

/* The device number (dev_t) of device 0; the other devices follow. */
static dev_t vnpu_nodes;

static atomic_long_t vnpu_last_serial = ATOMIC_LONG_INIT(0);

static const uuid_t vnpu_uuid_base =
	UUID_INIT(0x76be1a3f, 0x5c0d, 0x4d8e,
		  0x9a, 0x41, 0x0f, 0x6e, 0xd2, 0x73, 0xb8, 0x00);

static void vnpu_device_free(struct vnpu_device *dev)
{
	u32 kind;

	for (kind = 0; kind < VNPU_ID_KINDS; kind++)
		vnpu_id_pool_fini(&dev->id_pools[kind]);
	mutex_destroy(&dev->compact_lock);
	mutex_destroy(&dev->oom_lock);
	mutex_destroy(&dev->look_lock);
	kfree(dev);
}

static void vnpu_device_destroy(struct work_struct *work)
{
	struct vnpu_device *dev =
		container_of(work, struct vnpu_device, free_work);
	unsigned int index = dev->index;

	vnpu_scrub_remove(dev);
	vnpu_quota_remove_all(dev);
	/* An administrator may set faults while the device is removed. */
	vnpu_inject_clear_all(&dev->inject);
	vnpu_ecc_fini(&dev->ecc);
	vnpu_engines_destroy(dev->engines);
	vnpu_allocator_destroy(dev->allocator);
	kvfree(dev->segs);
	vnpu_arena_fini(&dev->arena);
	vnpu_device_free(dev);
	ida_free(&vnpu_indices, index);
}

static void vnpu_device_release(struct kref *ref)
{
	struct vnpu_device *dev = container_of(ref, struct vnpu_device, ref);

	queue_work(vnpu_device_wq, &dev->free_work);
}

/*
 * The configuration of a device: each share of the region has a fixed number.
 */
static struct vnpu_config vnpu_device_config(unsigned int index, u64 arena_size)
{
	struct vnpu_config cfg = vnpu_config;

	if (index >= cfg.ndevs || arena_size != cfg.arena_size)
		cfg.region_size = 0;
	cfg.arena_size = arena_size;
	return cfg;
}

static struct vnpu_device *vnpu_device_create(unsigned int index,
					      u64 arena_size)
{
	struct vnpu_config cfg = vnpu_device_config(index, arena_size);
	struct vnpu_device *dev;
	int ret;

	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return ERR_PTR(-ENOMEM);

	kref_init(&dev->ref);
	dev->release = vnpu_device_release;
	INIT_WORK(&dev->free_work, vnpu_device_destroy);
	mutex_init(&dev->compact_lock);
	mutex_init(&dev->oom_lock);
	mutex_init(&dev->look_lock);
	spin_lock_init(&dev->lock);
	INIT_LIST_HEAD(&dev->mems);
	INIT_LIST_HEAD(&dev->accounts);
	dev->quotas = RB_ROOT;
	dev->users = RB_ROOT;
	vnpu_id_pool_init(&dev->id_pools[VNPU_ID_STREAM], VNPU_MAX_STREAMS);
	vnpu_id_pool_init(&dev->id_pools[VNPU_ID_EVENT], VNPU_MAX_EVENTS);
	vnpu_id_pool_init(&dev->id_pools[VNPU_ID_COUNTER],
			  VNPU_MAX_COUNTERS);
	vnpu_inject_init(&dev->inject);
	vnpu_ecc_init(&dev->ecc);
	vnpu_scrub_add(dev);
	dev->index = index;
	dev->serial = atomic_long_inc_return(&vnpu_last_serial);
	dev->health = VNPU_HEALTH_OK;
	dev->uuid = vnpu_uuid_base;
	dev->uuid.b[UUID_SIZE - 1] = index;
	dev->soc = cfg.soc;

	ret = vnpu_arena_init(&dev->arena, &cfg, index);
	if (ret)
		goto err_free;
	dev->segs = vnpu_arena_segments(&dev->arena, &dev->nr_segs);
	if (!dev->segs) {
		ret = -ENOMEM;
		goto err_arena;
	}
	/* All memory is dirty: its previous owner may have left data in it. */
	dev->allocator = vnpu_allocator_create(dev->segs, dev->nr_segs, true);
	if (IS_ERR(dev->allocator)) {
		ret = PTR_ERR(dev->allocator);
		goto err_segs;
	}
	dev->engines = vnpu_engines_create(dev);
	if (!dev->engines) {
		ret = -ENOMEM;
		goto err_allocator;
	}
	return dev;

err_allocator:
	vnpu_allocator_destroy(dev->allocator);
err_segs:
	kvfree(dev->segs);
err_arena:
	vnpu_arena_fini(&dev->arena);
err_free:
	vnpu_device_free(dev);
	return ERR_PTR(ret);
}

/* Stop all use of a device that has left the table. */
static void vnpu_device_stop_use(struct vnpu_device *dev)
{
	vnpu_inject_clear_all(&dev->inject);
	vnpu_device_note_lost(dev);
	vnpu_device_unplug(dev);
}

/*
 * Create the node and files; clients of /dev/vnpu may already use the device.
 */
static int vnpu_device_register(struct vnpu_device *dev)
{
	struct device *sys;

	sys = device_create(vnpu_class, NULL,
			    MKDEV(MAJOR(vnpu_nodes), dev->index), dev, "vnpu%u",
			    dev->index);
	if (IS_ERR(sys))
		return PTR_ERR(sys);
	/* Pairs with READ_ONCE() in vnpu_coredump(). */
	smp_store_release(&dev->sys, sys);
	vnpu_debugfs_add(dev);
	return 0;
}

/*
 * Insert before the node exists: user space may open a node once it appears.
 * Send the event under the lock: a removal that follows takes the lock before
 * it sends its own. No event is sent while the module is being loaded, as its
 * netlink family is not registered yet.
 */
static int vnpu_device_insert(struct vnpu_device *dev, bool is_hotplug)
{
	int ret;

	mutex_lock(&vnpu_devices_lock);
	kref_get(&dev->ref);
	ret = xa_insert(&vnpu_devices, dev->index, dev, GFP_KERNEL);
	if (ret)
		goto err_put;
	vnpu_devices_note_change();
	ret = vnpu_device_register(dev);
	if (ret)
		goto err_erase;
	if (is_hotplug)
		vnpu_event_send_dev_add(dev);
	mutex_unlock(&vnpu_devices_lock);
	return 0;

err_erase:
	xa_erase(&vnpu_devices, dev->index);
	vnpu_devices_note_change();
err_put:
	/* Not the last reference: the caller has one. */
	vnpu_device_put(dev);
	mutex_unlock(&vnpu_devices_lock);
	return ret;
}

static struct vnpu_device *vnpu_device_publish(unsigned int index,
					       u64 arena_size, bool is_hotplug)
{
	struct vnpu_device *dev = vnpu_device_create(index, arena_size);
	int ret;

	if (IS_ERR(dev)) {
		ida_free(&vnpu_indices, index);
		return dev;
	}
	ret = vnpu_device_insert(dev, is_hotplug);
	if (!ret)
		return dev;
	vnpu_device_stop_use(dev);
	vnpu_device_put(dev);
	return ERR_PTR(ret);
}

/* Allocate the lowest free device number. */
static int vnpu_device_number(void)
{
	const unsigned int max = VNPU_MAX_DEVICES - 1;
	int index = ida_alloc_max(&vnpu_indices, max, GFP_KERNEL);

	if (index != -ENOSPC)
		return index;
	/* Wait for removed devices that are about to release their numbers. */
	flush_workqueue(vnpu_device_wq);
	return ida_alloc_max(&vnpu_indices, max, GFP_KERNEL);
}

/**
 * vnpu_device_add() - create a device
 * @arena_size: size of its memory in bytes, already validated; or 0 for the
 *	size of the devices that were created with the module
 *
 * The device gets the lowest free number.
 *
 * Return: the device with a reference, or ERR_PTR of -ENOSPC (all numbers are
 * in use), -EBUSY, -EINVAL, -EINTR or -ENOMEM.
 */
struct vnpu_device *vnpu_device_add(u64 arena_size)
{
	struct vnpu_device *dev;
	int index = vnpu_device_number();

	if (index < 0)
		return ERR_PTR(index);
	dev = vnpu_device_publish(index, arena_size ?: vnpu_config.arena_size,
				  true);
	if (IS_ERR(dev))
		return dev;
	pr_info("device %u: added with %llu MiB of memory\n", dev->index,
		vnpu_arena_size(&dev->arena) >> 20);
	return dev;
}

static void vnpu_device_unregister(struct vnpu_device *dev)
{
	struct device *sys;

	vnpu_debugfs_remove(dev);
	mutex_lock(&dev->engines->reset_lock);
	sys = dev->sys;
	dev->sys = NULL;
	mutex_unlock(&dev->engines->reset_lock);
	device_unregister(sys);
}

/**
 * vnpu_device_remove() - remove a device, even while it is in use
 * @index: any number
 *
 * The tasks of the device's streams fail. A task that an engine is running
 * fails when the engine ends the current part. The memory cannot be used any
 * more; it is freed with the last reference to the device.
 *
 * Return: 0 or -ENODEV.
 */
int vnpu_device_remove(unsigned int index)
{
	struct vnpu_device *dev;

	mutex_lock(&vnpu_devices_lock);
	dev = xa_erase(&vnpu_devices, index);
	vnpu_devices_note_change();
	mutex_unlock(&vnpu_devices_lock);
	if (!dev)
		return -ENODEV;
	vnpu_device_stop_use(dev);
	vnpu_device_unregister(dev);
	pr_info("device %u: removed\n", dev->index);
	vnpu_event_send_dev_remove(dev);
	vnpu_device_put(dev);
	return 0;
}

static void vnpu_devices_remove_all(void)
{
	struct vnpu_device *dev;
	unsigned long index;

	xa_for_each(&vnpu_devices, index, dev) {
		xa_erase(&vnpu_devices, index);
		vnpu_inject_clear_all(&dev->inject);
		vnpu_device_unregister(dev);
		vnpu_device_put(dev);
	}
}

static int vnpu_devices_add_all(void)
{
	unsigned int i;

	for (i = 0; i < vnpu_config.ndevs; i++) {
		int index = ida_alloc(&vnpu_indices, GFP_KERNEL);
		struct vnpu_device *dev;

		if (index < 0)
			return index;
		dev = vnpu_device_publish(index, vnpu_config.arena_size, false);
		if (IS_ERR(dev)) {
			pr_err("cannot create device %u of %u: error %ld\n",
			       i, vnpu_config.ndevs, PTR_ERR(dev));
			return PTR_ERR(dev);
		}
		vnpu_device_put(dev);
	}
	return 0;
}

/* Nodes belong to root until a udev rule gives them to a group. */
static char *vnpu_devices_devnode(VNPU_DEVNODE_CONST struct device *sys,
				  umode_t *mode)
{
	if (mode)
		*mode = 0660;
	return NULL;
}

/**
 * vnpu_devices_init() - create the class, and all devices of the configuration
 * @cfg: the number of devices, and their parameters
 *
 * Return: 0 or -errno, after a message in the log. On error there are no
 * devices.
 */
int vnpu_devices_init(const struct vnpu_config *cfg)
{
	int ret;

	vnpu_config = *cfg;
	ret = alloc_chrdev_region(&vnpu_nodes, 0, VNPU_MAX_DEVICES,
				  VNPU_PRODUCT_NAME);
	if (ret) {
		pr_err("cannot allocate character device numbers: error %d\n",
		       ret);
		return ret;
	}
	vnpu_device_wq = alloc_workqueue("vnpu-devices", WQ_UNBOUND, 0);
	if (!vnpu_device_wq) {
		ret = -ENOMEM;
		goto err_nodes;
	}
	vnpu_class = vnpu_class_create("vnpu");
	if (IS_ERR(vnpu_class)) {
		ret = PTR_ERR(vnpu_class);
		pr_err("cannot create the device class: error %d\n", ret);
		goto err_wq;
	}
	vnpu_class->dev_groups = vnpu_sysfs_groups;
	vnpu_class->devnode = vnpu_devices_devnode;
	vnpu_class->pm = &vnpu_pm_ops;
	vnpu_debugfs_init();
	ret = vnpu_devices_add_all();
	if (!ret)
		return 0;

	vnpu_devices_remove_all();
	vnpu_debugfs_fini();
	class_destroy(vnpu_class);
err_wq:
	destroy_workqueue(vnpu_device_wq);
	ida_destroy(&vnpu_indices);
err_nodes:
	unregister_chrdev_region(vnpu_nodes, VNPU_MAX_DEVICES);
	return ret;
}

/**
 * vnpu_devices_fini() - remove and free all devices, which must be unused
 */
void vnpu_devices_fini(void)
{
	vnpu_devices_remove_all();
	/*
	 * Wait until all devices are freed: the work runs code of the module.
	 */
	destroy_workqueue(vnpu_device_wq);
	vnpu_debugfs_fini();
	class_destroy(vnpu_class);
	unregister_chrdev_region(vnpu_nodes, VNPU_MAX_DEVICES);
	xa_destroy(&vnpu_devices);
	ida_destroy(&vnpu_indices);
}

/**
 * vnpu_devices_class() - return the class of the devices in sysfs
 */
struct class *vnpu_devices_class(void)
{
	return vnpu_class;
}

/**
 * vnpu_devices_nodes() - return the range of device numbers (dev_t) of the
 * nodes
 *
 * Return: the number of device 0. The module has VNPU_MAX_DEVICES numbers, in
 * the order of the device indices.
 */
dev_t vnpu_devices_nodes(void)
{
	return vnpu_nodes;
}
