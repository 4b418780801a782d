// SPDX-License-Identifier: GPL-2.0-only
/* ioctls that create engine files, and those of engine files. */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <linux/vnpu_engine.h>

#include "base/client.h"
#include "exec/core.h"
#include "ioctl.h"

/* The number of slots if the caller of ENGINE_CREATE requests 0. */
#define VNPU_ENGINE_SLOTS	16

static_assert(sizeof(struct vnpu_engine_state) == 64);
static_assert(sizeof(struct vnpu_engine_event) == 80);
static_assert(sizeof(struct vnpu_engine_completion) == 24);

int vnpu_ioctl_engine_create(struct vnpu_ucmd *ucmd)
{
	struct vnpu_engine_create *cmd = ucmd->cmd;
	struct vnpu_core *core;
	struct file *file;

	if (cmd->slots > VNPU_ENGINE_SLOTS_MAX)
		return -EINVAL;
	core = vnpu_core_create(ucmd->client, cmd->device,
				cmd->slots ?: VNPU_ENGINE_SLOTS);
	if (IS_ERR(core))
		return PTR_ERR(core);
	file = vnpu_engine_file_create(core);
	if (IS_ERR(file))
		return PTR_ERR(file);
	return vnpu_ioctl_install(ucmd, file, &cmd->out_fd);
}

static int vnpu_ioctl_engine_attach(struct vnpu_ucmd *ucmd)
{
	struct vnpu_engine_attach *cmd = ucmd->cmd;
	struct vnpu_core *core = ucmd->core;
	int ret = vnpu_core_attach(core);

	if (ret)
		return ret;
	cmd->out_device = core->dev->index;
	cmd->out_slots = core->nr_slots;
	cmd->out_window = core->window.start;
	cmd->out_window_length = core->window.end - core->window.start;
	cmd->out_client_id = core->client->id;
	cmd->out_client_pid = pid_vnr(core->client->pid);
	cmd->__reserved1 = 0;
	return vnpu_ucmd_respond(ucmd);
}

static bool vnpu_engine_error_is_valid(u32 error)
{
	switch (error) {
	case 0:
	case ENOENT:
	case EIO:
	case EAGAIN:
	case ENOEXEC:
	case ENOMEM:
	case EACCES:
	case EFAULT:
	case EINVAL:
	case EDEADLK:
	case ECANCELED:
		return true;
	default:
		return false;
	}
}

/* Read the next completion: field by field, as there is one for each launch. */
static int vnpu_engine_read_completion(const struct vnpu_engine_next *cmd,
				       struct vnpu_engine_completion *c)
{
	const struct vnpu_engine_completion __user *from;
	u32 stride = cmd->completion_stride;
	u64 addr;

	if (check_add_overflow(cmd->completions,
			       (u64)cmd->out_completed * stride, &addr))
		return -EFAULT;
	from = u64_to_user_ptr(addr);
	if (unlikely(stride != sizeof(*c)))
		return copy_struct_from_user(c, sizeof(*c), from, stride);
	if (!user_read_access_begin(from, sizeof(*from)))
		return -EFAULT;
	unsafe_get_user(c->id, &from->id, err_access);
	unsafe_get_user(c->addr, &from->addr, err_access);
	unsafe_get_user(c->error, &from->error, err_access);
	unsafe_get_user(c->kernel, &from->kernel, err_access);
	user_read_access_end();
	return 0;

err_access:
	user_read_access_end();
	return -EFAULT;
}

static int vnpu_engine_complete(struct vnpu_core *core,
				struct vnpu_engine_next *cmd)
{
	struct vnpu_engine_completion completion;
	int ret;

	for (; cmd->out_completed < cmd->completion_count;
	     cmd->out_completed++) {
		ret = vnpu_engine_read_completion(cmd, &completion);
		if (ret)
			return ret;
		if (completion.kernel >= VNPU_ENGINE_KERNELS_MAX ||
		    !vnpu_engine_error_is_valid(completion.error))
			return -EINVAL;
		ret = vnpu_core_complete(core, &completion);
		if (ret)
			return ret;
	}
	return 0;
}

