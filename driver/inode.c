// SPDX-License-Identifier: GPL-2.0-only
/*
 * All opens of /dev/vnpu share one inode and so one address_space, in which
 * unmap_mapping_range() would take the mappings of every client away. Each
 * client gets an inode of a pseudo file system for that, as VFIO and DRM do.
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
 * vnpu_inode_create() - make an inode
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
 * vnpu_inode_destroy() - the end of an inode
 * @inode: made by vnpu_inode_create(); nothing maps it any more
 */
void vnpu_inode_destroy(struct inode *inode)
{
	iput(inode);
	simple_release_fs(&vnpu_fs_mount, &vnpu_fs_count);
}
