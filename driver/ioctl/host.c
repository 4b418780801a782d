// SPDX-License-Identifier: GPL-2.0-only
/* ioctls that make memory objects from memory of the host. */
#include <linux/err.h>
#include <linux/nodemask.h>
#include <linux/numa.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/uaccess.h>

#include "mem/hostmem.h"
#include "mem/userptr.h"
#include "ioctl.h"

/* Get the NUMA node to allocate from: one that has memory, or any. */
static int vnpu_host_alloc_node(const struct vnpu_host_alloc *cmd, int *node)
{
	*node = NUMA_NO_NODE;
	if (!(cmd->flags & VNPU_HOST_ALLOC_F_NODE))
		return cmd->node ? -EINVAL : 0;
	if (cmd->node >= MAX_NUMNODES ||
	    !node_state(array_index_nospec(cmd->node, MAX_NUMNODES), N_MEMORY))
		return -EINVAL;
	*node = cmd->node;
	return 0;
}

int vnpu_ioctl_host_alloc(struct vnpu_ucmd *ucmd)
{
	struct vnpu_host_alloc *cmd = ucmd->cmd;
	struct vnpu_mem *mem;
	int node, ret;

	if (!cmd->length)
		return -EINVAL;
	ret = vnpu_host_alloc_node(cmd, &node);
	if (ret)
		return ret;
	mem = vnpu_hostmem_create(ucmd->client, cmd->length, node);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	cmd->out_length = mem->length;
	return vnpu_ucmd_respond_with_id(ucmd, mem, &cmd->out_id);
}

int vnpu_ioctl_host_register(struct vnpu_ucmd *ucmd)
{
	struct vnpu_host_register *cmd = ucmd->cmd;
	unsigned long addr = cmd->addr;
	struct vnpu_mem *mem;
	u64 last;

	if (!cmd->length || cmd->addr & (VNPU_PAGE_SIZE - 1))
		return -EINVAL;
	if (check_add_overflow(cmd->addr, cmd->length - 1, &last))
		return -EOVERFLOW;
	if (addr != cmd->addr || last != (unsigned long)last ||
	    !access_ok((void __user *)addr, cmd->length))
		return -EFAULT;
	mem = vnpu_userptr_create(addr, cmd->length, cmd->flags &
				  VNPU_HOST_REGISTER_F_READ_ONLY);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	cmd->out_length = mem->length;
	return vnpu_ucmd_respond_with_id(ucmd, mem, &cmd->out_id);
}
