// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that work at the same time, children of fork(), and deaths of
 * processes.
 */
#include "acl-test.h"
#include "vnpu.h"


FIXTURE(process) {
	size_t free_before;
	void *held;
};

FIXTURE_SETUP(process)
{
	OK(aclrtSetDevice(0));
	self->free_before = free_bytes();
	OK(aclrtMalloc(&self->held, 4 * MIB - 64, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMemset(self->held, 4096, 0x3c, 4096));
}

FIXTURE_TEARDOWN(process)
{
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
}

#define ROUNDS	150

/* Allocate, fill, check and free, in a mixture of sizes. */
static void *churn(void *arg)
{
	struct rng rng = { (uintptr_t)arg };
	intptr_t wrong = 0;
	uint8_t back[256];
	size_t size;
	void *p[4];
	int i, j;

	if (aclrtSetDevice(0))
		return (void *)1;
	for (i = 0; i < ROUNDS; i++) {
		for (j = 0; j < 4; j++) {
			size = 256 + rng_below(&rng, j == 3 ? MIB : 16 * KIB);
			wrong += aclrtMalloc(&p[j], size,
					     ACL_MEM_MALLOC_HUGE_FIRST) != 0;
			wrong += aclrtMemset(p[j], size, (int)(uintptr_t)arg + j,
					     256) != 0;
		}
		for (j = 0; j < 4; j++) {
			wrong += aclrtMemcpy(back, 256, p[j], 256,
					     ACL_MEMCPY_DEFAULT) != 0;
			wrong += !is_all(back, (int)(uintptr_t)arg + j, 256);
			wrong += aclrtFree(p[j]) != 0;
		}
		/* An error of one thread does not affect other threads. */
		wrong += aclrtFree(back) != BAD_VALUE;
		wrong += aclrtGetLastError(ACL_RT_THREAD_LEVEL) != BAD_VALUE;
	}
	return (void *)wrong;
}

TEST_F_TIMEOUT(process, threads_churn, 120)
{
	pthread_t thread[4];
	void *wrong;
	intptr_t i;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, churn,
					    (void *)(16 * (i + 1))));
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], &wrong);
		EXPECT_EQ(NULL, wrong);
	}
}

static void *free_again(void *p)
{
	return (void *)(intptr_t)aclrtFree(p);
}

/* Two threads free the same pointer: exactly one succeeds, every time. */
TEST_F(process, threads_free_the_same)
{
	pthread_t thread;
	aclError here;
	void *there, *p;
	int i;

	for (i = 0; i < 100; i++) {
		OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
		ASSERT_EQ(0, pthread_create(&thread, NULL, free_again, p));
		here = aclrtFree(p);
		pthread_join(thread, &there);
		ASSERT_EQ(BAD_VALUE, here + (aclError)(intptr_t)there);
	}
}

static void *set_and_reset(void *arg)
{
	intptr_t wrong = 0;
	int i;

	(void)arg;
	for (i = 0; i < 100; i++) {
		wrong += aclrtSetDevice(0) != ACL_SUCCESS;
		wrong += aclrtSynchronizeDevice() != ACL_SUCCESS;
		wrong += aclrtResetDevice(0) != ACL_SUCCESS;
	}
	return (void *)wrong;
}

TEST_F(process, threads_set_and_reset)
{
	pthread_t thread[4];
	void *wrong;
	int i;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, set_and_reset,
					    NULL));
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], &wrong);
		EXPECT_EQ(NULL, wrong);
	}
	OK(aclrtMemset(self->held, 64, 0, 64));
}

/* A child of fork() has no device, and does not crash. */
static int child_calls(void *held)
{
	int wrong = 0;
	char c = 0;
	void *p;

	wrong += aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0;
	wrong += aclrtMemcpy(&c, 1, held, 1, ACL_MEMCPY_DEFAULT) == 0;
	wrong += aclrtMemset(held, 1, 0, 1) == 0;
	wrong += c != 0;
	wrong += aclrtFree(held) == 0;
	wrong += aclrtSetDevice(0) == 0;
	aclrtResetDevice(0);
	aclrtResetDeviceForce(0);
	return wrong;
}

