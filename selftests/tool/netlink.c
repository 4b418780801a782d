// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink family "vnpu" for the needs of vnpu-smi: its reports of a device
 * equal VNPU_IOCTL_DEVICE_QUERY and add up, and memory that it reports as
 * fitting can be allocated.
 */
#include "netlink.h"

/* Query one device; the reply is in @answer. */
static int ask_device(int fd, int family, uint8_t command, uint32_t device,
		      void *answer)
{
	struct nl_msg m;

	nl_init(&m, (uint16_t)family, 0, command);
	nl_put_u32(&m, VNPU_A_DEV_ID, device);
	return nl_ask(fd, &m, answer);
}

TEST_F(netlink, devices_agree_with_the_ioctl)
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
		data = nl_attr(head, VNPU_A_DEV_SOC, &size);
		ASSERT_NE(NULL, data);
		EXPECT_STREQ((const char *)q.out_soc, data);
		EXPECT_EQ(q.out_ai_cores, nl_u32(head, VNPU_A_DEV_AI_CORES));
		EXPECT_EQ(q.out_vector_cores,
			  nl_u32(head, VNPU_A_DEV_VECTOR_CORES));
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

/* Query the map; sums over the cells are in @out. */
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

TEST_F(netlink, a_map_adds_up_at_any_resolution)
{
	static const uint32_t counts[] = { 1, 2, 3, 7, 64, 500, 512 };
	struct vnpu_device_query q;
	uint32_t loose, movable, fixed;
	uint64_t sum[4], length;
	size_t i;

	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, 0, MIB(3) + 1, &loose));
	ASSERT_EQ(0, mem_alloc(&self->client, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       MIB(5), &movable));
	/* No free run is left that could hold the last one. */
	ASSERT_EQ(0, device_query(&self->client, 0, &q));
	length = q.out_free / 3 * 2 / PAGE * PAGE;
	ASSERT_EQ(0, mem_alloc(&self->client, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       length, &fixed));
	ASSERT_EQ(0, device_query(&self->client, 0, &q));
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		ASSERT_EQ((int)counts[i], ask_map(self->fd, self->family,
						  counts[i], self->answer,
						  sum));
		EXPECT_EQ(q.out_total, sum[0]);
		EXPECT_EQ(q.out_total - q.out_free, sum[1]);
		EXPECT_EQ(length, sum[2]);
		EXPECT_LE(sum[3], q.out_free);
	}
	EXPECT_EQ(64, ask_map(self->fd, self->family, 0, self->answer, sum));
	EXPECT_EQ(-ERANGE, ask_map(self->fd, self->family, 513, self->answer,
				   sum));
	EXPECT_EQ(-ERANGE, ask_map(self->fd, self->family, UINT32_MAX,
				   self->answer, sum));
}

/*
 * Two contiguous objects are as long as the longer of two free runs. Plans for
 * more than that run move one of them, which has no place then.
 */
TEST_F(netlink, a_failed_plan_leaves_the_longest_run)
{
	const struct nlmsghdr *head = (void *)self->answer;
	struct vnpu_device_query q;
	uint64_t length[5], moved;
	uint32_t ids[5];
	size_t i;

	ASSERT_EQ(0, device_query(&self->client, 0, &q));
	length[0] = q.out_largest_free / (16 * PAGE) * (2 * PAGE);
	length[1] = length[0];
	length[2] = length[0] / 2;
	length[3] = length[0];
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, device_query(&self->client, 0, &q));
		if (i == 4)
			length[i] = q.out_largest_free;
		ASSERT_EQ(0, mem_alloc(&self->client, 0, VNPU_MEM_F_CONTIGUOUS,
				       0, length[i], &ids[i]));
	}
	ASSERT_EQ(0, mem_free(&self->client, ids[0]));
	ASSERT_EQ(0, mem_free(&self->client, ids[2]));
	ASSERT_EQ(0, ask_device(self->fd, self->family, VNPU_CMD_MEM_GET, 0,
				self->answer));
	ASSERT_EQ(length[0], nl_u64(head, VNPU_A_MEM_LARGEST_FREE));
	moved = nl_u64(head, VNPU_A_MEM_MOVED);
	ASSERT_EQ(0, ask_device(self->fd, self->family, VNPU_CMD_COMPACT, 0,
				self->answer));
	EXPECT_EQ(length[0], nl_u64(head, VNPU_A_MEM_LARGEST_FREE));
	EXPECT_EQ(moved, nl_u64(head, VNPU_A_MEM_MOVED));
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

/* Compare the reply with an allocation. */
TEST_F(netlink, reported_fits_can_be_allocated)
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

TEST_F(netlink, invalid_queries_of_fits)
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

TEST_F(netlink, queries_without_a_device)
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

TEST_F(netlink, rounding_losses)
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

TEST_HARNESS_MAIN
