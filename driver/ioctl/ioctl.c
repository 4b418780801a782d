// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dispatcher of ioctls. A table and one function apply the rules that
 * uapi/linux/vnpu.h states for every ioctl.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/stddef.h>
#include <linux/uaccess.h>

#include <linux/vnpu_engine.h>
#include <linux/vnpu_graph.h>

#include "ioctl.h"

VNPU_CHECK_SIZE(vnpu_info, 80);
VNPU_CHECK_SIZE(vnpu_device_query, 152);
VNPU_CHECK_SIZE(vnpu_attach, 16);
VNPU_CHECK_SIZE(vnpu_query, 48);
static_assert(sizeof(struct vnpu_device_record) == 16);
static_assert(sizeof(struct vnpu_engine_record) == 16);
VNPU_CHECK_SIZE(vnpu_mem_alloc, 72);
VNPU_CHECK_SIZE(vnpu_mem_free, 16);
VNPU_CHECK_SIZE(vnpu_mem_query, 48);
VNPU_CHECK_SIZE(vnpu_mem_open, 24);
VNPU_CHECK_SIZE(vnpu_mem_export, 16);
VNPU_CHECK_SIZE(vnpu_mem_import, 32);
VNPU_CHECK_SIZE(vnpu_va_bind, 40);
VNPU_CHECK_SIZE(vnpu_va_unbind, 40);
VNPU_CHECK_SIZE(vnpu_va_query, 80);
VNPU_CHECK_SIZE(vnpu_va_protect, 32);
VNPU_CHECK_SIZE(vnpu_slab_window, 32);
VNPU_CHECK_SIZE(vnpu_host_alloc, 40);
VNPU_CHECK_SIZE(vnpu_host_register, 40);
VNPU_CHECK_SIZE(vnpu_copy, 40);
VNPU_CHECK_SIZE(vnpu_fill, 48);
VNPU_CHECK_SIZE(vnpu_mem_export_dmabuf, 16);
VNPU_CHECK_SIZE(vnpu_mem_import_dmabuf, 40);
VNPU_CHECK_SIZE(vnpu_oom_query, 160);
VNPU_CHECK_SIZE(vnpu_context_create, 24);
VNPU_CHECK_SIZE(vnpu_context_destroy, 16);
VNPU_CHECK_SIZE(vnpu_context_set, 16);
VNPU_CHECK_SIZE(vnpu_context_query, 64);
VNPU_CHECK_SIZE(vnpu_stream_create, 56);
VNPU_CHECK_SIZE(vnpu_stream_destroy, 16);
VNPU_CHECK_SIZE(vnpu_stream_doorbell, 16);
VNPU_CHECK_SIZE(vnpu_stream_abort, 24);
VNPU_CHECK_SIZE(vnpu_stream_set, 32);
VNPU_CHECK_SIZE(vnpu_stream_query, 72);
VNPU_CHECK_SIZE(vnpu_timeline_create, 32);
VNPU_CHECK_SIZE(vnpu_timeline_destroy, 16);
VNPU_CHECK_SIZE(vnpu_wait, 40);
VNPU_CHECK_SIZE(vnpu_signal, 32);
VNPU_CHECK_SIZE(vnpu_timeline_query, 24);
VNPU_CHECK_SIZE(vnpu_timeline_export, 32);
VNPU_CHECK_SIZE(vnpu_timeline_import, 32);
VNPU_CHECK_SIZE(vnpu_event_alloc, 24);
VNPU_CHECK_SIZE(vnpu_event_free, 16);
VNPU_CHECK_SIZE(vnpu_limits_query, 56);
VNPU_CHECK_SIZE(vnpu_sync_export, 32);
VNPU_CHECK_SIZE(vnpu_sync_import, 24);
VNPU_CHECK_SIZE(vnpu_graph_create, 64);
static_assert(sizeof(struct vnpu_graph_stream) == 16);
VNPU_CHECK_SIZE(vnpu_graph_destroy, 16);
VNPU_CHECK_SIZE(vnpu_graph_update, 40);
VNPU_CHECK_SIZE(vnpu_graph_query, 96);
VNPU_CHECK_SIZE(vnpu_key_create, 48);
VNPU_CHECK_SIZE(vnpu_key_destroy, 24);
VNPU_CHECK_SIZE(vnpu_key_allow, 40);
VNPU_CHECK_SIZE(vnpu_key_open, 48);
VNPU_CHECK_SIZE(vnpu_engine_create, 24);

