// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink family "vnpu" as vnpu-smi depends on it: its numbers are those of
 * VNPU_IOCTL_DEVICE_QUERY and add up, dumps are whole however many clients
 * there are, and readers do not disturb each other.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "client.h"
#include "nl.h"
#include "util.h"

#include "kselftest_harness.h"

#define CLIENTS	300

FIXTURE(netlink) {
	int fd;
	int family;
	struct client client;
	uint32_t devices;
	uint8_t *answer;
};

FIXTURE_SETUP(netlink)
{
	const struct rlimit files = { 4096, 4096 };

	setrlimit(RLIMIT_NOFILE, &files);
	self->fd = nl_open();
	ASSERT_GE(self->fd, 0);
	self->family = nl_family(self->fd);
	ASSERT_GT(self->family, 0);
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

/* Ask for one device; the answer is in @answer. */
static int ask_device(int fd, int family, uint8_t command, uint32_t device,
		      void *answer)
{
	struct nl_msg m;

	nl_init(&m, (uint16_t)family, 0, command);
	nl_put_u32(&m, VNPU_A_DEV_ID, device);
	return nl_ask(fd, &m, answer);
}

static int dump_count(int family, uint8_t command,
		      int (*each)(const struct nlmsghdr *, void *), void *arg)
{
	int fd = nl_open();
	int ret = fd < 0 ? -errno : nl_dump(fd, family, command, each, arg);

	close(fd);
	return ret;
}

TEST_F(netlink, a_device_is_what_its_ioctl_says)
{
	const struct nlmsghdr *head = (void *)self->answer;
	struct vnpu_device_query q;
	const void *data;
	uint16_t size;
	uint32_t i, id;

	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, 0, MIB(5) + 1, &id));
	for (i = 0; i < self->devices; i++) {
		ASSERT_EQ(0, ask_device(self->fd, self->family,
					VNPU_CMD_DEV_GET, i, self->answer));
		ASSERT_EQ(0, device_query(&self->client, i, &q));
		EXPECT_EQ(i, nl_u32(head, VNPU_A_DEV_ID));
		EXPECT_EQ(q.out_health, nl_u32(head, VNPU_A_DEV_HEALTH));
		EXPECT_EQ(q.out_total, nl_u64(head, VNPU_A_DEV_MEM_TOTAL));
		EXPECT_EQ(q.out_free, nl_u64(head, VNPU_A_DEV_MEM_FREE));
		EXPECT_EQ(q.out_total - q.out_free,
			  nl_u64(head, VNPU_A_DEV_MEM_USED));
		EXPECT_EQ(q.out_largest_free,
			  nl_u64(head, VNPU_A_DEV_MEM_LARGEST_FREE));
		EXPECT_EQ(i == 0, nl_u32(head, VNPU_A_DEV_CLIENTS));

		data = nl_attr(head, VNPU_A_DEV_UUID, &size);
		ASSERT_NE(NULL, data);
		ASSERT_EQ(sizeof(q.out_uuid), size);
		EXPECT_EQ(0, memcmp(data, q.out_uuid, size));
		data = nl_attr(head, VNPU_A_DEV_NAME, &size);
		ASSERT_NE(NULL, data);
		EXPECT_STREQ((const char *)q.out_name, data);
		data = nl_attr(head, VNPU_A_DEV_BUS_ID, &size);
		ASSERT_NE(NULL, data);
		EXPECT_STREQ((const char *)q.out_bus_id, data);
	}
}

struct sums {
	uint64_t class_used;
	uint64_t page_sizes;
	uint64_t huge_used;
	uint64_t huge_free;
	uint64_t free;
};

/* Add up what the nests of a device's memory say. */
static void sum_memory(const struct nlmsghdr *head, struct sums *sums)
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

