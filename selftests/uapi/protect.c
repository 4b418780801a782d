// SPDX-License-Identifier: GPL-2.0-only
/* Access rights at bound addresses, of devices and of the host. */
#include <pthread.h>
#include <stdatomic.h>

#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

#define SIZE	(4 * PAGE)

FIXTURE(protect)
{
	struct client c;
	__u64 va;	/* memory with host access */
	__u64 other;	/* memory to copy from and to */
	__u8 host[SIZE];
};

FIXTURE_SETUP(protect)
{
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->va = self->c.base;
	self->other = self->c.base + MIB(2);
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, SIZE,
				  self->va));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, SIZE, self->other));
	ASSERT_EQ(0, fill(&self->c, self->va, SIZE, 0x11, 1));
	ASSERT_EQ(0, fill(&self->c, self->other, SIZE, 0x22, 1));
}

FIXTURE_TEARDOWN(protect)
{
	client_close(&self->c);
}

/* Return the bytes at @va, read after everything is allowed again. */
static int is_still(FIXTURE_DATA(protect) * self, int value)
{
	__u8 buffer[SIZE];

	return !va_protect(&self->c, self->va, 0, VNPU_DEVICE_ALL,
			   VNPU_ACCESS_READ_WRITE) &&
	       !copy(&self->c, addr(buffer), self->va, SIZE) &&
	       is_all(buffer, value, SIZE);
}

TEST_F(protect, default_is_full_access)
{
	struct vnpu_va_query q;

	ASSERT_EQ(0, va_query(&self->c, 0, self->va, &q));
	EXPECT_EQ(~0ULL, q.out_read_devices);
	EXPECT_EQ(~0ULL, q.out_write_devices);
	EXPECT_EQ(VNPU_ACCESS_READ_WRITE, q.out_host_access);
}

TEST_F(protect, no_access_from_the_start)
{
	struct vnpu_va_bind b = {
		.size = sizeof(b),
		.flags = VNPU_VA_BIND_F_NO_ACCESS,
		.va = self->c.base + MIB(4),
		.length = PAGE,
	};
	struct vnpu_va_query q;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE,
			       &b.mem_id));
	ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_VA_BIND, &b));
	ASSERT_EQ(0, va_query(&self->c, 0, b.va, &q));
	EXPECT_EQ(0, q.out_read_devices);
	EXPECT_EQ(0, q.out_write_devices);
	EXPECT_EQ(VNPU_ACCESS_NONE, q.out_host_access);
	EXPECT_EQ(-EACCES, fill(&self->c, b.va, PAGE, 1, 1));
	EXPECT_EQ(-EACCES, copy(&self->c, addr(self->host), b.va, PAGE));
	EXPECT_EQ(SIGSEGV, touch_read(b.va));

	ASSERT_EQ(0, va_protect(&self->c, b.va, PAGE, 0,
				VNPU_ACCESS_READ_WRITE));
	EXPECT_EQ(0, fill(&self->c, b.va, PAGE, 1, 1));
	EXPECT_EQ(SIGSEGV, touch_read(b.va));
	ASSERT_EQ(0, va_query(&self->c, 0, b.va, &q));
	EXPECT_EQ(1, q.out_read_devices);
	EXPECT_EQ(1, q.out_write_devices);
}

TEST_F(protect, no_host_access_from_the_start)
{
	struct vnpu_va_bind b = {
		.size = sizeof(b),
		.flags = VNPU_VA_BIND_F_NO_HOST_ACCESS,
		.va = self->c.base + MIB(4),
		.length = PAGE,
	};
	struct vnpu_va_query q;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE,
			       &b.mem_id));
	ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_VA_BIND, &b));
	ASSERT_EQ(0, va_query(&self->c, 0, b.va, &q));
	EXPECT_EQ(~0ULL, q.out_read_devices);
	EXPECT_EQ(~0ULL, q.out_write_devices);
	EXPECT_EQ(VNPU_ACCESS_NONE, q.out_host_access);
	EXPECT_EQ(0, fill(&self->c, b.va, PAGE, 0x66, 1));
	EXPECT_EQ(SIGSEGV, touch_read(b.va));

	ASSERT_EQ(0, va_protect(&self->c, b.va, 0, VNPU_DEVICE_HOST,
				VNPU_ACCESS_READ));
	EXPECT_TRUE(is_all(ptr(b.va), 0x66, PAGE));
	EXPECT_EQ(SIGSEGV, touch_write(b.va, 1));

	/* Together with the other flag it has no effect. */
	b.flags |= VNPU_VA_BIND_F_NO_ACCESS;
	b.va += PAGE;
	ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_VA_BIND, &b));
	ASSERT_EQ(0, va_query(&self->c, 0, b.va, &q));
	EXPECT_EQ(0, q.out_read_devices);
	EXPECT_EQ(VNPU_ACCESS_NONE, q.out_host_access);
}

