// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools of a device whose memory moves: allocations keep their addresses and
 * contents.
 */
#include "pool.h"

#define BLOCKS	12
#define BLOCK	(2 * MIB)

FIXTURE(pool_remap)
{
	vnpu_pool_t pool;
	size_t before;
	char *p[BLOCKS];
	unsigned char *back;
};

FIXTURE_VARIANT(pool_remap)
{
	uint32_t unit;
};

FIXTURE_VARIANT_ADD(pool_remap, units_of_64_kib)
{
	.unit = 64 << 10,
};

FIXTURE_VARIANT_ADD(pool_remap, units_of_2_mib)
{
	.unit = 2 << 20,
};

/*
 * All that the pool may use is allocated, and each block contains its number.
 */
FIXTURE_SETUP(pool_remap)
{
	struct vnpu_pool_config config;

	OK(aclrtSetDevice(0));
	self->before = free_bytes();
	vnpu_pool_config_init(&config);
	config.type = VNPU_POOL_COMPACT;
	config.limit = BLOCKS * BLOCK;
	config.remap = variant->unit;
	config.defrag_threshold = 0;
	OK(vnpu_pool_create(&self->pool, &config));
	for (int i = 0; i < BLOCKS; i++) {
		self->p[i] = vnpu_pool_alloc(self->pool, BLOCK);
		ASSERT_NE(NULL, self->p[i]) TH_LOG("%s", recent());
		OK(aclrtMemset(self->p[i], BLOCK, i + 1, BLOCK));
	}
	EXPECT_EQ(self->before - BLOCKS * BLOCK, free_bytes());
	self->back = malloc(BLOCK);
	ASSERT_NE(NULL, self->back);
}

FIXTURE_TEARDOWN(pool_remap)
{
	free(self->back);
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->before, free_bytes());
	OK(aclrtResetDeviceForce(0));
}

/* Return how many bytes of a block have changed. */
static size_t changed(unsigned char *back, const char *block, int value)
{
	size_t count = 0;

	if (aclrtMemcpy(back, BLOCK, block, BLOCK, ACL_MEMCPY_DEVICE_TO_HOST))
		return BLOCK;
	for (size_t i = 0; i < BLOCK; i++)
		count += back[i] != value;
	return count;
}

/* Every other one is free; an allocation of all of these is contiguous. */
TEST_F(pool_remap, no_new_memory)
{
	size_t half = BLOCKS / 2 * BLOCK, units = half / variant->unit;
	char *run;
	int i;

	for (i = 0; i < BLOCKS; i += 2)
		OK(vnpu_pool_free(self->pool, self->p[i]));
	run = vnpu_pool_alloc(self->pool, half);
	ASSERT_NE(NULL, run) TH_LOG("%s", recent());
	EXPECT_EQ(units, stats_of(self->pool).moves);
	EXPECT_EQ(2 * units, stats_of(self->pool).maps);
	EXPECT_EQ(self->before - BLOCKS * BLOCK, free_bytes());
	OK(aclrtMemset(run, half, 0xa5, half));
	for (i = 1; i < BLOCKS; i += 2)
		EXPECT_EQ(0, changed(self->back, self->p[i], i + 1));
	for (i = 0; i < BLOCKS / 2; i++)
		EXPECT_EQ(0, changed(self->back, run + i * BLOCK, 0xa5));
	/* The old addresses have no memory now. */
	EXPECT_NE(ACL_SUCCESS, aclrtMemset(self->p[0], 64, 0, 64));
	OK(vnpu_pool_free(self->pool, run));
	OK(vnpu_pool_defragment(self->pool, 0));
	EXPECT_EQ(self->before - half, free_bytes());
	for (i = 1; i < BLOCKS; i += 2)
		OK(vnpu_pool_free(self->pool, self->p[i]));
	OK(vnpu_pool_defragment(self->pool, 0));
	EXPECT_EQ(self->before, free_bytes());
}

/* Moved on request; a copy between blocks copies their contents. */
TEST_F(pool_remap, on_call)
{
	size_t half = BLOCKS / 2 * BLOCK;
	uint64_t moves;
	char *run;
	int i;

	for (i = 0; i < BLOCKS; i += 2)
		OK(vnpu_pool_free(self->pool, self->p[i]));
	OK(vnpu_pool_defragment(self->pool, UINT64_MAX));
	moves = stats_of(self->pool).moves;
	EXPECT_EQ(half / variant->unit, moves);
	run = vnpu_pool_alloc(self->pool, half);
	ASSERT_NE(NULL, run) TH_LOG("%s", recent());
	EXPECT_EQ(moves, stats_of(self->pool).moves);
	for (i = 1; i < BLOCKS; i += 2)
		OK(aclrtMemcpy(run + i / 2 * BLOCK, BLOCK, self->p[i], BLOCK,
			       ACL_MEMCPY_DEVICE_TO_DEVICE));
	for (i = 1; i < BLOCKS; i += 2)
		EXPECT_EQ(0, changed(self->back, run + i / 2 * BLOCK, i + 1));
}

/* Memory that a stream may still use does not move. */
TEST_F(pool_remap, after_the_stream)
{
	size_t half = BLOCKS / 2 * BLOCK;
	aclrtNotify notify;
	aclrtStream stream;
	char *run;
	int i;

	OK(aclrtCreateStream(&stream));
	OK(aclrtCreateNotify(&notify, 0));
	OK(aclrtWaitAndResetNotify(notify, stream, 0));
	for (i = 0; i < BLOCKS; i += 2) {
		OK(aclrtMemsetAsync(self->p[i], BLOCK, 0xff, BLOCK, stream));
		OK(vnpu_pool_free_async(self->pool, self->p[i], stream));
	}
	EXPECT_EQ(NULL, vnpu_pool_alloc(self->pool, half));
	OK(vnpu_pool_defragment(self->pool, 0));
	EXPECT_EQ(0, stats_of(self->pool).moves);
	EXPECT_EQ(self->before - BLOCKS * BLOCK, free_bytes());
	OK(aclrtRecordNotify(notify, NULL));
	OK(aclrtSynchronizeStream(stream));
	OK(vnpu_pool_defragment(self->pool, UINT64_MAX));
	EXPECT_EQ(half / variant->unit, stats_of(self->pool).moves);
	run = vnpu_pool_alloc_async(self->pool, half, stream);
	ASSERT_NE(NULL, run) TH_LOG("%s", recent());
	OK(aclrtMemsetAsync(run, half, 0x5a, half, stream));
	OK(aclrtSynchronizeStream(stream));
	for (i = 1; i < BLOCKS; i += 2)
		EXPECT_EQ(0, changed(self->back, self->p[i], i + 1));
	OK(aclrtDestroyStream(stream));
	OK(aclrtDestroyNotify(notify));
}

TEST_HARNESS_MAIN
