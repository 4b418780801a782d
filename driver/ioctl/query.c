// SPDX-License-Identifier: GPL-2.0-only
/*
 * VNPU_IOCTL_QUERY, which lists objects of a client or a device. Each topic has
 * a function that writes its records one by one. So nothing is allocated, and
 * no lock is held while a record is copied.
 */
#include <linux/kernel.h>
#include <linux/nospec.h>

#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "exec/engine.h"
#include "ioctl.h"

static_assert(VNPU_ENGINE_COPY == VNPU_ENGINE_CLASS_COPY);
static_assert(VNPU_ENGINE_VECTOR == VNPU_ENGINE_CLASS_VECTOR);
static_assert(VNPU_ENGINE_AICORE == VNPU_ENGINE_CLASS_AICORE);

/* Write one more record. Records that do not fit are only counted. */
static int vnpu_query_put(struct vnpu_query *cmd, const void *record)
{
	int ret = vnpu_ucmd_write_record(record, cmd->out_stride, cmd->buffer,
					 cmd->length, cmd->out_count);

	if (!ret)
		cmd->out_count++;
	return ret;
}

static int vnpu_query_devices(const struct vnpu_client *client,
			      struct vnpu_device *unused,
			      struct vnpu_query *cmd)
{
	struct vnpu_device *dev;
	unsigned long index;
	int ret = 0;

	for (index = 0;
	     !ret && (dev = vnpu_client_device_get_next(client, &index));
	     index++) {
		struct vnpu_device_record record = {
			.index = dev->index,
			.health = READ_ONCE(dev->health),
			.serial = dev->serial,
		};

		vnpu_device_put(dev);
		ret = vnpu_query_put(cmd, &record);
	}
	return ret;
}

static int vnpu_query_engines(const struct vnpu_client *client,
			      struct vnpu_device *dev, struct vnpu_query *cmd)
{
	u32 class;
	int ret = 0;

	for (class = 0; !ret && class < VNPU_ENGINE_STATS_CLASSES; class++) {
		struct vnpu_class_stats stats;
		struct vnpu_engine_record record = { .engine_class = class };

		vnpu_engines_read_class(dev->engines, class, &stats);
		record.count = stats.count;
		record.busy_ns = stats.busy_ns;
		ret = vnpu_query_put(cmd, &record);
	}
	return ret;
}

/**
 * struct vnpu_topic - a topic of VNPU_IOCTL_QUERY
 * @stride: size of a record in bytes
 * @of_device: true if the topic is about one device, false if it is about all
 *	devices of the client
 * @list: calls vnpu_query_put() for each record; its @dev is NULL if @of_device
 *	is false
 */
struct vnpu_topic {
	u32 stride;
	bool of_device;
	int (*list)(const struct vnpu_client *client, struct vnpu_device *dev,
		    struct vnpu_query *cmd);
};

static const struct vnpu_topic vnpu_topics[] = {
	[VNPU_TOPIC_DEVICES] = {
		.stride = sizeof(struct vnpu_device_record),
		.list = vnpu_query_devices,
	},
	[VNPU_TOPIC_ENGINES] = {
		.stride = sizeof(struct vnpu_engine_record),
		.of_device = true,
		.list = vnpu_query_engines,
	},
};

static const struct vnpu_topic *vnpu_topic_find(u32 nr)
{
	const struct vnpu_topic *topic;

	if (nr >= ARRAY_SIZE(vnpu_topics))
		return NULL;
	topic = &vnpu_topics[array_index_nospec(nr, ARRAY_SIZE(vnpu_topics))];
	return topic->list ? topic : NULL;
}

int vnpu_ioctl_query(struct vnpu_ucmd *ucmd)
{
	struct vnpu_query *cmd = ucmd->cmd;
	const struct vnpu_topic *topic = vnpu_topic_find(cmd->topic);
	bool all = cmd->device == VNPU_DEVICE_ALL;
	struct vnpu_device *dev = NULL;
	int ret;

	if (!topic)
		return -EOPNOTSUPP;
	if (topic->of_device == all)
		return -EINVAL;
	if (topic->of_device) {
		dev = vnpu_client_device_get(ucmd->client, cmd->device);
		if (!dev)
			return -ENODEV;
	}
	cmd->out_count = 0;
	cmd->out_stride = topic->stride;
	ret = topic->list(ucmd->client, dev, cmd);
	cmd->out_length = (u64)cmd->out_count * cmd->out_stride;
	if (dev)
		vnpu_device_put(dev);
	return ret ?: vnpu_ucmd_respond(ucmd);
}