TEST_F(netlink, memory_adds_up)
{
	const struct nlmsghdr *head = (void *)self->answer;
	struct vnpu_device_query q;
	uint32_t small, huge;
	struct sums sums;

	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, 0, MIB(3) + 1, &small));
	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, VNPU_PAGE_SHIFT_2M, MIB(5),
			       &huge));
	ASSERT_EQ(0, ask_device(self->fd, self->family, VNPU_CMD_MEM_GET, 0,
				self->answer));
	ASSERT_EQ(0, device_query(&self->client, 0, &q));
	EXPECT_EQ(0, nl_u32(head, VNPU_A_MEM_DEV_ID));
	EXPECT_EQ(q.out_total, nl_u64(head, VNPU_A_MEM_TOTAL));
	EXPECT_EQ(q.out_free, nl_u64(head, VNPU_A_MEM_FREE));
	EXPECT_EQ(q.out_largest_free, nl_u64(head, VNPU_A_MEM_LARGEST_FREE));
	EXPECT_EQ(2, nl_u64(head, VNPU_A_MEM_OBJECTS));
	EXPECT_LE(nl_u64(head, VNPU_A_MEM_DIRTY), q.out_free);

	sum_memory(head, &sums);
	EXPECT_EQ(1ULL << 12 | 1ULL << 21 | 1ULL << 30, sums.page_sizes);
	EXPECT_EQ(q.out_total - q.out_free, sums.class_used);
	EXPECT_EQ(MIB(6), sums.huge_used);
	EXPECT_EQ(q.out_free_2m, sums.huge_free);
	EXPECT_EQ(q.out_free, sums.free);
}

/* Ask what is where; sums over the cells are in @out. */
static int ask_map(int fd, int family, uint32_t cells, void *answer,
		   uint64_t out[4])
{
	const struct nlmsghdr *head = answer;
	const char *pos;
	struct nl_msg m;
	size_t left;
	int ret, nr = 0;

	nl_init(&m, (uint16_t)family, 0, VNPU_CMD_MAP_GET);
	nl_put_u32(&m, VNPU_A_MAP_DEV_ID, 0);
	if (cells)
		nl_put_u32(&m, VNPU_A_MAP_CELLS, cells);
	ret = nl_ask(fd, &m, answer);
	if (ret)
		return ret;
	memset(out, 0, 4 * sizeof(*out));
	pos = (const char *)NLMSG_DATA(head) + GENL_HDRLEN;
	left = NLMSG_PAYLOAD(head, GENL_HDRLEN);
	while (left >= NLA_HDRLEN) {
		const struct nlattr *attr = (const void *)pos;
		size_t step = NLA_ALIGN(attr->nla_len);
		uint16_t type, size;

		for (type = VNPU_A_MAP_CELL_SIZE;
		     (attr->nla_type & NLA_TYPE_MASK) == VNPU_A_MAP_CELL &&
		     type <= VNPU_A_MAP_CELL_DIRTY; type++) {
			uint64_t value;

			memcpy(&value, nl_find(attr + 1, attr->nla_len -
					       NLA_HDRLEN, type, &size),
			       sizeof(value));
			out[type - 1] += value;
			nr += type == VNPU_A_MAP_CELL_SIZE;
		}
		if (step > left)
			break;
		left -= step;
		pos += step;
	}
	return nr;
}

TEST_F(netlink, a_map_adds_up_however_fine_it_is)
{
	static const uint32_t counts[] = { 1, 2, 3, 7, 64, 500, 512 };
	struct vnpu_device_query q;
	uint64_t sum[4];
	uint32_t loose, fixed;
	size_t i;

	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, 0, MIB(3) + 1, &loose));
	ASSERT_EQ(0, mem_alloc(&self->client, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       MIB(5), &fixed));
	ASSERT_EQ(0, device_query(&self->client, 0, &q));
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		ASSERT_EQ((int)counts[i], ask_map(self->fd, self->family,
						  counts[i], self->answer,
						  sum));
		EXPECT_EQ(q.out_total, sum[0]);
		EXPECT_EQ(q.out_total - q.out_free, sum[1]);
		EXPECT_EQ(MIB(5), sum[2]);
		EXPECT_LE(sum[3], q.out_free);
	}
	EXPECT_EQ(64, ask_map(self->fd, self->family, 0, self->answer, sum));
	EXPECT_EQ(-ERANGE, ask_map(self->fd, self->family, 513, self->answer,
				   sum));
	EXPECT_EQ(-ERANGE, ask_map(self->fd, self->family, UINT32_MAX,
				   self->answer, sum));
}

struct fit_request {
	uint64_t length;
	uint64_t page_size;
	bool contiguous;
};

