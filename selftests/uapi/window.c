// SPDX-License-Identifier: GPL-2.0-only
/* The window of device addresses: which mappings of the node are possible. */
#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

#define SIZE MIB(64)

FIXTURE(window)
{
	struct client c;
};

FIXTURE_SETUP(window)
{
	ASSERT_EQ(0, client_open_only(&self->c));
}

FIXTURE_TEARDOWN(window)
{
	client_close(&self->c);
}

static int map_error(const struct client *c, __u64 size, int prot, int flags,
		     off_t offset)
{
	void *p = mmap(NULL, size, prot, flags, c->fd, offset);

	if (p == MAP_FAILED)
		return errno;
	munmap(p, size);
	return 0;
}

TEST_F(window, no_window)
{
	struct vnpu_va_query q;
	__u32 id, value = 0;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &id));
	EXPECT_EQ(-EFAULT, va_bind(&self->c, id, GIB(1), PAGE, 0));
	EXPECT_EQ(-EFAULT, va_bind(&self->c, id, 0, PAGE, 0));
	EXPECT_EQ(-EFAULT, mem_alloc_at(&self->c, 0, 0, 0, PAGE, GIB(1)));
	EXPECT_EQ(-ENOENT, va_query(&self->c, 0, GIB(1), &q));
	EXPECT_EQ(-ENOENT, va_unbind(&self->c, GIB(1), 0));
	EXPECT_EQ(-EFAULT, fill(&self->c, GIB(1), PAGE, 0, 1));

	/* All addresses are then the host's. */
	EXPECT_EQ(-EINVAL, copy(&self->c, addr(&value), addr(&id), 4));
	EXPECT_EQ(0, value);
}

TEST_F(window, refused)
{
	const int prot = PROT_READ | PROT_WRITE;

	EXPECT_EQ(EINVAL, map_error(&self->c, SIZE, prot, MAP_PRIVATE, 0));
	EXPECT_EQ(EINVAL, map_error(&self->c, SIZE, PROT_NONE, MAP_PRIVATE,
				    0));
	EXPECT_EQ(EINVAL, map_error(&self->c, SIZE, PROT_READ, MAP_PRIVATE,
				    0));
	EXPECT_EQ(EACCES, map_error(&self->c, SIZE, PROT_EXEC, MAP_SHARED, 0));
	EXPECT_EQ(EACCES, map_error(&self->c, SIZE, prot | PROT_EXEC,
				    MAP_SHARED, 0));
	EXPECT_EQ(EINVAL, map_error(&self->c, SIZE, prot, MAP_SHARED, PAGE));
	EXPECT_EQ(EINVAL, map_error(&self->c, SIZE, prot, MAP_SHARED, SIZE));
	EXPECT_EQ(EINVAL, map_error(&self->c, SIZE, prot, MAP_SHARED, 1));
	EXPECT_EQ(EINVAL, map_error(&self->c, 0, prot, MAP_SHARED, 0));

	/* A refused mapping has not become the window. */
	EXPECT_EQ(0, window_map(&self->c, SIZE, PROT_NONE));
}

TEST_F(window, rights)
{
	static const int prots[] = { PROT_NONE, PROT_READ, PROT_WRITE,
				     PROT_READ | PROT_WRITE };
	unsigned int i;
	void *p;

	for (i = 0; i < ARRAY_SIZE(prots); i++) {
		struct client other;

		ASSERT_EQ(0, client_open_only(&other));
		EXPECT_EQ(0, window_map(&other, SIZE, prots[i]));
		p = ptr(other.base);
		EXPECT_EQ(0, mprotect(p, SIZE, PROT_READ | PROT_WRITE));
		EXPECT_EQ(-1, mprotect(p, SIZE, PROT_EXEC));
		EXPECT_EQ(EACCES, errno);
		EXPECT_EQ(-1, mprotect(p, PAGE, PROT_READ | PROT_EXEC));
		EXPECT_EQ(EACCES, errno);
		EXPECT_EQ(0, mprotect(p, SIZE, PROT_NONE));
		client_close(&other);
	}
}

