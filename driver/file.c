// SPDX-License-Identifier: GPL-2.0-only
/*
 * The nodes, and the way from a file to its client: /dev/vnpu for all devices,
 * /dev/vnpu0 and so on for one.
 *
 * The nodes of devices have one cdev together, which is there as long as the
 * module: whether there is a device is found out when its node is opened. A file
 * keeps the module, and nothing of the device, which may go under it as it may
 * under one of /dev/vnpu. A node that was made for a device that is gone, as it
 * stays in a container, opens the device that has its number by then.
 */
#include <linux/cdev.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/major.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>

#include <linux/vnpu.h>

#include "client.h"
#include "device.h"
#include "file.h"
#include "hostmem.h"
#include "ioctl.h"
#include "owner.h"
#include "ring.h"
#include "window.h"

static int vnpu_file_open(struct inode *inode, struct file *file)
{
	struct vnpu_device *dev = NULL;
	struct vnpu_client *client;

	if (imajor(inode) != MISC_MAJOR) {
		dev = vnpu_device_get(iminor(inode) -
				      MINOR(vnpu_devices_nodes()));
		if (!dev)
			return -ENODEV;
	}
	client = vnpu_client_create(dev);
	if (dev)
		vnpu_device_put(dev);
	if (IS_ERR(client))
		return PTR_ERR(client);
	file->private_data = client;
	file->f_mapping = client->inode->i_mapping;
	return nonseekable_open(inode, file);
}

static int vnpu_file_release(struct inode *inode, struct file *file)
{
	vnpu_client_destroy(file->private_data);
	return 0;
}

static long vnpu_file_ioctl(struct file *file, unsigned int cmd,
			    unsigned long arg)
{
	struct vnpu_client *client = file->private_data;

	if (!vnpu_owner_is_current(client->owner))
		return -EPERM;
	return vnpu_ioctl_dispatch(client, cmd, (void __user *)arg);
}

static int vnpu_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct vnpu_client *client = file->private_data;

	if (!vnpu_owner_is_current(client->owner))
		return -EPERM;
	if (vma->vm_pgoff == VNPU_MMAP_WINDOW >> PAGE_SHIFT)
		return vnpu_window_mmap(client, vma);
	if (vma->vm_pgoff >= VNPU_MMAP_HOST >> PAGE_SHIFT)
		return vnpu_hostmem_mmap(client, vma);
	if (vma->vm_pgoff >= VNPU_MMAP_STREAM >> PAGE_SHIFT)
		return vnpu_ring_mmap(client, vma);
	return -EINVAL;
}

static const struct file_operations vnpu_file_ops = {
	.owner = THIS_MODULE,
	.open = vnpu_file_open,
	.release = vnpu_file_release,
	.unlocked_ioctl = vnpu_file_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = vnpu_file_mmap,
	.get_unmapped_area = thp_get_unmapped_area,
	.show_fdinfo = vnpu_fdinfo_show,
};

static struct miscdevice vnpu_miscdevice = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "vnpu",
	.fops = &vnpu_file_ops,
	.mode = 0660,
};

/* Of the nodes of devices. */
static struct cdev *vnpu_cdev;

static int vnpu_cdev_add(void)
{
	int ret;

	vnpu_cdev = cdev_alloc();
	if (!vnpu_cdev)
		return -ENOMEM;
	vnpu_cdev->owner = THIS_MODULE;
	vnpu_cdev->ops = &vnpu_file_ops;
	ret = cdev_add(vnpu_cdev, vnpu_devices_nodes(), VNPU_MAX_DEVICES);
	/* It is freed with its last reference. */
	if (ret)
		kobject_put(&vnpu_cdev->kobj);
	return ret;
}

/**
 * vnpu_file_client() - the client of a file
 * @file: any file
 *
 * Return: the client, which lives as long as the file; NULL if it is not a file
 * of a node of ours.
 */
struct vnpu_client *vnpu_file_client(struct file *file)
{
	return file->f_op == &vnpu_file_ops ? file->private_data : NULL;
}

/**
 * vnpu_file_register() - have the nodes opened; from here on there are clients
 *
 * The nodes of devices are made with the devices, and cannot be opened before.
 *
 * Return: 0 or -errno.
 */
int vnpu_file_register(void)
{
	int ret = vnpu_cdev_add();

	if (ret)
		return ret;
	ret = misc_register(&vnpu_miscdevice);
	if (ret)
		cdev_del(vnpu_cdev);
	return ret;
}

/**
 * vnpu_file_unregister() - take /dev/vnpu away; there are no clients
 */
void vnpu_file_unregister(void)
{
	misc_deregister(&vnpu_miscdevice);
	cdev_del(vnpu_cdev);
}
