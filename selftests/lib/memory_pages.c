// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages of device memory: the cost of each policy, shared pages, and
 * fragmented free memory.
 */
#include "acl-memory.h"

/* The cost of @size under @policy, as aclrtGetMemInfo() shows it. */
static size_t cost(struct __test_metadata *_metadata, alloc_fn alloc,
		   size_t size, aclrtMemMallocPolicy policy)
{
	size_t before = free_bytes(), after;
	void *p;

	OK(alloc(&p, size, policy));
	after = free_bytes();
	OK(aclrtFree(p));
	EXPECT_EQ(before, free_bytes());
	return before - after;
}

#define COST(alloc, size, policy)	cost(_metadata, alloc, size, policy)

TEST_F(memory, policies_choose_pages)
{
	/* Normal pages: rounded up to 4 KiB. */
	EXPECT_EQ(MIB, COST(aclrtMalloc, MIB - 64,
			    ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(3 * MIB + PAGE_SIZE,
		  COST(aclrtMalloc, 3 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(3 * MIB + PAGE_SIZE,
		  COST(aclrtMalloc, 3 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY_P2P));
	/* Huge pages: rounded up to 2 MiB, for any size. */
	EXPECT_EQ(HUGE_SIZE, COST(aclrtMalloc, 64, ACL_MEM_MALLOC_HUGE_ONLY));
	EXPECT_EQ(HUGE_SIZE, COST(aclrtMalloc, HUGE_SIZE - 32,
				  ACL_MEM_MALLOC_HUGE_ONLY));
	EXPECT_EQ(2 * HUGE_SIZE, COST(aclrtMalloc, HUGE_SIZE,
				      ACL_MEM_MALLOC_HUGE_ONLY));
	EXPECT_EQ(2 * HUGE_SIZE, COST(aclrtMalloc, 3 * MIB,
				      ACL_MEM_MALLOC_HUGE_ONLY_P2P));
	/* Huge first: normal pages for small sizes. */
	EXPECT_EQ(MIB / 2, COST(aclrtMalloc, MIB / 2 - 64,
				ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(2 * HUGE_SIZE, COST(aclrtMalloc, 3 * MIB,
				      ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(2 * HUGE_SIZE, COST(aclrtMalloc, 3 * MIB,
				      ACL_MEM_MALLOC_HUGE_FIRST_P2P));
	/* An unknown policy counts as the default. */
	EXPECT_EQ(2 * HUGE_SIZE, COST(aclrtMalloc, 3 * MIB,
				      (aclrtMemMallocPolicy)77));
}

#define SMALL	1000

/* Small allocations of one process share pages, and work like any others. */
TEST_F(memory, small_allocations_share_pages)
{
	char *p[SMALL], back[64];
	size_t i;

	/* 64 bytes each with the slack: 64 in a page. */
	for (i = 0; i < SMALL; i++) {
		OK(aclrtMalloc((void **)&p[i], 32, ACL_MEM_MALLOC_HUGE_FIRST));
		ASSERT_EQ(0, (uintptr_t)p[i] % 64);
		OK(aclrtMemset(p[i], 32, i % 251, 32));
	}
	EXPECT_EQ(self->free_before - 16 * PAGE_SIZE, free_bytes());
	for (i = 0; i < SMALL; i++) {
		OK(aclrtMemcpy(back, 32, p[i], 32, ACL_MEMCPY_DEVICE_TO_HOST));
		ASSERT_TRUE(is_all(back, i % 251, 32));
	}
	EXPECT_ACL(BAD_VALUE, aclrtFree(p[5] + 32));
	for (i = 0; i < SMALL; i += 2)
		OK(aclrtFree(p[i]));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p[0]));
	EXPECT_EQ(self->free_before - 16 * PAGE_SIZE, free_bytes());
	for (i = 1; i < SMALL; i += 2)
		OK(aclrtFree(p[i]));
	EXPECT_EQ(self->free_before, free_bytes());

	/*
	 * The largest size for slabs, one more, and a size that is not for
	 * slabs.
	 */
	EXPECT_EQ(7 * PAGE_SIZE, COST(aclrtMalloc, 3584 - 32,
				      ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(PAGE_SIZE, COST(aclrtMalloc, 3584 - 31,
				  ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(HUGE_SIZE, COST(aclrtMalloc, 1, ACL_MEM_MALLOC_HUGE_ONLY));

	/* A reset frees small memory as well. */
	for (i = 0; i < SMALL; i++)
		OK(aclrtMalloc((void **)&p[i], 1 + i,
			       ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
	EXPECT_ACL(BAD_VALUE, aclrtFree(p[0]));
}

/* The last page can be allocated, though a slab of this size has several. */
TEST_F(memory, small_allocations_use_the_last_page)
{
	void *p, *rest;

	OK(aclrtMallocAlign32(&rest, self->free_before - PAGE_SIZE,
			      ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMallocAlign32(&p, 3584, ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(0, free_bytes());
	OK(aclrtFree(p));
	OK(aclrtMallocAlign32(&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(0, free_bytes());
	OK(aclrtFree(p));
	OK(aclrtFree(rest));
}

/* Bits next to the policy: the kind of memory. */
TEST_F(memory, policy_bits)
{
	static const uint32_t bits[] = {
		ACL_MEM_TYPE_LOW_BAND_WIDTH, ACL_MEM_TYPE_HIGH_BAND_WIDTH,
	};
	void *p;
	size_t i;

	for (i = 0; i < 2; i++) {
		EXPECT_EQ(2 * HUGE_SIZE,
			  COST(aclrtMalloc, HUGE_SIZE, (aclrtMemMallocPolicy)
			       (ACL_MEM_MALLOC_HUGE_ONLY | bits[i])));
		EXPECT_EQ(HUGE_SIZE + PAGE_SIZE,
			  COST(aclrtMalloc, HUGE_SIZE, (aclrtMemMallocPolicy)
			       (ACL_MEM_MALLOC_NORMAL_ONLY | bits[i])));
	}
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtMalloc(&p, 64, ACL_MEM_ACCESS_USER_SPACE_READONLY));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtMalloc(&p, 64, (aclrtMemMallocPolicy)
			       (ACL_MEM_MALLOC_NORMAL_ONLY |
				ACL_MEM_ACCESS_USER_SPACE_READONLY)));
}

/* aclrtMalloc() adds 32 bytes to the size, its relatives do not. */
TEST_F(memory, calls_differ_in_slack)
{
	EXPECT_EQ(HUGE_SIZE + PAGE_SIZE,
		  COST(aclrtMalloc, HUGE_SIZE, ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(HUGE_SIZE + PAGE_SIZE,
		  COST(aclrtMallocCached, HUGE_SIZE,
		       ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(HUGE_SIZE, COST(aclrtMallocAlign32, HUGE_SIZE,
				  ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(HUGE_SIZE, COST(aclrtMallocAlign32, HUGE_SIZE - 31,
				  ACL_MEM_MALLOC_HUGE_ONLY));
	EXPECT_EQ(HUGE_SIZE, COST(with_cfg, HUGE_SIZE,
				  ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(HUGE_SIZE, COST(with_cfg, HUGE_SIZE,
				  ACL_MEM_MALLOC_HUGE_ONLY));
}

TEST_F(memory, giant_pages_do_not_fall_back)
{
	void *p;

	if (total_bytes() >= (size_t)1 << 30)
		SKIP(return, "the device may have a page of 1 GiB");
	EXPECT_ACL(OUT_OF_MEMORY,
		   aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE1G_ONLY));
	EXPECT_ACL(OUT_OF_MEMORY,
		   aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE1G_ONLY_P2P));
}

/*
 * Fill the device with small blocks, and free every other one: half of it is
 * free, without huge pages. The other blocks are moved, and keep their
 * contents.
 */
TEST_F_TIMEOUT(memory, scattered_memory_makes_huge_pages, 120)
{
	size_t block = total_bytes() / 2048 & ~(PAGE_SIZE - 1), n = 0, i;
	void **blocks = calloc(8192, sizeof(*blocks));
	size_t mark, huge = 0;
	void *p;

	if (block >= MIB)
		SKIP(return, "too large a device");
	if (block < 16 * PAGE_SIZE)
		block = 16 * PAGE_SIZE;
	while (n < 8192 && !aclrtMallocAlign32(&blocks[n], block,
					       ACL_MEM_MALLOC_NORMAL_ONLY)) {
		OK(aclrtMemcpy((char *)blocks[n] + block - sizeof(n), sizeof(n),
			       &n, sizeof(n), ACL_MEMCPY_DEFAULT));
		n++;
	}
	ASSERT_LT(16, n);
	for (i = 0; i < n; i += 2)
		OK(aclrtFree(blocks[i]));
	while (!aclrtMallocAlign32(&p, HUGE_SIZE, ACL_MEM_MALLOC_HUGE_ONLY))
		huge++;
	EXPECT_LE(n / 4 * block, huge * HUGE_SIZE);
	EXPECT_LT(free_bytes(), HUGE_SIZE);
	for (i = 1; i < n; i += 2) {
		OK(aclrtMemcpy(&mark, sizeof(mark),
			       (char *)blocks[i] + block - sizeof(mark),
			       sizeof(mark), ACL_MEMCPY_DEFAULT));
		ASSERT_EQ(i, mark);
		OK(aclrtFree(blocks[i]));
	}
	free(blocks);
}

/* If the last free memory is not a huge page, small ones are used. */
TEST_F(memory, huge_first_falls_back)
{
	size_t left = HUGE_SIZE - 8 * PAGE_SIZE, want = left - PAGE_SIZE;
	void *rest, *p;
	char c = 0;

	OK(aclrtMallocAlign32(&rest, free_bytes() - left,
			      ACL_MEM_MALLOC_NORMAL_ONLY));
	ASSERT_EQ(left, free_bytes());
	EXPECT_ACL(OUT_OF_MEMORY,
		   aclrtMalloc(&p, want, ACL_MEM_MALLOC_HUGE_ONLY));
	OK(aclrtMalloc(&p, want, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMemset(p, want, 0x5a, want));
	OK(aclrtMemcpy(&c, 1, (char *)p + want - 1, 1, ACL_MEMCPY_DEFAULT));
	EXPECT_EQ(0x5a, c);
	OK(aclrtFree(p));
	OK(aclrtFree(rest));
}

/* Memory of many pieces looks contiguous to its user. */
TEST_F_TIMEOUT(memory, pieces_make_one, 120)
{
	enum { BLOCKS = 512 };
	size_t block = 16 * PAGE_SIZE, i;
	void *blocks[BLOCKS], *rest, *p, *q;
	char c = 0;

	for (i = 0; i < BLOCKS; i++)
		OK(aclrtMallocAlign32(&blocks[i], block,
				      ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMallocAlign32(&rest, free_bytes(), ACL_MEM_MALLOC_NORMAL_ONLY));
	for (i = 0; i < BLOCKS; i += 2)
		OK(aclrtFree(blocks[i]));
	OK(aclrtMalloc(&p, 4 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMalloc(&q, 4 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMemset(p, 4 * MIB, 0x5a, 4 * MIB));
	OK(aclrtMemcpy(q, 4 * MIB, p, 4 * MIB, ACL_MEMCPY_DEFAULT));
	OK(aclrtMemcpy(&c, 1, (char *)q + 4 * MIB - 1, 1, ACL_MEMCPY_DEFAULT));
	EXPECT_EQ(0x5a, c);
	for (i = 1; i < BLOCKS; i += 2)
		OK(aclrtFree(blocks[i]));
	OK(aclrtFree(rest));
}

TEST_HARNESS_MAIN
