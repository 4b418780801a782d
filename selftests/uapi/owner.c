// SPDX-License-Identifier: GPL-2.0-only
/*
 * A file belongs to the address space that opened it. A child, an executed
 * program or a process that received the descriptor has the file, but can
 * neither use it nor keep its owner's memory.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sched.h>

#include "client.h"
#include "pass.h"
#include "util.h"

#include "ioctl_list.h"

/* The argument that makes this program the one that inherits a file. */
#define INHERITED "--inherited"

FIXTURE(owner)
{
	struct client c;
	__u64 used;	/* free before this client */
	__u32 id;
};

FIXTURE_SETUP(owner)
{
	ASSERT_EQ(0, client_open(&self->c));
	self->used = device_used(&self->c, 0);
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, 4 * PAGE, &self->id));
	ASSERT_EQ(0, va_bind(&self->c, self->id, self->c.base, 4 * PAGE, 0));
	ASSERT_EQ(0, fill(&self->c, self->c.base, 4 * PAGE, 0x41, 1));
}

FIXTURE_TEARDOWN(owner)
{
	client_close(&self->c);
}

/*
 * Make every call on the file. Return 0 if each is refused with EPERM, or a
 * number that identifies the first that is not.
 */
static int all_refused(int fd)
{
	__u8 page[PAGE] = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ioctl_list); i++) {
		*(__u32 *)page = 128;
		if (call(fd, ioctl_list[i].nr, page) != -EPERM)
			return 1 + i;
		/* Nor is its struct checked. */
		*(__u32 *)page = 0;
		if (call(fd, ioctl_list[i].nr, page) != -EPERM ||
		    call(fd, ioctl_list[i].nr, NULL) != -EPERM)
			return 50 + i;
	}
	if (mmap(NULL, MIB(1), PROT_NONE, MAP_SHARED, fd, 0) != MAP_FAILED ||
	    errno != EPERM)
		return 100;
	if (mmap(NULL, MIB(1), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) !=
	    MAP_FAILED || errno != EPERM)
		return 101;
	return 0;
}

static bool is_intact(FIXTURE_DATA(owner) * self)
{
	__u8 seen[4 * PAGE];

	return !copy(&self->c, addr(seen), self->c.base, sizeof(seen)) &&
	       is_all(seen, 0x41, sizeof(seen)) &&
	       device_used(&self->c, 0) == self->used + 4 * PAGE;
}

TEST_F(owner, child_is_refused)
{
	pid_t pid = fork_bound();

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(all_refused(self->c.fd));
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_TRUE(is_intact(self));

	/* A child of the child is refused as well. */
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		pid = fork_bound();
		_exit(pid ? child_wait(pid) : all_refused(self->c.fd));
	}
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_TRUE(is_intact(self));
}

TEST_F(owner, child_ends_without_harm)
{
	static const int signals[] = { 0, SIGKILL, SIGSEGV };
	unsigned int i;
	pid_t pid;

	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		pid = fork_bound();
		ASSERT_LE(0, pid);
		if (!pid) {
			close(self->c.fd);
			munmap(ptr(self->c.base), self->c.size);
			if (signals[i])
				raise(signals[i]);
			_exit(0);
		}
		child_wait(pid);
		EXPECT_TRUE(is_intact(self));
	}
}

/* A child can open clients of its own. */
TEST_F(owner, child_opens_its_own)
{
	pid_t pid = fork_bound();

	ASSERT_LE(0, pid);
	if (!pid) {
		struct client c;

		if (client_open(&c) ||
		    mem_alloc_at(&c, 0, 0, 0, PAGE, c.base))
			_exit(1);
		_exit(all_refused(self->c.fd));
	}
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_TRUE(is_intact(self));
}

/* A child that shares the address space may use the client. */
TEST_F(owner, shared_address_space)
{
	pid_t pid = vfork();

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(fill(&self->c, self->c.base, PAGE, 0x42, 1) ? 1 : 0);
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_FALSE(is_intact(self));
	EXPECT_EQ(0, fill(&self->c, self->c.base, PAGE, 0x41, 1));
	EXPECT_TRUE(is_intact(self));
}

static void *thread_run(void *arg)
{
	const struct client *c = arg;
	__u32 id;

	if (mem_alloc(c, 0, 0, 0, PAGE, &id) || mem_free(c, id))
		return arg;
	return NULL;
}

