// SPDX-License-Identifier: GPL-2.0-only
/* The short calls for pools, of acl/acl_rt_ext.h. */
#include <math.h>

#include "acl/acl_rt_ext.h"
#include "pool.h"

FIXTURE(short_calls)
{
	size_t before;
};

FIXTURE_SETUP(short_calls)
{
	OK(aclrtSetDevice(0));
	self->before = free_bytes();
}

FIXTURE_TEARDOWN(short_calls)
{
	OK(aclrtResetDeviceForce(0));
}

/*
 * Allocate and free; report whether the memory stays in a pool.  Threads do not
 * keep as large memory in their caches.
 */
static bool is_reused(size_t before)
{
	void *p;

	return !aclrtMalloc(&p, 5 * MIB, ACL_MEM_MALLOC_HUGE_FIRST) &&
	       !aclrtFree(p) && free_bytes() < before;
}

TEST(a_context_is_needed)
{
	aclrtMemPoolConfig config = { .reuse_threshold = 0.5 };

	EXPECT_ACL(NO_CONTEXT, aclrtSetMemReusePolicy(ACL_MEM_REUSE_ENABLE));
	EXPECT_ACL(NO_CONTEXT, aclrtSetMemReusePolicy(ACL_MEM_REUSE_DISABLE));
	EXPECT_ACL(NO_CONTEXT, aclrtCreateMemPool(&config));
}

TEST_F(short_calls, a_policy_reuses_memory)
{
	EXPECT_ACL(BAD_VALUE, aclrtSetMemReusePolicy((aclrtMemReusePolicy)2));
	EXPECT_FALSE(is_reused(self->before));
	OK(aclrtSetMemReusePolicy(ACL_MEM_REUSE_ENABLE));
	EXPECT_TRUE(is_reused(self->before));
	/* Far more often than there may be pools. */
	for (int i = 0; i < 2 * VNPU_POOL_MAX; i++) {
		OK(aclrtSetMemReusePolicy(ACL_MEM_REUSE_DISABLE));
		OK(aclrtSetMemReusePolicy(ACL_MEM_REUSE_ENABLE));
	}
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->before, free_bytes());
	EXPECT_FALSE(is_reused(self->before));
	OK(aclrtSetMemReusePolicy(ACL_MEM_REUSE_ENABLE));
	EXPECT_TRUE(is_reused(self->before));
}

TEST_F(short_calls, a_policy_keeps_the_pool_of_the_program)
{
	vnpu_pool_t pool;
	void *p;

	OK(vnpu_pool_create(&pool, NULL));
	OK(vnpu_pool_set_default(pool));
	OK(aclrtSetMemReusePolicy(ACL_MEM_REUSE_ENABLE));
	OK(aclrtMalloc(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(128, stats_of(pool).allocated);
	OK(aclrtFree(p));
}

TEST_F(short_calls, a_pool_of_the_device)
{
	aclrtMemPoolConfig config = {
		.pool_type = ACL_MEM_POOL_TYPE_DEVICE,
		.reuse_enable = true,
		.reuse_threshold = 0.8,
	};
	void *p;

	OK(aclrtCreateMemPool(&config));
	OK(aclrtMalloc(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(128, stats_of(config.pool).allocated);
	OK(aclrtFree(p));
	EXPECT_LT(0, stats_of(config.pool).reserved);
	OK(vnpu_pool_destroy(config.pool));
}

TEST_F(short_calls, a_pool_without_reuse)
{
	aclrtMemPoolConfig config = { .reuse_enable = false };

	OK(aclrtCreateMemPool(&config));
	EXPECT_FALSE(is_reused(self->before));
	OK(vnpu_pool_destroy(config.pool));
	/* No byte may stay. */
	config.reuse_enable = true;
	OK(aclrtCreateMemPool(&config));
	EXPECT_FALSE(is_reused(self->before));
}

/* The host writes what the device reads at the same address. */
TEST_F(short_calls, pools_of_the_host)
{
	aclrtMemPoolConfig config = {
		.reuse_enable = true, .reuse_threshold = 0.5,
	};
	uint64_t *p, *dev, back = 0;

	OK(aclrtMalloc((void **)&dev, 8, ACL_MEM_MALLOC_HUGE_FIRST));
	for (int type = ACL_MEM_POOL_TYPE_HOST;
	     type <= ACL_MEM_POOL_TYPE_HOST_DEVICE; type++) {
		config.pool_type = type;
		OK(aclrtCreateMemPool(&config));
		p = vnpu_pool_alloc(config.pool, 5 * MIB);
		ASSERT_NE(NULL, p) TH_LOG("%s", recent());
		*p = 0x123456789abc0000 + type;
		OK(aclrtMemcpyAsync(dev, 8, p, 8, ACL_MEMCPY_DEVICE_TO_DEVICE,
				    NULL));
		OK(aclrtSynchronizeStream(NULL));
		OK(aclrtMemcpy(&back, 8, dev, 8, ACL_MEMCPY_DEVICE_TO_HOST));
		EXPECT_EQ(0x123456789abc0000 + type, back);
		OK(vnpu_pool_free(config.pool, p));
		OK(vnpu_pool_destroy(config.pool));
	}
}

TEST_F(short_calls, values_are_checked)
{
	static const double wrong[] = { -0.1, 1.1, NAN };
	aclrtMemPoolConfig config = { .pool_type = (aclrtMemPoolType)3 };

	EXPECT_ACL(NULL_OR_ZERO, aclrtCreateMemPool(NULL));
	EXPECT_ACL(BAD_VALUE, aclrtCreateMemPool(&config));
	config.pool_type = ACL_MEM_POOL_TYPE_DEVICE;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		config.reuse_threshold = wrong[i];
		EXPECT_ACL(BAD_VALUE, aclrtCreateMemPool(&config));
	}
	EXPECT_EQ(NULL, config.pool);
	EXPECT_EQ(ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_ERROR_RT_OUT_OF_MEMORY);
}

TEST_HARNESS_MAIN
