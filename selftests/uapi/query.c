// SPDX-License-Identifier: GPL-2.0-only
/* Lists of the driver: VNPU_IOCTL_QUERY, features and operations of tasks. */
#include <sys/utsname.h>

#include "kselftest_harness.h"

#include "node.h"
#include "stream.h"
#include "util.h"

FIXTURE(query)
{
	struct client c;
};

FIXTURE_SETUP(query)
{
	ASSERT_EQ(0, client_open(&self->c));
}

FIXTURE_TEARDOWN(query)
{
	client_close(&self->c);
}

TEST_F(query, reports_the_total)
{
	struct vnpu_query q;

	ASSERT_EQ(0, query(&self->c, VNPU_DEVICE_ALL, VNPU_TOPIC_DEVICES, NULL,
			   0, &q));
	EXPECT_EQ(device_count(&self->c), q.out_count);
	EXPECT_LE(sizeof(struct vnpu_device_record), q.out_stride);
	EXPECT_EQ((__u64)q.out_count * q.out_stride, q.out_length);
}

TEST_F(query, writes_whole_records_only)
{
	struct vnpu_engine_record records[2];
	__u8 untouched[sizeof(records)];
	struct vnpu_query q;

	memset(untouched, 0xa5, sizeof(untouched));
	memset(records, 0xa5, sizeof(records));
	ASSERT_EQ(0, query(&self->c, 0, VNPU_TOPIC_ENGINES, records,
			   sizeof(records[0]) - 1, &q));
	EXPECT_EQ(0, memcmp(records, untouched, sizeof(records)));
	ASSERT_EQ(0, query(&self->c, 0, VNPU_TOPIC_ENGINES, records,
			   sizeof(records) - 1, &q));
	EXPECT_EQ(VNPU_ENGINE_CLASS_COPY, records[0].engine_class);
	EXPECT_EQ(0, memcmp(&records[1], untouched, sizeof(records[1])));
	EXPECT_EQ(3, q.out_count);
	EXPECT_EQ(3 * sizeof(records[0]), q.out_length);
}

TEST_F(query, invalid_requests_are_refused)
{
	struct vnpu_device_record record;
	struct vnpu_query q;

	EXPECT_EQ(-EOPNOTSUPP, query(&self->c, 0, 0, NULL, 0, &q));
	EXPECT_EQ(-EOPNOTSUPP, query(&self->c, 0, 1000, NULL, 0, &q));
	EXPECT_EQ(-EOPNOTSUPP, query(&self->c, 0, ~0U, NULL, 0, &q));
	EXPECT_EQ(-EINVAL, query(&self->c, 0, VNPU_TOPIC_DEVICES, NULL, 0, &q));
	EXPECT_EQ(-EINVAL, query(&self->c, VNPU_DEVICE_ALL, VNPU_TOPIC_ENGINES,
				 NULL, 0, &q));
	EXPECT_EQ(-ENODEV, query(&self->c, VNPU_DEVICE_HOST, VNPU_TOPIC_ENGINES,
				 NULL, 0, &q));
	EXPECT_EQ(-ENODEV, query(&self->c, VNPU_MAX_DEVICES, VNPU_TOPIC_ENGINES,
				 NULL, 0, &q));
	EXPECT_EQ(-EFAULT, query(&self->c, VNPU_DEVICE_ALL, VNPU_TOPIC_DEVICES,
				 NULL, sizeof(record), &q));
	EXPECT_EQ(-EFAULT, query(&self->c, VNPU_DEVICE_ALL, VNPU_TOPIC_DEVICES,
				 ptr(~0ULL - 3), sizeof(record), &q));
}

static __u64 sys_figure(const char *name)
{
	return file_u64("/sys/class/vnpu/vnpu0/%s", name);
}

TEST_F(query, engines_match_sysfs_and_work)
{
	struct vnpu_engine_record before[3], after[3];
	struct vnpu_query q;
	struct stream s;

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, MIB(2), self->c.base));
	ASSERT_EQ(0, stream_create(&s, &self->c, 0));
	ASSERT_EQ(0, query(&self->c, 0, VNPU_TOPIC_ENGINES, before,
			   sizeof(before), &q));
	ASSERT_EQ(3, q.out_count);
	EXPECT_EQ(VNPU_ENGINE_CLASS_COPY, before[0].engine_class);
	EXPECT_EQ(VNPU_ENGINE_CLASS_VECTOR, before[1].engine_class);
	EXPECT_EQ(VNPU_ENGINE_CLASS_AICORE, before[2].engine_class);
	EXPECT_EQ(0, before[2].count);
	EXPECT_LT(0, before[0].count);
	EXPECT_EQ(sys_figure("copy_engines"), before[0].count);
	EXPECT_EQ(sys_figure("vector_engines"), before[1].count);
	ASSERT_EQ(0, stream_do(&s, task_fill(self->c.base, MIB(2), 1, 1)));
	ASSERT_EQ(0, query(&self->c, 0, VNPU_TOPIC_ENGINES, after,
			   sizeof(after), &q));
	EXPECT_LT(before[0].busy_ns, after[0].busy_ns);
	EXPECT_EQ(0, stream_destroy(&s));
}

TEST_F(query, a_task_is_known_if_its_bit_is_set)
{
	struct vnpu_info i;
	struct stream s;
	unsigned int op;

	ASSERT_EQ(0, info(&self->c, &i));
	EXPECT_TRUE(i.out_task_ops[0] & 1ULL << VNPU_TASK_NOP);
	EXPECT_TRUE(i.out_task_ops[0] & 1ULL << VNPU_TASK_COPY_INDIRECT);
	ASSERT_EQ(0, stream_create(&s, &self->c, 0));
	/* An undefined flag fails as well, so test without flags. */
	for (op = 0; op < 256; op++) {
		struct vnpu_task task = { .op = (__u8)op };

		if (i.out_task_ops[op / 64] & 1ULL << op % 64)
			continue;
		ASSERT_EQ(0, stream_run(&s, task));
		ASSERT_EQ(0, stream_wait(&s, 10000));
		EXPECT_EQ(EINVAL, s.ring->error)
			TH_LOG("operation %u", op);
	}
	EXPECT_EQ(0, stream_destroy(&s));
}

TEST_F(query, features_are_known)
{
	struct vnpu_info i;

	ASSERT_EQ(0, info(&self->c, &i));
	EXPECT_EQ(0, i.out_features & ~(VNPU_FEATURE_HOST_MAP_2M |
					VNPU_FEATURE_SYNC_FILE));
}

/* Debian's cloud kernels have no sync_files; the others do. */
TEST_F(query, features_match_sync_file_support)
{
	struct vnpu_sync_export export = { .size = sizeof(export) };
	struct vnpu_sync_import import = { .size = sizeof(import), .fd = -1 };
	struct utsname kernel;
	struct vnpu_info i;
	bool has;

	ASSERT_EQ(0, info(&self->c, &i));
	has = i.out_features & VNPU_FEATURE_SYNC_FILE;
	ASSERT_EQ(0, uname(&kernel));
	EXPECT_EQ(!strstr(kernel.release, "-cloud-"), has);
	EXPECT_EQ(has ? -ENOENT : -EOPNOTSUPP,
		  call(self->c.fd, VNPU_IOCTL_SYNC_EXPORT, &export));
	EXPECT_EQ(has ? -EBADF : -EOPNOTSUPP,
		  call(self->c.fd, VNPU_IOCTL_SYNC_IMPORT, &import));
}

TEST_HARNESS_MAIN
