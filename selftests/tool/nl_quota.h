/* SPDX-License-Identifier: GPL-2.0-only */
/* Quotas by netlink: of memory, unless stated otherwise. */
#ifndef SELFTESTS_TOOL_NL_QUOTA_H
#define SELFTESTS_TOOL_NL_QUOTA_H

#include <linux/vnpu.h>

#include "nl.h"

/* The device attribute of resources that belong to no device. */
#define QUOTA_NO_DEVICE	UINT32_MAX

struct quota {
	uint32_t device;
	uint32_t resource;
	uint32_t scope;
	uint64_t id;
	uint64_t limit;
	uint64_t used;
	uint64_t refused;
};

static inline void quota_take(const struct nlmsghdr *head, struct quota *q)
{
	q->device = nl_u32(head, VNPU_A_QUOTA_DEV_ID);
	q->resource = nl_u32(head, VNPU_A_QUOTA_RESOURCE);
	q->scope = nl_u32(head, VNPU_A_QUOTA_SCOPE);
	q->id = nl_u64(head, VNPU_A_QUOTA_ID);
	q->limit = nl_u64(head, VNPU_A_QUOTA_LIMIT);
	q->used = nl_u64(head, VNPU_A_QUOTA_USED);
	q->refused = nl_u64(head, VNPU_A_QUOTA_REFUSED);
}

/* Without the attribute of a limit if @limit is NULL; @answer may be NULL. */
static inline int quota_ask(uint8_t command, uint32_t device, uint32_t scope,
			    uint64_t id, const uint64_t *limit,
			    struct quota *answer)
{
	uint8_t buffer[NL_BUFFER] __attribute__((aligned(8)));
	int fd = nl_open();
	int ret = fd < 0 ? -errno : nl_family(fd);
	struct nl_msg m;

	if (ret > 0) {
		nl_init(&m, (uint16_t)ret, 0, command);
		nl_put_u32(&m, VNPU_A_QUOTA_DEV_ID, device);
		nl_put_u32(&m, VNPU_A_QUOTA_SCOPE, scope);
		nl_put(&m, VNPU_A_QUOTA_ID, &id, sizeof(id));
		if (limit)
			nl_put(&m, VNPU_A_QUOTA_LIMIT, limit, sizeof(*limit));
		ret = nl_ask(fd, &m, buffer);
		if (!ret && answer)
			quota_take((void *)buffer, answer);
	}
	close(fd);
	return ret;
}

/*
 * Set a quota of any resource, also without a device; remove it if @limit is
 * NULL.
 */
static inline int quota_set_of(uint32_t device, uint32_t resource,
			       uint32_t scope, uint64_t id,
			       const uint64_t *limit)
{
	uint8_t buffer[NL_BUFFER] __attribute__((aligned(8)));
	int fd = nl_open();
	int ret = fd < 0 ? -errno : nl_family(fd);
	struct nl_msg m;

	if (ret > 0) {
		nl_init(&m, (uint16_t)ret, 0,
			limit ? VNPU_CMD_QUOTA_SET : VNPU_CMD_QUOTA_REMOVE);
		if (device != QUOTA_NO_DEVICE)
			nl_put_u32(&m, VNPU_A_QUOTA_DEV_ID, device);
		nl_put_u32(&m, VNPU_A_QUOTA_RESOURCE, resource);
		nl_put_u32(&m, VNPU_A_QUOTA_SCOPE, scope);
		nl_put(&m, VNPU_A_QUOTA_ID, &id, sizeof(id));
		if (limit)
			nl_put(&m, VNPU_A_QUOTA_LIMIT, limit, sizeof(*limit));
		ret = nl_ask(fd, &m, buffer);
	}
	close(fd);
	return ret;
}

static inline int quota_set(uint32_t device, uint32_t scope, uint64_t id,
			    uint64_t limit)
{
	return quota_ask(VNPU_CMD_QUOTA_SET, device, scope, id, &limit, NULL);
}

static inline int quota_remove(uint32_t device, uint32_t scope, uint64_t id)
{
	return quota_ask(VNPU_CMD_QUOTA_REMOVE, device, scope, id, NULL, NULL);
}

/* The quota that quota_get() looks for: found if its limit is set. */
static inline int quota_match(const struct nlmsghdr *head, void *arg)
{
	struct quota *wanted = arg, q;

	quota_take(head, &q);
	if (q.resource == wanted->resource && q.device == wanted->device &&
	    q.scope == wanted->scope && q.id == wanted->id) {
		*wanted = q;
		wanted->scope |= 1U << 31;
	}
	return 0;
}

/* Return 0, -ENOENT, or the error of the dump. */
static inline int quota_get_of(uint32_t device, uint32_t resource,
			       uint32_t scope, uint64_t id, struct quota *q)
{
	int fd = nl_open();
	int ret = fd < 0 ? -errno : nl_family(fd);
	int family = ret;

	while (family > 0) {
		*q = (struct quota){
			.device = device, .resource = resource,
			.scope = scope, .id = id,
		};
		ret = nl_dump(fd, family, VNPU_CMD_QUOTA_GET, quota_match, q);
		if (ret != -EINTR)
			break;
	}
	close(fd);
	if (ret < 0)
		return ret;
	if (!(q->scope & 1U << 31))
		return -ENOENT;
	q->scope = scope;
	return 0;
}

static inline int quota_get(uint32_t device, uint32_t scope, uint64_t id,
			    struct quota *q)
{
	return quota_get_of(device, VNPU_QUOTA_RESOURCE_MEMORY, scope, id, q);
}

#endif
