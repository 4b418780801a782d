// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device memory as a dma-buf: access rights, and lifetime: it lives exactly as
 * long as it has a user. compact.c tests moving it.
 */
#define _GNU_SOURCE

#include <sys/socket.h>
#include <sys/syscall.h>

#include <linux/dma-buf.h>

#include "kselftest_harness.h"

#include "stream.h"
#include "util.h"

#define SIZE		(64 * PAGE)
#define READ_ONLY	VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY

FIXTURE(dmabuf)
{
	struct client a;
	struct client b;
	__u32 id;	/* in a */
	int fd;		/* a file of it */
	int to_read;	/* the same, read-only */
	__u64 used;	/* free on the device before @id */
	__u8 bytes[SIZE];
};

FIXTURE_SETUP(dmabuf)
{
	ASSERT_EQ(0, client_open(&self->a));
	ASSERT_EQ(0, client_open(&self->b));
	self->used = device_used(&self->a, 0);
	ASSERT_EQ(0, mem_alloc(&self->a, 0, 0, 0, SIZE, &self->id));
	ASSERT_EQ(0, va_bind(&self->a, self->id, self->a.base, SIZE, 0));
	ASSERT_EQ(0, fill(&self->a, self->a.base, SIZE, 0x77, 1));
	self->fd = mem_export_dmabuf(&self->a, 0, self->id);
	ASSERT_LE(0, self->fd);
	self->to_read = mem_export_dmabuf(&self->a, READ_ONLY, self->id);
	ASSERT_LE(0, self->to_read);
}

FIXTURE_TEARDOWN(dmabuf)
{
	struct client c;

	close(self->fd);
	close(self->to_read);
	client_close(&self->a);
	client_close(&self->b);
	ASSERT_EQ(0, client_open_only(&c));
	EXPECT_EQ(self->used, device_used(&c, 0));
	client_close(&c);
}

static int map(int fd, int prot, int flags, size_t length, __u64 offset,
	       __u8 **p)
{
	*p = mmap(NULL, length, prot, flags, fd, offset);
	return *p == MAP_FAILED ? -errno : 0;
}

static int map_all(int fd, int prot, __u8 **p)
{
	return map(fd, prot, MAP_SHARED, SIZE, 0, p);
}

static int bytes_are(FIXTURE_DATA(dmabuf) * self, const struct client *c,
		     __u64 va, int value)
{
	return !copy(c, addr(self->bytes), va, SIZE) &&
	       is_all(self->bytes, value, SIZE);
}

static __u64 held_by(const struct client *c)
{
	struct vnpu_device_query q;

	return device_query(c, 0, &q) ? ~0ULL : q.out_client_used;
}

TEST_F(dmabuf, flags_and_size)
{
	EXPECT_EQ(FD_CLOEXEC, fcntl(self->fd, F_GETFD));
	EXPECT_EQ(FD_CLOEXEC, fcntl(self->to_read, F_GETFD));
	EXPECT_EQ(O_RDWR, fcntl(self->fd, F_GETFL) & O_ACCMODE);
	EXPECT_EQ(O_RDONLY, fcntl(self->to_read, F_GETFL) & O_ACCMODE);
	EXPECT_EQ(SIZE, lseek(self->fd, 0, SEEK_END));
	EXPECT_EQ(SIZE, lseek(self->to_read, 0, SEEK_END));
}

TEST_F(dmabuf, map_shows_the_memory)
{
	struct dma_buf_sync sync = {
		.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW,
	};
	__u8 *p, *r;

	ASSERT_EQ(0, map_all(self->fd, PROT_READ | PROT_WRITE, &p));
	ASSERT_EQ(0, map_all(self->to_read, PROT_READ, &r));
	EXPECT_EQ(0, call(self->fd, DMA_BUF_IOCTL_SYNC, &sync));
	EXPECT_TRUE(is_all(p, 0x77, SIZE));
	memset(p, 0x88, SIZE);
	sync.flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW;
	EXPECT_EQ(0, call(self->fd, DMA_BUF_IOCTL_SYNC, &sync));
	EXPECT_TRUE(is_all(r, 0x88, SIZE));
	EXPECT_TRUE(bytes_are(self, &self->a, self->a.base, 0x88));
	ASSERT_EQ(0, fill(&self->a, self->a.base, SIZE, 0x99, 1));
	EXPECT_TRUE(is_all(p, 0x99, SIZE));
	munmap(p, SIZE);
	munmap(r, SIZE);
}

