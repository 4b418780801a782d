// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of devices, and their making and end.
 *
 * Devices come with the module or later, and go in the midst of their use
 * (unplug.c). One that is gone is not in the table any more, but keeps its number
 * and its memory until nobody refers to it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "clear.h"
#include "compat.h"
#include "debugfs.h"
#include "device.h"
#include "engine.h"
#include "netlink.h"
#include "params.h"
#include "pm.h"
#include "quota.h"
#include "sysfs.h"
#include "unplug.h"

static DEFINE_XARRAY(vnpu_devices);

/*
 * Held while a device is put into the table and its node is made, and while one is
 * taken from the table: a device that is removed has its node. Nothing inside waits
 * for an engine.
 */
static DEFINE_MUTEX(vnpu_devices_lock);

/* The numbers in use, those of devices that are gone among them. */
static DEFINE_IDA(vnpu_indices);

/* What the module was loaded with; constant once devices can be added. */
static struct vnpu_config vnpu_config;

/* Where devices are freed. */
static struct workqueue_struct *vnpu_device_wq;

/* By number: how often clients may have lost what they had there. */
static atomic64_t vnpu_lost_epochs[VNPU_MAX_DEVICES];

/* Of what represents them in sysfs. It outlives them all. */
static struct class *vnpu_class;

/* The number of the node of device 0; the others follow. */
static dev_t vnpu_nodes;

static atomic_long_t vnpu_last_serial = ATOMIC_LONG_INIT(0);

/* Real PCI domains of this machine are small, those of bridges above 0xffff. */
#define VNPU_BUS_DOMAIN		0xfffe

static const uuid_t vnpu_uuid_base =
	UUID_INIT(0x76be1a3f, 0x5c0d, 0x4d8e,
		  0x9a, 0x41, 0x0f, 0x6e, 0xd2, 0x73, 0xb8, 0x00);

