// SPDX-License-Identifier: GPL-2.0-only
/* ioctls that make ids and files for memory that is there. */
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>

#include "bind.h"
#include "client.h"
#include "device.h"
#include "devmem.h"
#include "ioctl.h"
#include "share.h"

/*
 * Make an id for an object. The caller's reference goes to the id, or is given
 * back.
 */
int vnpu_ucmd_respond_with_id(struct vnpu_ucmd *ucmd, struct vnpu_mem *mem,
			      u32 *out_id)
{
	struct vnpu_client *client = ucmd->client;
	u32 id;
	int ret;

	ret = vnpu_mem_hold(mem, client);
	if (ret)
		goto err_put;
	ret = vnpu_mem_reserve_id(client, &id);
	if (ret)
		goto err_unhold;
	*out_id = id;
	ret = vnpu_ucmd_respond(ucmd);
	if (ret)
		goto err_cancel;
	vnpu_mem_publish_id(client, id, mem);
	return 0;

err_cancel:
	vnpu_mem_cancel_id(client, id);
err_unhold:
	vnpu_mem_unhold(mem, client);
err_put:
	vnpu_mem_put(mem);
	return ret;
}

int vnpu_ioctl_mem_open(struct vnpu_ucmd *ucmd)
{
	struct vnpu_mem_open *cmd = ucmd->cmd;
	struct vnpu_client *client = ucmd->client;
	struct vnpu_binding *binding;
	struct vnpu_mem *mem;
	int ret = 0;

	down_read(&client->lock);
	binding = vnpu_bind_find_locked(client, cmd->va);
	if (!binding) {
		ret = -ENOENT;
	} else if (binding->mem->flags & VNPU_MEM_F_SLAB) {
		ret = -EOPNOTSUPP;
	} else {
		mem = binding->mem;
		vnpu_mem_get(mem);
	}
	up_read(&client->lock);
	if (ret)
		return ret;
	return vnpu_ucmd_respond_with_id(ucmd, mem, &cmd->out_id);
}

int vnpu_ioctl_mem_export(struct vnpu_ucmd *ucmd)
{
	struct vnpu_mem_export *cmd = ucmd->cmd;
	struct vnpu_mem *mem;
	struct file *file;
	int fd, ret;

	mem = vnpu_mem_get_by_id(ucmd->client, cmd->id);
	if (!mem)
		return -ENOENT;
	if (!vnpu_devmem_of(mem)) {
		ret = -EOPNOTSUPP;
		goto out_put;
	}
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		ret = fd;
		goto out_put;
	}
	file = vnpu_share_create(mem);
	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
		goto err_fd;
	}
	cmd->out_fd = fd;
	ret = vnpu_ucmd_respond(ucmd);
	if (ret) {
		fput(file);
		goto err_fd;
	}
	fd_install(fd, file);
	goto out_put;

err_fd:
	put_unused_fd(fd);
out_put:
	vnpu_mem_put(mem);
	return ret;
}

int vnpu_ioctl_mem_import(struct vnpu_ucmd *ucmd)
{
	struct vnpu_mem_import *cmd = ucmd->cmd;
	struct vnpu_mem *mem = vnpu_share_get_mem(cmd->fd);

	if (IS_ERR(mem))
		return PTR_ERR(mem);
	cmd->out_length = mem->length;
	cmd->out_device = mem->dev->index;
	cmd->out_page_shift = mem->page_shift;
	return vnpu_ucmd_respond_with_id(ucmd, mem, &cmd->out_id);
}
