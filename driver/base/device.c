// SPDX-License-Identifier: GPL-2.0-only
/* The table of all devices, and references to them. */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/xarray.h>

#include "device.h"

DEFINE_XARRAY(vnpu_devices);

/* Odd, see vnpu_devices_generation(). */
static atomic_t vnpu_devices_gen = ATOMIC_INIT(1);

/*
 * By device number: how often clients may have lost the contents of their
 * memory.
 */
static atomic64_t vnpu_lost_epochs[VNPU_MAX_DEVICES];

/* Real PCI domains of this machine are small, those of bridges above 0xffff. */
#define VNPU_BUS_DOMAIN		0xfffe

/**
 * vnpu_device_get_next() - look up the first device at or after an index
 * @index: the index to start at; set to the index of the device
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
 * vnpu_device_get() - look up a device by its index
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
 * vnpu_devices_note_change() - count a change of the table of devices
 *
 * Called after the change.
 */
void vnpu_devices_note_change(void)
{
	atomic_add(2, &vnpu_devices_gen);
}

/**
 * vnpu_devices_generation() - get a number that changes with the table of
 *   devices
 *
 * Return: the number. It is odd, as 0 as the sequence number of a dump would
 * switch the check of its consistency off.
 */
unsigned int vnpu_devices_generation(void)
{
	return atomic_read(&vnpu_devices_gen);
}

/**
 * vnpu_device_put() - release a reference to a device
 * @dev: the device
 */
void vnpu_device_put(struct vnpu_device *dev)
{
	kref_put(&dev->ref, dev->release);
}

/**
 * vnpu_device_note_lost() - count that clients may lose state on a device
 * @dev: the device
 *
 * The caller counts the loss before a client can notice it. If a task fails
 * because of the loss, its client finds that the epoch has changed.
 */
void vnpu_device_note_lost(const struct vnpu_device *dev)
{
	atomic64_inc(&vnpu_lost_epochs[dev->index]);
	/*
	 * Order the count before the stores that make the loss visible. A
	 * client that has seen the loss reads the count in a later system call.
	 */
	smp_mb__after_atomic();
}

/**
 * vnpu_device_read_lost_epoch() - count the losses of state of a device number
 * @dev: the device
 *
 * Return: the number of losses so far, of all devices that have had this
 * number.
 */
u64 vnpu_device_read_lost_epoch(const struct vnpu_device *dev)
{
	return atomic64_read(&vnpu_lost_epochs[dev->index]);
}

/**
 * vnpu_device_bus_id() - format the address of a device like that of a PCI
 * device
 * @dev: the device
 * @buf: the buffer for the string
 */
void vnpu_device_bus_id(const struct vnpu_device *dev,
			char buf[VNPU_DEVICE_BUS_ID_LEN])
{
	snprintf(buf, VNPU_DEVICE_BUS_ID_LEN, "%04X:%02X:00.0",
		 VNPU_BUS_DOMAIN, dev->index);
}
