// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replies of the netlink family "vnpu" to malformed messages: the documented
 * errno or nothing, and the family keeps working.
 */
#include <stdio.h>
#include <stdlib.h>

#include "client.h"
#include "nl.h"
#include "util.h"

#include "kselftest_harness.h"

FIXTURE(fuzz) {
	int fd;
	int family;
	int devices;
	struct nl_msg m;
	uint8_t *answer;
};

FIXTURE_SETUP(fuzz)
{
	self->fd = nl_open();
	ASSERT_GE(self->fd, 0);
	self->family = nl_family(self->fd);
	ASSERT_GT(self->family, 0);
	self->devices = nl_dump(self->fd, self->family, VNPU_CMD_DEV_GET, NULL,
				NULL);
	ASSERT_GT(self->devices, 0);
	self->answer = malloc(NL_BUFFER);
	ASSERT_NE(NULL, self->answer);
}

FIXTURE_TEARDOWN(fuzz)
{
	int fd = nl_open();

	/* After any message, other requests are served as before. */
	EXPECT_EQ(self->devices,
		  nl_dump(fd, self->family, VNPU_CMD_DEV_GET, NULL, NULL));
	close(fd);
	free(self->answer);
	close(self->fd);
}

FIXTURE_VARIANT(fuzz) {
	uint8_t command;
	bool is_single;		/* it cannot be dumped */
	uint16_t highest;	/* attribute of a request */
};

FIXTURE_VARIANT_ADD(fuzz, dev_get) {
	.command = VNPU_CMD_DEV_GET,
	.highest = VNPU_A_DEV_ID,
};

FIXTURE_VARIANT_ADD(fuzz, mem_get) {
	.command = VNPU_CMD_MEM_GET,
	.highest = VNPU_A_MEM_DEV_ID,
};

FIXTURE_VARIANT_ADD(fuzz, map_get) {
	.command = VNPU_CMD_MAP_GET,
	.is_single = true,
	.highest = VNPU_A_MAP_CELLS,
};

/* The start of a request for one device. */
#define REQUEST() \
	nl_init(&self->m, (uint16_t)self->family, 0, variant->command)

#define ASK() nl_ask(self->fd, &self->m, self->answer)

TEST_F(fuzz, a_valid_request)
{
	REQUEST();
	nl_put_u32(&self->m, VNPU_A_DEV_ID, 0);
	EXPECT_EQ(0, ASK());
}

TEST_F(fuzz, no_id)
{
	REQUEST();
	EXPECT_EQ(-EINVAL, ASK());
}

TEST_F(fuzz, no_such_device)
{
	static const uint32_t ids[] = {
		VNPU_MAX_DEVICES - 1, VNPU_MAX_DEVICES, VNPU_MAX_DEVICES + 1,
		0x7fffffff, 0x80000000, UINT32_MAX,
	};
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		REQUEST();
		nl_put_u32(&self->m, VNPU_A_DEV_ID, ids[i]);
		EXPECT_EQ((int)ids[i] >= 0 && (int)ids[i] < self->devices ?
			  0 : -ENODEV, ASK());
	}
}

TEST_F(fuzz, an_id_of_the_wrong_length)
{
	static const uint8_t zeros[64];
	uint16_t length;

	for (length = 0; length <= sizeof(zeros); length++) {
		REQUEST();
		nl_put(&self->m, VNPU_A_DEV_ID, zeros, length);
		EXPECT_EQ(length == sizeof(uint32_t) ? 0 : -EINVAL, ASK()) {
			TH_LOG("length %u", length);
		}
	}
}

TEST_F(fuzz, an_attribute_of_replies_only)
{
	static const uint16_t types[] = {
		0, VNPU_A_DEV_NAME, VNPU_A_DEV_MEM_TOTAL, VNPU_A_DEV_MAX + 1,
		1000, 0x3fff,
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i] && types[i] <= variant->highest)
			continue;
		REQUEST();
		nl_put_u32(&self->m, VNPU_A_DEV_ID, 0);
		nl_put_u32(&self->m, types[i], 0);
		EXPECT_EQ(-EINVAL, ASK()) {
			TH_LOG("type %u", types[i]);
		}
	}
}

TEST_F(fuzz, attributes_that_end_beyond_the_message)
{
	struct nlattr *attr = (void *)self->m.data;
	static const uint16_t lengths[] = {
		0, 1, NLA_HDRLEN - 1, NLA_HDRLEN + 5, 64, 0x7fff, UINT16_MAX,
	};
	size_t i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		REQUEST();
		nl_put_u32(&self->m, VNPU_A_DEV_ID, 0);
		attr->nla_len = lengths[i];
		EXPECT_EQ(-EINVAL, ASK()) {
			TH_LOG("length %u", lengths[i]);
		}
	}
}

TEST_F(fuzz, bytes_after_the_attributes)
{
	uint32_t extra;

	for (extra = 1; extra < NLA_HDRLEN; extra++) {
		REQUEST();
		nl_put_u32(&self->m, VNPU_A_DEV_ID, 0);
		self->m.head.nlmsg_len += extra;
		EXPECT_EQ(-EINVAL, ASK());
	}
}

TEST_F(fuzz, the_reserved_field)
{
	REQUEST();
	nl_put_u32(&self->m, VNPU_A_DEV_ID, 0);
	self->m.genl.reserved = 1;
	EXPECT_EQ(-EINVAL, ASK());
}

TEST_F(fuzz, a_message_without_its_header)
{
	REQUEST();
	self->m.head.nlmsg_len = NLMSG_HDRLEN;
	EXPECT_EQ(-EINVAL, ASK());
	self->m.head.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN - 1;
	EXPECT_EQ(-EINVAL, ASK());
}