TEST_F(window, only_one)
{
	struct client other;
	__u32 id;

	ASSERT_EQ(0, window_map(&self->c, SIZE, PROT_NONE));
	EXPECT_EQ(EBUSY, map_error(&self->c, SIZE, PROT_NONE, MAP_SHARED, 0));
	EXPECT_EQ(EBUSY, map_error(&self->c, PAGE, PROT_READ, MAP_SHARED, 0));

	/* The limit applies to each client, not to each process. */
	ASSERT_EQ(0, client_open(&other));
	EXPECT_EQ(EBUSY, map_error(&other, SIZE, PROT_NONE, MAP_SHARED, 0));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &id));
	EXPECT_EQ(-EFAULT, va_bind(&self->c, id, other.base, PAGE, 0));
	EXPECT_EQ(0, va_bind(&self->c, id, self->c.base, PAGE, 0));
	client_close(&other);
}

TEST_F(window, smallest)
{
	ASSERT_EQ(0, window_map(&self->c, PAGE, PROT_NONE));
	EXPECT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, self->c.base));
	EXPECT_EQ(-EFAULT, mem_alloc_at(&self->c, 0, 0, 0, PAGE,
					self->c.base + PAGE));
}

TEST_F(window, at_a_chosen_address)
{
	void *hole = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	void *p;

	ASSERT_NE(MAP_FAILED, hole);
	p = mmap(hole, SIZE, PROT_NONE, MAP_SHARED | MAP_FIXED, self->c.fd, 0);
	ASSERT_EQ(hole, p);
	self->c.base = addr(p);
	self->c.size = SIZE;
	EXPECT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, self->c.base));
}

TEST_F(window, cannot_grow)
{
	void *p, *q;

	ASSERT_EQ(0, window_map(&self->c, SIZE, PROT_READ | PROT_WRITE));
	p = ptr(self->c.base);
	q = mremap(p, SIZE, 2 * SIZE, 0);
	EXPECT_EQ(MAP_FAILED, q);
	q = mremap(p, SIZE, 2 * SIZE, MREMAP_MAYMOVE);
	EXPECT_EQ(MAP_FAILED, q);
	q = mremap(p, SIZE / 2, SIZE, MREMAP_MAYMOVE);
	EXPECT_EQ(MAP_FAILED, q);

	/* Nor can it be mapped twice with an old size of 0. */
	q = mremap(p, 0, SIZE, MREMAP_MAYMOVE);
	EXPECT_EQ(MAP_FAILED, q);
}

/*
 * A moved mapping, if the kernel moves it, shows the same device addresses:
 * their current bindings only.
 */
TEST_F(window, moved)
{
	const size_t at = SIZE / 2;
	__u64 moved;
	void *hole, *q;

	ASSERT_EQ(0, window_map(&self->c, SIZE, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  2 * PAGE, self->c.base + at));
	ASSERT_EQ(0, touch_write(self->c.base + at, 1));
	hole = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, hole);
	q = mremap(ptr(self->c.base), SIZE, SIZE,
		   MREMAP_MAYMOVE | MREMAP_FIXED, hole);
	if (q == MAP_FAILED)
		SKIP(return, "the window stays in place");

	moved = addr(q) + at;
	EXPECT_EQ(SIGSEGV, touch_read(self->c.base + at));
	EXPECT_EQ(1, *(volatile __u8 *)ptr(moved));
	ASSERT_EQ(0, fill(&self->c, self->c.base + at, 2 * PAGE, 2, 1));
	EXPECT_EQ(2, *(volatile __u8 *)ptr(moved));
	EXPECT_EQ(2, *(volatile __u8 *)ptr(moved + PAGE));
	EXPECT_EQ(SIGSEGV, touch_read(moved - 1));
	EXPECT_EQ(SIGSEGV, touch_read(moved + 2 * PAGE));
	EXPECT_EQ(EBUSY, map_error(&self->c, SIZE, PROT_NONE, MAP_SHARED, 0));

	ASSERT_EQ(0, va_unbind(&self->c, self->c.base + at, 0));
	EXPECT_EQ(SIGSEGV, touch_read(moved));
	EXPECT_EQ(SIGSEGV, touch_write(moved + PAGE, 3));
	self->c.base = addr(q);
}

/* After the window is unmapped, another one can be mapped. */
TEST_F(window, mapped_again)
{
	__u64 first;

	ASSERT_EQ(0, window_map(&self->c, SIZE, PROT_NONE));
	first = self->c.base;
	ASSERT_EQ(0, munmap(ptr(first), SIZE));
	self->c.base = 0;
	ASSERT_EQ(0, window_map(&self->c, PAGE, PROT_NONE));
	EXPECT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, self->c.base));
	EXPECT_EQ(-EFAULT, mem_alloc_at(&self->c, 0, 0, 0, PAGE,
					self->c.base + PAGE));
	if (first != self->c.base) {
		EXPECT_EQ(-EFAULT, mem_alloc_at(&self->c, 0, 0, 0, PAGE,
						first));
	}
}