TEST_F(process, fork_does_not_affect_the_parent)
{
	size_t before = free_bytes();
	uint8_t back[4096];
	pid_t pid;

	fflush(stdout);
	pid = fork_bound();
	if (!pid)
		_exit(child_calls(self->held));
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(before, free_bytes());
	OK(aclrtMemcpy(back, 4096, self->held, 4096, ACL_MEMCPY_DEFAULT));
	EXPECT_TRUE(is_all(back, 0x3c, 4096));
	OK(aclrtFree(self->held));
}

/* A child that exits runs the library's destructors: they must not free. */
TEST_F(process, fork_and_exit)
{
	size_t before = free_bytes();
	pid_t pid;

	fflush(stdout);
	pid = fork_bound();
	if (!pid)
		exit(0);
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(before, free_bytes());
	OK(aclrtMemset(self->held, 64, 1, 64));
}

TEST_F(process, device_memory_is_not_inherited)
{
	pid_t pid;

	fflush(stdout);
	pid = fork_bound();
	if (!pid)
		_exit(touch_read((uintptr_t)self->held) != SIGSEGV);
	EXPECT_EQ(0, child_wait(pid));
}

/* A child that goes on does not keep the parent's memory. */
static int parent_dies_first(void)
{
	int fds[2];
	void *p;
	pid_t pid;

	if (pipe(fds) || aclrtSetDevice(0) ||
	    aclrtMalloc(&p, 32 * MIB, ACL_MEM_MALLOC_HUGE_FIRST))
		return 1;
	pid = fork();
	if (!pid) {
		/* Long enough for the test, short for an orphan. */
		close(0);
		close(1);
		close(2);
		sleep(20);
		_exit(0);
	}
	_exit(pid < 0);
}

TEST_F(process, fork_does_not_keep_memory)
{
	size_t before = free_bytes();
	pid_t pid;

	fflush(stdout);
	pid = fork_bound();
	if (!pid)
		execl("/proc/self/exe", "process", "--parent-dies-first", NULL);
	ASSERT_EQ(0, child_wait(pid));
	EXPECT_EQ(before, free_bytes());
}

/* A separate process: allocate memory, report, and wait to be killed. */
static int hold(void)
{
	void *p;

	if (aclrtSetDevice(0) ||
	    aclrtMalloc(&p, 16 * MIB, ACL_MEM_MALLOC_HUGE_FIRST) ||
	    aclrtMemset(p, 16 * MIB, 1, 16 * MIB))
		return 1;
	baton_pass(3);
	pause();
	return 0;
}

TEST_F(process, memory_of_a_killed_process_is_freed)
{
	size_t before = free_bytes();
	int fds[2], i;
	pid_t pid;

	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, pipe(fds));
		fflush(stdout);
		pid = fork_bound();
		if (!pid) {
			dup2(fds[1], 3);
			execl("/proc/self/exe", "process", "--hold", NULL);
			_exit(1);
		}
		close(fds[1]);
		baton_take(fds[0]);
		close(fds[0]);
		EXPECT_EQ(before - 16 * MIB - HUGE_SIZE, free_bytes());
		kill(pid, SIGKILL);
		EXPECT_EQ(256 + SIGKILL, child_wait(pid));
		ASSERT_EQ(before, free_bytes());
	}
}

/* The number of this process in the driver's reports. */
TEST_F(process, client_id)
{
	uint64_t id = 0, again = 0, other = 0;
	int fds[2];
	pid_t pid;

	ASSERT_EQ(0, vnpu_client_id(&id));
	ASSERT_EQ(0, vnpu_client_id(&again));
	EXPECT_NE(0, id);
	EXPECT_EQ(id, again);
	fflush(stdout);
	pid = fork_bound();
	if (!pid)
		_exit(vnpu_client_id(&again) != -EPERM);
	EXPECT_EQ(0, child_wait(pid));

	ASSERT_EQ(0, pipe(fds));
	pid = fork_bound();
	if (!pid) {
		dup2(fds[1], 3);
		execl("/proc/self/exe", "process", "--client-id", NULL);
		_exit(1);
	}
	ASSERT_EQ(sizeof(other), read(fds[0], &other, sizeof(other)));
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_LT(id, other);
}