static int ask_fit(int fd, int family, const struct fit_request *r,
		   void *answer)
{
	struct nl_msg m;

	nl_init(&m, (uint16_t)family, 0, VNPU_CMD_FIT_GET);
	nl_put_u32(&m, VNPU_A_FIT_DEV_ID, 0);
	nl_put(&m, VNPU_A_FIT_LENGTH, &r->length, sizeof(r->length));
	if (r->page_size)
		nl_put(&m, VNPU_A_FIT_PAGE_SIZE, &r->page_size,
		       sizeof(r->page_size));
	if (r->contiguous)
		nl_put(&m, VNPU_A_FIT_CONTIGUOUS, "", 0);
	return nl_ask(fd, &m, answer);
}

/* Whatever it says must be so. */
TEST_F(netlink, what_fits_can_be_had)
{
	const struct nlmsghdr *head = (void *)self->answer;
	static const uint64_t sizes[] = { 1ULL << 12, 1ULL << 21, 1ULL << 30 };
	uint32_t ids[64], id;
	size_t i, k;

	for (i = 0; i < 64; i++)
		ASSERT_EQ(0, mem_alloc(&self->client, 0, i % 16 ? 0 :
				       VNPU_MEM_F_CONTIGUOUS, 0, MIB(1), &ids[i]));
	for (i = 0; i < 64; i += 2)
		ASSERT_EQ(0, mem_free(&self->client, ids[i]));

	for (i = 0; i < 6; i++) {
		struct fit_request r = {
			.length = 1,
			.page_size = sizes[i / 2],
			.contiguous = i % 2,
		};
		uint32_t flags = i % 2 ? VNPU_MEM_F_CONTIGUOUS : 0;
		uint32_t shift = i / 2 == 0 ? 12 : i / 2 == 1 ? 21 : 30;
		uint64_t largest[2];

		ASSERT_EQ(0, ask_fit(self->fd, self->family, &r, self->answer));
		EXPECT_EQ(r.page_size, nl_u64(head, VNPU_A_FIT_COST));
		largest[0] = nl_u64(head, VNPU_A_FIT_LARGEST);
		largest[1] = nl_u64(head, VNPU_A_FIT_LARGEST_COMPACTED);
		EXPECT_LE(largest[0], largest[1]);
		for (k = 0; k < 2; k++) {
			uint32_t how = flags | (k ? 0 : VNPU_MEM_F_NO_COMPACT);

			r.length = largest[k] + 1;
			ASSERT_EQ(0, ask_fit(self->fd, self->family, &r,
					     self->answer));
			EXPECT_EQ(0, nl_u32(head, k ? VNPU_A_FIT_FITS_COMPACTED :
					    VNPU_A_FIT_FITS));
			EXPECT_EQ(-ENOSPC, mem_alloc(&self->client, 0, how,
						     shift, r.length, &id));
			if (!largest[k])
				continue;
			r.length = largest[k];
			ASSERT_EQ(0, ask_fit(self->fd, self->family, &r,
					     self->answer));
			EXPECT_EQ(1, nl_u32(head, k ? VNPU_A_FIT_FITS_COMPACTED :
					    VNPU_A_FIT_FITS));
			EXPECT_EQ(0, mem_alloc(&self->client, 0, how, shift,
					       r.length, &id)) {
				TH_LOG("page shift %u, contiguous %zu", shift,
				       i % 2);
			}
			mem_free(&self->client, id);
		}
	}
}

TEST_F(netlink, wrong_questions_of_what_fits)
{
	static const struct fit_request wrong[] = {
		{ 0, 0, false }, { 1ULL << 63, 0, false }, { UINT64_MAX, 0, true },
		{ 1, 1, false }, { 1, 4095, false }, { 1, 1ULL << 22, true },
		{ 1, UINT64_MAX, false },
	};
	struct nl_msg m;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		EXPECT_EQ(-EINVAL, ask_fit(self->fd, self->family, &wrong[i],
					   self->answer));
	nl_init(&m, (uint16_t)self->family, 0, VNPU_CMD_FIT_GET);
	nl_put_u32(&m, VNPU_A_FIT_DEV_ID, 0);
	EXPECT_EQ(-EINVAL, nl_ask(self->fd, &m, self->answer));
	nl_init(&m, (uint16_t)self->family, 0, VNPU_CMD_FIT_GET);
	nl_put(&m, VNPU_A_FIT_LENGTH, &wrong[3].length, 8);
	EXPECT_EQ(-EINVAL, nl_ask(self->fd, &m, self->answer));
	nl_put_u32(&m, VNPU_A_FIT_DEV_ID, VNPU_MAX_DEVICES);
	EXPECT_EQ(-ENODEV, nl_ask(self->fd, &m, self->answer));
}