TEST_F(protect, device_reads_only)
{
	ASSERT_EQ(0, va_protect(&self->c, self->va, 0, 0, VNPU_ACCESS_READ));
	EXPECT_EQ(0, copy(&self->c, addr(self->host), self->va, SIZE));
	EXPECT_EQ(0, copy(&self->c, self->other, self->va, SIZE));
	EXPECT_EQ(-EACCES, copy(&self->c, self->va, addr(self->host), SIZE));
	EXPECT_EQ(-EACCES, copy(&self->c, self->va, self->other, 1));
	EXPECT_EQ(-EACCES, fill(&self->c, self->va + PAGE, PAGE, 1, 1));
	EXPECT_TRUE(is_still(self, 0x11));
}

TEST_F(protect, device_has_no_access)
{
	ASSERT_EQ(0, va_protect(&self->c, self->va, SIZE, VNPU_DEVICE_ALL,
				VNPU_ACCESS_NONE));
	EXPECT_EQ(-EACCES, copy(&self->c, addr(self->host), self->va, 1));
	EXPECT_EQ(-EACCES, copy(&self->c, self->other, self->va, SIZE));
	EXPECT_EQ(-EACCES, copy(&self->c, self->va, self->other, SIZE));
	EXPECT_EQ(-EACCES, fill(&self->c, self->va, 1, 1, 1));
	/* The host's rights are separate. */
	EXPECT_EQ(0, touch_read(self->va));
	EXPECT_TRUE(is_still(self, 0x11));
}

/* If one binding refuses, nothing of the range is changed. */
TEST_F(protect, part_of_a_range)
{
	const __u64 next = self->va + SIZE;

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, next));
	ASSERT_EQ(0, va_protect(&self->c, next, PAGE, 0, VNPU_ACCESS_READ));
	EXPECT_EQ(-EACCES, fill(&self->c, self->va, SIZE + PAGE, 0x33, 1));
	EXPECT_TRUE(is_still(self, 0x11));
	EXPECT_EQ(0, fill(&self->c, self->va, SIZE, 0x33, 1));
}

TEST_F(protect, host_reads_only)
{
	/* It is mapped writable when the right is removed. */
	ASSERT_EQ(0, touch_write(self->va, 0x44));
	ASSERT_EQ(0, va_protect(&self->c, self->va, 0, VNPU_DEVICE_HOST,
				VNPU_ACCESS_READ));
	EXPECT_EQ(0, touch_read(self->va));
	EXPECT_EQ(SIGSEGV, touch_write(self->va, 0x55));
	EXPECT_EQ(SIGSEGV, touch_write(self->va + PAGE, 0x55));
	EXPECT_EQ(0, copy(&self->c, addr(self->host), self->va, 1));
	EXPECT_EQ(0x44, self->host[0]);

	ASSERT_EQ(0, va_protect(&self->c, self->va, 0, VNPU_DEVICE_HOST,
				VNPU_ACCESS_READ_WRITE));
	EXPECT_EQ(0, touch_write(self->va, 0x55));
	EXPECT_EQ(0, touch_write(self->va + PAGE, 0x55));

	ASSERT_EQ(0, va_protect(&self->c, self->va, 0, VNPU_DEVICE_HOST,
				VNPU_ACCESS_NONE));
	EXPECT_EQ(SIGSEGV, touch_read(self->va));
	EXPECT_EQ(SIGSEGV, touch_write(self->va + PAGE, 1));
}

/*
 * Memory that was first read and then written is cleared for the next client.
 */
TEST_F(protect, written_after_reading_is_cleared)
{
	__u64 va = self->c.base + MIB(8);
	__u8 byte;
	int i;

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, SIZE,
				  va));
	ASSERT_EQ(0, va_protect(&self->c, va, 0, VNPU_DEVICE_HOST,
				VNPU_ACCESS_READ));
	ASSERT_EQ(0, touch_read(va + PAGE));
	ASSERT_EQ(0, va_protect(&self->c, va, 0, VNPU_DEVICE_HOST,
				VNPU_ACCESS_READ_WRITE));
	ASSERT_EQ(0, touch_write(va + PAGE, 0xa5));
	ASSERT_EQ(0, va_unbind(&self->c, va, 0));
	for (i = 0; i < 64; i++) {
		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, SIZE,
					  va + i * SIZE));
		ASSERT_EQ(0, copy(&self->c, addr(&byte), va + i * SIZE + PAGE,
				  1));
		EXPECT_EQ(0, byte);
	}
}

struct writer {
	__u64 va;
	atomic_int turn;	/* odd while writing */
	atomic_bool stop;
};