/* A NULL pointer is an error for every call of vnpu.h, not a crash. */
TEST_F(process, null_for_extensions)
{
	vnpu_pool_t pool;
	uint64_t epoch;
	void *ptr;

	EXPECT_EQ(-EINVAL, vnpu_client_id(NULL));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_device_lost_epoch(0, NULL));
	EXPECT_ACL(BAD_DEVICE, vnpu_device_lost_epoch(-1, &epoch));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_malloc(NULL, 1, 0));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_malloc(&ptr, 0, 0));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_mem_export_dmabuf(NULL, 0, NULL));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_mem_import_dmabuf(0, NULL, NULL));

	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_get_stats(NULL, 64));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_get_device_stats(0, NULL, 64));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_walk(0, NULL, NULL));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_walk_device(0, 0, NULL, NULL));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_write(0, 0, NULL));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_profile_push_tag(NULL));

	vnpu_pool_config_init(NULL);
	EXPECT_ACL(NULL_OR_ZERO, vnpu_pool_create(NULL, NULL));
	OK(vnpu_pool_create(&pool, NULL));
	EXPECT_NE(ACL_SUCCESS, vnpu_pool_free(pool, NULL));
	EXPECT_NE(ACL_SUCCESS, vnpu_pool_free_async(pool, NULL, NULL));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_pool_objects_init(NULL, pool, 8, 8));
	EXPECT_EQ(NULL, vnpu_pool_objects_alloc(NULL));
	EXPECT_NE(ACL_SUCCESS, vnpu_pool_objects_free(NULL, NULL));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_pool_get_stats(pool, NULL));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_pool_save_profile(pool, NULL));
	OK(vnpu_pool_destroy(pool));

	EXPECT_EQ(-EINVAL, vnpu_plan_create(NULL));
	vnpu_plan_destroy(NULL);
	EXPECT_NE(NULL, vnpu_plan_fault(NULL));
	EXPECT_EQ(-EINVAL, vnpu_plan_add_tensor(NULL, NULL));
	EXPECT_EQ(-EINVAL, vnpu_plan_add_gap(NULL, 0, NULL));
	EXPECT_EQ(-EINVAL, vnpu_plan_add_separation(NULL, 0, 0));
	EXPECT_EQ(-EINVAL, vnpu_plan_add_op(NULL, NULL));
	EXPECT_EQ(-EINVAL, vnpu_plan_set_guard(NULL, 0));
	EXPECT_EQ(-EINVAL, vnpu_plan_solve(NULL, NULL, NULL));
	EXPECT_EQ(-EINVAL, vnpu_plan_recompute(NULL, NULL, NULL, NULL));
	EXPECT_EQ(-EINVAL, vnpu_plan_get_rerun(NULL, 0, NULL));
	EXPECT_EQ(-EINVAL, vnpu_plan_get_offset(NULL, 0, NULL));
	EXPECT_EQ(-EINVAL, vnpu_plan_get_life(NULL, 0, NULL, NULL));
	EXPECT_EQ(-EINVAL, vnpu_plan_get_position(NULL, 0, NULL));
	EXPECT_EQ(-EINVAL, vnpu_plan_get_peak(NULL, NULL, NULL));
	EXPECT_EQ(-EINVAL, vnpu_plan_check(NULL, NULL, 0, NULL));
	EXPECT_EQ(-EINVAL, vnpu_arena_create(NULL, NULL, 0, 0, NULL));
	vnpu_arena_destroy(NULL);
	EXPECT_NE(NULL, vnpu_arena_fault(NULL));
	EXPECT_EQ(-EINVAL, vnpu_arena_begin(NULL, 0));
	EXPECT_EQ(-EINVAL, vnpu_arena_end(NULL, 0));
	EXPECT_EQ(-EINVAL, vnpu_arena_use(NULL, 0, 0, NULL));
	EXPECT_EQ(-EINVAL, vnpu_arena_restart(NULL));
}

static int write_client_id(void)
{
	uint64_t id;

	return vnpu_client_id(&id) || write(3, &id, sizeof(id)) != sizeof(id);
}

/* Descriptors of the library are not inherited by executed programs. */
TEST_F(process, nothing_stays_open_across_exec)
{
	pid_t pid;

	fflush(stdout);
	pid = fork_bound();
	if (!pid)
		execl("/bin/sh", "sh", "-c",
		      "! ls -l /proc/$$/fd | grep -q vnpu", NULL);
	EXPECT_EQ(0, child_wait(pid));
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--parent-dies-first"))
		return parent_dies_first();
	if (argc == 2 && !strcmp(argv[1], "--hold"))
		return hold();
	if (argc == 2 && !strcmp(argv[1], "--client-id"))
		return write_client_id();
	return test_harness_run(argc, argv);
}
