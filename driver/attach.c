// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which devices a client has: those of the node that it opened, and those of
 * each node whose file it attached.
 *
 * All that takes the index of a device from a client looks the device up here,
 * so that a device which the client does not have does not exist for it. The set
 * only grows, for as long as the client lives, so that it is read without a lock.
 * It names devices by their serial numbers: a device that gets the index of one
 * that is gone is another device, and the client does not have it.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/nospec.h>

#include "attach.h"
#include "client.h"
#include "device.h"

static void vnpu_client_grant(struct vnpu_client *client, unsigned int index,
			      unsigned long serial)
{
	if (serial)
		WRITE_ONCE(client->attached[index], serial);
	else
		WRITE_ONCE(client->has_all, true);
}

/**
 * vnpu_client_set_node() - note the node that a client was opened by
 * @client: the client, before anything is asked of it
 * @dev: the device whose node it is, or NULL for that of all devices
 */
void vnpu_client_set_node(struct vnpu_client *client,
			  const struct vnpu_device *dev)
{
	client->node_index = dev ? dev->index : 0;
	client->node_serial = dev ? dev->serial : 0;
	vnpu_client_grant(client, client->node_index, client->node_serial);
}

/**
 * vnpu_client_attach() - add the devices of another file's node
 * @client: which gets them
 * @other: the client of that file; what it has attached itself does not count
 *
 * Return: 0, or -ENODEV when the node's device is gone.
 */
int vnpu_client_attach(struct vnpu_client *client,
		       const struct vnpu_client *other)
{
	struct vnpu_device *dev = NULL;

	if (other->node_serial) {
		dev = vnpu_device_get(other->node_index);
		if (!dev)
			return -ENODEV;
		/* Another device may have the index of the node's. */
		if (dev->serial != other->node_serial) {
			vnpu_device_put(dev);
			return -ENODEV;
		}
	}
	/* The reference keeps the index from a new device, which is granted later. */
	vnpu_client_grant(client, other->node_index, other->node_serial);
	if (dev)
		vnpu_device_put(dev);
	return 0;
}

/**
 * vnpu_client_has_device() - does a client have a device?
 * @client: the client
 * @dev: the device, which may be gone
 *
 * Return: whether it was given the device by a node.
 */
bool vnpu_client_has_device(const struct vnpu_client *client,
			    const struct vnpu_device *dev)
{
	return READ_ONCE(client->has_all) ||
	       READ_ONCE(client->attached[dev->index]) == dev->serial;
}

/**
 * vnpu_client_has_index() - may a client have a device of this index?
 * @client: the client
 * @index: any number
 *
 * Return: true also when the device is gone, and for a client that has all
 * devices when there has not been one yet.
 */
bool vnpu_client_has_index(const struct vnpu_client *client,
			   unsigned int index)
{
	if (index >= VNPU_MAX_DEVICES)
		return false;
	index = array_index_nospec(index, VNPU_MAX_DEVICES);
	return READ_ONCE(client->has_all) || READ_ONCE(client->attached[index]);
}

/**
 * vnpu_client_device_get() - a device that a client has, by its index
 * @client: the client
 * @index: any number
 *
 * Return: the device with a reference, or NULL if there is none or the client
 * does not have it.
 */
struct vnpu_device *vnpu_client_device_get(const struct vnpu_client *client,
					   unsigned int index)
{
	struct vnpu_device *dev = vnpu_device_get(index);

	if (dev && !vnpu_client_has_device(client, dev)) {
		vnpu_device_put(dev);
		return NULL;
	}
	return dev;
}

/**
 * vnpu_client_device_get_next() - the first device at or after an index that a
 *	client has
 * @client: the client
 * @index: where to start; where it was found
 *
 * Return: the device with a reference, or NULL.
 */
struct vnpu_device *
vnpu_client_device_get_next(const struct vnpu_client *client,
			    unsigned long *index)
{
	struct vnpu_device *dev;

	for (; (dev = vnpu_device_get_next(index)); ++*index) {
		if (vnpu_client_has_device(client, dev))
			break;
		vnpu_device_put(dev);
	}
	return dev;
}