/* A copy whose host side is the mapped memory itself, which is faulted in. */
TEST_F(dmabuf, copy_through_a_map)
{
	__u8 *p;

	ASSERT_EQ(0, map_all(self->fd, PROT_READ | PROT_WRITE, &p));
	ASSERT_EQ(0, fill(&self->a, self->a.base, PAGE, 0x12, 1));
	EXPECT_EQ(0, copy(&self->a, addr(p + 40 * PAGE), self->a.base, PAGE));
	EXPECT_TRUE(is_all(p + 40 * PAGE, 0x12, PAGE));
	EXPECT_EQ(0, copy(&self->a, self->a.base + 60 * PAGE,
			  addr(p + 40 * PAGE), PAGE));
	EXPECT_TRUE(is_all(p + 60 * PAGE, 0x12, PAGE));
	EXPECT_TRUE(is_all(p + 41 * PAGE, 0x77, 19 * PAGE));
	munmap(p, SIZE);
}

/* Map a part, and move the mapping: each page keeps its contents. */
TEST_F(dmabuf, map_of_a_part)
{
	__u64 i;
	__u8 *p, *q;

	for (i = 0; i < SIZE; i += PAGE)
		ASSERT_EQ(0, fill(&self->a, self->a.base + i, PAGE, i / PAGE,
				  1));
	ASSERT_EQ(0, map(self->fd, PROT_READ, MAP_SHARED, 40 * PAGE, 7 * PAGE,
			 &p));
	for (i = 0; i < 40; i += 3)
		EXPECT_EQ(7 + i, p[i * PAGE]);
	q = mremap(p + 20 * PAGE, 20 * PAGE, 20 * PAGE, MREMAP_MAYMOVE |
		   MREMAP_FIXED, self->b.base);
	ASSERT_NE(MAP_FAILED, (void *)q);
	for (i = 0; i < 20; i++)
		EXPECT_EQ(27 + i, q[i * PAGE]);
	EXPECT_EQ(MAP_FAILED, mremap(q, 20 * PAGE, 60 * PAGE, MREMAP_MAYMOVE));
	munmap(p, 20 * PAGE);
	munmap(q, 20 * PAGE);
}

TEST_F(dmabuf, map_refused)
{
	const int both = PROT_READ | PROT_WRITE;
	__u8 *p;

	EXPECT_EQ(-EINVAL, map(self->fd, both, MAP_PRIVATE, SIZE, 0, &p));
	EXPECT_EQ(-EINVAL, map(self->to_read, both, MAP_PRIVATE, SIZE, 0, &p));
	EXPECT_EQ(-EACCES, map(self->fd, PROT_READ | PROT_EXEC, MAP_SHARED,
			       SIZE, 0, &p));
	EXPECT_EQ(-EINVAL, map(self->fd, both, MAP_SHARED, SIZE + PAGE, 0, &p));
	EXPECT_EQ(-EINVAL, map(self->fd, both, MAP_SHARED, SIZE, PAGE, &p));
	EXPECT_EQ(-EINVAL, map(self->fd, both, MAP_SHARED, PAGE, SIZE, &p));
	EXPECT_EQ(-EACCES, map_all(self->to_read, both, &p));
	EXPECT_EQ(-EACCES, map_all(self->to_read, PROT_WRITE, &p));
}