/* Netlink drops data that is not a message, without a reply. */
TEST_F(fuzz, a_wrong_length)
{
	static const uint32_t lengths[] = {
		0, 1, NLMSG_HDRLEN - 1, 4096, 0x7fffffff, UINT32_MAX,
	};
	size_t i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		REQUEST();
		nl_put_u32(&self->m, VNPU_A_DEV_ID, 0);
		self->m.head.nlmsg_len = lengths[i];
		EXPECT_EQ(0, nl_send(self->fd, &self->m, 28));
		EXPECT_EQ(-1, recv(self->fd, self->answer, NL_BUFFER,
				   MSG_DONTWAIT));
		EXPECT_EQ(EAGAIN, errno);
	}
}

TEST_F(fuzz, a_second_dump_while_one_is_read)
{
	struct client clients[200];
	struct nl_msg m;
	ssize_t left;
	bool refused = false;
	size_t i;

	for (i = 0; i < 200; i++)
		ASSERT_EQ(0, client_open_only(&clients[i]));
	nl_init(&m, (uint16_t)self->family, NLM_F_DUMP, VNPU_CMD_CLIENT_GET);
	ASSERT_EQ(0, nl_send(self->fd, &m, m.head.nlmsg_len));
	nl_init(&m, (uint16_t)self->family, NLM_F_DUMP, variant->command);
	ASSERT_EQ(0, nl_send(self->fd, &m, m.head.nlmsg_len));
	while (!refused) {
		const struct nlmsghdr *head = (void *)self->answer;

		left = nl_receive(self->fd, self->answer);
		ASSERT_GT(left, 0);
		for (; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
			const struct nlmsgerr *e = NLMSG_DATA(head);

			if (head->nlmsg_type != NLMSG_ERROR)
				continue;
			EXPECT_EQ(variant->is_single ? -EOPNOTSUPP : -EBUSY,
				  e->error);
			refused = true;
		}
	}
	for (i = 0; i < 200; i++)
		client_close(&clients[i]);
}

/* A dump has the policy of the request for one device, or refuses everything. */
TEST_F(fuzz, a_dump_with_an_attribute)
{
	const uint8_t dumps[] = {
		VNPU_CMD_CLIENT_GET, VNPU_CMD_SLAB_GET, VNPU_CMD_QUOTA_GET,
		VNPU_CMD_STREAM_GET, VNPU_CMD_ENGINE_GET, VNPU_CMD_INJECT_GET,
		VNPU_CMD_HISTORY_GET, VNPU_CMD_KERNEL_GET, variant->command,
	};
	size_t i;

	for (i = 0; i < sizeof(dumps); i++) {
		nl_init(&self->m, (uint16_t)self->family, NLM_F_DUMP, dumps[i]);
		nl_put_u32(&self->m, variant->highest + 1, 0);
		EXPECT_EQ(dumps[i] == variant->command && variant->is_single ?
			  -EOPNOTSUPP : -EINVAL, ASK()) {
			TH_LOG("command %u", dumps[i]);
		}
	}
}

TEST_F(fuzz, unknown_commands)
{
	unsigned int command;

	for (command = 0; command < 256; command++) {
		if (command >= VNPU_CMD_DEV_GET && command <= VNPU_CMD_MAX)
			continue;
		REQUEST();
		self->m.genl.cmd = (uint8_t)command;
		EXPECT_EQ(-EOPNOTSUPP, ASK());
		self->m.head.nlmsg_flags |= NLM_F_DUMP;
		EXPECT_EQ(-EOPNOTSUPP, ASK());
	}
}

TEST_F(fuzz, clients_can_only_be_dumped)
{
	REQUEST();
	self->m.genl.cmd = VNPU_CMD_CLIENT_GET;
	EXPECT_EQ(-EOPNOTSUPP, ASK());
}

/*
 * Only expect that it returns, and that the teardown finds a consistent state.
 * Root sends it, so commands that add or remove devices are left out: they
 * would affect later tests.
 */
TEST_F(fuzz, random_messages)
{
	struct rng rng = rng_init();
	unsigned int i;

	for (i = 0; i < 3000; i++) {
		size_t length = NLMSG_HDRLEN + rng_below(&rng, 200);

		if (i % 50 == 0) {
			close(self->fd);
			self->fd = nl_open();
			ASSERT_GE(self->fd, 0);
		}
		REQUEST();
		rng_fill(&rng, &self->m.genl, sizeof(self->m.genl) +
			 sizeof(self->m.data));
		/* Most of them should pass the first checks. */
		if (i % 4) {
			self->m.genl.cmd = (uint8_t)rng_below(&rng,
							    VNPU_CMD_MAX + 2);
			self->m.genl.reserved = 0;
		}
		if (self->m.genl.cmd == VNPU_CMD_DEV_ADD ||
		    self->m.genl.cmd == VNPU_CMD_DEV_REMOVE)
			self->m.genl.cmd = VNPU_CMD_DEV_GET;
		if (i % 3) {
			struct nlattr *attr = (void *)self->m.data;

			attr->nla_len = (uint16_t)rng_below(&rng, 40);
			attr->nla_type = (uint16_t)rng_below(&rng, 20);
		}
		if (i % 5 == 0)
			self->m.head.nlmsg_flags |= NLM_F_DUMP;
		self->m.head.nlmsg_len = (uint32_t)(length +
						    rng_below(&rng, 3) - 1);
		nl_send(self->fd, &self->m, length);
		recv(self->fd, self->answer, NL_BUFFER, MSG_DONTWAIT);
	}
}

TEST_HARNESS_MAIN