static void vnpu_device_free(struct vnpu_device *dev)
{
	u32 kind;

	for (kind = 0; kind < VNPU_NUMBER_KINDS; kind++)
		vnpu_numbers_fini(&dev->numbers[kind]);
	mutex_destroy(&dev->lock);
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

	vnpu_clear_remove(dev);
	vnpu_quota_remove_all(dev);
	/* Those that were set while the device was on its way out. */
	vnpu_inject_clear_all(&dev->inject);
	vnpu_ecc_fini(&dev->ecc);
	vnpu_engines_destroy(dev->engines);
	vnpu_buddy_destroy(dev->buddy);
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

/* A share of the region belongs to a number. */
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
	INIT_WORK(&dev->free_work, vnpu_device_destroy);
	mutex_init(&dev->compact_lock);
	mutex_init(&dev->oom_lock);
	mutex_init(&dev->look_lock);
	mutex_init(&dev->lock);
	INIT_LIST_HEAD(&dev->mems);
	INIT_LIST_HEAD(&dev->usages);
	dev->quotas = RB_ROOT;
	dev->users = RB_ROOT;
	vnpu_numbers_init(&dev->numbers[VNPU_NUMBER_STREAM], VNPU_MAX_STREAMS);
	vnpu_numbers_init(&dev->numbers[VNPU_NUMBER_EVENT], VNPU_MAX_EVENTS);
	vnpu_numbers_init(&dev->numbers[VNPU_NUMBER_COUNTER],
			  VNPU_MAX_COUNTERS);
	vnpu_inject_init(&dev->inject);
	vnpu_ecc_init(&dev->ecc);
	vnpu_clear_add(dev);
	dev->index = index;
	dev->serial = atomic_long_inc_return(&vnpu_last_serial);
	dev->health = VNPU_HEALTH_OK;
	dev->uuid = vnpu_uuid_base;
	dev->uuid.b[UUID_SIZE - 1] = index;

	ret = vnpu_arena_init(&dev->arena, &cfg, index);
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
	return dev;

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

/* Stops all use of a device, which is not in the table any more. */
static void vnpu_device_withdraw(struct vnpu_device *dev)
{
	vnpu_inject_clear_all(&dev->inject);
	vnpu_device_note_lost(dev);
	vnpu_device_unplug(dev);
}

/* Clients of /dev/vnpu may use the device by now. */
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

/* Into the table first: the node can be opened as soon as it can be seen. */
static int vnpu_device_insert(struct vnpu_device *dev)
{
	int ret;

	mutex_lock(&vnpu_devices_lock);
	kref_get(&dev->ref);
	ret = xa_insert(&vnpu_devices, dev->index, dev, GFP_KERNEL);
	if (ret)
		goto err_put;
	ret = vnpu_device_register(dev);
	if (ret)
		goto err_erase;
	mutex_unlock(&vnpu_devices_lock);
	return 0;

err_erase:
	xa_erase(&vnpu_devices, dev->index);
err_put:
	/* The caller has another. */
	vnpu_device_put(dev);
	mutex_unlock(&vnpu_devices_lock);
	return ret;
}

static struct vnpu_device *vnpu_device_publish(unsigned int index,
					       u64 arena_size)
{
	struct vnpu_device *dev = vnpu_device_create(index, arena_size);
	int ret;

	if (IS_ERR(dev)) {
		ida_free(&vnpu_indices, index);
		return dev;
	}
	ret = vnpu_device_insert(dev);
	if (!ret)
		return dev;
	vnpu_device_withdraw(dev);
	vnpu_device_put(dev);
	return ERR_PTR(ret);
}

/* The lowest that is free. */
static int vnpu_device_number(void)
{
	const unsigned int max = VNPU_MAX_DEVICES - 1;
	int index = ida_alloc_max(&vnpu_indices, max, GFP_KERNEL);

	if (index != -ENOSPC)
		return index;
	/* Devices that are gone already may be about to give theirs back. */
	flush_workqueue(vnpu_device_wq);
	return ida_alloc_max(&vnpu_indices, max, GFP_KERNEL);
}

/**
 * vnpu_device_add() - make one more device
 * @arena_size: bytes of its memory, found to be valid; or 0 for as much as those
 *	have that came with the module
 *
 * It gets the lowest number that is free.
 *
 * Return: the device with a reference, or ERR_PTR of -ENOSPC (no number is free),
 * -EBUSY, -EINVAL, -EINTR or -ENOMEM.
 */
struct vnpu_device *vnpu_device_add(u64 arena_size)
{
	struct vnpu_device *dev;
	int index = vnpu_device_number();

	if (index < 0)
		return ERR_PTR(index);
	dev = vnpu_device_publish(index, arena_size ?: vnpu_config.arena_size);
	if (IS_ERR(dev))
		return dev;
	pr_info("device %u: added with %llu MiB of memory\n", dev->index,
		vnpu_arena_size(&dev->arena) >> 20);
	vnpu_netlink_send_dev_add(dev);
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
 * vnpu_device_remove() - take a device away, whoever uses it
 * @index: any number
 *
 * What its streams had to do has failed, or will as soon as an engine that is at
 * it lets go; nobody reaches its memory any more. It is freed with its last user.
 *
 * Return: 0 or -ENODEV.
 */
int vnpu_device_remove(unsigned int index)
{
	struct vnpu_device *dev;

	mutex_lock(&vnpu_devices_lock);
	dev = xa_erase(&vnpu_devices, index);
	mutex_unlock(&vnpu_devices_lock);
	if (!dev)
		return -ENODEV;
	vnpu_device_withdraw(dev);
	vnpu_device_unregister(dev);
	pr_info("device %u: removed\n", dev->index);
	vnpu_netlink_send_dev_remove(dev);
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
		dev = vnpu_device_publish(index, vnpu_config.arena_size);
		if (IS_ERR(dev)) {
			pr_err("cannot create device %u of %u: error %ld\n",
			       i, vnpu_config.ndevs, PTR_ERR(dev));
			return PTR_ERR(dev);
		}
		vnpu_device_put(dev);
	}
	return 0;
}

/* Nodes are for root until a rule of udev gives them to a group. */
static char *vnpu_devices_devnode(VNPU_DEVNODE_CONST struct device *sys,
				  umode_t *mode)
{
	if (mode)
		*mode = 0660;
	return NULL;
}

/**
 * vnpu_devices_init() - make all devices
 * @cfg: how many, and of what
 *
 * Return: 0 or -errno, after a message in the log; then there are none.
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
 * vnpu_devices_fini() - the end of all devices, which nobody uses
 */
void vnpu_devices_fini(void)
{
	vnpu_devices_remove_all();
	/* Only after they were freed there is no code of ours left to run. */
	destroy_workqueue(vnpu_device_wq);
	vnpu_debugfs_fini();
	class_destroy(vnpu_class);
	unregister_chrdev_region(vnpu_nodes, VNPU_MAX_DEVICES);
	xa_destroy(&vnpu_devices);
	ida_destroy(&vnpu_indices);
}

/**
 * vnpu_devices_class() - the class that devices are of, in sysfs
 */
struct class *vnpu_devices_class(void)
{
	return vnpu_class;
}

/**
 * vnpu_devices_nodes() - the numbers of the nodes of devices
 *
 * Return: that of device 0; VNPU_MAX_DEVICES belong to the module, each as far
 * behind it as the index of its device.
 */
dev_t vnpu_devices_nodes(void)
{
	return vnpu_nodes;
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
 * vnpu_device_note_lost() - clients are about to lose what they have on a device
 * @dev: the device
 *
 * Comes before they can see it: a client whose task has failed for this reason
 * finds that the epoch has changed.
 */
void vnpu_device_note_lost(const struct vnpu_device *dev)
{
	atomic64_inc(&vnpu_lost_epochs[dev->index]);
	/* Before what reports the loss, whatever that is. */
	smp_mb__after_atomic();
}

/**
 * vnpu_device_lost_epoch() - how often that was, on all devices of this number
 * @dev: the device
 */
u64 vnpu_device_lost_epoch(const struct vnpu_device *dev)
{
	return atomic64_read(&vnpu_lost_epochs[dev->index]);
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
