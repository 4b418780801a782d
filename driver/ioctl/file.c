// SPDX-License-Identifier: GPL-2.0-only
/*
 * The character devices: /dev/vnpu for all devices, and /dev/vnpu0, /dev/vnpu1
 * and so on for one device each. Each open file is a client.
 *
 * The nodes of all devices share one cdev, which exists as long as the module.
 * The device is looked up when its node is opened. An open file pins the
 * module, but not the device, which can be removed meanwhile as it can under a
 * file of /dev/vnpu. A container may keep the node of a removed device. That
 * node opens the device that has the number by then.
 */
#include <linux/cdev.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/major.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>

#include <linux/vnpu.h>

#include "base/client.h"
#include "base/device.h"
#include "base/mm_owner.h"
#include "client/create.h"
#include "device/create.h"
#include "exec/ring.h"
#include "mem/hostmem.h"
#include "va/window.h"
#include "file.h"
#include "ioctl.h"

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

	if (!vnpu_mm_owner_is_current(client->mm_owner))
		return -EPERM;
	return vnpu_ioctl_dispatch(client, cmd, (void __user *)arg);
}

static int vnpu_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct vnpu_client *client = file->private_data;

	if (!vnpu_mm_owner_is_current(client->mm_owner))
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

/* The cdev of the nodes of all devices. */
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
	/* The last reference frees the cdev. */
	if (ret)
		kobject_put(&vnpu_cdev->kobj);
	return ret;
}

/**
 * vnpu_file_client() - return the client of a file
 * @file: any file
 *
 * Return: the client, which lives as long as the file; NULL if the file is not
 * an open character device of this module.
 */
struct vnpu_client *vnpu_file_client(struct file *file)
{
	return file->f_op == &vnpu_file_ops ? file->private_data : NULL;
}

/**
 * vnpu_file_register() - allow user space to open the nodes
 *
 * From here on there are clients. The nodes of devices are created with the
 * devices, and opening them fails before this call.
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
 * vnpu_file_unregister() - remove /dev/vnpu; there are no clients left
 */
void vnpu_file_unregister(void)
{
	misc_deregister(&vnpu_miscdevice);
	cdev_del(vnpu_cdev);
}
