// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inodes of clients, from a pseudo file system, as VFIO and DRM have them.
 *
 * All opens of /dev/vnpu share one inode, and so one address_space. On that,
 * unmap_mapping_range() would remove the mappings of all clients. So each
 * client gets its own inode.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>

#include "inode.h"

#define VNPU_FS_MAGIC	0x766e7075	/* "vnpu" */

static struct vfsmount *vnpu_fs_mount;
static int vnpu_fs_count;

static int vnpu_fs_init_context(struct fs_context *fc)
{
	return init_pseudo(fc, VNPU_FS_MAGIC) ? 0 : -ENOMEM;
}

static struct file_system_type vnpu_fs_type = {
	.name = "vnpu",
	.owner = THIS_MODULE,
	.init_fs_context = vnpu_fs_init_context,
	.kill_sb = kill_anon_super,
};

/**
 * vnpu_inode_create() - create the inode of a client
 *
 * Return: the inode or ERR_PTR().
 */
struct inode *vnpu_inode_create(void)
{
	struct inode *inode;
	int ret;

	ret = simple_pin_fs(&vnpu_fs_type, &vnpu_fs_mount, &vnpu_fs_count);
	if (ret)
		return ERR_PTR(ret);
	inode = alloc_anon_inode(vnpu_fs_mount->mnt_sb);
	if (IS_ERR(inode))
		simple_release_fs(&vnpu_fs_mount, &vnpu_fs_count);
	return inode;
}

/**
 * vnpu_inode_get() - get another reference to the inode of a client
 * @inode: an inode of vnpu_inode_create(), which is not released meanwhile
 *
 * The reference is dropped by vnpu_inode_destroy().
 *
 * Return: 0 or -errno.
 */
int vnpu_inode_get(struct inode *inode)
{
	int ret = simple_pin_fs(&vnpu_fs_type, &vnpu_fs_mount, &vnpu_fs_count);

	if (!ret)
		ihold(inode);
	return ret;
}

/**
 * vnpu_inode_destroy() - drop a reference to the inode of a client
 * @inode: an inode of vnpu_inode_create(). The last reference is dropped when it
 *	has no mappings left.
 */
void vnpu_inode_destroy(struct inode *inode)
{
	iput(inode);
	simple_release_fs(&vnpu_fs_mount, &vnpu_fs_count);
}