TEST_F(netlink, questions_about_no_device)
{
	static const uint8_t commands[] = {
		VNPU_CMD_DEV_GET, VNPU_CMD_MEM_GET, VNPU_CMD_MAP_GET,
		VNPU_CMD_COMPACT, VNPU_CMD_RESET, VNPU_CMD_DEV_REMOVE,
	};
	struct nl_msg m;
	size_t i;

	for (i = 0; i < sizeof(commands); i++) {
		nl_init(&m, (uint16_t)self->family, 0, commands[i]);
		nl_put_u32(&m, VNPU_A_DEV_ID, VNPU_MAX_DEVICES);
		EXPECT_EQ(-ENODEV, nl_ask(self->fd, &m, self->answer));
	}
}

TEST_F(netlink, what_was_rounded_up)
{
	const struct nlmsghdr *head = (void *)self->answer;
	uint32_t id[3];

	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, 0, 1, &id[0]));
	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, 0, MIB(1), &id[1]));
	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, VNPU_PAGE_SHIFT_2M,
			       MIB(3), &id[2]));
	ASSERT_EQ(0, ask_device(self->fd, self->family, VNPU_CMD_MEM_GET, 0,
				self->answer));
	EXPECT_EQ(PAGE - 1 + MIB(1), nl_u64(head, VNPU_A_MEM_WASTE));
	ASSERT_EQ(0, mem_free(&self->client, id[2]));
	ASSERT_EQ(0, mem_free(&self->client, id[0]));
	ASSERT_EQ(0, ask_device(self->fd, self->family, VNPU_CMD_MEM_GET, 0,
				self->answer));
	EXPECT_EQ(0, nl_u64(head, VNPU_A_MEM_WASTE));
}

TEST_F(netlink, dumps_have_every_device)
{
	EXPECT_EQ((int)self->devices,
		  dump_count(self->family, VNPU_CMD_DEV_GET, NULL, NULL));
	EXPECT_EQ((int)self->devices,
		  dump_count(self->family, VNPU_CMD_MEM_GET, NULL, NULL));
}

struct clients {
	uint64_t last_id;
	uint64_t used;
	int mine;
};

static int count_client(const struct nlmsghdr *head, void *arg)
{
	struct clients *c = arg;
	uint64_t id = nl_u64(head, VNPU_A_CLIENT_ID), used;
	const void *usage, *data;
	uint16_t size, length;

	/* Ids go up, so none comes twice. */
	if (id <= c->last_id)
		return -EBADMSG;
	c->last_id = id;
	if (nl_u32(head, VNPU_A_CLIENT_PID) != (uint32_t)getpid())
		return 0;
	c->mine++;
	usage = nl_attr(head, VNPU_A_CLIENT_USAGE, &length);
	if (!usage)
		return 0;
	data = nl_find(usage, length, VNPU_A_CLIENT_USAGE_MEM_USED, &size);
	if (!data || size != sizeof(used))
		return -EBADMSG;
	memcpy(&used, data, sizeof(used));
	c->used += used;
	return 0;
}

TEST_F(netlink, many_clients_are_dumped_completely)
{
	static struct client clients[CLIENTS];
	struct clients seen = { 0 };
	uint32_t id;
	int i;

	for (i = 0; i < CLIENTS; i++) {
		ASSERT_EQ(0, client_open_only(&clients[i]));
		ASSERT_EQ(0, mem_alloc(&clients[i], 0, 0, 0, 1, &id));
	}
	EXPECT_LE(CLIENTS + 1, nl_dump(self->fd, self->family,
				       VNPU_CMD_CLIENT_GET, count_client,
				       &seen));
	EXPECT_EQ(CLIENTS + 1, seen.mine);
	EXPECT_EQ(PAGE * CLIENTS, seen.used);
	for (i = 0; i < CLIENTS; i++)
		client_close(&clients[i]);

	seen = (struct clients){ 0 };
	EXPECT_LE(1, nl_dump(self->fd, self->family, VNPU_CMD_CLIENT_GET,
			     count_client, &seen));
	EXPECT_EQ(1, seen.mine);
	EXPECT_EQ(0, seen.used);
}

