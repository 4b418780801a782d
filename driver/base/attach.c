// SPDX-License-Identifier: GPL-2.0-only
/*
 * The devices that a client may use: those of the node that it opened, and
 * those of the nodes that it attached.
 *
 * All code that gets a device index from a client looks the device up here. So
 * a device that the client may not use does not exist for it. The set only
 * grows during the life of the client, so it is read without a lock. It
 * identifies devices by serial number: a device that reuses the index of a
 * removed one is another device, and the client may not use it.
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
 * vnpu_client_set_node() - set the node by which a client was opened
 * @client: the client, not in use yet
 * @dev: the device of the node, or NULL for the node of all devices
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
 * @client: the client that gets the devices
 * @other: the client of the other file; the devices that it has attached itself
 *	are not included
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
		/* Another device may have reused the index. */
		if (dev->serial != other->node_serial) {
			vnpu_device_put(dev);
			return -ENODEV;
		}
	}
	/*
	 * The reference keeps the index from being reused until it is granted.
	 */
	vnpu_client_grant(client, other->node_index, other->node_serial);
	if (dev)
		vnpu_device_put(dev);
	return 0;
}

/**
 * vnpu_client_has_device() - check if a client may use a device
 * @client: the client
 * @dev: the device, which may have been removed
 *
 * Return: true if a node has given the client the device.
 */
bool vnpu_client_has_device(const struct vnpu_client *client,
			    const struct vnpu_device *dev)
{
	return READ_ONCE(client->has_all) ||
	       READ_ONCE(client->attached[dev->index]) == dev->serial;
}

/**
 * vnpu_client_has_index() - check if a client may use a device of an index
 * @client: the client
 * @index: any number
 *
 * Return: true if it may, even if the device was removed. For a client of all
 * devices, also true if there never was such a device.
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
 * vnpu_client_device_get() - look up a device of a client by its index
 * @client: the client
 * @index: any number
 *
 * Return: the device with a reference, or NULL if it does not exist or the
 * client may not use it.
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
 * vnpu_client_device_get_next() - find a client's first device from an index on
 * @client: the client
 * @index: the index to start at; set to the index of the device found
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
