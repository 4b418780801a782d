// SPDX-License-Identifier: GPL-2.0-only
/* Device and host memory: taken, and given back. */
#include "acl-test.h"

#include <sys/resource.h>

FIXTURE(memory) {
	size_t free_before;
};

FIXTURE_SETUP(memory)
{
	OK(aclrtSetDevice(0));
	self->free_before = free_bytes();
	ASSERT_LT(64 * MIB, self->free_before);
}

/* Whatever a test did, the device has all of it back. */
FIXTURE_TEARDOWN(memory)
{
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
}

typedef aclError (*alloc_fn)(void **, size_t, aclrtMemMallocPolicy);

static aclError with_cfg(void **p, size_t size, aclrtMemMallocPolicy policy)
{
	return aclrtMallocWithCfg(p, size, policy, NULL);
}

static aclError for_scheduler(void **p, size_t size,
			      aclrtMemMallocPolicy policy)
{
	return aclrtMallocForTaskScheduler(p, size, policy, NULL);
}

static const alloc_fn alloc_fns[] = {
	aclrtMalloc, aclrtMallocAlign32, aclrtMallocCached, with_cfg,
	for_scheduler,
};

#define ALLOC_FNS	(sizeof(alloc_fns) / sizeof(alloc_fns[0]))

TEST_F(memory, every_call_allocates)
{
	void *p;
	size_t i;

	for (i = 0; i < ALLOC_FNS; i++) {
		p = NULL;
		OK(alloc_fns[i](&p, 3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
		ASSERT_NE(NULL, p);
		EXPECT_EQ(0, (uintptr_t)p % 64);
		EXPECT_LE(free_bytes(), self->free_before - 3 * MIB);
		OK(aclrtFree(p));
		EXPECT_EQ(self->free_before, free_bytes());
	}
}

TEST_F(memory, every_call_refuses)
{
	void *p = (void *)1;
	size_t i;

	for (i = 0; i < ALLOC_FNS; i++) {
		EXPECT_ACL(NULL_OR_ZERO, alloc_fns[i](NULL, 64, 0));
		EXPECT_ACL(NULL_OR_ZERO, alloc_fns[i](&p, 0, 0));
		EXPECT_ACL(OUT_OF_MEMORY,
			   alloc_fns[i](&p, total_bytes() + 1, 0));
		EXPECT_NE(ACL_SUCCESS, alloc_fns[i](&p, SIZE_MAX, 0));
		EXPECT_NE(ACL_SUCCESS, alloc_fns[i](&p, SIZE_MAX - 4096, 0));
		EXPECT_ACL(OUT_OF_MEMORY, alloc_fns[i](&p, SIZE_MAX / 2, 0));
	}
	EXPECT_ACL(NULL_OR_ZERO, aclrtMalloc(&p, SIZE_MAX, 0));
	EXPECT_EQ((void *)1, p);
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST(allocating_needs_a_context)
{
	void *p;
	size_t i;

	for (i = 0; i < ALLOC_FNS; i++)
		EXPECT_ACL(NO_CONTEXT, alloc_fns[i](&p, 64, 0));
	EXPECT_ACL(NO_CONTEXT, aclrtMallocHost(&p, 64));
}

/* What @size costs under @policy, as aclrtGetMemInfo() shows it. */
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
	/* Normal pages: up to the next 4 KiB. */
	EXPECT_EQ(MIB, COST(aclrtMalloc, MIB - 64,
			    ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(3 * MIB + PAGE_SIZE,
		  COST(aclrtMalloc, 3 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(3 * MIB + PAGE_SIZE,
		  COST(aclrtMalloc, 3 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY_P2P));
	/* Huge pages: up to the next 2 MiB, however small. */
	EXPECT_EQ(HUGE_SIZE, COST(aclrtMalloc, 64, ACL_MEM_MALLOC_HUGE_ONLY));
	EXPECT_EQ(HUGE_SIZE, COST(aclrtMalloc, HUGE_SIZE - 32,
				  ACL_MEM_MALLOC_HUGE_ONLY));
	EXPECT_EQ(2 * HUGE_SIZE, COST(aclrtMalloc, HUGE_SIZE,
				      ACL_MEM_MALLOC_HUGE_ONLY));
	EXPECT_EQ(2 * HUGE_SIZE, COST(aclrtMalloc, 3 * MIB,
				      ACL_MEM_MALLOC_HUGE_ONLY_P2P));
	/* Huge first: normal pages for what is small. */
	EXPECT_EQ(MIB / 2, COST(aclrtMalloc, MIB / 2 - 64,
				ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(2 * HUGE_SIZE, COST(aclrtMalloc, 3 * MIB,
				      ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(2 * HUGE_SIZE, COST(aclrtMalloc, 3 * MIB,
				      ACL_MEM_MALLOC_HUGE_FIRST_P2P));
	/* What is no policy counts as the default. */
	EXPECT_EQ(2 * HUGE_SIZE, COST(aclrtMalloc, 3 * MIB,
				      (aclrtMemMallocPolicy)77));
}

#define SMALL	1000

/* Small memory of one process shares pages, and is as good as any other. */
TEST_F(memory, small_ones_share_pages)
{
	char *p[SMALL], back[64];
	size_t i;

	/* 64 bytes each, with what is added: 64 in a page. */
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

	/* The longest, one more, and what is not for slabs. */
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

/* The last page is had, though a slab of this size has several. */
TEST_F(memory, small_ones_take_the_last_page)
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

/* Bits beside the policy: which memory, and of what kind. */
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
 * Fill the device with small blocks, free every other one: half of it is free,
 * and none of it in huge pages. What is in the way is moved, and is not lost.
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

/* Where the last free memory is not a huge page, small ones do. */
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

/* Made of many pieces, it is one to its user. */
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

TEST_F(memory, free_refuses)
{
	char *p;
	int on_stack;

	EXPECT_ACL(NULL_OR_ZERO, aclrtFree(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtFreeWithDevSync(NULL));
	EXPECT_ACL(BAD_VALUE, aclrtFree(&on_stack));
	EXPECT_ACL(BAD_VALUE, aclrtFree((void *)8));
	EXPECT_ACL(BAD_VALUE, aclrtFree((void *)-1));
	OK(aclrtMalloc((void **)&p, 100 * KIB, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p + 1));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p + PAGE_SIZE));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p + 50 * KIB));
	EXPECT_ACL(BAD_VALUE, aclrtFreeHost(p));
	OK(aclrtFree(p));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
	EXPECT_ACL(BAD_VALUE, aclrtFreeWithDevSync(p));
}

static void *free_it(void *p)
{
	return (void *)(intptr_t)aclrtFree(p);
}

static void *free_host_it(void *p)
{
	return (void *)(intptr_t)aclrtFreeHost(p);
}

TEST_F(memory, freed_without_a_context)
{
	void *p, *h;

	OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMallocHost(&h, 64));
	EXPECT_EQ(NULL, in_thread(free_it, p));
	EXPECT_EQ(NULL, in_thread(free_host_it, h));
}

TEST_F(memory, free_with_sync)
{
	void *p;

	OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFreeWithDevSync(p));
	OK(aclrtMallocHost(&p, 64));
	OK(aclrtFreeHostWithDevSync(p));
	EXPECT_ACL(BAD_VALUE, aclrtFreeHostWithDevSync(p));
	EXPECT_ACL(NULL_OR_ZERO, aclrtFreeHostWithDevSync(NULL));
}

TEST_F(memory, config)
{
	aclrtMallocAttribute attrs[2];
	aclrtMallocConfig cfg = { attrs, 2 };
	aclrtPtrAttributes where;
	void *p;

	memset(attrs, 0, sizeof(attrs));
	attrs[0].attr = ACL_RT_MEM_ATTR_MODULE_ID;
	attrs[0].value.moduleId = 3;
	attrs[1].attr = ACL_RT_MEM_ATTR_DEVICE_ID;
	attrs[1].value.deviceId = 0;
	OK(aclrtMallocWithCfg(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST, &cfg));
	OK(aclrtPointerGetAttributes(p, &where));
	EXPECT_EQ(0, where.location.id);
	OK(aclrtFree(p));
	cfg.numAttrs = 1;
	OK(aclrtMallocHostWithCfg(&p, 64, &cfg));
	memset(p, 1, 64);
	OK(aclrtFreeHost(p));
	OK(aclrtMallocHostWithCfg(&p, 64, NULL));
	OK(aclrtFreeHost(p));

	cfg.attrs = NULL;
	EXPECT_ACL(NULL_OR_ZERO, aclrtMallocWithCfg(&p, 64, 0, &cfg));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMallocForTaskScheduler(&p, 64, 0, &cfg));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMallocHostWithCfg(NULL, 64, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMallocHostWithCfg(&p, 0, NULL));
}

/* Memory of a device that is not the current one. */
TEST_F(memory, config_of_another_device)
{
	aclrtMallocAttribute attr;
	aclrtMallocConfig cfg = { &attr, 1 };
	aclrtPtrAttributes where;
	void *p;

	memset(&attr, 0, sizeof(attr));
	attr.attr = ACL_RT_MEM_ATTR_DEVICE_ID;
	attr.value.deviceId = 1000;
	EXPECT_ACL(BAD_DEVICE, aclrtMallocWithCfg(&p, 64, 0, &cfg));
	if (device_count() < 2)
		SKIP(return, "needs 2 devices");
	attr.value.deviceId = 1;
	OK(aclrtMallocWithCfg(&p, 4 * MIB, ACL_MEM_MALLOC_HUGE_FIRST, &cfg));
	EXPECT_EQ(self->free_before, free_bytes());
	OK(aclrtPointerGetAttributes(p, &where));
	EXPECT_EQ(1, where.location.id);
	OK(aclrtFree(p));
}

TEST_F(memory, host)
{
	char *h, *g;

	OK(aclrtMallocHost((void **)&h, 100000));
	OK(aclrtMallocHost((void **)&g, 1));
	EXPECT_EQ(0, (uintptr_t)h % 64);
	memset(h, 0x33, 100000);
	EXPECT_TRUE(is_all(h, 0x33, 100000));
	EXPECT_EQ(self->free_before, free_bytes());
	OK(aclrtFreeHost(g));
	EXPECT_ACL(BAD_VALUE, aclrtFreeHost(h + 64));
	EXPECT_ACL(BAD_VALUE, aclrtFree(h));
	OK(aclrtFreeHost(h));
	EXPECT_ACL(BAD_VALUE, aclrtFreeHost(h));
	EXPECT_ACL(NULL_OR_ZERO, aclrtFreeHost(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMallocHost(NULL, 64));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMallocHost((void **)&h, 0));
	EXPECT_ACL(OUT_OF_MEMORY, aclrtMallocHost((void **)&h, SIZE_MAX / 2));
	EXPECT_NE(ACL_SUCCESS, aclrtMallocHost((void **)&h, SIZE_MAX));
}

/* Every address is its own: no two allocations overlap. */
TEST_F_TIMEOUT(memory, twenty_thousand_at_once, 200)
{
	size_t want = 20000, n, i;
	uint32_t tag;
	char **p;

	if (want > free_bytes() / (2 * PAGE_SIZE))
		want = free_bytes() / (2 * PAGE_SIZE);
	p = calloc(want, sizeof(*p));
	for (n = 0; n < want; n++) {
		OK(aclrtMalloc((void **)&p[n], 1 + n % 4000,
			       ACL_MEM_MALLOC_NORMAL_ONLY));
		if (n % 16 == 0)
			OK(aclrtMemset(p[n], 1, (int)(n / 16), 1));
	}
	/* The odd ones go, last first; the even ones keep what they hold. */
	for (i = n; i-- > 0;) {
		if (i % 2)
			OK(aclrtFree(p[i]));
	}
	for (i = 0; i < n; i += 16) {
		tag = 0;
		OK(aclrtMemcpy(&tag, 1, p[i], 1, ACL_MEMCPY_DEFAULT));
		ASSERT_EQ((uint8_t)(i / 16), tag);
	}
	free(p);
}

/* Device memory is for the device: a host that touches it dies. */
TEST_F(memory, host_touch_kills)
{
	volatile char *p;
	struct rlimit none = { 0, 0 };
	pid_t pid;
	int i;

	OK(aclrtMalloc((void **)&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)p));
	EXPECT_EQ(SIGSEGV, touch_write((uintptr_t)p, 1));
	OK(aclrtFree((void *)p));
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)p));

	for (i = 0; i < 2; i++) {
		fflush(stdout);
		pid = fork_bound();
		if (!pid) {
			setrlimit(RLIMIT_CORE, &none);
			signal(SIGSEGV, SIG_DFL);
			if (i)
				*p = 1;
			else
				(void)*p;
			_exit(0);
		}
		EXPECT_EQ(256 + SIGSEGV, child_wait(pid));
	}
}

/* Contents are not cleared within a process, but never another's. */
TEST_F(memory, no_one_elses_data)
{
	size_t size = 8 * MIB;
	char *host = malloc(size);
	void *p;
	pid_t pid;

	ASSERT_NE(NULL, host);
	fflush(stdout);
	pid = fork_bound();
	if (!pid)
		execl("/proc/self/exe", "memory", "--leave-secret", NULL);
	ASSERT_EQ(0, child_wait(pid));
	while (!aclrtMallocAlign32(&p, size, ACL_MEM_MALLOC_HUGE_ONLY)) {
		OK(aclrtMemcpy(host, size, p, size, ACL_MEMCPY_DEFAULT));
		ASSERT_EQ(NULL, memmem(host, size, "SECRETSECRET", 12));
	}
	free(host);
}

/* The other process of the test above: fills what it can, and just dies. */
static int leave_secret(void)
{
	size_t size = 8 * MIB, i;
	char *host = malloc(size);
	void *p;

	if (!host || aclrtSetDevice(0))
		return 1;
	for (i = 0; i < size; i++)
		host[i] = "SECRET"[i % 6];
	for (i = 0; i < 8; i++)
		if (aclrtMallocAlign32(&p, size, ACL_MEM_MALLOC_HUGE_ONLY) ||
		    aclrtMemcpy(p, size, host, size, ACL_MEMCPY_DEFAULT))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--leave-secret"))
		return leave_secret();
	return test_harness_run(argc, argv);
}
