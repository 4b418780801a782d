// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of the driver and its devices about themselves, and the file
 * operations of the node.
 */
#include "kselftest_harness.h"

#include <poll.h>
#include <sys/stat.h>

#include "client.h"
#include "util.h"

FIXTURE(device)
{
	struct client c;
};

FIXTURE_SETUP(device)
{
	ASSERT_EQ(0, client_open(&self->c));
}

FIXTURE_TEARDOWN(device)
{
	client_close(&self->c);
}

TEST_F(device, info)
{
	const __u64 known = 1ULL << VNPU_PAGE_SHIFT_4K |
			    1ULL << VNPU_PAGE_SHIFT_2M |
			    1ULL << VNPU_PAGE_SHIFT_1G;
	struct vnpu_info i;

	ASSERT_EQ(0, info(&self->c, &i));
	EXPECT_EQ(VNPU_ABI_VERSION, i.out_abi_version);
	EXPECT_EQ(VNPU_ABI_OLDEST, i.out_abi_oldest);
	EXPECT_GE(i.out_abi_version, i.out_abi_oldest);
	EXPECT_LE(1, i.out_device_count);
	EXPECT_GE(VNPU_MAX_DEVICES, i.out_device_count);
	EXPECT_TRUE(i.out_page_shifts & 1ULL << VNPU_PAGE_SHIFT_4K);
	EXPECT_EQ(0, i.out_page_shifts & ~known);
	EXPECT_NE(0, i.out_client_id);
}

TEST_F(device, client_ids_are_never_reused)
{
	struct vnpu_info i;
	__u64 last;
	int n;

	ASSERT_EQ(0, info(&self->c, &i));
	for (n = 0; n < 50; n++) {
		struct client other;

		last = i.out_client_id;
		ASSERT_EQ(0, client_open_only(&other));
		ASSERT_EQ(0, info(&other, &i));
		EXPECT_LT(last, i.out_client_id);
		client_close(&other);
	}
	last = i.out_client_id;
	ASSERT_EQ(0, info(&self->c, &i));
	EXPECT_GT(last, i.out_client_id);
}

TEST_F(device, index_out_of_range)
{
	const __u32 count = device_count(&self->c);
	const __u32 indexes[] = { count, VNPU_MAX_DEVICES, 1U << 31,
				  UINT32_MAX };
	struct vnpu_device_query q;
	unsigned int i;
	__u32 id;

	ASSERT_LE(1, count);
	for (i = 0; i < ARRAY_SIZE(indexes); i++) {
		EXPECT_EQ(-ENODEV, device_query(&self->c, indexes[i], &q));
		EXPECT_EQ(-ENODEV, mem_alloc(&self->c, indexes[i], 0, 0, PAGE,
					     &id));
		EXPECT_EQ(-ENODEV, mem_alloc_at(&self->c, indexes[i], 0, 0,
						PAGE, self->c.base));
	}
}

TEST_F(device, indexes_and_counts_agree)
{
	const __u32 count = device_count(&self->c);
	struct vnpu_device_query q, again;
	__u32 d;

	for (d = 0; d < count; d++) {
		ASSERT_EQ(0, device_query(&self->c, d, &q));
		EXPECT_EQ(d, q.device);
		EXPECT_EQ(VNPU_HEALTH_OK, q.out_health);
		EXPECT_LE(MIB(2), q.out_total);
		EXPECT_EQ(0, q.out_total % MIB(2));
		EXPECT_GE(q.out_total, q.out_free);
		EXPECT_GE(q.out_free, q.out_largest_free);
		EXPECT_GE(q.out_free, q.out_free_2m);
		EXPECT_GE(q.out_free_2m, q.out_free_1g);
		EXPECT_EQ(0, q.out_free_2m % MIB(2));
		EXPECT_EQ(0, q.out_free_1g % GIB(1));
		EXPECT_EQ(0, q.out_client_used);
		EXPECT_EQ(0, q.out_client_peak);
		EXPECT_EQ(0, q.out_client_objects);

		EXPECT_LT(0, strnlen((char *)q.out_name, sizeof(q.out_name)));
		EXPECT_GT(sizeof(q.out_name),
			  strnlen((char *)q.out_name, sizeof(q.out_name)));
		EXPECT_GT(sizeof(q.out_bus_id),
			  strnlen((char *)q.out_bus_id, sizeof(q.out_bus_id)));
		EXPECT_EQ(0, strncmp((char *)q.out_soc, "Ascend", 6));
		EXPECT_GT(sizeof(q.out_soc),
			  strnlen((char *)q.out_soc, sizeof(q.out_soc)));
		EXPECT_LT(0, q.out_ai_cores);
		EXPECT_LE(q.out_ai_cores, q.out_vector_cores);

		ASSERT_EQ(0, device_query(&self->c, d, &again));
		EXPECT_EQ(0, memcmp(&q, &again, sizeof(q)));
	}
}