static int vnpu_engine_write_event(const struct vnpu_engine_next *cmd,
				   const struct vnpu_engine_event *event)
{
	const void *from = event;
	size_t extra = cmd->event_stride - sizeof(*event);
	void __user *to;
	u64 addr;

	if (check_add_overflow(cmd->events,
			       (u64)cmd->out_count * cmd->event_stride, &addr))
		return -EFAULT;
	to = u64_to_user_ptr(addr);
	if (!user_write_access_begin(to, sizeof(*event)))
		return -EFAULT;
	unsafe_copy_to_user(to, from, sizeof(*event), err_access);
	user_write_access_end();
	if (extra && clear_user(to + sizeof(*event), extra))
		return -EFAULT;
	return 0;

err_access:
	user_write_access_end();
	return -EFAULT;
}

/* Write the events that there are. Return -EAGAIN if there are none. */
static int vnpu_engine_get_events(struct vnpu_core *core,
				  struct vnpu_engine_next *cmd)
{
	struct vnpu_engine_event event;
	int ret = 0;

	while (cmd->out_count < cmd->event_count) {
		ret = vnpu_core_take_event(core, &event);
		if (ret)
			break;
		ret = vnpu_engine_write_event(cmd, &event);
		if (ret) {
			vnpu_core_return_event(core, &event);
			break;
		}
		cmd->out_count++;
	}
	return cmd->out_count && ret == -EAGAIN ? 0 : ret;
}

static int vnpu_engine_next(struct vnpu_core *core,
			    struct vnpu_engine_next *cmd)
{
	int ret = vnpu_engine_complete(core, cmd);

	if (ret || !cmd->event_count)
		return ret;
	/* Another thread can take an event for which this one was woken. */
	for (;;) {
		ret = vnpu_engine_get_events(core, cmd);
		if (ret != -EAGAIN)
			return ret;
		if (!cmd->timeout_ns)
			return 0;
		ret = vnpu_core_wait(core, cmd->timeout_ns);
		if (ret)
			return ret;
	}
}

/* Write the results, which are all that has changed. */
static int vnpu_engine_next_respond(struct vnpu_ucmd *ucmd)
{
	struct vnpu_engine_next __user *to = ucmd->user;
	const struct vnpu_engine_next *cmd = ucmd->cmd;

	if (unlikely(ucmd->user_size < sizeof(*cmd)))
		return vnpu_ucmd_respond(ucmd);
	if (!user_write_access_begin(to, sizeof(*to)))
		return -EFAULT;
	unsafe_put_user(cmd->out_completed, &to->out_completed, err_access);
	unsafe_put_user(cmd->out_count, &to->out_count, err_access);
	user_write_access_end();
	return 0;

err_access:
	user_write_access_end();
	return -EFAULT;
}

static bool vnpu_engine_stride_is_valid(u32 count, u32 stride, size_t size)
{
	return !count || (stride >= size && stride <= PAGE_SIZE);
}

static int vnpu_ioctl_engine_next(struct vnpu_ucmd *ucmd)
{
	struct vnpu_engine_next *cmd = ucmd->cmd;
	struct vnpu_core *core = ucmd->core;
	int ret, err;

	if (!vnpu_core_is_current(core))
		return -EPERM;
	if (READ_ONCE(core->has_ended))
		return -ENODEV;
	if (cmd->completion_count > VNPU_ENGINE_SLOTS_MAX ||
	    cmd->event_count > 2 * VNPU_ENGINE_SLOTS_MAX ||
	    !vnpu_engine_stride_is_valid(cmd->completion_count,
					 cmd->completion_stride,
					 sizeof(struct vnpu_engine_completion)) ||
	    !vnpu_engine_stride_is_valid(cmd->event_count, cmd->event_stride,
					 sizeof(struct vnpu_engine_event)))
		return -EINVAL;
	cmd->out_completed = 0;
	cmd->out_count = 0;
	ret = vnpu_engine_next(core, cmd);
	err = vnpu_engine_next_respond(ucmd);
	return ret ?: err;
}

