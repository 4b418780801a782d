// SPDX-License-Identifier: GPL-2.0-only
/* ioctls that make ids and files for existing memory objects. */
#include <linux/err.h>

#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "mem/devmem.h"
#include "mem/dmabuf.h"
#include "mem/share.h"
#include "va/bind.h"
#include "ioctl.h"

/*
 * Make an id for an object that the client holds, and respond with it. The id
 * takes over the hold and the caller's reference; they are dropped on failure.
 */
int vnpu_ucmd_respond_with_held_id(struct vnpu_ucmd *ucmd,
				   struct vnpu_mem *mem, u32 *out_id)
{
	struct vnpu_client *client = ucmd->client;
	u32 id;
	int ret;

	ret = vnpu_mem_reserve_id(client, &id);
	if (ret)
		goto err_drop;
	*out_id = id;
	ret = vnpu_ucmd_respond(ucmd);
	if (ret)
		goto err_cancel;
	vnpu_mem_publish_id(client, id, mem);
	return 0;

err_cancel:
	vnpu_mem_cancel_id(client, id);
err_drop:
	vnpu_mem_drop(mem, client);
	return ret;
}

/* Make an id for an object to which the caller has only a reference. */
int vnpu_ucmd_respond_with_id(struct vnpu_ucmd *ucmd, struct vnpu_mem *mem,
			      u32 *out_id)
{
	int ret = vnpu_mem_hold(mem, ucmd->client);

	if (ret) {
		vnpu_mem_put(mem);
		return ret;
	}
	return vnpu_ucmd_respond_with_held_id(ucmd, mem, out_id);
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

/* Look up device memory by a client's id, and take a reference. */
static struct vnpu_devmem *vnpu_share_devmem(struct vnpu_client *client, u32 id)
{
	struct vnpu_mem *mem = vnpu_mem_get_by_id(client, id);
	struct vnpu_devmem *devmem;

	if (!mem)
		return ERR_PTR(-ENOENT);
	devmem = vnpu_devmem_of(mem);
	if (!devmem) {
		vnpu_mem_put(mem);
		return ERR_PTR(-EOPNOTSUPP);
	}
	return devmem;
}

int vnpu_ioctl_mem_export(struct vnpu_ucmd *ucmd)
{
	struct vnpu_mem_export *cmd = ucmd->cmd;
	struct vnpu_devmem *devmem;
	struct file *file;

	devmem = vnpu_share_devmem(ucmd->client, cmd->id);
	if (IS_ERR(devmem))
		return PTR_ERR(devmem);
	file = vnpu_share_create_file(&devmem->mem);
	vnpu_mem_put(&devmem->mem);
	if (IS_ERR(file))
		return PTR_ERR(file);
	return vnpu_ioctl_install(ucmd, file, &cmd->out_fd);
}

int vnpu_ioctl_mem_export_dmabuf(struct vnpu_ucmd *ucmd)
{
	struct vnpu_mem_export_dmabuf *cmd = ucmd->cmd;
	struct vnpu_devmem *devmem;
	struct file *file;

	devmem = vnpu_share_devmem(ucmd->client, cmd->id);
	if (IS_ERR(devmem))
		return PTR_ERR(devmem);
	file = vnpu_dmabuf_create(devmem, cmd->flags &
				  VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY);
	vnpu_mem_put(&devmem->mem);
	if (IS_ERR(file))
		return PTR_ERR(file);
	return vnpu_ioctl_install(ucmd, file, &cmd->out_fd);
}

/*
 * Refuse memory of a device that the client may not use, whichever client made
 * the file. Drops the caller's reference in that case.
 */
static int vnpu_ucmd_check_import(struct vnpu_ucmd *ucmd, struct vnpu_mem *mem)
{
	if (!mem->dev || vnpu_client_has_device(ucmd->client, mem->dev))
		return 0;
	vnpu_mem_put(mem);
	return -EACCES;
}

int vnpu_ioctl_mem_import(struct vnpu_ucmd *ucmd)
{
	struct vnpu_mem_import *cmd = ucmd->cmd;
	struct vnpu_mem *mem = vnpu_share_get_mem(cmd->fd);
	int ret;

	if (IS_ERR(mem))
		return PTR_ERR(mem);
	ret = vnpu_ucmd_check_import(ucmd, mem);
	if (ret)
		return ret;
	cmd->out_length = mem->length;
	cmd->out_device = mem->dev->index;
	cmd->out_page_shift = mem->page_shift;
	return vnpu_ucmd_respond_with_id(ucmd, mem, &cmd->out_id);
}

int vnpu_ioctl_mem_import_dmabuf(struct vnpu_ucmd *ucmd)
{
	struct vnpu_mem_import_dmabuf *cmd = ucmd->cmd;
	struct vnpu_mem *mem = vnpu_dmabuf_import(ucmd->client, cmd->fd);
	int ret;

	if (IS_ERR(mem))
		return PTR_ERR(mem);
	ret = vnpu_ucmd_check_import(ucmd, mem);
	if (ret)
		return ret;
	cmd->out_length = mem->length;
	cmd->out_device = mem->dev ? mem->dev->index : VNPU_DEVICE_HOST;
	cmd->out_page_shift = mem->page_shift;
	cmd->out_mem_kind = mem->ops->kind;
	cmd->out_access = mem->read_only ? VNPU_ACCESS_READ :
					   VNPU_ACCESS_READ_WRITE;
	return vnpu_ucmd_respond_with_id(ucmd, mem, &cmd->out_id);
}
