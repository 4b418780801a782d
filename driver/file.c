// SPDX-License-Identifier: GPL-2.0-only
/* /dev/vnpu: the node, and the way from a file to its client. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>

#include <linux/vnpu.h>

#include "client.h"
#include "file.h"
#include "hostmem.h"
#include "ioctl.h"
#include "owner.h"
#include "ring.h"
#include "window.h"

static int vnpu_file_open(struct inode *inode, struct file *file)
{
	struct vnpu_client *client = vnpu_client_create();

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

/**
 * vnpu_file_register() - make /dev/vnpu; from here on there are clients
 *
 * Return: 0 or -errno.
 */
int vnpu_file_register(void)
{
	return misc_register(&vnpu_miscdevice);
}

/**
 * vnpu_file_unregister() - take /dev/vnpu away; there are no clients
 */
void vnpu_file_unregister(void)
{
	misc_deregister(&vnpu_miscdevice);
}