union vnpu_ucmd_buffer {
	struct {
		u32 size;
		u32 flags;
	};
	struct vnpu_info info;
	struct vnpu_device_query device_query;
	struct vnpu_attach attach;
	struct vnpu_query query;
	struct vnpu_mem_alloc mem_alloc;
	struct vnpu_mem_free mem_free;
	struct vnpu_mem_query mem_query;
	struct vnpu_mem_open mem_open;
	struct vnpu_mem_export mem_export;
	struct vnpu_mem_import mem_import;
	struct vnpu_va_bind va_bind;
	struct vnpu_va_unbind va_unbind;
	struct vnpu_va_query va_query;
	struct vnpu_va_protect va_protect;
	struct vnpu_slab_window slab_window;
	struct vnpu_copy copy;
	struct vnpu_fill fill;
	struct vnpu_host_alloc host_alloc;
	struct vnpu_host_register host_register;
	struct vnpu_mem_export_dmabuf mem_export_dmabuf;
	struct vnpu_mem_import_dmabuf mem_import_dmabuf;
	struct vnpu_oom_query oom_query;
	struct vnpu_context_create context_create;
	struct vnpu_context_destroy context_destroy;
	struct vnpu_context_set context_set;
	struct vnpu_context_query context_query;
	struct vnpu_stream_create stream_create;
	struct vnpu_stream_destroy stream_destroy;
	struct vnpu_stream_doorbell stream_doorbell;
	struct vnpu_stream_abort stream_abort;
	struct vnpu_stream_set stream_set;
	struct vnpu_stream_query stream_query;
	struct vnpu_timeline_create timeline_create;
	struct vnpu_timeline_destroy timeline_destroy;
	struct vnpu_wait wait;
	struct vnpu_signal signal;
	struct vnpu_timeline_query timeline_query;
	struct vnpu_timeline_export timeline_export;
	struct vnpu_timeline_import timeline_import;
	struct vnpu_event_alloc event_alloc;
	struct vnpu_event_free event_free;
	struct vnpu_limits_query limits_query;
	struct vnpu_sync_export sync_export;
	struct vnpu_sync_import sync_import;
	struct vnpu_graph_create graph_create;
	struct vnpu_graph_destroy graph_destroy;
	struct vnpu_graph_update graph_update;
	struct vnpu_graph_query graph_query;
	struct vnpu_key_create key_create;
	struct vnpu_key_destroy key_destroy;
	struct vnpu_key_allow key_allow;
	struct vnpu_key_open key_open;
	struct vnpu_engine_create engine_create;
	/* Those of engine files. */
	struct vnpu_engine_attach engine_attach;
	struct vnpu_engine_next engine_next;
	struct vnpu_engine_set engine_set;
	struct vnpu_engine_name engine_name;
};

