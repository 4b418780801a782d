// SPDX-License-Identifier: GPL-2.0-only
/* ioctls that copy and fill memory synchronously. */
#include <linux/errno.h>
#include <linux/types.h>

#include "va/copy.h"
#include "ioctl.h"

/* Report the number of bytes done, also if the operation failed half-way. */
static int vnpu_respond_done(struct vnpu_ucmd *ucmd, int ret)
{
	if (ret && ret != -EFAULT && ret != -EACCES && ret != -EINTR &&
	    ret != -EIO)
		return ret;
	return vnpu_ucmd_respond(ucmd) ?: ret;
}

int vnpu_ioctl_copy(struct vnpu_ucmd *ucmd)
{
	struct vnpu_copy *cmd = ucmd->cmd;
	int ret;

	ret = vnpu_va_copy(ucmd->client, cmd->dst, cmd->src, cmd->length,
			   &cmd->out_done);
	return vnpu_respond_done(ucmd, ret);
}

static bool vnpu_value_is_valid(u64 value, u32 size)
{
	switch (size) {
	case 1:
	case 2:
	case 4:
		return !(value >> (size * 8));
	case 8:
		return true;
	default:
		return false;
	}
}

int vnpu_ioctl_fill(struct vnpu_ucmd *ucmd)
{
	struct vnpu_fill *cmd = ucmd->cmd;
	u32 value_size = cmd->value_size ?: 1;
	int ret;

	if (!vnpu_value_is_valid(cmd->value, value_size) ||
	    cmd->length & (value_size - 1))
		return -EINVAL;
	ret = vnpu_va_fill(ucmd->client, cmd->dst, cmd->length, cmd->value,
			   value_size, &cmd->out_done);
	return vnpu_respond_done(ucmd, ret);
}