static int vnpu_ioctl_engine_set(struct vnpu_ucmd *ucmd)
{
	struct vnpu_engine_set *cmd = ucmd->cmd;
	struct vnpu_core *core = ucmd->core;

	if (!vnpu_core_is_current(core))
		return -EPERM;
	if (READ_ONCE(core->has_ended))
		return -ENODEV;
	cmd->out_launches = vnpu_core_set_mode(core, cmd->flags);
	return vnpu_ucmd_respond(ucmd);
}

/* Names go to the screens of monitors. */
static bool vnpu_engine_name_is_valid(const struct vnpu_engine_name *cmd)
{
	size_t length = strnlen((const char *)cmd->name, sizeof(cmd->name));
	size_t i;

	if (!length || length == sizeof(cmd->name) ||
	    memchr_inv(cmd->name + length, 0, sizeof(cmd->name) - length))
		return false;
	for (i = 0; i < length; i++)
		if (!isascii(cmd->name[i]) || !isprint(cmd->name[i]))
			return false;
	return true;
}

static int vnpu_ioctl_engine_name(struct vnpu_ucmd *ucmd)
{
	struct vnpu_engine_name *cmd = ucmd->cmd;
	struct vnpu_core *core = ucmd->core;

	if (!vnpu_core_is_current(core))
		return -EPERM;
	if (READ_ONCE(core->has_ended))
		return -ENODEV;
	if (!cmd->number || cmd->number >= VNPU_ENGINE_KERNELS_MAX ||
	    !vnpu_engine_name_is_valid(cmd))
		return -EINVAL;
	return vnpu_core_name_kernel(core, cmd->number,
				     (const char *)cmd->name);
}

#define VNPU_ENGINE_FIRST	_IOC_NR(VNPU_IOCTL_ENGINE_ATTACH)

#define VNPU_ENGINE_OP(_nr, _name, _size, _last, _flags, _reserved)	\
	VNPU_IOCTL_OP_FROM(VNPU_ENGINE_FIRST, _nr, _name, _size, _last,	\
			   _flags, _reserved)

static const struct vnpu_ioctl_op vnpu_engine_ops[] = {
	VNPU_ENGINE_OP(VNPU_IOCTL_ENGINE_ATTACH, engine_attach, 48, flags, 0,
		       size),
	VNPU_ENGINE_OP(VNPU_IOCTL_ENGINE_NEXT, engine_next, 56, timeout_ns, 0,
		       size),
	VNPU_ENGINE_OP(VNPU_IOCTL_ENGINE_SET, engine_set, 16, flags,
		       VNPU_ENGINE_SET_F_DEBUGGED | VNPU_ENGINE_SET_F_LEAVING,
		       size),
	VNPU_ENGINE_OP(VNPU_IOCTL_ENGINE_NAME, engine_name, 80, name, 0,
		       __reserved),
};

/**
 * vnpu_engine_dispatch() - validate an ioctl of an engine file, and call its
 *   handler
 * @core: the core of the file
 * @nr: number of the ioctl
 * @user: the struct in user memory
 *
 * Return: 0 or -errno, see uapi/linux/vnpu_engine.h.
 */
long vnpu_engine_dispatch(struct vnpu_core *core, unsigned int nr,
			  void __user *user)
{
	return vnpu_ioctl_run(vnpu_ioctl_find(vnpu_engine_ops,
					      ARRAY_SIZE(vnpu_engine_ops),
					      VNPU_ENGINE_FIRST, nr),
			      NULL, core, user);
}
