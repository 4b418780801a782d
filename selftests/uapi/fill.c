// SPDX-License-Identifier: GPL-2.0-only
/* Fill device memory with a value. */
#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

#define LENGTH	(4 * PAGE)

FIXTURE(fill)
{
	struct client c;
	__u64 dev;	/* LENGTH bytes in two bindings */
};

FIXTURE_SETUP(fill)
{
	ASSERT_EQ(0, client_open(&self->c));
	self->dev = self->c.base + MIB(1);
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, LENGTH / 2, self->dev));
	ASSERT_EQ(0, mem_alloc_at(&self->c, device_count(&self->c) - 1, 0, 0,
				  LENGTH / 2, self->dev + LENGTH / 2));
}

FIXTURE_TEARDOWN(fill)
{
	client_close(&self->c);
}

static int fill_done(const struct client *c, __u64 dst, __u64 length,
		     __u64 *done)
{
	struct vnpu_fill f = {
		.size = sizeof(f),
		.dst = dst,
		.length = length,
		.value = 0xee,
		.out_done = ~0ULL,
	};
	int ret = call(c->fd, VNPU_IOCTL_FILL, &f);

	*done = f.out_done;
	return ret;
}

/*
 * Values of every size at every alignment, across the border of two bindings.
 */
TEST_F(fill, patterns)
{
	static const __u32 sizes[] = { 1, 2, 4, 8 };
	static const __u64 value = 0x8877665544332211;
	__u8 model[LENGTH], seen[LENGTH];
	__u64 v, shift, count, i, at;
	unsigned int s;

	for (s = 0; s < ARRAY_SIZE(sizes); s++) {
		v = value & ~0ULL >> (64 - 8 * sizes[s]);
		for (shift = 0; shift < 64; shift++) {
			at = LENGTH / 2 - 100 + shift;
			count = (200 + 3 * shift) / sizes[s];
			ASSERT_EQ(0, fill(&self->c, self->dev, LENGTH, 0xcc,
					  1));
			ASSERT_EQ(0, fill(&self->c, self->dev + at,
					  count * sizes[s], v, sizes[s]));
			memset(model, 0xcc, sizeof(model));
			for (i = 0; i < count; i++)
				memcpy(model + at + i * sizes[s], &v,
				       sizes[s]);
			ASSERT_EQ(0, copy(&self->c, addr(seen), self->dev,
					  LENGTH));
			ASSERT_EQ(0, memcmp(model, seen, LENGTH))
				TH_LOG("size %u shift %llu", sizes[s], shift);
		}
	}
}

TEST_F(fill, default_is_bytes)
{
	__u8 seen[LENGTH];

	ASSERT_EQ(0, fill(&self->c, self->dev, LENGTH, 0x9d, 0));
	ASSERT_EQ(0, copy(&self->c, addr(seen), self->dev, LENGTH));
	EXPECT_TRUE(is_all(seen, 0x9d, LENGTH));
	EXPECT_EQ(-EINVAL, fill(&self->c, self->dev, LENGTH, 0x100, 0));
}

TEST_F(fill, invalid_values)
{
	static const __u32 wrong[] = { 3, 5, 6, 7, 9, 16, 256, UINT32_MAX };
	static const __u32 right[] = { 1, 2, 4, 8 };
	unsigned int i, bit;
	__u8 seen[LENGTH];

	ASSERT_EQ(0, fill(&self->c, self->dev, LENGTH, 0x11, 1));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		EXPECT_EQ(-EINVAL, fill(&self->c, self->dev, LENGTH, 0,
					wrong[i]));
	}
	for (i = 0; i < ARRAY_SIZE(right); i++) {
		for (bit = right[i] * 8; bit < 64; bit++) {
			EXPECT_EQ(-EINVAL, fill(&self->c, self->dev, LENGTH,
						1ULL << bit, right[i]));
		}
		if (right[i] > 1) {
			EXPECT_EQ(-EINVAL, fill(&self->c, self->dev, 1, 0,
						right[i]));
			EXPECT_EQ(-EINVAL, fill(&self->c, self->dev,
						LENGTH - 1, 0, right[i]));
		}
	}
	ASSERT_EQ(0, copy(&self->c, addr(seen), self->dev, LENGTH));
	EXPECT_TRUE(is_all(seen, 0x11, LENGTH));
}

TEST_F(fill, reports_bytes_done)
{
	__u64 done;

	EXPECT_EQ(0, fill_done(&self->c, self->dev, LENGTH, &done));
	EXPECT_EQ(LENGTH, done);
	EXPECT_EQ(0, fill_done(&self->c, self->dev + 3, 1001, &done));
	EXPECT_EQ(1001, done);
	EXPECT_EQ(0, fill_done(&self->c, self->dev, 0, &done));
	EXPECT_EQ(0, done);
	EXPECT_EQ(0, fill_done(&self->c, 0, 0, &done));
	EXPECT_EQ(0, done);
}

TEST_F(fill, unbound)
{
	const __u64 end = self->c.base + self->c.size;
	__u64 host = ~0ULL;
	__u8 seen[LENGTH];

	ASSERT_EQ(0, fill(&self->c, self->dev, LENGTH, 0x11, 1));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, end - PAGE));
	EXPECT_EQ(-EFAULT, fill(&self->c, self->dev - 1, 1, 0, 1));
	EXPECT_EQ(-EFAULT, fill(&self->c, self->dev - 1, LENGTH, 0, 1));
	EXPECT_EQ(-EFAULT, fill(&self->c, self->dev, LENGTH + 1, 0, 1));
	EXPECT_EQ(-EFAULT, fill(&self->c, end - PAGE, PAGE + 8, 0, 8));
	EXPECT_EQ(-EFAULT, fill(&self->c, end, 8, 0, 8));
	EXPECT_EQ(-EFAULT, fill(&self->c, 0, 8, 0, 8));
	EXPECT_EQ(-EFAULT, fill(&self->c, addr(&host), 8, 0, 8));
	EXPECT_EQ(-EFAULT, fill(&self->c, 0xffff888000000000ULL, 8, 0, 8));
	EXPECT_EQ(~0ULL, host);
	EXPECT_EQ(-EOVERFLOW, fill(&self->c, self->dev, ~0ULL, 0, 1));

	ASSERT_EQ(0, copy(&self->c, addr(seen), self->dev, LENGTH));
	EXPECT_TRUE(is_all(seen, 0x11, LENGTH));
}

TEST_F(fill, large)
{
	const __u64 len = MIB(24) + 12, at = self->c.base + MIB(16) + 4;
	__u32 *seen;
	__u64 i;

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, MIB(32),
				  self->c.base + MIB(16)));
	ASSERT_EQ(0, fill(&self->c, at, len, 0xfeedf00d, 4));
	seen = malloc(len);
	ASSERT_TRUE(seen);
	ASSERT_EQ(0, copy(&self->c, addr(seen), at, len));
	for (i = 0; i < len / 4 && seen[i] == 0xfeedf00d; i++)
		;
	EXPECT_EQ(len / 4, i);
	free(seen);
}

TEST_HARNESS_MAIN
