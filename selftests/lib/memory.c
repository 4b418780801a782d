// SPDX-License-Identifier: GPL-2.0-only
/* Allocate and free device and host memory. */
#include "acl-memory.h"

#include <sys/resource.h>

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

/* Addresses are distinct: no two allocations overlap. */
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
	/* Free the odd ones, last first; the even ones keep their contents. */
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

/* Device memory has no host access: a process that touches it is killed. */
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

/* Memory may have old contents of the same process, but never another's. */
TEST_F(memory, no_data_of_other_processes)
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

/* The other process of the test above: fill as much as possible, and exit. */
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