/* If no client has memory, all of it is free. */
TEST_F(device, idle_is_free)
{
	const __u32 count = device_count(&self->c);
	__u32 d;

	for (d = 0; d < count; d++) {
		EXPECT_EQ(0, device_used(&self->c, d));
	}
}

TEST_F(device, bus_id_has_the_pci_format)
{
	const __u32 count = device_count(&self->c);
	unsigned int domain, bus, slot, function;
	struct vnpu_device_query q;
	char end;
	__u32 d;

	for (d = 0; d < count; d++) {
		ASSERT_EQ(0, device_query(&self->c, d, &q));
		EXPECT_EQ(4, sscanf((char *)q.out_bus_id, "%x:%2x:%2x.%1x%c",
				    &domain, &bus, &slot, &function, &end))
			TH_LOG("%s", (char *)q.out_bus_id);
	}
}

TEST_F(device, uuids_differ)
{
	const __u32 count = device_count(&self->c);
	struct vnpu_device_query q, p;
	__u32 d, e;

	for (d = 0; d < count; d++) {
		ASSERT_EQ(0, device_query(&self->c, d, &q));
		EXPECT_FALSE(is_all(q.out_uuid, 0, sizeof(q.out_uuid)));
		for (e = 0; e < d; e++) {
			ASSERT_EQ(0, device_query(&self->c, e, &p));
			EXPECT_NE(0, memcmp(q.out_uuid, p.out_uuid,
					    sizeof(q.out_uuid)));
			EXPECT_STRNE((char *)q.out_bus_id,
				     (char *)p.out_bus_id);
		}
	}
}

TEST_F(device, is_a_character_device)
{
	struct stat st;

	ASSERT_EQ(0, fstat(self->c.fd, &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
}

TEST_F(device, file_operations_that_fail)
{
	struct pollfd p = { .fd = self->c.fd, .events = POLLIN | POLLOUT };
	char byte = 0;

	EXPECT_EQ(-1, read(self->c.fd, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, write(self->c.fd, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, lseek(self->c.fd, 1, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, pread(self->c.fd, &byte, 1, 0));
	EXPECT_NE(0, errno);
	EXPECT_EQ(-1, ftruncate(self->c.fd, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_LE(0, poll(&p, 1, 0));
	EXPECT_EQ(0, p.revents & POLLNVAL);
}

/* Each open is a client of its own, even in the same process. */
TEST_F(device, many_clients)
{
	struct client other[64];
	struct vnpu_device_query q;
	__u64 before;
	unsigned int i;
	__u32 id;

	before = device_used(&self->c, 0);
	for (i = 0; i < ARRAY_SIZE(other); i++) {
		ASSERT_EQ(0, client_open_only(&other[i]));
		ASSERT_EQ(0, mem_alloc(&other[i], 0, 0, 0, PAGE * (i + 1),
				       &id));
	}
	for (i = 0; i < ARRAY_SIZE(other); i++) {
		ASSERT_EQ(0, device_query(&other[i], 0, &q));
		EXPECT_EQ(PAGE * (i + 1), q.out_client_used);
		EXPECT_EQ(1, q.out_client_objects);
		client_close(&other[i]);
	}
	EXPECT_EQ(before, device_used(&self->c, 0));
}

TEST_HARNESS_MAIN
