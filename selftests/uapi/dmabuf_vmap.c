// SPDX-License-Identifier: GPL-2.0-only
/*
 * A dma-buf that another driver has mapped in the kernel. driver/tests/vmap.c
 * inverts the memory when it maps it and when it unmaps it. If the memory was
 * moved in between, the second inversion would be in the wrong place.
 */
#define _GNU_SOURCE

#include <sys/syscall.h>
#include <sys/utsname.h>

#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

#define PIECE	MIB(2)
#define MODULE	"vnpu_vmap"

FIXTURE(vmap)
{
	struct client c;
	struct vnpu_device_query start;
	__u64 pieces;
	int module;	/* file of the device */
	__u64 bytes[PIECE / 8];
};

static __u64 piece(const FIXTURE_DATA(vmap) * self, __u64 i)
{
	return self->c.base + i * PIECE;
}

/* Fill the device, and free every second piece. */
FIXTURE_SETUP(vmap)
{
	const char *build = getenv("B");
	struct utsname u;
	char path[256];
	__u64 i, rest;
	__u32 id;

	ASSERT_EQ(0, uname(&u));
	snprintf(path, sizeof(path), "%s/kmod/%s/" MODULE ".ko",
		 build ? build : "build", u.release);
	ASSERT_EQ(0, client_open(&self->c));
	self->module = open(path, O_RDONLY | O_CLOEXEC);
	if (self->module < 0)
		SKIP(return, "no " MODULE ".ko for this kernel");
	ASSERT_EQ(0, device_query(&self->c, 0, &self->start));
	self->pieces = self->start.out_free / PIECE;
	rest = self->start.out_free % PIECE;
	for (i = 0; i < self->pieces; i++)
		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PIECE,
					  piece(self, i)));
	if (rest)
		ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, rest, &id));
	for (i = 0; i < self->pieces; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, piece(self, i), 0));
}

FIXTURE_TEARDOWN(vmap)
{
	struct vnpu_device_query q;

	if (self->module < 0)
		return;
	client_close(&self->c);
	syscall(SYS_delete_module, MODULE, O_NONBLOCK);
	ASSERT_EQ(0, client_open_only(&self->c));
	EXPECT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(self->start.out_free, q.out_free);
	client_close(&self->c);
	close(self->module);
}

static int load_to(FIXTURE_DATA(vmap) * self, int fd, bool leave)
{
	char args[32];

	snprintf(args, sizeof(args), "fd=%d leave=%d", fd, leave);
	return syscall(SYS_finit_module, self->module, args, 0) ? -errno : 0;
}

static int load(FIXTURE_DATA(vmap) * self, int fd)
{
	return load_to(self, fd, false);
}

static int unload(void)
{
	return syscall(SYS_delete_module, MODULE, O_NONBLOCK) ? -errno : 0;
}

static bool holds(FIXTURE_DATA(vmap) * self, __u64 va, __u64 length, __u64 value)
{
	__u64 at, i;

	for (at = 0; at < length; at += PIECE) {
		if (copy(&self->c, addr(self->bytes), va + at, PIECE))
			return false;
		for (i = 0; i < PIECE / 8; i++)
			if (self->bytes[i] != value)
				return false;
	}
	return true;
}

/* Allocate all free memory in one run; nothing may be in the way. */
static int want_all(FIXTURE_DATA(vmap) * self, __u32 *id)
{
	struct vnpu_device_query q;

	return device_query(&self->c, 0, &q) ?:
	       mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0, q.out_free, id);
}

TEST_F(vmap, contiguous)
{
	__u64 middle = self->pieces / 2 | 1, va = piece(self, middle);
	__u32 id, all;
	__u64 i;
	int fd;

	/* More than there is on either side of the middle. */
	for (i = 1; i < 9; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, piece(self, i), 0));
	ASSERT_EQ(0, fill(&self->c, va, PIECE, 0x1234, 8));
	ASSERT_EQ(0, mem_open(&self->c, va, &id));
	fd = mem_export_dmabuf(&self->c, 0, id);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, load(self, fd));
	close(fd);
	EXPECT_TRUE(holds(self, va, PIECE, ~0x1234ULL));
	EXPECT_EQ(-ENOSPC, want_all(self, &all));
	EXPECT_EQ(0, unload());
	EXPECT_TRUE(holds(self, va, PIECE, 0x1234));
	EXPECT_EQ(0, want_all(self, &all));
	EXPECT_TRUE(holds(self, va, PIECE, 0x1234));
}

static bool kernel_maps_numbers(void)
{
	return !system("grep -q ' vmap_pfn$' /proc/kallsyms");
}

TEST_F(vmap, scattered)
{
	const __u64 va = self->c.base + GIB(4), length = 6 * PIECE;
	struct vnpu_mem_query q;
	__u32 id, all;
	__u64 i;
	int fd;

	if (!kernel_maps_numbers())
		SKIP(return, "the kernel has no vmap_pfn()");
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, length, &id));
	ASSERT_EQ(0, mem_query(&self->c, id, &q));
	ASSERT_LT(1, q.out_extents);
	ASSERT_EQ(0, va_bind(&self->c, id, va, length, 0));
	for (i = 0; i < length; i += PIECE)
		ASSERT_EQ(0, fill(&self->c, va + i, PIECE, i, 8));
	fd = mem_export_dmabuf(&self->c, 0, id);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, load(self, fd));
	close(fd);
	for (i = 0; i < length; i += PIECE)
		EXPECT_TRUE(holds(self, va + i, PIECE, ~i));
	want_all(self, &all);
	EXPECT_EQ(0, unload());
	for (i = 0; i < length; i += PIECE)
		EXPECT_TRUE(holds(self, va + i, PIECE, i));
}

/* The mapping alone keeps the memory, and the module. */
TEST_F(vmap, outlives_its_client)
{
	struct vnpu_device_query q;
	__u32 id;
	int fd;

	ASSERT_EQ(0, mem_open(&self->c, piece(self, 1), &id));
	fd = mem_export_dmabuf(&self->c, VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY,
			       id);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, load(self, fd));
	close(fd);
	client_close(&self->c);
	EXPECT_EQ(-1, syscall(SYS_delete_module, "vnpu", O_NONBLOCK));
	EXPECT_EQ(EWOULDBLOCK, errno);
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(self->start.out_free - PIECE, q.out_free);
	EXPECT_EQ(0, unload());
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(self->start.out_free, q.out_free);
}

/*
 * Only this mapping has written to the memory; no other client may read the
 * data.
 */
TEST_F(vmap, data_of_the_mapping_is_cleared)
{
	struct vnpu_device_query q;
	__u32 id;
	__u64 i;
	int fd;

	ASSERT_EQ(0, mem_open(&self->c, piece(self, 1), &id));
	fd = mem_export_dmabuf(&self->c, 0, id);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, load_to(self, fd, true));
	close(fd);
	EXPECT_TRUE(holds(self, piece(self, 1), PIECE, ~0ULL));
	client_close(&self->c);
	ASSERT_EQ(0, unload());
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	ASSERT_EQ(self->start.out_free, q.out_free);
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, q.out_free,
				  self->c.base));
	for (i = 0; i < self->pieces; i++)
		ASSERT_TRUE(holds(self, piece(self, i), PIECE, 0))
			TH_LOG("piece %llu", i);
}

TEST_HARNESS_MAIN