struct classes {
	uint64_t page_size[3];
	uint64_t used[3];
	uint64_t objects[3];
	int count;
};

static uint64_t inner_u64(const void *nest, uint16_t length, uint16_t type)
{
	uint16_t size;
	const void *data = nl_find(nest, length, type, &size);
	uint64_t value = UINT64_MAX;

	if (data && size == sizeof(value))
		memcpy(&value, data, sizeof(value));
	return value;
}

static int take_classes(const struct nlmsghdr *head, void *arg)
{
	struct classes *c = arg;
	const char *usage, *nest;
	uint16_t left, length;

	if (nl_u32(head, VNPU_A_CLIENT_PID) != (uint32_t)getpid())
		return 0;
	usage = nl_attr(head, VNPU_A_CLIENT_USAGE, &left);
	while (usage && c->count < 3) {
		nest = nl_find(usage, left, VNPU_A_CLIENT_USAGE_CLASS, &length);
		if (!nest)
			break;
		c->page_size[c->count] =
			inner_u64(nest, length, VNPU_A_CLIENT_CLASS_PAGE_SIZE);
		c->used[c->count] =
			inner_u64(nest, length, VNPU_A_CLIENT_CLASS_MEM_USED);
		c->objects[c->count++] =
			inner_u64(nest, length, VNPU_A_CLIENT_CLASS_MEM_OBJECTS);
		left -= (uint16_t)(nest + length - usage);
		usage = nest + length;
	}
	return 0;
}

TEST_F(netlink, a_client_by_page_class)
{
	struct classes c = { 0 };
	uint32_t id[4];

	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, 0, 1, &id[0]));
	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, 0, MIB(1), &id[1]));
	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, VNPU_PAGE_SHIFT_2M, MIB(3),
			       &id[2]));
	ASSERT_LE(1, nl_dump(self->fd, self->family, VNPU_CMD_CLIENT_GET,
			     take_classes, &c));
	ASSERT_EQ(2, c.count);
	EXPECT_EQ(PAGE, c.page_size[0]);
	EXPECT_EQ(MIB(1) + PAGE, c.used[0]);
	EXPECT_EQ(2, c.objects[0]);
	EXPECT_EQ(MIB(2), c.page_size[1]);
	EXPECT_EQ(MIB(4), c.used[1]);
	EXPECT_EQ(1, c.objects[1]);

	ASSERT_EQ(0, mem_free(&self->client, id[0]));
	ASSERT_EQ(0, mem_free(&self->client, id[1]));
	c = (struct classes){ 0 };
	ASSERT_LE(1, nl_dump(self->fd, self->family, VNPU_CMD_CLIENT_GET,
			     take_classes, &c));
	EXPECT_EQ(1, c.count);
	EXPECT_EQ(MIB(2), c.page_size[0]);
}

/* A client that left after the dump began makes it say so. */
TEST_F(netlink, a_dump_tells_that_the_list_changed)
{
	static struct client clients[CLIENTS];
	const struct nlmsghdr *head;
	bool told = false, done = false;
	/* The kernel makes parts as large as this socket is seen to take. */
	int fd = nl_open();
	struct nl_msg m;
	ssize_t left;
	int i;

	ASSERT_GE(fd, 0);
	for (i = 0; i < CLIENTS; i++)
		ASSERT_EQ(0, client_open_only(&clients[i]));
	nl_init(&m, (uint16_t)self->family, NLM_F_DUMP, VNPU_CMD_CLIENT_GET);
	ASSERT_EQ(0, nl_send(fd, &m, m.head.nlmsg_len));
	ASSERT_GT(recv(fd, self->answer, PAGE, 0), 0);
	for (i = 0; i < CLIENTS; i++)
		client_close(&clients[i]);
	while (!done) {
		left = recv(fd, self->answer, PAGE, 0);
		ASSERT_GT(left, 0);
		for (head = (void *)self->answer; NLMSG_OK(head, left);
		     head = NLMSG_NEXT(head, left)) {
			told |= !!(head->nlmsg_flags & NLM_F_DUMP_INTR);
			done |= head->nlmsg_type == NLMSG_DONE;
		}
	}
	EXPECT_TRUE(told);
	close(fd);
}

