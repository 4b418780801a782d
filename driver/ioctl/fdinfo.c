// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory and engine time of a client in /proc/PID/fdinfo, under the keys that
 * tools know from graphics drivers (drm-usage-stats in the kernel's
 * documentation).
 *
 * Each device that the client has used is a memory region: "vnpu0" and so on.
 * The engines of a class are one engine type. It spans all devices of the
 * client.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>

#include <linux/vnpu.h>

#include "account/account.h"
#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "exec/core.h"
#include "exec/engine.h"
#include "file.h"

static void vnpu_fdinfo_show_memory(struct seq_file *m,
				    const struct vnpu_client *client)
{
	static const char * const keys[] = { "memory", "total", "resident" };
	unsigned int i, key;

	for (i = 0; i < VNPU_MAX_DEVICES; i++) {
		const struct vnpu_account *account = vnpu_client_peek_account(client,
									      i);
		u64 kib;

		if (!account)
			continue;
		/*
		 * Whole pages, which never leave the device: all are resident.
		 */
		kib = READ_ONCE(account->used) >> 10;
		for (key = 0; key < ARRAY_SIZE(keys); key++)
			seq_printf(m, "drm-%s-%s%u:\t%llu KiB\n", keys[key],
				   VNPU_PRODUCT_NAME, i, kib);
	}
}

static u32 vnpu_fdinfo_count_engines(const struct vnpu_client *client,
				     u32 class)
{
	struct vnpu_class_stats stats;
	struct vnpu_device *dev;
	unsigned long index;
	u32 count = 0;

	for (index = 0; (dev = vnpu_client_device_get_next(client, &index));
	     index++) {
		vnpu_engines_read_class(dev->engines, class, &stats);
		count += stats.count;
		vnpu_device_put(dev);
	}
	return count;
}

static void vnpu_fdinfo_show_engines(struct seq_file *m,
				     const struct vnpu_client *client)
{
	u32 class;

	for (class = 0; class < VNPU_ENGINE_STATS_CLASSES; class++) {
		const char *name = vnpu_engine_class_name(class);
		u32 count = vnpu_fdinfo_count_engines(client, class);

		seq_printf(m, "drm-engine-%s:\t%llu ns\n", name,
			   class == VNPU_ENGINE_AICORE ?
			   vnpu_client_core_busy_ns(client) :
			   (u64)atomic64_read(&client->busy_ns[class]));
		/*
		 * No engines exist before the first stream; 0 is not allowed.
		 */
		if (count)
			seq_printf(m, "drm-engine-capacity-%s:\t%u\n", name,
				   count);
	}
}

/**
 * vnpu_fdinfo_show() - show the memory and engine time of a client
 * @m: the output
 * @file: an open node of this module
 */
void vnpu_fdinfo_show(struct seq_file *m, struct file *file)
{
	const struct vnpu_client *client = file->private_data;

	seq_printf(m, "drm-driver:\t%s\n", VNPU_PRODUCT_NAME);
	seq_printf(m, "drm-client-id:\t%lu\n", client->id);
	vnpu_fdinfo_show_memory(m, client);
	vnpu_fdinfo_show_engines(m, client);
}