static void *write_once(void *arg)
{
	struct writer *w = arg;

	while (!w->stop) {
		if (!(w->turn & 1))
			continue;
		touch_write(w->va, 0x77);
		w->turn++;
	}
	return NULL;
}

/*
 * A write that begins while it is allowed and ends when it is not must leave no
 * mapping through which a later write succeeds.
 */
TEST_F(protect, right_is_removed_during_a_write)
{
	uint64_t end = now_ms() + 1000;
	struct writer w = { .va = self->va };
	int through = 0, rounds = 0;
	pthread_t thread;
	volatile int i;

	ASSERT_EQ(0, pthread_create(&thread, NULL, write_once, &w));
	for (; now_ms() < end; rounds++) {
		/* Mapped while the host could not write, and then it can. */
		ASSERT_EQ(0, mprotect(ptr(self->va), PAGE, PROT_READ));
		ASSERT_EQ(0, va_protect(&self->c, self->va, 0,
					VNPU_DEVICE_HOST,
					VNPU_ACCESS_READ_WRITE));
		ASSERT_EQ(0, touch_read(self->va));
		ASSERT_EQ(0, mprotect(ptr(self->va), PAGE,
				      PROT_READ | PROT_WRITE));
		w.turn++;
		for (i = rounds % 4096; i > 0; i--)
			;
		ASSERT_EQ(0, va_protect(&self->c, self->va, 0,
					VNPU_DEVICE_HOST, VNPU_ACCESS_READ));
		ASSERT_EQ(0, touch_read(self->va));
		while (w.turn & 1)
			;
		through += !touch_write(self->va, 0x88);
	}
	w.stop = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(0, through);
	TH_LOG("%d rounds", rounds);
}

TEST_F(protect, never_more_than_the_memory_permits)
{
	ASSERT_EQ(0, va_protect(&self->c, self->other, 0, VNPU_DEVICE_HOST,
				VNPU_ACCESS_READ_WRITE));
	EXPECT_EQ(SIGSEGV, touch_read(self->other));
}

TEST_F(protect, refused)
{
	EXPECT_EQ(-EINVAL, va_protect(&self->c, self->va, 0, 0, 2));
	EXPECT_EQ(-EINVAL, va_protect(&self->c, self->va, 0, 0, 4));
	EXPECT_EQ(-ENODEV, va_protect(&self->c, self->va, 0, VNPU_MAX_DEVICES,
				      VNPU_ACCESS_READ));
	EXPECT_EQ(-ENODEV, va_protect(&self->c, self->va, 0, 0xfffffffd,
				      VNPU_ACCESS_READ));
	EXPECT_EQ(-ENOENT, va_protect(&self->c, self->va + PAGE, 0, 0,
				      VNPU_ACCESS_READ));
	EXPECT_EQ(-ENOENT, va_protect(&self->c, self->va + MIB(1), MIB(1), 0,
				      VNPU_ACCESS_READ));
	EXPECT_EQ(-EINVAL, va_protect(&self->c, self->va, PAGE, 0,
				      VNPU_ACCESS_READ));
	EXPECT_EQ(-EINVAL, va_protect(&self->c, self->va + PAGE, SIZE, 0,
				      VNPU_ACCESS_READ));
	EXPECT_EQ(-EOVERFLOW, va_protect(&self->c, self->va, ~0ULL, 0,
					 VNPU_ACCESS_READ));
	EXPECT_EQ(0, fill(&self->c, self->va, SIZE, 1, 1));
}

/* The device of the destination does the copy, and needs the rights. */
TEST_F(protect, between_devices)
{
	__u64 far = self->c.base + MIB(16);

	if (device_count(&self->c) < 2)
		SKIP(return, "one device");
	ASSERT_EQ(0, mem_alloc_at(&self->c, 1, 0, 0, SIZE, far));
	ASSERT_EQ(0, va_protect(&self->c, self->va, 0, 1, VNPU_ACCESS_NONE));
	EXPECT_EQ(-EACCES, copy(&self->c, far, self->va, SIZE));
	EXPECT_EQ(0, copy(&self->c, addr(self->host), self->va, SIZE));
	EXPECT_EQ(0, copy(&self->c, self->va, far, SIZE));
	ASSERT_EQ(0, va_protect(&self->c, self->va, 0, 1, VNPU_ACCESS_READ));
	EXPECT_EQ(0, copy(&self->c, far, self->va, SIZE));
	ASSERT_EQ(0, va_protect(&self->c, far, 0, 0, VNPU_ACCESS_NONE));
	EXPECT_EQ(-EACCES, copy(&self->c, self->va, far, SIZE));
}

TEST_HARNESS_MAIN