static long module_references(void)
{
	FILE *f = fopen("/sys/module/vnpu/refcnt", "re");
	long count = -1;

	if (!f)
		return -1;
	if (fscanf(f, "%ld", &count) != 1)
		count = -1;
	fclose(f);
	return count;
}

TEST_F(netlink, an_abandoned_dump_leaves_nothing_behind)
{
	static struct client clients[CLIENTS];
	long before = module_references();
	struct nl_msg m;
	int i, fd;

	for (i = 0; i < CLIENTS; i++)
		ASSERT_EQ(0, client_open_only(&clients[i]));
	for (i = 0; i < 200; i++) {
		fd = nl_open();
		ASSERT_GE(fd, 0);
		nl_init(&m, (uint16_t)self->family, NLM_F_DUMP,
			VNPU_CMD_CLIENT_GET);
		ASSERT_EQ(0, nl_send(fd, &m, m.head.nlmsg_len));
		if (i % 2)
			ASSERT_GT(recv(fd, self->answer, PAGE, 0), 0);
		close(fd);
	}
	for (i = 0; i < CLIENTS; i++)
		client_close(&clients[i]);
	EXPECT_EQ(before, module_references());
	EXPECT_EQ((int)self->devices, nl_dump(self->fd, self->family,
					      VNPU_CMD_DEV_GET, NULL, NULL));
}

static int check_sum(const struct nlmsghdr *head, void *arg)
{
	uint64_t total = nl_u64(head, VNPU_A_DEV_MEM_TOTAL);
	uint64_t used = nl_u64(head, VNPU_A_DEV_MEM_USED);
	uint64_t free = nl_u64(head, VNPU_A_DEV_MEM_FREE);

	(void)arg;
	if (used + free != total ||
	    nl_u64(head, VNPU_A_DEV_MEM_LARGEST_FREE) > free)
		return -EBADMSG;
	return 0;
}

static int check_memory(const struct nlmsghdr *head, void *arg)
{
	uint64_t free = nl_u64(head, VNPU_A_MEM_FREE);
	struct sums sums;

	(void)arg;
	sum_memory(head, &sums);
	if (sums.free != free ||
	    sums.class_used != nl_u64(head, VNPU_A_MEM_TOTAL) - free)
		return -EBADMSG;
	return 0;
}

struct reader {
	pthread_t thread;
	int family;
	int devices;
	int error;
};

static void *read_all(void *arg)
{
	struct reader *r = arg;
	int fd = nl_open();
	int i, ret;

	for (i = 0; i < 40 && !r->error; i++) {
		struct clients seen = { 0 };

		ret = nl_dump(fd, r->family, VNPU_CMD_DEV_GET, check_sum, NULL);
		if (ret != r->devices)
			r->error = ret < 0 ? ret : -EBADMSG;
		ret = nl_dump(fd, r->family, VNPU_CMD_MEM_GET, check_memory,
			      NULL);
		if (ret != r->devices)
			r->error = ret < 0 ? ret : -EBADMSG;
		ret = nl_dump(fd, r->family, VNPU_CMD_CLIENT_GET, count_client,
			      &seen);
		if (ret < 0 && ret != -EINTR)
			r->error = ret;
	}
	close(fd);
	return NULL;
}

TEST_F(netlink, readers_and_clients_at_the_same_time)
{
	struct reader readers[4] = { 0 };
	volatile bool *stop;
	pid_t pid;
	size_t i;

	stop = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, stop);
	pid = fork_bound();
	ASSERT_GE(pid, 0);
	if (!pid) {
		unsigned int turn = 0;

		while (!*stop) {
			struct client c;
			uint32_t id;

			if (client_open_only(&c) ||
			    mem_alloc(&c, turn % self->devices, 0, 0,
				      MIB(1 + turn % 7), &id) ||
			    (turn % 2 && mem_free(&c, id)))
				_exit(1);
			client_close(&c);
			turn++;
		}
		_exit(0);
	}
	for (i = 0; i < 4; i++) {
		readers[i].family = self->family;
		readers[i].devices = (int)self->devices;
		ASSERT_EQ(0, pthread_create(&readers[i].thread, NULL, read_all,
					    &readers[i]));
	}
	for (i = 0; i < 4; i++) {
		pthread_join(readers[i].thread, NULL);
		EXPECT_EQ(0, readers[i].error);
	}
	*stop = true;
	EXPECT_EQ(0, child_wait(pid));
}

TEST_HARNESS_MAIN
