// SPDX-License-Identifier: MIT
/*
 * The interface to the kernel, see io.h: properties of devices, and OOM
 * reports.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <linux/vnpu.h>

#include "base/util.h"
#include "io.h"
#include "io_call.h"

_Static_assert(VNPU_IO_MAX_DEVICES == VNPU_MAX_DEVICES, "device limit");

int vnpu_io_client_id(uint64_t *id)
{
	struct vnpu_info info = { .size = sizeof(info) };
	int ret = vnpu_io_call(VNPU_IOCTL_INFO, &info);

	if (!ret)
		*id = info.out_client_id;
	return ret;
}

/* Room for a device record, which may grow in later drivers. */
#define RECORD_ROOM	128

int vnpu_io_devices(uint32_t *indexes, uint32_t *count)
{
	/* Valgrind does not know that the driver writes to it. */
	uint8_t records[VNPU_IO_MAX_DEVICES * RECORD_ROOM] = { 0 };
	struct vnpu_query query = {
		.size = sizeof(query),
		.device = VNPU_DEVICE_ALL,
		.topic = VNPU_TOPIC_DEVICES,
		.buffer = vnpu_ptr_to_u64(records),
		.length = sizeof(records),
	};
	int ret = vnpu_io_call(VNPU_IOCTL_QUERY, &query);

	if (ret)
		return ret;
	if (query.out_length > query.length ||
	    query.out_count > VNPU_IO_MAX_DEVICES)
		return -EOVERFLOW;
	*count = query.out_count;
	for (uint32_t i = 0; i < *count; i++)
		memcpy(&indexes[i], records + i * query.out_stride +
		       offsetof(struct vnpu_device_record, index),
		       sizeof(indexes[i]));
	return 0;
}

int vnpu_io_device_query(uint32_t device, struct vnpu_io_device *out)
{
	struct vnpu_device_query query = {
		.size = sizeof(query),
		.device = device,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_DEVICE_QUERY, &query);

	if (ret)
		return ret;

	memset(out, 0, sizeof(*out));
	out->healthy = query.out_health <= VNPU_HEALTH_WARNING;
	out->total = query.out_total;
	out->free = query.out_free;
	out->largest_free = query.out_largest_free;
	out->free_2m = query.out_free_2m;
	out->free_1g = query.out_free_1g;
	out->used = query.out_client_used;
	out->peak = query.out_client_peak;
	out->objects = query.out_client_objects;
	out->lost_epoch = query.out_lost_epoch;
	memcpy(out->uuid, query.out_uuid, sizeof(out->uuid));
	memcpy(out->bus_id, query.out_bus_id, sizeof(query.out_bus_id));
	memcpy(out->soc, query.out_soc, sizeof(query.out_soc));
	return 0;
}

_Static_assert(VNPU_IO_QUOTA_CLIENT == VNPU_QUOTA_SCOPE_CLIENT &&
	       VNPU_IO_QUOTA_UID == VNPU_QUOTA_SCOPE_UID &&
	       VNPU_IO_QUOTA_CGROUP == VNPU_QUOTA_SCOPE_CGROUP &&
	       VNPU_IO_QUOTA_SHARE == VNPU_QUOTA_SCOPE_SHARE, "quotas");

int vnpu_io_oom_query(struct vnpu_io_oom *out)
{
	struct vnpu_oom_holder holders[ARRAY_SIZE(out->holder)];
	struct vnpu_oom_query query = {
		.size = sizeof(query),
		.holders = (uintptr_t)holders,
		.count = ARRAY_SIZE(holders),
	};
	int ret = vnpu_io_call(VNPU_IOCTL_OOM_QUERY, &query);

	if (ret)
		return ret;

	memset(out, 0, sizeof(*out));
	out->report = query.out_count;
	out->frag_index = query.out_frag_index;
	out->compaction_helps = query.out_compaction_helps;
	out->holders = query.out_holders;
	if (out->holders > ARRAY_SIZE(out->holder))
		out->holders = ARRAY_SIZE(out->holder);
	for (unsigned int i = 0; i < out->holders; i++) {
		out->holder[i].used = holders[i].out_used;
		out->holder[i].pid = holders[i].out_pid;
		memcpy(out->holder[i].name, holders[i].out_name,
		       VNPU_OOM_NAME_LEN);
	}
	out->quota = query.out_quota_scope;
	out->quota_id = query.out_quota_id;
	out->quota_limit = query.out_quota_limit;
	out->quota_used = query.out_quota_used;
	return 0;
}
