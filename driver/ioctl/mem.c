// SPDX-License-Identifier: GPL-2.0-only
/* ioctls for memory objects. */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/sizes.h>

#include "account/account.h"
#include "base/client.h"
#include "base/device.h"
#include "alloc/devmem_alloc.h"
#include "mem/devmem.h"
#include "mem/hostmem.h"
#include "va/bind.h"
#include "va/slabs.h"
#include "ioctl.h"

/* Maximum alignment of a contiguous object. */
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

/* Check the range to bind first, so that no memory is allocated in vain. */
static int vnpu_mem_alloc_check_va(struct vnpu_client *client, u64 va,
				   const struct vnpu_devmem_spec *spec)
{
	u64 length;
	int ret;

	ret = vnpu_devmem_round(spec, &length);
	return ret ?: vnpu_bind_check_free(client, va, length);
}

static int vnpu_mem_alloc_bound(struct vnpu_ucmd *ucmd,
				struct vnpu_devmem *devmem)
{
	struct vnpu_mem_alloc *cmd = ucmd->cmd;
	struct vnpu_bind_spec spec = {
		.mem = &devmem->mem,
		.storage = &devmem->binding,
		.va = cmd->va,
		.length = devmem->mem.length,
	};
	int ret;

	cmd->out_id = 0;
	ret = vnpu_ucmd_respond(ucmd);
	if (ret) {
		vnpu_mem_drop(&devmem->mem, ucmd->client);
		return ret;
	}
	/* The binding takes over the hold and the reference. */
	return vnpu_bind_insert(ucmd->client, &spec);
}

/* Return the number of the OOM report to user space, if there is a report. */
static int vnpu_mem_alloc_fail(struct vnpu_ucmd *ucmd, int err)
{
	const struct vnpu_mem_alloc *cmd = ucmd->cmd;

	return cmd->out_report ? vnpu_ucmd_respond(ucmd) ?: err : err;
}

static int vnpu_mem_alloc_slab_check(const struct vnpu_ucmd *ucmd)
{
	const struct vnpu_mem_alloc *cmd = ucmd->cmd;

	/* Without out_va, the caller could not learn the address. */
	if (ucmd->user_size < offsetofend(struct vnpu_mem_alloc, out_va))
		return -EINVAL;
	if (cmd->flags & ~(VNPU_MEM_F_SLAB | VNPU_MEM_F_TRY) ||
	    cmd->alignment || cmd->va ||
	    (cmd->page_shift && cmd->page_shift != VNPU_PAGE_SHIFT_4K) ||
	    !cmd->length || cmd->length > VNPU_SLAB_MAX_LENGTH)
		return -EINVAL;
	return 0;
}

static int vnpu_mem_alloc_slab(struct vnpu_ucmd *ucmd)
{
	struct vnpu_mem_alloc *cmd = ucmd->cmd;
	struct vnpu_slab_object_range place;
	struct vnpu_account *account;
	struct vnpu_slabs *slabs;
	int ret;

	ret = vnpu_mem_alloc_slab_check(ucmd);
	if (ret)
		return ret;
	account = vnpu_client_account(ucmd->client, cmd->device);
	if (IS_ERR(account))
		return PTR_ERR(account);
	/* A slab may have room, and would not ask the device for memory. */
	if (vnpu_device_is_gone(account->dev))
		return -ENODEV;
	slabs = vnpu_slabs_of(ucmd->client, account->dev->index);
	if (!slabs)
		return -ENOENT;
	ret = vnpu_slabs_alloc(slabs, cmd->length,
			       cmd->flags & VNPU_MEM_F_TRY ? NULL :
							     &cmd->out_report,
			       &place);
	if (ret)
		return vnpu_mem_alloc_fail(ucmd, ret);

	cmd->out_id = 0;
	cmd->out_length = place.length;
	cmd->out_va = place.va;
	ret = vnpu_ucmd_respond(ucmd);
	/* Another thread may have guessed the address and freed the object. */
	if (ret)
		vnpu_slabs_free(slabs, place.va, &place.length);
	return ret;
}

int vnpu_ioctl_mem_alloc(struct vnpu_ucmd *ucmd)
{
	struct vnpu_mem_alloc *cmd = ucmd->cmd;
	struct vnpu_devmem_spec spec = {
		.length = cmd->length,
		.alignment = cmd->alignment,
		.page_shift = cmd->page_shift ?: VNPU_PAGE_SHIFT_4K,
		.flags = cmd->flags,
	};
	struct vnpu_devmem *devmem;
	int ret;

	cmd->out_report = 0;
	if (cmd->flags & VNPU_MEM_F_SLAB)
		return vnpu_mem_alloc_slab(ucmd);
	ret = vnpu_mem_alloc_check(cmd);
	if (!ret && cmd->flags & VNPU_MEM_F_BIND)
		ret = vnpu_mem_alloc_check_va(ucmd->client, cmd->va, &spec);
	if (ret)
		return ret;
	devmem = vnpu_devmem_create(ucmd->client, cmd->device, &spec,
				    &cmd->out_report);
	if (IS_ERR(devmem))
		return vnpu_mem_alloc_fail(ucmd, PTR_ERR(devmem));

	cmd->out_length = devmem->mem.length;
	cmd->out_va = cmd->va;
	/* Once it is bound or has an id, another thread may free it. */
	vnpu_mem_get(&devmem->mem);
	if (cmd->flags & VNPU_MEM_F_BIND)
		ret = vnpu_mem_alloc_bound(ucmd, devmem);
	else
		ret = vnpu_ucmd_respond_with_held_id(ucmd, &devmem->mem,
						     &cmd->out_id);
	if (!ret)
		vnpu_devmem_settle(devmem);
	vnpu_mem_put(&devmem->mem);
	return ret;
}

int vnpu_ioctl_mem_free(struct vnpu_ucmd *ucmd)
{
	struct vnpu_mem_free *cmd = ucmd->cmd;

	return vnpu_mem_give_up_id(ucmd->client, cmd->id);
}

static void vnpu_query_devmem(struct vnpu_devmem *devmem,
			      struct vnpu_mem_query *cmd)
{
	cmd->out_extents = READ_ONCE(devmem->pages.nr);
	cmd->out_clients = vnpu_devmem_clients_locked(devmem);
}

int vnpu_ioctl_mem_query(struct vnpu_ucmd *ucmd)
{
	struct vnpu_mem_query *cmd = ucmd->cmd;
	struct vnpu_mem *mem = vnpu_mem_get_by_id(ucmd->client, cmd->id);

	if (!mem)
		return -ENOENT;
	cmd->out_device = mem->dev ? mem->dev->index : VNPU_DEVICE_HOST;
	cmd->out_length = mem->length;
	cmd->out_page_shift = mem->page_shift;
	cmd->out_mem_flags = mem->flags;
	cmd->out_mem_kind = mem->ops->kind;
	cmd->out_extents = 0;
	/* Only device memory can be exported; all other has one client. */
	cmd->out_clients = 1;
	mutex_lock(mem->lock);
	cmd->out_bindings = mem->nr_bindings;
	if (mem->ops->kind == VNPU_MEM_KIND_DEVICE)
		vnpu_query_devmem(vnpu_devmem_of(mem), cmd);
	mutex_unlock(mem->lock);
	/* Not under the shared lock: the pages may be many, but constant. */
	if (mem->ops->kind == VNPU_MEM_KIND_HOST)
		cmd->out_extents = vnpu_hostmem_extents(mem);
	vnpu_mem_put(mem);
	return vnpu_ucmd_respond(ucmd);
}