static const struct vnpu_ioctl_op vnpu_ioctl_ops[] = {
	VNPU_IOCTL_OP(VNPU_IOCTL_INFO, vnpu_ioctl_info,
		      vnpu_info, flags, 0, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_DEVICE_QUERY, vnpu_ioctl_device_query,
		      vnpu_device_query, device, 0, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_ATTACH, vnpu_ioctl_attach,
		      vnpu_attach, fd, 0, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_QUERY, vnpu_ioctl_query,
		      vnpu_query, topic, 0, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_ALLOC, vnpu_ioctl_mem_alloc,
		      vnpu_mem_alloc, length, VNPU_MEM_F_ALL,
		      offsetof(struct vnpu_mem_alloc, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_FREE, vnpu_ioctl_mem_free,
		      vnpu_mem_free, id, 0,
		      offsetof(struct vnpu_mem_free, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_QUERY, vnpu_ioctl_mem_query,
		      vnpu_mem_query, id, 0, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_OPEN, vnpu_ioctl_mem_open,
		      vnpu_mem_open, va, 0,
		      offsetof(struct vnpu_mem_open, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_EXPORT, vnpu_ioctl_mem_export,
		      vnpu_mem_export, id, 0, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_IMPORT, vnpu_ioctl_mem_import,
		      vnpu_mem_import, fd, 0, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_VA_BIND, vnpu_ioctl_va_bind,
		      vnpu_va_bind, offset,
		      VNPU_VA_BIND_F_NO_ACCESS | VNPU_VA_BIND_F_NO_HOST_ACCESS,
		      offsetof(struct vnpu_va_bind, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_VA_UNBIND, vnpu_ioctl_va_unbind,
		      vnpu_va_unbind, length, VNPU_VA_UNBIND_F_FREE, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_VA_QUERY, vnpu_ioctl_va_query,
		      vnpu_va_query, va, VNPU_VA_QUERY_F_NEXT, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_VA_PROTECT, vnpu_ioctl_va_protect,
		      vnpu_va_protect, access, 0, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_SLAB_WINDOW, vnpu_ioctl_slab_window,
		      vnpu_slab_window, length, 0,
		      offsetof(struct vnpu_slab_window, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_COPY, vnpu_ioctl_copy,
		      vnpu_copy, length, 0, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_FILL, vnpu_ioctl_fill,
		      vnpu_fill, length, 0,
		      offsetof(struct vnpu_fill, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_HOST_ALLOC, vnpu_ioctl_host_alloc,
		      vnpu_host_alloc, length, VNPU_HOST_ALLOC_F_NODE,
		      offsetof(struct vnpu_host_alloc, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_HOST_REGISTER, vnpu_ioctl_host_register,
		      vnpu_host_register, length,
		      VNPU_HOST_REGISTER_F_READ_ONLY,
		      offsetof(struct vnpu_host_register, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_EXPORT_DMABUF,
		      vnpu_ioctl_mem_export_dmabuf,
		      vnpu_mem_export_dmabuf, id,
		      VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_IMPORT_DMABUF,
		      vnpu_ioctl_mem_import_dmabuf,
		      vnpu_mem_import_dmabuf, fd, 0, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_OOM_QUERY, vnpu_ioctl_oom_query,
		      vnpu_oom_query, flags, 0, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_CONTEXT_CREATE, vnpu_ioctl_context_create,
		      vnpu_context_create, device, VNPU_CONTEXT_F_URGENT,
		      offsetof(struct vnpu_context_create, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_CONTEXT_DESTROY, vnpu_ioctl_context_destroy,
		      vnpu_context_destroy, id, 0,
		      offsetof(struct vnpu_context_destroy, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_CONTEXT_SET, vnpu_ioctl_context_set,
		      vnpu_context_set, id,
		      VNPU_CONTEXT_SET_F_CLEAR_ERROR |
		      VNPU_CONTEXT_SET_F_WEIGHT, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_CONTEXT_QUERY, vnpu_ioctl_context_query,
		      vnpu_context_query, id, 0, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_STREAM_CREATE, vnpu_ioctl_stream_create,
		      vnpu_stream_create, priority, VNPU_STREAM_F_STOP,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_STREAM_DESTROY, vnpu_ioctl_stream_destroy,
		      vnpu_stream_destroy, id, 0,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_STREAM_DOORBELL, vnpu_ioctl_stream_doorbell,
		      vnpu_stream_doorbell, id, 0,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_STREAM_ABORT, vnpu_ioctl_stream_abort,
		      vnpu_stream_abort, id, 0,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_STREAM_SET, vnpu_ioctl_stream_set,
		      vnpu_stream_set, id, VNPU_STREAM_SET_F_ALL,
		      offsetof(struct vnpu_stream_set, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_STREAM_QUERY, vnpu_ioctl_stream_query,
		      vnpu_stream_query, id, 0,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_TIMELINE_CREATE, vnpu_ioctl_timeline_create,
		      vnpu_timeline_create, flags, VNPU_TIMELINE_F_COUNTER,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_TIMELINE_DESTROY, vnpu_ioctl_timeline_destroy,
		      vnpu_timeline_destroy, id, 0,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_WAIT, vnpu_ioctl_wait,
		      vnpu_wait, timeout_ns, VNPU_WAIT_F_ALL,
		      offsetof(struct vnpu_wait, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_SIGNAL, vnpu_ioctl_signal,
		      vnpu_signal, value, 0,
		      offsetof(struct vnpu_signal, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_TIMELINE_QUERY, vnpu_ioctl_timeline_query,
		      vnpu_timeline_query, id, 0,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_TIMELINE_EXPORT, vnpu_ioctl_timeline_export,
		      vnpu_timeline_export, id,
		      VNPU_TIMELINE_EXPORT_F_WAIT_ONLY,
		      offsetof(struct vnpu_timeline_export, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_TIMELINE_IMPORT, vnpu_ioctl_timeline_import,
		      vnpu_timeline_import, fd, 0,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_EVENT_ALLOC, vnpu_ioctl_event_alloc,
		      vnpu_event_alloc, device, 0,
		      offsetof(struct vnpu_event_alloc, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_EVENT_FREE, vnpu_ioctl_event_free,
		      vnpu_event_free, number, 0,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_LIMITS_QUERY, vnpu_ioctl_limits_query,
		      vnpu_limits_query, device, 0,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_SYNC_EXPORT, vnpu_ioctl_sync_export,
		      vnpu_sync_export, value, 0,
		      offsetof(struct vnpu_sync_export, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_SYNC_IMPORT, vnpu_ioctl_sync_import,
		      vnpu_sync_import, fd, 0,
		      offsetof(struct vnpu_sync_import, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_GRAPH_CREATE, vnpu_ioctl_graph_create,
		      vnpu_graph_create, count, 0,
		      offsetof(struct vnpu_graph_create, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_GRAPH_DESTROY, vnpu_ioctl_graph_destroy,
		      vnpu_graph_destroy, id, 0,
		      offsetof(struct vnpu_graph_destroy, __reserved)),
	VNPU_IOCTL_OP(VNPU_IOCTL_GRAPH_UPDATE, vnpu_ioctl_graph_update,
		      vnpu_graph_update, count, 0, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_GRAPH_QUERY, vnpu_ioctl_graph_query,
		      vnpu_graph_query, id, 0, 0),
	VNPU_IOCTL_OP(VNPU_IOCTL_KEY_CREATE, vnpu_ioctl_key_create,
		      vnpu_key_create, data,
		      VNPU_KEY_F_ANY_PROCESS | VNPU_KEY_F_SHORT,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_KEY_DESTROY, vnpu_ioctl_key_destroy,
		      vnpu_key_destroy, key, 0,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_KEY_ALLOW, vnpu_ioctl_key_allow,
		      vnpu_key_allow, count, 0,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_KEY_OPEN, vnpu_ioctl_key_open,
		      vnpu_key_open, out_data, 0,
		      0),
	VNPU_IOCTL_OP(VNPU_IOCTL_ENGINE_CREATE, vnpu_ioctl_engine_create,
		      vnpu_engine_create, slots, 0,
		      offsetof(struct vnpu_engine_create, __reserved)),
};

/**
 * vnpu_ioctl_find() - look up an ioctl
 * @ops: table of ioctls by their number, minus @first
 * @count: number of entries of the table
 * @first: number of the first ioctl of the table
 * @nr: any number
 *
 * Return: the ioctl or NULL.
 */
const struct vnpu_ioctl_op *vnpu_ioctl_find(const struct vnpu_ioctl_op *ops,
					    unsigned int count,
					    unsigned int first,
					    unsigned int nr)
{
	const struct vnpu_ioctl_op *op;
	unsigned int i = _IOC_NR(nr) - first;

	if (i >= count)
		return NULL;
	op = &ops[array_index_nospec(i, count)];
	return op->handler && op->nr == nr ? op : NULL;
}

/**
 * vnpu_ioctl_run() - validate an ioctl, and call its handler
 * @op: the ioctl, or NULL if there is no such ioctl
 * @client: the client of the file, or NULL
 * @core: the core of the file, or NULL
 * @user: the struct in user memory
 *
 * Return: 0 or -errno, see uapi/linux/vnpu.h.
 */
long vnpu_ioctl_run(const struct vnpu_ioctl_op *op, struct vnpu_client *client,
		    struct vnpu_core *core, void __user *user)
{
	/* copy_struct_from_user() initializes the bytes that the ioctl uses. */
	union vnpu_ucmd_buffer buf __uninitialized;
	struct vnpu_ucmd ucmd = {
		.client = client,
		.core = core,
		.user = user,
		.cmd = &buf,
	};
	int ret;

	if (!op)
		return -ENOTTY;
	if (get_user(ucmd.user_size, (u32 __user *)user))
		return -EFAULT;
	if (ucmd.user_size < op->min_size)
		return -EINVAL;
	if (ucmd.user_size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(&buf, op->size, user, ucmd.user_size);
	if (ret)
		return ret;

	/* User space may have changed the size since its check: restore it. */
	buf.size = ucmd.user_size;
	ucmd.size = op->size;
	if (buf.flags & ~op->flags)
		return -EOPNOTSUPP;
	if (op->reserved && *(u32 *)((void *)&buf + op->reserved))
		return -EOPNOTSUPP;
	return op->handler(&ucmd);
}

/**
 * vnpu_ioctl_dispatch() - validate an ioctl of a client, and call its handler
 * @client: the client of the file
 * @nr: number of the ioctl
 * @user: the struct in user memory
 *
 * Return: 0 or -errno, see uapi/linux/vnpu.h.
 */
long vnpu_ioctl_dispatch(struct vnpu_client *client, unsigned int nr,
			 void __user *user)
{
	return vnpu_ioctl_run(vnpu_ioctl_find(vnpu_ioctl_ops,
					      ARRAY_SIZE(vnpu_ioctl_ops), 0,
					      nr),
			      client, NULL, user);
}

/**
 * vnpu_ucmd_respond() - copy the struct of an ioctl to user space
 * @ucmd: the ioctl
 *
 * Return: 0 or -EFAULT.
 */
int vnpu_ucmd_respond(struct vnpu_ucmd *ucmd)
{
	if (copy_to_user(ucmd->user, ucmd->cmd,
			 min(ucmd->user_size, ucmd->size)))
		return -EFAULT;
	return 0;
}

/**
 * vnpu_ucmd_read_array() - copy an array from user space
 * @array: buffer for the members, without gaps
 * @size: size of a member in bytes
 * @user: address of the array in user memory
 * @count: number of members
 * @stride: distance of the members in user memory, in bytes
 *
 * Return: 0 or -EFAULT.
 */
int vnpu_ucmd_read_array(void *array, size_t size, u64 user, u32 count,
			 u32 stride)
{
	u32 i;

	for (i = 0; i < count; i++) {
		u64 addr;

		if (check_add_overflow(user, (u64)i * stride, &addr) ||
		    copy_from_user(array + i * size, u64_to_user_ptr(addr),
				   size))
			return -EFAULT;
	}
	return 0;
}

/**
 * vnpu_ucmd_write_record() - copy one member of an array to user space
 * @record: the member
 * @size: size of a member in bytes
 * @user: address of the array in user memory
 * @length: size of the array in user memory, in bytes
 * @index: index of the member
 *
 * If the member does not fit into the array as a whole, it is not written.
 *
 * Return: 0 or -EFAULT.
 */
int vnpu_ucmd_write_record(const void *record, size_t size, u64 user,
			   u64 length, u32 index)
{
	u64 offset = (u64)index * size, addr;

	if (length < size || offset > length - size)
		return 0;
	if (check_add_overflow(user, offset, &addr) ||
	    copy_to_user(u64_to_user_ptr(addr), record, size))
		return -EFAULT;
	return 0;
}

/**
 * vnpu_ucmd_write_array() - copy an array to user space
 * @user: address of the array in user memory
 * @stride: distance of the members in user memory, in bytes
 * @array: the members, without gaps
 * @size: size of a member in bytes
 * @count: number of members
 *
 * Return: 0 or -EFAULT.
 */
int vnpu_ucmd_write_array(u64 user, u32 stride, const void *array, size_t size,
			  u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		u64 addr;

		if (check_add_overflow(user, (u64)i * stride, &addr) ||
		    copy_to_user(u64_to_user_ptr(addr), array + i * size, size))
			return -EFAULT;
	}
	return 0;
}
