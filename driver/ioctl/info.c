// SPDX-License-Identifier: GPL-2.0-only
/* ioctls that describe the driver and its devices, and attach devices. */
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/kconfig.h>
#include <linux/string.h>

#include "account/account.h"
#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "base/soc.h"
#include "exec/task.h"
#include "mem/pages.h"
#include "compat.h"
#include "file.h"
#include "ioctl.h"

static u64 vnpu_features(void)
{
	u64 features = 0;

#ifdef VNPU_HAS_PMD_PFNMAP
	features |= VNPU_FEATURE_HOST_MAP_2M;
#endif
	if (IS_ENABLED(CONFIG_SYNC_FILE))
		features |= VNPU_FEATURE_SYNC_FILE;
	return features;
}

static u32 vnpu_count_devices(const struct vnpu_client *client)
{
	struct vnpu_device *dev;
	unsigned long index;
	u32 count = 0;

	for (index = 0; (dev = vnpu_client_device_get_next(client, &index));
	     index++) {
		count++;
		vnpu_device_put(dev);
	}
	return count;
}

static u32 vnpu_node_device(const struct vnpu_client *client)
{
	return client->node_serial ? client->node_index : VNPU_DEVICE_ALL;
}

int vnpu_ioctl_info(struct vnpu_ucmd *ucmd)
{
	struct vnpu_info *cmd = ucmd->cmd;

	cmd->out_abi_version = VNPU_ABI_VERSION;
	cmd->out_abi_oldest = VNPU_ABI_OLDEST;
	cmd->out_device_count = vnpu_count_devices(ucmd->client);
	cmd->out_node_device = vnpu_node_device(ucmd->client);
	cmd->out_page_shifts = BIT_ULL(VNPU_PAGE_SHIFT_4K) |
			       BIT_ULL(VNPU_PAGE_SHIFT_2M) |
			       BIT_ULL(VNPU_PAGE_SHIFT_1G);
	cmd->out_client_id = ucmd->client->id;
	cmd->out_features = vnpu_features();
	vnpu_task_list_ops(cmd->out_task_ops, ARRAY_SIZE(cmd->out_task_ops));
	return vnpu_ucmd_respond(ucmd);
}

/*
 * Return the free bytes in whole blocks of an order, without the pages that are
 * promised to allocations in progress.
 */
static u64 vnpu_free_bytes(const struct vnpu_device *dev, u8 order)
{
	u32 pages = vnpu_allocator_free_pages(dev->allocator, order);

	return vnpu_pages_to_bytes(vnpu_pages_limit_locked(dev, pages, order));
}

static u64 vnpu_largest_bytes(const struct vnpu_device *dev)
{
	return vnpu_pages_to_bytes(min(vnpu_allocator_largest(dev->allocator,
							      VNPU_PAGE_ORDER_4K),
				       vnpu_pages_spare_locked(dev)));
}

static void vnpu_query_memory(struct vnpu_device *dev,
			      struct vnpu_device_query *cmd)
{
	cmd->out_total = vnpu_arena_size(&dev->arena);

	spin_lock(&dev->lock);
	cmd->out_free = vnpu_free_bytes(dev, VNPU_PAGE_ORDER_4K);
	cmd->out_free_2m = vnpu_free_bytes(dev, VNPU_PAGE_ORDER_2M);
	cmd->out_free_1g = vnpu_free_bytes(dev, VNPU_PAGE_ORDER_1G);
	cmd->out_largest_free = vnpu_largest_bytes(dev);
	spin_unlock(&dev->lock);
}

static void vnpu_query_usage(struct vnpu_client *client,
			     struct vnpu_device *dev,
			     struct vnpu_device_query *cmd)
{
	struct vnpu_account *account = vnpu_client_peek_account(client, dev->index);

	cmd->out_client_used = 0;
	cmd->out_client_peak = 0;
	cmd->out_client_objects = 0;
	if (!account)
		return;
	spin_lock(&dev->lock);
	cmd->out_client_used = account->used;
	cmd->out_client_peak = account->peak;
	cmd->out_client_objects = account->objects;
	spin_unlock(&dev->lock);
}

int vnpu_ioctl_device_query(struct vnpu_ucmd *ucmd)
{
	struct vnpu_device_query *cmd = ucmd->cmd;
	struct vnpu_device *dev = vnpu_client_device_get(ucmd->client,
							 cmd->device);

	if (!dev)
		return -ENODEV;

	cmd->out_health = READ_ONCE(dev->health);
	cmd->out_lost_epoch = vnpu_device_read_lost_epoch(dev);
	vnpu_query_memory(dev, cmd);
	vnpu_query_usage(ucmd->client, dev, cmd);
	strscpy_pad((char *)cmd->out_name, VNPU_PRODUCT_NAME,
		    sizeof(cmd->out_name));
	BUILD_BUG_ON(sizeof(cmd->out_uuid) != sizeof(dev->uuid));
	memcpy(cmd->out_uuid, &dev->uuid, sizeof(cmd->out_uuid));
	memset(cmd->out_bus_id, 0, sizeof(cmd->out_bus_id));
	vnpu_device_bus_id(dev, (char *)cmd->out_bus_id);
	strscpy_pad((char *)cmd->out_soc, dev->soc->name, sizeof(cmd->out_soc));
	cmd->out_ai_cores = dev->soc->ai_cores;
	cmd->out_vector_cores = dev->soc->vector_cores;
	vnpu_device_put(dev);
	return vnpu_ucmd_respond(ucmd);
}

int vnpu_ioctl_attach(struct vnpu_ucmd *ucmd)
{
	struct vnpu_attach *cmd = ucmd->cmd;
	struct file *file = fget(cmd->fd);
	struct vnpu_client *other;
	int ret = -EINVAL;

	if (!file)
		return -EBADF;
	/*
	 * The file keeps the other client alive, even if its process has ended.
	 */
	other = vnpu_file_client(file);
	if (other) {
		cmd->out_device = vnpu_node_device(other);
		ret = vnpu_client_attach(ucmd->client, other);
	}
	fput(file);
	return ret ?: vnpu_ucmd_respond(ucmd);
}
