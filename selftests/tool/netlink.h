/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of netlink replies: a socket, a client, and the
 * sums of a device's reported memory.
 */
#ifndef SELFTESTS_TOOL_NETLINK_H
#define SELFTESTS_TOOL_NETLINK_H

#include <stdio.h>
#include <stdlib.h>

#include "client.h"
#include "nl.h"
#include "util.h"

#include "kselftest_harness.h"

FIXTURE(netlink) {
	int fd;
	int family;
	struct client client;
	uint32_t devices;
	uint8_t *answer;
};

FIXTURE_SETUP(netlink)
{
	client_allow_many();
	self->fd = nl_open_family(&self->family);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, client_open_only(&self->client));
	self->devices = device_count(&self->client);
	ASSERT_GT(self->devices, 0);
	self->answer = malloc(NL_BUFFER);
	ASSERT_NE(NULL, self->answer);
}

FIXTURE_TEARDOWN(netlink)
{
	free(self->answer);
	client_close(&self->client);
	close(self->fd);
}

struct sums {
	uint64_t class_used;
	uint64_t page_sizes;
	uint64_t huge_used;
	uint64_t huge_free;
	uint64_t free;
};

/* Add up the nests of a device's memory. */
static inline void sum_memory(const struct nlmsghdr *head, struct sums *sums)
{
	const char *pos = (const char *)NLMSG_DATA(head) + GENL_HDRLEN;
	size_t left = NLMSG_PAYLOAD(head, GENL_HDRLEN);

	memset(sums, 0, sizeof(*sums));
	while (left >= NLA_HDRLEN) {
		const struct nlattr *attr = (const void *)pos;
		const uint64_t *u64;
		const uint32_t *u32;
		size_t inner = attr->nla_len - NLA_HDRLEN;
		uint64_t page_size, used, free, order, blocks;
		uint16_t size;

		switch (attr->nla_type & NLA_TYPE_MASK) {
		case VNPU_A_MEM_CLASS:
			u64 = nl_find(attr + 1, inner,
				      VNPU_A_MEM_CLASS_PAGE_SIZE, &size);
			memcpy(&page_size, u64, sizeof(page_size));
			u64 = nl_find(attr + 1, inner, VNPU_A_MEM_CLASS_USED,
				      &size);
			memcpy(&used, u64, sizeof(used));
			u64 = nl_find(attr + 1, inner, VNPU_A_MEM_CLASS_FREE,
				      &size);
			memcpy(&free, u64, sizeof(free));
			sums->class_used += used;
			sums->page_sizes |= page_size;
			if (page_size == 1ULL << VNPU_PAGE_SHIFT_2M) {
				sums->huge_used = used;
				sums->huge_free = free;
			}
			break;
		case VNPU_A_MEM_ORDER:
			u32 = nl_find(attr + 1, inner, VNPU_A_MEM_ORDER_ORDER,
				      &size);
			order = *u32;
			u32 = nl_find(attr + 1, inner,
				      VNPU_A_MEM_ORDER_FREE_BLOCKS, &size);
			blocks = *u32;
			sums->free += blocks << (VNPU_PAGE_SHIFT + order);
			break;
		}
		if (NLA_ALIGN(attr->nla_len) > left)
			break;
		left -= NLA_ALIGN(attr->nla_len);
		pos += NLA_ALIGN(attr->nla_len);
	}
}

#endif
