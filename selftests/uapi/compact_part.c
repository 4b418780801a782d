// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compaction moves a part of a large object. The host keeps the rest of it
 * mapped, in the window and in mappings of a dma-buf.
 */
#include "kselftest_harness.h"

#include <sys/resource.h>

#include "client.h"
#include "util.h"

#define LARGE	MIB(48)
#define FIXED	(128 * PAGE)
#define HOLE	(16 * PAGE)
#define HOLES	256

/* A fault maps 64 KiB, and other pages of the process are missing, too. */
#define FAULTS(length)	((length) / (16 * PAGE))
#define OTHER_FAULTS	64

FIXTURE(part)
{
	struct client c;
	__u64 *window, *dmabuf;
};

/*
 * Free memory is in holes between contiguous objects, which do not fit into a hole
 * and so cannot move. A run can only be made where the large object is.
 */
static int make_holes(const struct client *c)
{
	__u32 holes[HOLES], id;
	struct vnpu_device_query q;
	int i, ret = 0;

	for (i = 0; !ret && i < HOLES; i++)
		ret = mem_alloc(c, 0, VNPU_MEM_F_CONTIGUOUS, 0, FIXED, &id) ?:
		      mem_alloc(c, 0, VNPU_MEM_F_CONTIGUOUS, 0, HOLE, &holes[i]);
	ret = ret ?: device_query(c, 0, &q);
	ret = ret ?: mem_alloc(c, 0, VNPU_MEM_F_CONTIGUOUS, 0, q.out_free, &id);
	for (i = 0; !ret && i < HOLES; i++)
		ret = mem_free(c, holes[i]);
	return ret;
}

FIXTURE_SETUP(part)
{
	__u64 i;
	__u32 id;
	int fd;

	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->window = ptr(self->c.base);
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, LARGE,
			       &id));
	ASSERT_EQ(0, va_bind(&self->c, id, self->c.base, LARGE, 0));
	fd = mem_export_dmabuf(&self->c, 0, id);
	ASSERT_LE(0, fd);
	self->dmabuf = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    0);
	ASSERT_NE(MAP_FAILED, (void *)self->dmabuf);
	close(fd);
	for (i = 0; i < LARGE / 8; i += PAGE / 8)
		self->window[i] = i;
	ASSERT_EQ(0, make_holes(&self->c));
}

FIXTURE_TEARDOWN(part)
{
	munmap(self->dmabuf, LARGE);
	client_close(&self->c);
}

static long count_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

/* Read each page, and return the number of faults; -1 if a page is wrong. */
static long read_all(const __u64 *mem)
{
	long before = count_faults();
	__u64 i;

	for (i = 0; i < LARGE / 8; i += PAGE / 8)
		if (*(const volatile __u64 *)&mem[i] != i)
			return -1;
	return count_faults() - before;
}

TEST_F(part, rest_stays_mapped)
{
	long window, dmabuf;
	__u32 id;

	EXPECT_GE(OTHER_FAULTS, read_all(self->window));
	EXPECT_LE(FAULTS(LARGE), read_all(self->dmabuf));
	EXPECT_GE(OTHER_FAULTS, read_all(self->dmabuf));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0, MIB(1),
			       &id));
	window = read_all(self->window);
	dmabuf = read_all(self->dmabuf);
	EXPECT_LE(FAULTS(MIB(1)), window);
	EXPECT_GE(FAULTS(MIB(1)) + OTHER_FAULTS, window);
	EXPECT_LE(FAULTS(MIB(1)), dmabuf);
	EXPECT_GE(FAULTS(MIB(1)) + OTHER_FAULTS, dmabuf);
}

TEST_HARNESS_MAIN
