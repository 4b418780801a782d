// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers of a device's streams, events and counters.
 *
 * A card has so many of each, and programs are written with that in mind. An
 * event has nothing else in the kernel than its number, and so what is known is
 * which client has it.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include "attach.h"
#include "client.h"
#include "device.h"
#include "numbers.h"

/* Where a client's events are by device and number. */
#define VNPU_EVENT_INDEX(device, number) \
	((unsigned long)(device) * VNPU_MAX_EVENTS + (number))

/**
 * vnpu_numbers_init() - none is in use
 * @numbers: filled
 * @count: how many there are
 */
void vnpu_numbers_init(struct vnpu_numbers *numbers, u32 count)
{
	ida_init(&numbers->ida);
	numbers->count = count;
	atomic_set(&numbers->used, 0);
}

/**
 * vnpu_numbers_fini() - the end; none is in use
 * @numbers: the numbers
 */
void vnpu_numbers_fini(struct vnpu_numbers *numbers)
{
	WARN_ON_ONCE(!ida_is_empty(&numbers->ida));
	ida_destroy(&numbers->ida);
}

/**
 * vnpu_numbers_take() - the lowest that is free
 * @numbers: the numbers
 * @number: which
 *
 * Return: 0, -EAGAIN (none is free) or -ENOMEM.
 */
int vnpu_numbers_take(struct vnpu_numbers *numbers, u32 *number)
{
	int id = ida_alloc_max(&numbers->ida, numbers->count - 1, GFP_KERNEL);

	if (id < 0)
		return id == -ENOSPC ? -EAGAIN : id;
	atomic_inc(&numbers->used);
	*number = id;
	return 0;
}

/**
 * vnpu_numbers_put() - it is free again
 * @numbers: the numbers
 * @number: one in use
 */
void vnpu_numbers_put(struct vnpu_numbers *numbers, u32 number)
{
	ida_free(&numbers->ida, number);
	atomic_dec(&numbers->used);
}

/**
 * vnpu_numbers_free() - how many are free
 * @numbers: the numbers
 */
u32 vnpu_numbers_free(const struct vnpu_numbers *numbers)
{
	return numbers->count - min_t(u32, atomic_read(&numbers->used),
				      numbers->count);
}

/**
 * vnpu_event_take() - a client takes the number of an event
 * @client: who
 * @device: index of the device
 * @number: which
 * @available: how many are free after that
 *
 * It keeps the device, so that the number is nobody else's meanwhile.
 *
 * Return: 0, -ENODEV, -EAGAIN or -ENOMEM.
 */
int vnpu_event_take(struct vnpu_client *client, u32 device, u32 *number,
		    u32 *available)
{
	struct vnpu_device *dev = vnpu_client_device_get(client, device);
	int ret;

	if (!dev)
		return -ENODEV;
	ret = vnpu_numbers_take(&dev->events, number);
	if (ret)
		goto err_device;
	ret = xa_insert(&client->events, VNPU_EVENT_INDEX(device, *number),
			dev, GFP_KERNEL_ACCOUNT);
	if (ret)
		goto err_number;
	*available = vnpu_numbers_free(&dev->events);
	return 0;

err_number:
	vnpu_numbers_put(&dev->events, *number);
err_device:
	vnpu_device_put(dev);
	return ret;
}

/**
 * vnpu_event_give() - a client gives the number of an event back
 * @client: who
 * @device: index of the device
 * @number: any number
 *
 * Return: 0, -ENODEV (there is no such device, nor an event of one that is gone)
 * or -ENOENT.
 */
int vnpu_event_give(struct vnpu_client *client, u32 device, u32 number)
{
	struct vnpu_device *dev = NULL;

	if (device < VNPU_MAX_DEVICES && number < VNPU_MAX_EVENTS)
		dev = xa_erase(&client->events,
			       VNPU_EVENT_INDEX(device, number));
	if (dev) {
		vnpu_numbers_put(&dev->events, number);
		vnpu_device_put(dev);
		return 0;
	}
	dev = vnpu_client_device_get(client, device);
	if (!dev)
		return -ENODEV;
	vnpu_device_put(dev);
	return -ENOENT;
}

/**
 * vnpu_events_give_all() - at the end of a client
 * @client: the client
 */
void vnpu_events_give_all(struct vnpu_client *client)
{
	unsigned long index;
	void *entry;

	xa_for_each(&client->events, index, entry) {
		vnpu_event_give(client, index / VNPU_MAX_EVENTS,
				index % VNPU_MAX_EVENTS);
		cond_resched();
	}
}
