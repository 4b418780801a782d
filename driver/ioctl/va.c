// SPDX-License-Identifier: GPL-2.0-only
/* ioctls for device addresses. */
#include <linux/overflow.h>

#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "mem/mem.h"
#include "va/bind.h"
#include "va/slabs.h"
#include "ioctl.h"

int vnpu_ioctl_va_bind(struct vnpu_ucmd *ucmd)
{
	struct vnpu_va_bind *cmd = ucmd->cmd;
	struct vnpu_mem *mem;
	u64 end, va_end;
	int ret;

	if (!cmd->length ||
	    (cmd->va | cmd->length | cmd->offset) & (VNPU_PAGE_SIZE - 1))
		return -EINVAL;
	if (check_add_overflow(cmd->offset, cmd->length, &end) ||
	    check_add_overflow(cmd->va, cmd->length, &va_end))
		return -EOVERFLOW;
	mem = vnpu_mem_get_by_id(ucmd->client, cmd->mem_id);
	if (!mem)
		return -ENOENT;
	ret = end > mem->length ? -EINVAL : vnpu_mem_hold(mem, ucmd->client);
	if (ret) {
		vnpu_mem_put(mem);
		return ret;
	}
	return vnpu_bind_insert(ucmd->client, &(struct vnpu_bind_spec){
		.mem = mem,
		.mem_id = cmd->mem_id,
		.va = cmd->va,
		.length = cmd->length,
		.offset = cmd->offset,
		.no_access = cmd->flags & VNPU_VA_BIND_F_NO_ACCESS,
		.no_host_access = cmd->flags & VNPU_VA_BIND_F_NO_HOST_ACCESS,
	});
}

int vnpu_ioctl_va_unbind(struct vnpu_ucmd *ucmd)
{
	struct vnpu_va_unbind *cmd = ucmd->cmd;
	struct vnpu_unbound unbound = { .bindings = 1 };
	struct vnpu_slabs *slabs;
	int ret;

	slabs = cmd->length ? NULL : vnpu_slabs_at(ucmd->client, cmd->va);
	if (slabs)
		ret = vnpu_slabs_free(slabs, cmd->va, &unbound.length);
	else
		ret = vnpu_bind_remove(ucmd->client, cmd->va, cmd->length,
				       cmd->flags & VNPU_VA_UNBIND_F_FREE,
				       &unbound);
	if (ret)
		return ret;
	cmd->out_length = unbound.length;
	cmd->out_bindings = unbound.bindings;
	cmd->out_page_shift = unbound.page_shift;
	return vnpu_ucmd_respond(ucmd);
}

static void vnpu_va_query_fill(struct vnpu_va_query *cmd,
			       const struct vnpu_binding *binding)
{
	const struct vnpu_mem *mem = binding->mem;

	cmd->out_va = binding->node.start;
	cmd->out_length = vnpu_binding_length(binding);
	cmd->out_offset = binding->offset;
	cmd->out_device = mem->dev ? mem->dev->index : VNPU_DEVICE_HOST;
	cmd->out_mem_id = binding->mem_id;
	cmd->out_page_shift = mem->page_shift;
	cmd->out_mem_flags = mem->flags;
	cmd->out_read_devices = binding->read_devices;
	cmd->out_write_devices = binding->write_devices;
	cmd->out_host_access = binding->host_access;
	cmd->out_mem_kind = mem->ops->kind;
}

/*
 * Look up the binding in the range of @va to @last. If it is a slab, set
 * @slabs, and cut @va and @last to the slab: the caller looks up its objects
 * under another lock.
 */
static int vnpu_va_query_bound(struct vnpu_ucmd *ucmd, u64 *va, u64 *last,
			       struct vnpu_slabs **slabs)
{
	struct vnpu_client *client = ucmd->client;
	struct vnpu_binding *binding;

	*slabs = NULL;
	down_read(&client->lock);
	binding = vnpu_bind_first_locked(client, *va, *last);
	if (binding) {
		vnpu_va_query_fill(ucmd->cmd, binding);
		if (binding->mem->flags & VNPU_MEM_F_SLAB) {
			*slabs = vnpu_slabs_at_locked(client,
						      binding->node.start);
			*va = max(*va, binding->node.start);
			*last = min(*last, binding->node.last);
		}
	}
	up_read(&client->lock);
	return binding ? 0 : -ENOENT;
}

int vnpu_ioctl_va_query(struct vnpu_ucmd *ucmd)
{
	struct vnpu_va_query *cmd = ucmd->cmd;
	u64 end = cmd->flags & VNPU_VA_QUERY_F_NEXT ? U64_MAX : cmd->va;
	struct vnpu_slab_object_range place;
	u64 va = cmd->va, last = end;
	struct vnpu_slabs *slabs;
	int ret;

	ret = vnpu_va_query_bound(ucmd, &va, &last, &slabs);
	/*
	 * If a slab has no more objects in the range, search behind the slab.
	 */
	while (!ret && slabs &&
	       vnpu_slabs_find(slabs, va, last, &place)) {
		if (last == end)
			return -ENOENT;
		va = last + 1;
		last = end;
		ret = vnpu_va_query_bound(ucmd, &va, &last, &slabs);
	}
	if (ret)
		return ret;
	if (slabs) {
		cmd->out_va = place.va;
		cmd->out_length = place.length;
		cmd->out_offset = 0;
	}
	return vnpu_ucmd_respond(ucmd);
}

int vnpu_ioctl_va_protect(struct vnpu_ucmd *ucmd)
{
	struct vnpu_va_protect *cmd = ucmd->cmd;

	if (cmd->access != VNPU_ACCESS_NONE && cmd->access != VNPU_ACCESS_READ &&
	    cmd->access != VNPU_ACCESS_READ_WRITE)
		return -EINVAL;
	if (cmd->device != VNPU_DEVICE_HOST && cmd->device != VNPU_DEVICE_ALL &&
	    !vnpu_client_has_index(ucmd->client, cmd->device))
		return -ENODEV;
	return vnpu_bind_protect(ucmd->client, cmd->va, cmd->length,
				 cmd->device, cmd->access);
}

int vnpu_ioctl_slab_window(struct vnpu_ucmd *ucmd)
{
	struct vnpu_slab_window *cmd = ucmd->cmd;
	u64 end;

	if (!cmd->length || (cmd->va | cmd->length) & (VNPU_PAGE_SIZE - 1))
		return -EINVAL;
	if (check_add_overflow(cmd->va, cmd->length, &end))
		return -EOVERFLOW;
	return vnpu_slabs_create(ucmd->client, cmd->device, cmd->va,
				 cmd->length);
}