TEST_F(dmabuf, rights_of_a_map)
{
	char name[32];
	__u8 *p, *r;

	ASSERT_EQ(0, map_all(self->fd, PROT_READ, &p));
	ASSERT_EQ(0, map_all(self->to_read, PROT_READ, &r));
	EXPECT_EQ(SIGSEGV, touch_write(addr(p), 1));
	EXPECT_EQ(SIGSEGV, touch_write(addr(r), 1));
	EXPECT_EQ(-1, mprotect(r, SIZE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(p, SIZE, PROT_READ | PROT_EXEC));
	EXPECT_EQ(0, mprotect(p, SIZE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, touch_write(addr(p), 1));
	EXPECT_EQ(1, r[0]);
	EXPECT_EQ(-1, madvise(p, SIZE, MADV_DOFORK));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", self->to_read);
	EXPECT_EQ(-1, open(name, O_RDWR | O_CLOEXEC));
	munmap(p, SIZE);
	munmap(r, SIZE);
}

/* The rights of a dma-buf are independent of those of device addresses. */
TEST_F(dmabuf, apart_from_device_addresses)
{
	__u8 *p;

	ASSERT_EQ(0, va_protect(&self->a, self->a.base, 0, VNPU_DEVICE_ALL,
				VNPU_ACCESS_NONE));
	ASSERT_EQ(0, va_protect(&self->a, self->a.base, 0, VNPU_DEVICE_HOST,
				VNPU_ACCESS_NONE));
	ASSERT_EQ(0, map_all(self->fd, PROT_READ | PROT_WRITE, &p));
	EXPECT_EQ(0, touch_write(addr(p), 1));
	EXPECT_EQ(SIGSEGV, touch_read(self->a.base));
	ASSERT_EQ(0, va_unbind(&self->a, self->a.base, 0));
	EXPECT_EQ(1, p[0]);
	munmap(p, SIZE);
}

/*
 * Memory that is written through a mapping created for reading is cleared for
 * the next client.
 */
TEST_F(dmabuf, written_is_cleared)
{
	__u64 va;
	__u32 id;
	__u8 *p;

	ASSERT_EQ(0, mem_alloc(&self->b, 0, VNPU_MEM_F_CONTIGUOUS, 0, SIZE,
			       &id));
	close(self->fd);
	self->fd = mem_export_dmabuf(&self->b, 0, id);
	ASSERT_EQ(0, map_all(self->fd, PROT_READ, &p));
	EXPECT_TRUE(is_all(p, 0, SIZE));
	ASSERT_EQ(0, mprotect(p, SIZE, PROT_READ | PROT_WRITE));
	memset(p, 0xaa, SIZE);
	munmap(p, SIZE);
	close(self->fd);
	self->fd = -1;
	client_close(&self->b);

	/* Allocate the whole device, so that the page is part of it. */
	ASSERT_EQ(0, client_open(&self->b));
	for (va = self->b.base; !mem_alloc_at(&self->b, 0, VNPU_MEM_F_TRY, 0,
					      SIZE, va); va += SIZE)
		ASSERT_TRUE(bytes_are(self, &self->b, va, 0));
}

TEST_F(dmabuf, import_of_our_own)
{
	struct vnpu_mem_import_dmabuf i;
	struct vnpu_mem_query q;

	ASSERT_EQ(0, mem_import_dmabuf(&self->b, self->fd, &i));
	EXPECT_EQ(SIZE, i.out_length);
	EXPECT_EQ(0, i.out_device);
	EXPECT_EQ(VNPU_PAGE_SHIFT_4K, i.out_page_shift);
	EXPECT_EQ(VNPU_MEM_KIND_DEVICE, i.out_mem_kind);
	EXPECT_EQ(VNPU_ACCESS_READ_WRITE, i.out_access);
	ASSERT_EQ(0, mem_query(&self->b, i.out_id, &q));
	EXPECT_EQ(2, q.out_clients);
	EXPECT_EQ(1, q.out_bindings);
	ASSERT_EQ(0, va_bind(&self->b, i.out_id, self->b.base, SIZE, 0));
	ASSERT_EQ(0, fill(&self->b, self->b.base, SIZE, 0x88, 1));
	EXPECT_TRUE(bytes_are(self, &self->a, self->a.base, 0x88));

	/* The exporting client can import it as well, and export it again. */
	ASSERT_EQ(0, mem_import_dmabuf(&self->a, self->fd, &i));
	EXPECT_NE(self->id, i.out_id);
	EXPECT_EQ(0, mem_free(&self->a, self->id));
	close(self->fd);
	self->fd = mem_export_dmabuf(&self->a, 0, i.out_id);
	EXPECT_LE(0, self->fd);
}

TEST_F(dmabuf, import_read_only)
{
	const __u64 va = self->b.base;
	struct vnpu_mem_import_dmabuf i;
	struct vnpu_mem_query q;
	__u32 again;

	ASSERT_EQ(0, mem_import_dmabuf(&self->b, self->to_read, &i));
	EXPECT_EQ(SIZE, i.out_length);
	EXPECT_EQ(0, i.out_device);
	EXPECT_EQ(VNPU_MEM_KIND_DMABUF, i.out_mem_kind);
	EXPECT_EQ(VNPU_ACCESS_READ, i.out_access);
	ASSERT_EQ(0, mem_query(&self->b, i.out_id, &q));
	EXPECT_EQ(VNPU_MEM_KIND_DMABUF, q.out_mem_kind);
	EXPECT_EQ(0, q.out_mem_flags);
	EXPECT_EQ(0, q.out_extents);

	ASSERT_EQ(0, va_bind(&self->b, i.out_id, va, SIZE, 0));
	EXPECT_TRUE(bytes_are(self, &self->b, va, 0x77));
	EXPECT_EQ(-EACCES, fill(&self->b, va, SIZE, 0, 1));
	EXPECT_EQ(-EACCES, copy(&self->b, va, addr(self->bytes), SIZE));
	EXPECT_EQ(-EACCES, copy(&self->b, va, va + PAGE, PAGE));
	/* Exporting it again does not add rights. */
	ASSERT_EQ(0, va_protect(&self->b, va, 0, VNPU_DEVICE_ALL,
				VNPU_ACCESS_READ_WRITE));
	EXPECT_EQ(-EACCES, fill(&self->b, va, SIZE, 0, 1));
	ASSERT_EQ(0, mprotect(ptr(va), SIZE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(SIGSEGV, touch_write(va, 1));
	EXPECT_EQ(SIGSEGV, touch_read(va));
	ASSERT_EQ(0, mem_open(&self->b, va, &again));
	ASSERT_EQ(0, va_bind(&self->b, again, va + SIZE, SIZE, 0));
	EXPECT_EQ(-EACCES, fill(&self->b, va + SIZE, SIZE, 0, 1));
	EXPECT_EQ(-EOPNOTSUPP, mem_export(&self->b, again));
	EXPECT_EQ(-EOPNOTSUPP, mem_export_dmabuf(&self->b, 0, again));
	EXPECT_TRUE(bytes_are(self, &self->a, self->a.base, 0x77));

	/* The import is the memory, not a copy, and its holder is charged. */
	ASSERT_EQ(0, fill(&self->a, self->a.base, SIZE, 0x66, 1));
	EXPECT_TRUE(bytes_are(self, &self->b, va, 0x66));
	EXPECT_EQ(0, held_by(&self->b));
	client_close(&self->a);
	EXPECT_EQ(SIZE, held_by(&self->b));
	EXPECT_TRUE(bytes_are(self, &self->b, va, 0x66));
}

TEST_F(dmabuf, tasks_on_read_only_memory)
{
	const __u64 va = self->b.base, to = va + MIB(4);
	struct vnpu_mem_import_dmabuf i;
	struct stream s;

	ASSERT_EQ(0, mem_import_dmabuf(&self->b, self->to_read, &i));
	ASSERT_EQ(0, va_bind(&self->b, i.out_id, va, SIZE, 0));
	ASSERT_EQ(0, mem_alloc_at(&self->b, 0, 0, 0, SIZE, to));
	ASSERT_EQ(0, stream_create(&s, &self->b, 0));
	EXPECT_EQ(0, stream_do(&s, task_copy(to, va, SIZE)));
	EXPECT_TRUE(bytes_are(self, &self->b, to, 0x77));
	EXPECT_EQ(-EACCES, stream_do(&s, task_fill(va, SIZE, 1, 1)));
	EXPECT_EQ(-EACCES, stream_do(&s, task_copy(va, to, SIZE)));
	EXPECT_TRUE(bytes_are(self, &self->a, self->a.base, 0x77));
	EXPECT_EQ(0, stream_destroy(&s));
}

TEST_F(dmabuf, exporter_closes_first)
{
	struct vnpu_mem_import_dmabuf i;
	__u8 *p;

	ASSERT_EQ(0, map_all(self->fd, PROT_READ | PROT_WRITE, &p));
	client_close(&self->a);
	close(self->to_read);
	self->to_read = -1;
	EXPECT_EQ(self->used + SIZE, device_used(&self->b, 0));
	EXPECT_TRUE(is_all(p, 0x77, SIZE));

	/*
	 * An importing client is charged for it; a mapping alone keeps it as
	 * well.
	 */
	ASSERT_EQ(0, mem_import_dmabuf(&self->b, self->fd, &i));
	EXPECT_EQ(SIZE, held_by(&self->b));
	ASSERT_EQ(0, va_bind(&self->b, i.out_id, self->b.base, SIZE, 0));
	ASSERT_EQ(0, fill(&self->b, self->b.base, SIZE, 0x55, 1));
	close(self->fd);
	self->fd = -1;
	client_close(&self->b);
	ASSERT_EQ(0, client_open(&self->b));
	EXPECT_TRUE(is_all(p, 0x55, SIZE));
	EXPECT_EQ(self->used + SIZE, device_used(&self->b, 0));
	munmap(p, SIZE);
	EXPECT_EQ(self->used, device_used(&self->b, 0));
}

TEST_F(dmabuf, importer_closes_first)
{
	struct vnpu_mem_import_dmabuf i;

	ASSERT_EQ(0, mem_import_dmabuf(&self->b, self->fd, &i));
	ASSERT_EQ(0, mem_import_dmabuf(&self->b, self->to_read, &i));
	client_close(&self->b);
	EXPECT_EQ(SIZE, held_by(&self->a));
	EXPECT_TRUE(bytes_are(self, &self->a, self->a.base, 0x77));
}

TEST_F(dmabuf, refused)
{
	int other[2], closed = dup(self->fd), share;
	struct vnpu_mem_import_dmabuf i;
	__u32 host;

	EXPECT_EQ(-ENOENT, mem_export_dmabuf(&self->a, 0, 0));
	EXPECT_EQ(-ENOENT, mem_export_dmabuf(&self->b, 0, self->id));
	EXPECT_EQ(-EOPNOTSUPP, mem_export_dmabuf(&self->a, 2, self->id));
	ASSERT_EQ(0, host_alloc(&self->a, PAGE, &host));
	EXPECT_EQ(-EOPNOTSUPP, mem_export_dmabuf(&self->a, 0, host));

	EXPECT_EQ(-EBADF, mem_import_dmabuf(&self->b, -1, &i));
	EXPECT_EQ(-EBADF, mem_import_dmabuf(&self->b, 1 << 20, &i));
	close(closed);
	EXPECT_EQ(-EBADF, mem_import_dmabuf(&self->b, closed, &i));
	share = mem_export(&self->a, self->id);
	EXPECT_EQ(-EINVAL, mem_import_dmabuf(&self->b, share, &i));
	EXPECT_EQ(-EINVAL, mem_import_dmabuf(&self->b, self->b.fd, &i));
	EXPECT_EQ(-EINVAL, mem_import(&self->b, self->fd, &i.out_id));
	close(share);
	ASSERT_EQ(0, pipe(other));
	EXPECT_EQ(-EINVAL, mem_import_dmabuf(&self->b, other[0], &i));
	EXPECT_EQ(-EINVAL, mem_import_dmabuf(&self->b, other[1], &i));
	close(other[0]);
	close(other[1]);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, other));
	EXPECT_EQ(-EINVAL, mem_import_dmabuf(&self->b, other[0], &i));
	close(other[0]);
	close(other[1]);
	other[0] = open("/dev/null", O_PATH | O_CLOEXEC);
	EXPECT_EQ(-EBADF, mem_import_dmabuf(&self->b, other[0], &i));
	close(other[0]);
}

/* An object of a slab shares its page, so it has no id to export. */
TEST_F(dmabuf, no_slab_objects)
{
	__u64 va;
	__u32 id;

	ASSERT_EQ(0, slab_window(&self->a, 0, self->a.base + GIB(1), MIB(1)));
	ASSERT_EQ(0, slab_alloc(&self->a, 0, 100, &va, NULL));
	EXPECT_EQ(-EOPNOTSUPP, mem_open(&self->a, va, &id));
}

/*
 * Without any client, the dma-buf holds a reference to the module until it is
 * closed.
 */
TEST_F(dmabuf, module_stays)
{
	__u8 *p;

	ASSERT_EQ(0, map_all(self->fd, PROT_READ, &p));
	client_close(&self->a);
	client_close(&self->b);
	close(self->fd);
	close(self->to_read);
	self->fd = -1;
	self->to_read = -1;
	EXPECT_EQ(-1, syscall(SYS_delete_module, "vnpu", O_NONBLOCK));
	EXPECT_EQ(EWOULDBLOCK, errno);
	EXPECT_TRUE(is_all(p, 0x77, SIZE));
	munmap(p, SIZE);
}

TEST_HARNESS_MAIN
