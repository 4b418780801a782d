// SPDX-License-Identifier: GPL-2.0-only
/* ioctls on memory objects. */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/sizes.h>
#include <linux/xarray.h>

#include "bind.h"
#include "client.h"
#include "device.h"
#include "ioctl.h"
#include "mem.h"

/* An array that starts at 1 gives 0 out too, once 0 has been erased from it. */
#define VNPU_ID_LIMIT	XA_LIMIT(1, INT_MAX)

/* The most that a contiguous object can be aligned to. */
#define VNPU_ALIGNMENT_MAX	SZ_1G

static bool vnpu_page_shift_is_valid(u32 shift)
{
	return shift == VNPU_PAGE_SHIFT_4K || shift == VNPU_PAGE_SHIFT_2M ||
	       shift == VNPU_PAGE_SHIFT_1G;
}

static int vnpu_mem_alloc_check(const struct vnpu_mem_alloc *cmd)
{
	if (!cmd->length)
		return -EINVAL;
	if (cmd->page_shift && !vnpu_page_shift_is_valid(cmd->page_shift))
		return -EINVAL;
	if (cmd->alignment) {
		if (!(cmd->flags & VNPU_MEM_F_CONTIGUOUS) ||
		    !is_power_of_2(cmd->alignment) ||
		    cmd->alignment > VNPU_ALIGNMENT_MAX)
			return -EINVAL;
	}
	if (cmd->flags & VNPU_MEM_F_BIND) {
		if (cmd->va & (VNPU_PAGE_SIZE - 1))
			return -EINVAL;
	} else if (cmd->va) {
		return -EINVAL;
	}
	return 0;
}

/* What cannot be bound is not allocated. */
static int vnpu_mem_alloc_check_va(struct vnpu_client *client, u64 va,
				   const struct vnpu_mem_spec *spec)
{
	u64 length;
	int ret;

	ret = vnpu_mem_round(spec, &length);
	return ret ?: vnpu_bind_check_free(client, va, length);
}

static int vnpu_mem_alloc_bound(struct vnpu_ucmd *ucmd, struct vnpu_mem *mem)
{
	struct vnpu_mem_alloc *cmd = ucmd->cmd;
	int ret;

	cmd->out_id = 0;
	ret = vnpu_ucmd_respond(ucmd);
	if (!ret)
		ret = vnpu_bind_insert(ucmd->client, mem, cmd->va, mem->length, 0);
	/* From here on the binding is what keeps it. */
	vnpu_mem_put(mem);
	return ret;
}

static int vnpu_mem_alloc_named(struct vnpu_ucmd *ucmd, struct vnpu_mem *mem)
{
	struct xarray *objects = &ucmd->client->objects;
	struct vnpu_mem_alloc *cmd = ucmd->cmd;
	u32 id;
	int ret;

	/* The id is reserved, and no look-up finds it until it is stored. */
	ret = xa_alloc(objects, &id, XA_ZERO_ENTRY, VNPU_ID_LIMIT,
		       GFP_KERNEL_ACCOUNT);
	if (ret)
		goto err_put;
	cmd->out_id = id;
	ret = vnpu_ucmd_respond(ucmd);
	if (ret)
		goto err_release;
	WRITE_ONCE(mem->id, id);
	xa_store(objects, id, mem, 0);
	return 0;

err_release:
	xa_release(objects, id);
err_put:
	vnpu_mem_put(mem);
	return ret;
}

int vnpu_ioctl_mem_alloc(struct vnpu_ucmd *ucmd)
{
	struct vnpu_mem_alloc *cmd = ucmd->cmd;
	struct vnpu_mem_spec spec = {
		.length = cmd->length,
		.alignment = cmd->alignment,
		.page_shift = cmd->page_shift ?: VNPU_PAGE_SHIFT_4K,
		.flags = cmd->flags,
	};
	struct vnpu_mem *mem;
	int ret;

	ret = vnpu_mem_alloc_check(cmd);
	if (!ret && cmd->flags & VNPU_MEM_F_BIND)
		ret = vnpu_mem_alloc_check_va(ucmd->client, cmd->va, &spec);
	if (ret)
		return ret;
	mem = vnpu_mem_create(ucmd->client, cmd->device, &spec);
	if (IS_ERR(mem))
		return PTR_ERR(mem);

	cmd->out_length = mem->length;
	if (cmd->flags & VNPU_MEM_F_BIND)
		return vnpu_mem_alloc_bound(ucmd, mem);
	return vnpu_mem_alloc_named(ucmd, mem);
}

int vnpu_ioctl_mem_free(struct vnpu_ucmd *ucmd)
{
	struct vnpu_mem_free *cmd = ucmd->cmd;
	struct xarray *objects = &ucmd->client->objects;
	struct vnpu_mem *mem;

	/* Not what is only reserved, by a call that is still under way. */
	xa_lock(objects);
	mem = xa_load(objects, cmd->id);
	if (mem)
		__xa_erase(objects, cmd->id);
	xa_unlock(objects);
	if (!mem)
		return -ENOENT;
	WRITE_ONCE(mem->id, 0);
	vnpu_mem_put(mem);
	return 0;
}

int vnpu_ioctl_mem_query(struct vnpu_ucmd *ucmd)
{
	struct vnpu_mem_query *cmd = ucmd->cmd;
	struct vnpu_mem *mem = vnpu_mem_get_by_id(ucmd->client, cmd->id);

	if (!mem)
		return -ENOENT;
	cmd->out_device = vnpu_mem_device(mem)->index;
	cmd->out_length = mem->length;
	cmd->out_page_shift = mem->page_shift;
	cmd->out_mem_flags = mem->flags;
	cmd->out_bindings = atomic_read(&mem->bindings);
	cmd->out_extents = mem->nr_extents;
	vnpu_mem_put(mem);
	return vnpu_ucmd_respond(ucmd);
}
