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

static_assert(sizeof(struct vnpu_device_record) == 16);
static_assert(sizeof(struct vnpu_engine_record) == 16);
static_assert(sizeof(struct vnpu_graph_stream) == 16);

/*
 * Number, handler and struct of each ioctl, size of the struct in bytes, last
 * mandatory field, flags, and the reserved field, or "size" if there is none.
 */
static const struct vnpu_ioctl_op vnpu_ioctl_ops[] = {
	VNPU_IOCTL_OP(VNPU_IOCTL_INFO, info, 80, flags, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_DEVICE_QUERY, device_query, 192, device, 0,
		      size),
	VNPU_IOCTL_OP(VNPU_IOCTL_ATTACH, attach, 16, fd, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_QUERY, query, 48, topic, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_ALLOC, mem_alloc, 72, length,
		      VNPU_MEM_F_ALL, __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_FREE, mem_free, 16, id, 0, __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_QUERY, mem_query, 48, id, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_OPEN, mem_open, 24, va, 0, __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_EXPORT, mem_export, 16, id, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_IMPORT, mem_import, 32, fd, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_VA_BIND, va_bind, 40, offset,
		      VNPU_VA_BIND_F_NO_ACCESS | VNPU_VA_BIND_F_NO_HOST_ACCESS,
		      __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_VA_UNBIND, va_unbind, 40, length,
		      VNPU_VA_UNBIND_F_FREE, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_VA_QUERY, va_query, 80, va,
		      VNPU_VA_QUERY_F_NEXT, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_VA_PROTECT, va_protect, 32, access, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_SLAB_WINDOW, slab_window, 32, length, 0,
		      __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_COPY, copy, 40, length, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_FILL, fill, 48, length, 0, __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_HOST_ALLOC, host_alloc, 40, length,
		      VNPU_HOST_ALLOC_F_NODE, __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_HOST_REGISTER, host_register, 40, length,
		      VNPU_HOST_REGISTER_F_READ_ONLY, __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_EXPORT_DMABUF, mem_export_dmabuf, 16, id,
		      VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_MEM_IMPORT_DMABUF, mem_import_dmabuf, 40, fd,
		      0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_OOM_QUERY, oom_query, 160, flags, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_CONTEXT_CREATE, context_create, 24, device,
		      VNPU_CONTEXT_F_URGENT, __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_CONTEXT_DESTROY, context_destroy, 16, id, 0,
		      __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_CONTEXT_SET, context_set, 16, id,
		      VNPU_CONTEXT_SET_F_CLEAR_ERROR |
		      VNPU_CONTEXT_SET_F_WEIGHT, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_CONTEXT_QUERY, context_query, 64, id, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_STREAM_CREATE, stream_create, 56, priority,
		      VNPU_STREAM_F_STOP, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_STREAM_DESTROY, stream_destroy, 16, id, 0,
		      size),
	VNPU_IOCTL_OP(VNPU_IOCTL_STREAM_DOORBELL, stream_doorbell, 16, id, 0,
		      size),
	VNPU_IOCTL_OP(VNPU_IOCTL_STREAM_ABORT, stream_abort, 24, id, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_STREAM_SET, stream_set, 32, id,
		      VNPU_STREAM_SET_F_ALL, __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_STREAM_QUERY, stream_query, 72, id, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_TIMELINE_CREATE, timeline_create, 32, flags,
		      VNPU_TIMELINE_F_COUNTER, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_TIMELINE_DESTROY, timeline_destroy, 16, id, 0,
		      size),
	VNPU_IOCTL_OP(VNPU_IOCTL_WAIT, wait, 40, timeout_ns, VNPU_WAIT_F_ALL,
		      __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_SIGNAL, signal, 32, value, 0, __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_TIMELINE_QUERY, timeline_query, 24, id, 0,
		      size),
	VNPU_IOCTL_OP(VNPU_IOCTL_TIMELINE_EXPORT, timeline_export, 32, id,
		      VNPU_TIMELINE_EXPORT_F_WAIT_ONLY, __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_TIMELINE_IMPORT, timeline_import, 32, fd, 0,
		      size),
	VNPU_IOCTL_OP(VNPU_IOCTL_EVENT_ALLOC, event_alloc, 24, device, 0,
		      __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_EVENT_FREE, event_free, 16, number, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_LIMITS_QUERY, limits_query, 56, device, 0,
		      size),
	VNPU_IOCTL_OP(VNPU_IOCTL_SYNC_EXPORT, sync_export, 32, value, 0,
		      __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_SYNC_IMPORT, sync_import, 24, fd, 0,
		      __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_GRAPH_CREATE, graph_create, 64, count, 0,
		      __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_GRAPH_DESTROY, graph_destroy, 16, id, 0,
		      __reserved),
	VNPU_IOCTL_OP(VNPU_IOCTL_GRAPH_UPDATE, graph_update, 40, count, 0,
		      size),
	VNPU_IOCTL_OP(VNPU_IOCTL_GRAPH_QUERY, graph_query, 96, id, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_KEY_CREATE, key_create, 48, data,
		      VNPU_KEY_F_ANY_PROCESS | VNPU_KEY_F_SHORT, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_KEY_DESTROY, key_destroy, 24, key, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_KEY_ALLOW, key_allow, 40, count, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_KEY_OPEN, key_open, 48, out_data, 0, size),
	VNPU_IOCTL_OP(VNPU_IOCTL_ENGINE_CREATE, engine_create, 24, slots, 0,
		      __reserved),
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
	union {
		struct {
			u32 size;
			u32 flags;
		};
		u64 data[VNPU_UCMD_SIZE_MAX / sizeof(u64)];
	} buf __uninitialized;
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