/* While memory is bound, only the same window can be mapped again. */
TEST_F(window, mapped_again_in_use)
{
	__u64 at;

	ASSERT_EQ(0, window_map(&self->c, SIZE, PROT_NONE));
	at = self->c.base;
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE,
				  at));
	ASSERT_EQ(0, munmap(ptr(at), SIZE));
	EXPECT_EQ(MAP_FAILED, mmap(ptr(at), SIZE - PAGE, PROT_READ, MAP_SHARED |
				   MAP_FIXED_NOREPLACE, self->c.fd,
				   VNPU_MMAP_WINDOW));
	EXPECT_EQ(EBUSY, errno);
	ASSERT_EQ(ptr(at), mmap(ptr(at), SIZE, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_FIXED_NOREPLACE, self->c.fd,
				VNPU_MMAP_WINDOW));
	*(volatile __u8 *)ptr(at) = 7;
	EXPECT_EQ(7, *(volatile __u8 *)ptr(at));
	EXPECT_EQ(EBUSY, map_error(&self->c, SIZE, PROT_NONE, MAP_SHARED, 0));
}

/* Flags of /proc/self/smaps: not forked, not grown, not dumped, no pages. */
TEST_F(window, kind_of_mapping)
{
	static const char *const wanted[] = { "dc", "de", "dd", "pf" };
	char line[256], head[32];
	bool found = false, in = false;
	unsigned int i;
	FILE *f;

	ASSERT_EQ(0, window_map(&self->c, SIZE, PROT_NONE));
	snprintf(head, sizeof(head), "%llx-", self->c.base);
	f = fopen("/proc/self/smaps", "r");
	ASSERT_TRUE(f);
	while (!found && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, head, strlen(head)))
			in = true;
		if (!in || strncmp(line, "VmFlags:", 8))
			continue;
		found = true;
		for (i = 0; i < ARRAY_SIZE(wanted); i++) {
			EXPECT_TRUE(strstr(line, wanted[i]))
				TH_LOG("no %s in %s", wanted[i], line);
		}
	}
	EXPECT_TRUE(found);
	fclose(f);
}

/* Unmapping frees nothing of the client's memory; the last close does. */
TEST_F(window, unmapped)
{
	struct vnpu_device_query d;
	struct client other;
	__u64 used;

	ASSERT_EQ(0, client_open_only(&other));
	used = device_used(&other, 0);
	ASSERT_EQ(0, window_map(&self->c, SIZE, PROT_NONE));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, self->c.base));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE,
				  self->c.base + SIZE - PAGE));

	/* Unmap a hole in the middle, then the rest. */
	EXPECT_EQ(0, munmap(ptr(self->c.base + SIZE / 4), SIZE / 4));
	ASSERT_EQ(0, device_query(&self->c, 0, &d));
	EXPECT_EQ(2, d.out_client_objects);
	EXPECT_EQ(0, munmap(ptr(self->c.base), SIZE));
	self->c.base = 0;
	EXPECT_EQ(0, device_query(&self->c, 0, &d));

	client_close(&self->c);
	EXPECT_EQ(used, device_used(&other, 0));
	client_close(&other);
}

/* The mapping holds the file: a client lives until both are gone. */
TEST_F(window, outlives_the_descriptor)
{
	struct client other;
	__u64 used;

	ASSERT_EQ(0, client_open_only(&other));
	used = device_used(&other, 0);
	ASSERT_EQ(0, window_map(&self->c, SIZE, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE,
				  self->c.base));
	*(volatile __u8 *)ptr(self->c.base) = 7;
	close(self->c.fd);
	self->c.fd = -1;
	EXPECT_EQ(7, *(volatile __u8 *)ptr(self->c.base));
	EXPECT_EQ(used + PAGE, device_used(&other, 0));
	munmap(ptr(self->c.base), SIZE);
	self->c.base = 0;
	EXPECT_EQ(used, device_used(&other, 0));
	client_close(&other);
}

TEST_HARNESS_MAIN
