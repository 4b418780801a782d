// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools on a device, and under aclrtMalloc().  selftests/pool tests pools
 * without a device.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pool.h"

FIXTURE(pool)
{
	vnpu_pool_t pool;
	size_t before;
};

FIXTURE_SETUP(pool)
{
	OK(aclrtSetDevice(0));
	self->before = free_bytes();
	OK(vnpu_pool_create(&self->pool, NULL));
}

FIXTURE_TEARDOWN(pool)
{
	OK(aclrtResetDeviceForce(0));
}

TEST_F(pool, it_is_device_memory)
{
	static const size_t sizes[] = { 1, 64, 3000, 70000, 5 * MIB };
	uint64_t number, back = 0;
	char *p[ARRAY_SIZE(sizes)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		p[i] = vnpu_pool_alloc(self->pool, sizes[i]);
		ASSERT_NE(NULL, p[i]) TH_LOG("%s", recent());
		number = i + 0x123456789abc0000;
		OK(aclrtMemcpy(p[i], 8, &number, sizes[i] < 8 ? 1 : 8,
			       ACL_MEMCPY_HOST_TO_DEVICE));
	}
	OK(aclrtMemcpy(&back, 8, p[4], 8, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(0x123456789abc0004, back);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		OK(vnpu_pool_free(self->pool, p[i]));
		EXPECT_ACL(BAD_VALUE, vnpu_pool_free(self->pool, p[i]));
	}
	EXPECT_EQ(0, stats_of(self->pool).allocated);
	EXPECT_GT(self->before, free_bytes());
	OK(vnpu_pool_trim(self->pool, 0));
	EXPECT_EQ(self->before, free_bytes());
	EXPECT_LE(8 * MIB, stats_of(self->pool).reserved_peak);
	OK(vnpu_pool_reset_peaks(self->pool));
	EXPECT_EQ(0, stats_of(self->pool).reserved_peak);
	OK(vnpu_pool_destroy(self->pool));
	EXPECT_ACL(BAD_VALUE, vnpu_pool_destroy(self->pool));
}

TEST_F(pool, all_device_memory)
{
	size_t count = 0;
	void *p;

	while (vnpu_pool_alloc(self->pool, 2 * MIB))
		count++;
	EXPECT_EQ(OUT_OF_MEMORY, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
	EXPECT_EQ(self->before / (2 * MIB), count);
	/* A pool cannot use another one's memory, but its free memory. */
	EXPECT_ACL(OUT_OF_MEMORY,
		   aclrtMalloc(&p, 16 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(vnpu_pool_destroy(self->pool));
	EXPECT_EQ(self->before, free_bytes());
	OK(vnpu_pool_create(&self->pool, NULL));
	p = vnpu_pool_alloc_aligned(self->pool, count * 2 * MIB, 2 * MIB);
	ASSERT_NE(NULL, p) TH_LOG("%s", recent());
	OK(vnpu_pool_free(self->pool, p));
	/* The pool keeps it, but it is available to other allocations. */
	EXPECT_EQ(0, free_bytes());
	OK(aclrtMallocAlign32(&p, count * 2 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(p));
	OK(vnpu_pool_set_limit(self->pool, 8 * MIB));
	EXPECT_EQ(NULL, vnpu_pool_alloc(self->pool, 9 * MIB));
}

TEST_F(pool, limit_of_a_configuration)
{
	struct vnpu_pool_config config;
	vnpu_pool_t pool;

	vnpu_pool_config_init(&config);
	config.limit = 4 * MIB;
	OK(vnpu_pool_create(&pool, &config));
	EXPECT_EQ(NULL, vnpu_pool_alloc(pool, 6 * MIB));
	EXPECT_NE(NULL, vnpu_pool_alloc(pool, 4 * MIB));
	EXPECT_EQ(NULL, vnpu_pool_alloc(pool, 1));
}

TEST_F(pool, ends_with_its_device)
{
	void *p = vnpu_pool_alloc(self->pool, 100);

	ASSERT_NE(NULL, p);
	OK(aclrtResetDeviceForce(0));
	EXPECT_ACL(BAD_VALUE, vnpu_pool_free(self->pool, p));
	EXPECT_EQ(NULL, vnpu_pool_alloc(self->pool, 100));
	EXPECT_ACL(NO_CONTEXT, vnpu_pool_create(&self->pool, NULL));
	EXPECT_ACL(NO_CONTEXT, vnpu_pool_set_default(NULL));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->before, free_bytes());
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
}

static int no_reserve(void *user, uint64_t length, uint64_t *base)
{
	*base = (uintptr_t)user;
	return length ? 0 : -1;
}

static void no_release(void *user, uint64_t base, uint64_t length)
{
	(void)user;
	(void)base;
	(void)length;
}

static int no_map(void *user, uint64_t addr, uint64_t length)
{
	(void)user;
	(void)addr;
	(void)length;
	return 0;
}

TEST_F(pool, under_aclrtMalloc)
{
	const struct vnpu_pool_provider other = {
		.reserve = no_reserve,
		.release = no_release,
		.map = no_map,
		.unmap = no_release,
		.user = (void *)(2 * MIB),
	};
	struct vnpu_pool_config config;
	vnpu_pool_t stranger;
	char *p, *q;

	vnpu_pool_config_init(&config);
	config.provider = &other;
	config.limit = 64 * MIB;
	OK(vnpu_pool_create(&stranger, &config));
	EXPECT_ACL(BAD_VALUE, vnpu_pool_set_default(stranger));
	EXPECT_ACL(BAD_VALUE, vnpu_pool_set_default((vnpu_pool_t)self));
	p = vnpu_pool_alloc(stranger, 1);
	ASSERT_NE(NULL, p);
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
	OK(vnpu_pool_free(stranger, p));
	OK(vnpu_pool_destroy(stranger));

	OK(vnpu_pool_set_default(self->pool));
	OK(aclrtMalloc((void **)&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(128, stats_of(self->pool).allocated);
	EXPECT_ACL(BAD_VALUE, aclrtFree(p + 64));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p + 1));
	OK(aclrtFree(p));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
	OK(aclrtMalloc((void **)&q, 100, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(p, q);
	OK(vnpu_pool_free(self->pool, q));
	/* The pool does not serve requests for specific pages. */
	OK(aclrtMalloc((void **)&p, 100, ACL_MEM_MALLOC_NORMAL_ONLY));
	EXPECT_EQ(0, stats_of(self->pool).allocated);
	EXPECT_ACL(BAD_VALUE, vnpu_pool_free(self->pool, p));
	OK(aclrtFree(p));
	OK(vnpu_pool_set_default(NULL));
	OK(aclrtMalloc((void **)&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(0, stats_of(self->pool).allocated);
	OK(aclrtFree(p));
	/* A destroyed pool has no effect. */
	OK(vnpu_pool_set_default(self->pool));
	OK(vnpu_pool_destroy(self->pool));
	OK(aclrtMalloc((void **)&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(p));
}

static void *churn(void *arg)
{
	void *p[32] = { NULL };
	unsigned int random = (uintptr_t)arg;

	if (aclrtSetDevice(0))
		return (void *)1;
	for (int i = 0; i < 20000; i++) {
		void **slot = &p[(random = random * 1103515245 + 12345) >> 27];
		size_t size = 1UL << (random >> 8) % 20;

		if (*slot && aclrtFree(*slot))
			return (void *)2;
		*slot = NULL;
		if (random & 64 &&
		    aclrtMalloc(slot, size, ACL_MEM_MALLOC_HUGE_FIRST))
			return (void *)3;
	}
	for (int i = 0; i < 32; i++)
		if (p[i] && aclrtFree(p[i]))
			return (void *)4;
	return NULL;
}

TEST_F(pool, by_the_environment)
{
	pthread_t threads[4];
	void *result, *p;
	int i;

	setenv("VNPU_POOL", "1", 1);
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, churn,
					    (void *)(uintptr_t)(i + 1)));
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		EXPECT_EQ(NULL, result);
	}
	OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	/* A chunk was allocated, not a page. */
	EXPECT_LE(2 * MIB, self->before - free_bytes());
	OK(aclrtFree(p));
	/* After a reset there is another one. */
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->before, free_bytes());
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
	OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(2 * MIB, self->before - free_bytes());
	/* Memory that the pool keeps is available to other allocations. */
	OK(aclrtFree(p));
	OK(aclrtMallocAlign32(&p, self->before, ACL_MEM_MALLOC_HUGE_ONLY));
	OK(aclrtFree(p));
}

/* Run the program: return what its first allocation took, in units of 2 MiB. */
static int run_with_profile(const char *path, bool resets)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		size_t before, after;
		char *p[16];

		setenv("VNPU_POOL", "1", 1);
		setenv("VNPU_POOL_PROFILE", path, 1);
		if (aclInit(NULL) || aclrtSetDevice(0))
			exit(99);
		before = after = free_bytes();
		for (int i = 0; i < 16; i++) {
			if (aclrtMalloc((void **)&p[i], 2 * MIB - 4096 * i,
					ACL_MEM_MALLOC_HUGE_FIRST))
				exit(98);
			after = i ? after : free_bytes();
		}
		for (int i = 1; i < 16; i++)
			if (aclrtFree(p[i]))
				exit(97);
		if (resets && aclrtResetDevice(0))
			exit(96);
		/* Memory that is still allocated does not matter. */
		exit((before - after) / (2 * MIB));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static bool file_begins(const char *path, const char *text)
{
	char line[64] = "";
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	return !strcmp(line, text);
}

/* Without a device, which children of a process with one cannot use. */
TEST(profile_of_the_environment)
{
	char dir[] = "/tmp/vnpu-pool-XXXXXX", path[64];
	FILE *file;

	ASSERT_NE(NULL, mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/profile", dir);
	for (int resets = 0; resets < 2; resets++) {
		EXPECT_EQ(1, run_with_profile(path, resets));
		EXPECT_TRUE(file_begins(path, "vnpu-pool-profile 1\n"));
		/* It is read, and not written again. */
		ASSERT_EQ(0, chmod(path, 0400));
		EXPECT_EQ(16, run_with_profile(path, resets));
		EXPECT_EQ(0, unlink(path));
	}
	/* An invalid one is unchanged, and the pool does not use it. */
	file = fopen(path, "we");
	ASSERT_NE(NULL, file);
	fputs("no profile\n", file);
	fclose(file);
	EXPECT_EQ(1, run_with_profile(path, false));
	EXPECT_TRUE(file_begins(path, "no profile\n"));
	EXPECT_EQ(0, unlink(path));
	EXPECT_EQ(0, rmdir(dir));
}

TEST_F(pool, steps)
{
	static const size_t sizes[] = { 5 * MIB, 3 * MIB, 700000, 5000 };
	uint64_t number, first[2] = { 0 };
	char *p[ARRAY_SIZE(sizes)];
	size_t i, step;

	EXPECT_ACL(BAD_VALUE, vnpu_pool_step_end(self->pool));
	for (step = 1; step <= 5; step++) {
		OK(vnpu_pool_step(self->pool));
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			p[i] = vnpu_pool_alloc(self->pool, sizes[i]);
			ASSERT_NE(NULL, p[i]) TH_LOG("%s", recent());
			number = step * 100 + i;
			OK(aclrtMemcpy(p[i], 8, &number, 8,
				       ACL_MEMCPY_HOST_TO_DEVICE));
		}
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			OK(aclrtMemcpy(&number, 8, p[i], 8,
				       ACL_MEMCPY_DEVICE_TO_HOST));
			EXPECT_EQ(step * 100 + i, number);
			OK(vnpu_pool_free(self->pool, p[i]));
			EXPECT_ACL(BAD_VALUE, vnpu_pool_free(self->pool, p[i]));
		}
		if (step >= 3) {
			/* 8.7 MiB, and no more. */
			EXPECT_EQ(10 * MIB, stats_of(self->pool).reserved);
			EXPECT_EQ(10 * MIB, self->before - free_bytes());
			first[step & 1] = (uintptr_t)p[0];
		}
	}
	EXPECT_EQ(first[0], first[1]);
	EXPECT_EQ(2, stats_of(self->pool).steps_replayed);
	OK(vnpu_pool_step_end(self->pool));
	OK(vnpu_pool_trim(self->pool, 0));
	EXPECT_EQ(self->before, free_bytes());
	/* Also with memory that is freed in the order of a stream. */
	for (step = 1; step <= 4; step++) {
		OK(vnpu_pool_step(self->pool));
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			p[i] = vnpu_pool_alloc_async(self->pool, sizes[i],
						     NULL);
			ASSERT_NE(NULL, p[i]) TH_LOG("%s", recent());
			OK(aclrtMemsetAsync(p[i], sizes[i], i, sizes[i], NULL));
			OK(vnpu_pool_free_async(self->pool, p[i], NULL));
		}
	}
	/* Its device is reset during a step, after a plan was made. */
	EXPECT_NE(NULL, vnpu_pool_alloc(self->pool, sizes[0]));
}

TEST_F(pool, profile_of_a_call)
{
	char path[] = "/tmp/vnpu-pool-XXXXXX";
	struct vnpu_pool_config config;
	vnpu_pool_t pool;
	int fd = mkstemp(path);

	ASSERT_LE(0, fd);
	close(fd);
	vnpu_pool_config_init(&config);
	config.learn = 1;
	OK(vnpu_pool_create(&pool, &config));
	EXPECT_NE(NULL, vnpu_pool_alloc(pool, 5 * MIB));
	EXPECT_ACL(BAD_VALUE, vnpu_pool_save_profile(self->pool, path));
	OK(vnpu_pool_save_profile(pool, path));
	OK(vnpu_pool_destroy(pool));
	config.learn = 2;
	EXPECT_ACL(BAD_VALUE, vnpu_pool_create(&pool, &config));
	config.learn = 0;
	config.profile = path;
	OK(vnpu_pool_create(&pool, &config));
	EXPECT_NE(NULL, vnpu_pool_alloc(pool, 5 * MIB));
	EXPECT_EQ(6 * MIB, stats_of(pool).reserved);
	EXPECT_EQ(1, stats_of(pool).maps);
	EXPECT_EQ(0, unlink(path));
	EXPECT_ACL(ACL_ERROR_INVALID_FILE, vnpu_pool_create(&pool, &config));
}

TEST_F(pool, a_forked_child_has_none)
{
	void *p = vnpu_pool_alloc(self->pool, 64);
	int status;
	pid_t pid;

	ASSERT_NE(NULL, p);
	pid = fork();
	if (!pid)
		_exit(vnpu_pool_alloc(self->pool, 64) ||
		      vnpu_pool_free(self->pool, p) != BAD_VALUE);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	OK(vnpu_pool_free(self->pool, p));
}

TEST_HARNESS_MAIN
