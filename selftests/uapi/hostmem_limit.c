// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which user is charged for host memory, allocated and registered, and that all
 * of it is freed when its owner is gone.
 */
#include "hostmem.h"

#include <sys/resource.h>

#include "host_quota.h"

static int quota_child(void)
{
	struct client c;
	__u32 a, b, id;
	void *p;

	become_nobody();
	if (client_open(&c))
		return 1;
	if (host_alloc(&c, 4 * PAGE, &a) || host_alloc(&c, 4 * PAGE, &b))
		return 3;
	if (host_alloc(&c, 1, &id) != -EDQUOT)
		return 4;
	/* A mapping keeps the memory charged. */
	p = host_map(&c, a, 4 * PAGE, PROT_READ, MAP_SHARED);
	if (p == MAP_FAILED || mem_free(&c, a))
		return 5;
	if (host_alloc(&c, 1, &id) != -EDQUOT)
		return 6;
	if (munmap(p, 4 * PAGE) || host_alloc(&c, 4 * PAGE, &a))
		return 7;
	if (host_alloc(&c, 1, &id) != -EDQUOT || mem_free(&c, b))
		return 8;
	if (host_alloc(&c, 4 * PAGE + 1, &id) != -EDQUOT)
		return 9;
	/*
	 * The rest is freed when the process ends; otherwise the next run
	 * fails.
	 */
	return host_alloc(&c, 4 * PAGE, &id) ? 10 : 0;
}

TEST_F(hostmem, quota)
{
	if (!host_quota_get())
		SKIP(return, "no " HOST_QUOTA);
	EXPECT_EQ(0, with_host_quota(8 * PAGE, quota_child));
	EXPECT_EQ(0, with_host_quota(8 * PAGE, quota_child));
}

static int quota_root_child(void)
{
	struct client c;
	__u32 id;

	return client_open(&c) || host_alloc(&c, 64 * PAGE, &id);
}

TEST_F(hostmem, quota_does_not_limit_the_administrator)
{
	EXPECT_EQ(0, with_host_quota(0, quota_root_child));
}

TEST_F(hostmem, quota_parameter)
{
	__u64 before = host_quota_get();

	EXPECT_EQ(0, host_quota_write("3M\n"));
	EXPECT_EQ(MIB(3), host_quota_get());
	EXPECT_EQ(-EINVAL, host_quota_write("3 apples"));
	EXPECT_EQ(-EINVAL, host_quota_write("-1"));
	EXPECT_EQ(-EINVAL, host_quota_write("M"));
	EXPECT_EQ(MIB(3), host_quota_get());
	EXPECT_EQ(0, host_quota_set(before));
}

static int rlimit_child(void)
{
	struct rlimit limit = { .rlim_cur = 8 * PAGE, .rlim_max = 8 * PAGE };
	struct client c;
	__u32 a, b;
	__u8 *p = anonymous(16 * PAGE);

	if (p == MAP_FAILED || client_open(&c) ||
	    setrlimit(RLIMIT_MEMLOCK, &limit))
		return 1;
	/* The limit does not apply with CAP_SYS_RESOURCE. */
	if (host_register(&c, 0, p, 16 * PAGE, &a) || mem_free(&c, a))
		return 2;
	/* The owner's mm stays the same, while its rights change. */
	become_nobody();
	if (host_register(&c, 0, p, 9 * PAGE, &a) != -EDQUOT)
		return 3;
	if (host_register(&c, 0, p, 8 * PAGE, &a))
		return 4;
	if (host_register(&c, 0, p, 1, &b) != -EDQUOT)
		return 5;
	/* Neither failed requests nor freed memory are charged. */
	if (mem_free(&c, a) || munmap(p + 7 * PAGE, PAGE))
		return 6;
	if (host_register(&c, 0, p, 8 * PAGE, &a) != -EFAULT)
		return 7;
	if (host_register(&c, 0, p, 7 * PAGE, &a) ||
	    host_register(&c, 0, p + 8 * PAGE, PAGE, &b))
		return 8;
	client_close(&c);
	return pinned_kib() == 0 ? 0 : 9;
}

TEST_F(hostmem, rlimit)
{
	pid_t pid = fork_bound();

	if (!pid)
		_exit(rlimit_child());
	EXPECT_EQ(0, child_wait(pid));
}

/* Hold some of each kind until the process is killed. */
static void hold_all(int ready)
{
	struct client c;
	__u32 id;
	__u8 *p = anonymous(MIB(1));
	void *m;

	if (p == MAP_FAILED || client_open(&c) ||
	    host_register(&c, 0, p, MIB(1), &id) ||
	    va_bind(&c, id, c.base, MIB(1), 0) ||
	    host_register(&c, 0, p, PAGE, &id) ||
	    host_alloc(&c, MIB(1), &id) ||
	    va_bind(&c, id, c.base + MIB(2), MIB(1), 0))
		_exit(1);
	m = host_map(&c, id, MIB(1), PROT_READ | PROT_WRITE, MAP_SHARED);
	if (m == MAP_FAILED || host_register(&c, 0, m, MIB(1), &id))
		_exit(2);
	baton_pass(ready);
	/* Killed in the middle of a copy, most likely. */
	for (;;)
		copy(&c, c.base, c.base + MIB(2), MIB(1));
}

/*
 * All of it must be freed, or unloading the module and kmemleak will show it.
 */
TEST_F(hostmem, killed)
{
	int i, ready[2];

	for (i = 0; i < 4; i++) {
		pid_t pid;

		ASSERT_EQ(0, pipe(ready));
		pid = fork_bound();
		if (!pid)
			hold_all(ready[1]);
		close(ready[1]);
		baton_take(ready[0]);
		close(ready[0]);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		EXPECT_EQ(256 + SIGKILL, child_wait(pid));
	}
}

/* The child keeps the file, but not the owner's memory. */
TEST_F(hostmem, owner_dies_first)
{
	int ready[2], gone[2];
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(gone));
	pid = fork_bound();
	if (!pid) {
		pid_t child = fork();

		if (!child) {
			/* Wait until the test closes its end. */
			close(gone[1]);
			close(ready[1]);
			_exit(read(gone[0], &c, 1));
		}
		close(gone[0]);
		close(gone[1]);
		hold_all(ready[1]);
	}
	close(ready[1]);
	baton_take(ready[0]);
	ASSERT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(256 + SIGKILL, child_wait(pid));
	close(ready[0]);
	close(gone[0]);
	close(gone[1]);
}

/* exec() ends the address space, and unpins all its pages. */
TEST_F(hostmem, exec)
{
	pid_t pid = fork_bound();

	if (!pid) {
		__u8 *p = anonymous(LENGTH);
		struct client c;
		__u32 id;

		if (p == MAP_FAILED || client_open(&c) ||
		    fcntl(c.fd, F_SETFD, 0) ||
		    host_register(&c, 0, p, LENGTH, &id) ||
		    host_alloc(&c, LENGTH, &id))
			_exit(1);
		execl("/bin/true", "true", NULL);
		_exit(2);
	}
	EXPECT_EQ(0, child_wait(pid));
}

TEST_HARNESS_MAIN