TEST_F(owner, threads)
{
	pthread_t thread[8];
	unsigned int i;
	void *failed;

	for (i = 0; i < ARRAY_SIZE(thread); i++) {
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, thread_run,
					    &self->c));
	}
	for (i = 0; i < ARRAY_SIZE(thread); i++) {
		pthread_join(thread[i], &failed);
		EXPECT_NULL(failed);
	}
	EXPECT_TRUE(is_intact(self));
}

/*
 * The owner ends and its child keeps the file: the memory is free, and the
 * child is still refused.
 */
TEST_F(owner, owner_ends_before_its_child)
{
	static const int signals[] = { 0, SIGKILL };
	int ready[2], go[2], result[2];
	__u64 used;
	unsigned int i;
	pid_t pid;
	char code;

	used = device_used(&self->c, 0);
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		ASSERT_EQ(0, pipe(ready));
		ASSERT_EQ(0, pipe(go));
		ASSERT_EQ(0, pipe(result));
		pid = fork_bound();
		ASSERT_LE(0, pid);
		if (!pid) {
			struct client c;

			close(go[1]);
			if (client_open(&c) ||
			    mem_alloc_at(&c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
					 64 * PAGE, c.base))
				_exit(1);
			pid = fork();
			if (!pid) {
				baton_pass(ready[1]);
				baton_take(go[0]);
				code = all_refused(c.fd);
				_exit(write(result[1], &code, 1) != 1);
			}
			if (signals[i])
				raise(signals[i]);
			_exit(pid < 0);
		}
		baton_take(ready[0]);
		EXPECT_EQ(signals[i] ? 256 + signals[i] : 0, child_wait(pid));
		EXPECT_EQ(used, device_used(&self->c, 0));

		baton_pass(go[1]);
		ASSERT_EQ(1, read(result[0], &code, 1));
		EXPECT_EQ(0, code);
		close(ready[0]);
		close(ready[1]);
		close(go[0]);
		close(go[1]);
		close(result[0]);
		close(result[1]);
	}
	EXPECT_TRUE(is_intact(self));
}

/*
 * The executed program has another address space, though the process is the
 * same.
 */
TEST_F(owner, exec)
{
	char fd[16], used[32];
	pid_t pid;

	snprintf(used, sizeof(used), "%llu", device_used(&self->c, 0));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct client c;

		if (client_open(&c) ||
		    mem_alloc_at(&c, 0, 0, 0, 64 * PAGE, c.base) ||
		    fcntl(c.fd, F_SETFD, 0))
			_exit(120);
		snprintf(fd, sizeof(fd), "%d", c.fd);
		execl("/proc/self/exe", "owner", INHERITED, fd, used, NULL);
		_exit(121);
	}
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_TRUE(is_intact(self));
}

static int inherited(int fd, __u64 used)
{
	struct client c;

	if (client_open_only(&c))
		return 122;
	if (device_used(&c, 0) != used)
		return 123;
	return all_refused(fd);
}

TEST_F(owner, descriptor_passed_on)
{
	int sockets[2], fd;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(self->c.fd);
		fd = file_receive(sockets[1]);
		_exit(fd < 0 ? 124 : all_refused(fd));
	}
	ASSERT_EQ(0, file_send(sockets[0], self->c.fd));
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_TRUE(is_intact(self));
}

/* A descriptor in flight in a socket that is not read keeps nothing either. */
TEST_F(owner, descriptor_in_flight)
{
	__u64 used = device_used(&self->c, 0);
	int sockets[2];
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct client c;

		if (client_open(&c) ||
		    mem_alloc_at(&c, 0, 0, 0, 64 * PAGE, c.base))
			_exit(1);
		ASSERT_EQ(0, file_send(sockets[0], c.fd));
		_exit(0);
	}
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(used, device_used(&self->c, 0));
	close(sockets[0]);
	close(sockets[1]);
	EXPECT_EQ(used, device_used(&self->c, 0));
}

/* A duplicated descriptor is the same client. */
TEST_F(owner, duplicate)
{
	struct client twin = self->c;
	struct vnpu_mem_query q;

	twin.fd = dup(self->c.fd);
	ASSERT_LE(0, twin.fd);
	EXPECT_EQ(0, mem_query(&twin, self->id, &q));
	close(self->c.fd);
	self->c.fd = twin.fd;
	EXPECT_TRUE(is_intact(self));
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], INHERITED))
		return inherited(atoi(argv[2]), strtoull(argv[3], NULL, 10));
	return test_harness_run(argc, argv);
}
