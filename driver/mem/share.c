// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that represent memory objects.
 *
 * The kernel can pass a file to another process by inheritance, through a
 * socket or with pidfd_getfd(), and has its own rules on permissions. Such a
 * file supports no operation other than import and close.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>

#include "mem.h"
#include "share.h"

static int vnpu_share_release(struct inode *inode, struct file *file)
{
	vnpu_mem_put(file->private_data);
	return 0;
}

static const struct file_operations vnpu_share_ops = {
	.owner = THIS_MODULE,
	.release = vnpu_share_release,
};

/**
 * vnpu_share_create_file() - create a file that represents an object
 * @mem: the object; the file takes a reference of its own
 *
 * Return: the file or ERR_PTR().
 */
struct file *vnpu_share_create_file(struct vnpu_mem *mem)
{
	struct file *file;

	file = anon_inode_getfile("[vnpu-mem]", &vnpu_share_ops, mem, O_RDWR);
	if (!IS_ERR(file))
		vnpu_mem_get(mem);
	return file;
}

/**
 * vnpu_share_get_mem() - get the object that a file represents
 * @fd: any number
 *
 * Return: the object with a reference, or ERR_PTR of -EBADF or -EINVAL.
 */
struct vnpu_mem *vnpu_share_get_mem(int fd)
{
	struct file *file = fget(fd);
	struct vnpu_mem *mem;

	if (!file)
		return ERR_PTR(-EBADF);
	if (vnpu_share_is_file(file)) {
		mem = file->private_data;
		vnpu_mem_get(mem);
	} else {
		mem = ERR_PTR(-EINVAL);
	}
	fput(file);
	return mem;
}

/**
 * vnpu_share_is_file() - check whether a file stands for a memory object
 * @file: any file
 *
 * Return: true if it does.
 */
bool vnpu_share_is_file(const struct file *file)
{
	return file->f_op == &vnpu_share_ops;
}
