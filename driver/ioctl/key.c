// SPDX-License-Identifier: GPL-2.0-only
/* ioctls that create, change, destroy and open keys. */
#include <linux/err.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/slab.h>

#include "mem/key.h"
#include "mem/share.h"
#include "sync/timeline_file.h"
#include "compat.h"
#include "ioctl.h"

/*
 * Check for a file of memfd_create(): a file of tmpfs, in a mount that user
 * space cannot see.
 */
static bool vnpu_key_is_memfd(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	return S_ISREG(inode->i_mode) && inode->i_sb->s_magic == TMPFS_MAGIC &&
	       inode->i_sb->s_flags & SB_NOUSER;
}

/*
 * Check that a key may keep a file open. The file of a client may not be: if a
 * client's own key kept it open, the client would never end. Nor may a file
 * that would keep a mount busy.
 */
static bool vnpu_key_may_open(const struct file *file)
{
	return vnpu_share_is_file(file) || vnpu_timeline_is_file(file) ||
	       vnpu_key_is_memfd(file);
}

int vnpu_ioctl_key_create(struct vnpu_ucmd *ucmd)
{
	struct vnpu_key_create *cmd = ucmd->cmd;
	struct vnpu_key_spec spec = {
		.kind = cmd->kind,
		.data = { cmd->data[0], cmd->data[1] },
		.any_process = cmd->flags & VNPU_KEY_F_ANY_PROCESS,
		.is_short = cmd->flags & VNPU_KEY_F_SHORT,
	};
	u64 words[2];
	int ret = -EINVAL;

	spec.file = fget(cmd->fd);
	if (!spec.file)
		return -EBADF;
	if (vnpu_key_may_open(spec.file))
		ret = vnpu_key_create(ucmd->client, &spec, words);
	fput(spec.file);
	if (ret)
		return ret;
	cmd->out_key[0] = words[0];
	cmd->out_key[1] = words[1];
	ret = vnpu_ucmd_respond(ucmd);
	if (ret)
		vnpu_key_destroy(ucmd->client, words);
	return ret;
}

int vnpu_ioctl_key_destroy(struct vnpu_ucmd *ucmd)
{
	const struct vnpu_key_destroy *cmd = ucmd->cmd;
	const u64 words[2] = { cmd->key[0], cmd->key[1] };

	return vnpu_key_destroy(ucmd->client, words);
}

int vnpu_ioctl_key_allow(struct vnpu_ucmd *ucmd)
{
	const struct vnpu_key_allow *cmd = ucmd->cmd;
	const u64 words[2] = { cmd->key[0], cmd->key[1] };
	u32 stride = cmd->stride ?: sizeof(s32);
	s32 *pids;
	int ret;

	if (!cmd->count || cmd->count > VNPU_KEY_ALLOW_MAX ||
	    stride < sizeof(s32) || stride % sizeof(s32))
		return -EINVAL;
	pids = kmalloc_array(cmd->count, sizeof(*pids), GFP_KERNEL_ACCOUNT);
	if (!pids)
		return -ENOMEM;
	ret = vnpu_ucmd_read_array(pids, sizeof(*pids), cmd->pids, cmd->count,
				   stride);
	if (!ret)
		ret = vnpu_key_allow(ucmd->client, words, pids, cmd->count);
	kfree(pids);
	return ret;
}

int vnpu_ioctl_key_open(struct vnpu_ucmd *ucmd)
{
	struct vnpu_key_open *cmd = ucmd->cmd;
	const u64 words[2] = { cmd->key[0], cmd->key[1] };
	struct file *file;
	u64 data[2];
	int fd, ret;

	file = vnpu_key_open(words, cmd->kind, data);
	if (IS_ERR(file))
		return PTR_ERR(file);
	fd = vnpu_receive_fd(file, O_CLOEXEC);
	fput(file);
	if (fd < 0)
		return fd;
	cmd->out_fd = fd;
	cmd->out_data[0] = data[0];
	cmd->out_data[1] = data[1];
	ret = vnpu_ucmd_respond(ucmd);
	if (ret)
		close_fd(fd);
	return ret;
}
