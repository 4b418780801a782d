// SPDX-License-Identifier: GPL-2.0-only
/*
 * If the parent requests that its mappings are inherited, a child of fork()
 * still has no access to the memory of the window, host memory and rings.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"

#include <sys/uio.h>

#include "hostmem.h"
#include "stream.h"

enum { WINDOW, HOST, RING };

FIXTURE(fork)
{
	struct client c;
	struct stream s;
	__u8 *p;
	size_t length;
};

FIXTURE_VARIANT(fork)
{
	int kind;
};

FIXTURE_VARIANT_ADD(fork, window)
{
	.kind = WINDOW,
};

FIXTURE_VARIANT_ADD(fork, host)
{
	.kind = HOST,
};

FIXTURE_VARIANT_ADD(fork, ring)
{
	.kind = RING,
};

FIXTURE_SETUP(fork)
{
	__u32 id;

	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	self->length = LENGTH;
	switch (variant->kind) {
	case WINDOW:
		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS,
					  0, LENGTH, self->c.base));
		self->p = ptr(self->c.base);
		ASSERT_EQ(0, mprotect(self->p, LENGTH, PROT_READ | PROT_WRITE));
		break;
	case HOST:
		ASSERT_EQ(0, host_alloc(&self->c, LENGTH, &id));
		self->p = host_map(&self->c, id, LENGTH, PROT_READ | PROT_WRITE,
				   MAP_SHARED);
		ASSERT_NE(MAP_FAILED, (void *)self->p);
		break;
	case RING:
		self->p = (__u8 *)self->s.ring;
		self->length = self->s.map_size;
		break;
	}
	/* The last byte has no effect on a ring that is not full. */
	self->p[self->length - 1] = 0x5a;
}

FIXTURE_TEARDOWN(fork)
{
	client_close(&self->c);
}

/* Read the child's memory from outside; return 1 or -errno. */
static ssize_t peek(pid_t pid, const void *p)
{
	__u8 byte;
	struct iovec local = { &byte, 1 }, remote = { (void *)p, 1 };
	ssize_t ret = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	return ret < 0 ? -errno : ret;
}

static int child_of(const __u8 *p, size_t length)
{
	int out[2];

	if (touch_read(addr(p)) != SIGSEGV)
		return 1;
	if (touch_read(addr(p) + length - 1) != SIGSEGV)
		return 2;
	if (touch_write(addr(p) + length - 1, 0x66) != SIGSEGV)
		return 3;
	if (pipe(out) || write(out[1], p, 1) != -1 || errno != EFAULT)
		return 4;
	return 0;
}

TEST_F(fork, a_child_has_no_access)
{
	int ready[2], ret;
	__u8 byte;
	pid_t pid;

	/* The request may be refused or not. */
	ret = madvise(self->p, self->length, MADV_DOFORK);
	EXPECT_EQ(variant->kind == WINDOW ? -1 : 0, ret);
	ASSERT_EQ(0, pipe(ready));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		close(ready[1]);
		if (read(ready[0], &byte, 1))
			_exit(10);
		_exit(child_of(self->p, self->length));
	}
	EXPECT_GT(0, peek(pid, self->p));
	EXPECT_GT(0, peek(pid, self->p + self->length - 1));
	close(ready[0]);
	close(ready[1]);
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(0x5a, self->p[self->length - 1]);
}

/*
 * The child has no access even when the parent has ended, or faults its pages
 * in again.
 */
TEST_F(fork, nor_does_a_grandchild)
{
	pid_t pid;

	madvise(self->p, self->length, MADV_DOFORK);
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		madvise(self->p, self->length, MADV_DOFORK);
		pid = fork_bound();
		_exit(pid ? child_wait(pid) :
			    child_of(self->p, self->length));
	}
	EXPECT_EQ(0, child_wait(pid));
	madvise(self->p, self->length, MADV_DONTNEED);
	EXPECT_EQ(0x5a, self->p[self->length - 1]);
	EXPECT_EQ(0, touch_write(addr(self->p) + self->length - 1, 0x5a));
	if (variant->kind != WINDOW) {
		EXPECT_EQ(1, peek(getpid(), self->p));
	}
}

/* The kernel's own uses of the pages are unchanged. */
TEST_F(fork, other_uses_go_on)
{
	ASSERT_EQ(0, stream_do(&self->s, (struct vnpu_task){ }));
	EXPECT_EQ(1, stream_completed(&self->s));
}

TEST_HARNESS_MAIN
