// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host memory that the driver allocates: where it is mapped, and access rights.
 */
#include "hostmem.h"

#include <sys/syscall.h>
#include <sys/uio.h>

TEST_F(hostmem, alloc_and_map)
{
	struct vnpu_mem_query q;
	__u8 *p;
	__u32 id;

	ASSERT_EQ(0, host_alloc(&self->c, LENGTH - 5, &id));
	ASSERT_EQ(0, mem_query(&self->c, id, &q));
	EXPECT_EQ(LENGTH, q.out_length);
	EXPECT_EQ(VNPU_DEVICE_HOST, q.out_device);
	EXPECT_EQ(VNPU_MEM_KIND_HOST, q.out_mem_kind);
	EXPECT_EQ(VNPU_MEM_F_HOST_ACCESS, q.out_mem_flags);
	EXPECT_EQ(VNPU_PAGE_SHIFT_4K, q.out_page_shift);
	EXPECT_LE(1, q.out_extents);
	EXPECT_GE(16, q.out_extents);
	EXPECT_EQ(1, q.out_clients);

	p = host_map(&self->c, id, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_NE(MAP_FAILED, (void *)p);
	EXPECT_TRUE(is_all(p, 0, LENGTH));
	memset(p, 0x5a, LENGTH);

	/*
	 * The mapping keeps the memory, and shows the same pages after a zap.
	 */
	EXPECT_EQ(0, mem_free(&self->c, id));
	EXPECT_EQ(0, madvise(p, LENGTH, MADV_DONTNEED));
	EXPECT_TRUE(is_all(p, 0x5a, LENGTH));
	EXPECT_EQ(MAP_FAILED, host_map(&self->c, id, PAGE, PROT_READ,
				       MAP_SHARED));
	EXPECT_EQ(ENOENT, errno);

	/* It may be unmapped in parts. */
	EXPECT_EQ(0, munmap(p + PAGE, PAGE));
	EXPECT_EQ(0x5a, p[0]);
	EXPECT_EQ(0x5a, p[2 * PAGE]);
	EXPECT_EQ(0, madvise(p + 2 * PAGE, LENGTH - 2 * PAGE, MADV_DONTNEED));
	EXPECT_TRUE(is_all(p + 2 * PAGE, 0x5a, LENGTH - 2 * PAGE));
}

TEST_F(hostmem, alloc_refused)
{
	__u32 id;

	EXPECT_EQ(-EINVAL, host_alloc(&self->c, 0, &id));
	EXPECT_EQ(-EOVERFLOW, host_alloc(&self->c, ~0ULL, &id));
	EXPECT_EQ(-ENOMEM, host_alloc(&self->c, 1ULL << 62, &id));
	EXPECT_EQ(-ENOMEM, host_alloc(&self->c, 1ULL << 45, &id));
}

/*
 * Return whether a page is on node 0; a kernel that cannot report it has no
 * other.
 */
static int is_on_first_node(const void *p)
{
	void *page = (void *)p;
	int node = -1;

	return syscall(SYS_move_pages, 0, 1UL, &page, NULL, &node, 0) ?
	       errno == ENOSYS : node == 0;
}

TEST_F(hostmem, alloc_on_a_node)
{
	static const __u64 none[] = {
		63, 1023, 1024, 65536, 1ULL << 32, ~0ULL
	};
	struct vnpu_host_alloc a = {
		.size = sizeof(a),
		.flags = VNPU_HOST_ALLOC_F_NODE,
		.length = LENGTH,
	};
	__u8 *p;
	size_t i;

	ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_HOST_ALLOC, &a));
	p = host_map(&self->c, a.out_id, LENGTH, PROT_READ | PROT_WRITE,
		     MAP_SHARED);
	ASSERT_NE(MAP_FAILED, (void *)p);
	EXPECT_TRUE(is_all(p, 0, LENGTH));
	for (i = 0; i < LENGTH; i += PAGE)
		EXPECT_TRUE(is_on_first_node(p + i));

	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		a.node = none[i];
		EXPECT_EQ(-EINVAL, call(self->c.fd, VNPU_IOCTL_HOST_ALLOC, &a));
	}
	a.node = 1;
	a.flags = 0;
	EXPECT_EQ(-EINVAL, call(self->c.fd, VNPU_IOCTL_HOST_ALLOC, &a));
}

TEST_F(hostmem, map_refused)
{
	__u32 id, devmem;

	ASSERT_EQ(0, host_alloc(&self->c, LENGTH, &id));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &devmem));

	EXPECT_EQ(MAP_FAILED, host_map(&self->c, id, LENGTH + PAGE, PROT_READ,
				       MAP_SHARED));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, host_map(&self->c, id, LENGTH, PROT_READ,
				       MAP_PRIVATE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, host_map(&self->c, id, LENGTH,
				       PROT_READ | PROT_EXEC, MAP_SHARED));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, host_map(&self->c, devmem, PAGE, PROT_READ,
				       MAP_SHARED));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_EQ(MAP_FAILED, host_map(&self->c, 0, PAGE, PROT_READ,
				       MAP_SHARED));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED,
				   self->c.fd, 1LL << 62));
	EXPECT_EQ(ENOENT, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED,
				   self->c.fd, VNPU_MMAP_STREAM - PAGE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-EOPNOTSUPP, mem_export(&self->c, id));
}

/*
 * By the host's address, by the device's, and by the host at the device's
 * address.
 */
TEST_F(hostmem, one_memory_at_three_addresses)
{
	__u64 dev = self->va + MIB(1), i;
	struct vnpu_va_query q;
	__u8 *p, *w = ptr(self->va);
	__u32 id;

	ASSERT_EQ(0, host_alloc(&self->c, LENGTH, &id));
	p = host_map(&self->c, id, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_NE(MAP_FAILED, (void *)p);
	ASSERT_EQ(0, va_bind(&self->c, id, self->va, LENGTH, 0));
	ASSERT_EQ(0, mem_free(&self->c, id));
	ASSERT_EQ(0, va_query(&self->c, 0, self->va, &q));
	EXPECT_EQ(VNPU_DEVICE_HOST, q.out_device);
	EXPECT_EQ(VNPU_MEM_KIND_HOST, q.out_mem_kind);

	for (i = 0; i < LENGTH; i++)
		p[i] = i * 11;
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, LENGTH, dev));
	ASSERT_EQ(0, copy(&self->c, dev, self->va, LENGTH));
	ASSERT_EQ(0, fill(&self->c, self->va, LENGTH, 0x17, 1));
	EXPECT_TRUE(is_all(p, 0x17, LENGTH));
	ASSERT_EQ(0, copy(&self->c, self->va + 3, dev + 3, LENGTH - 7));
	for (i = 3; i < LENGTH - 4 && p[i] == (__u8)(i * 11); i++)
		;
	EXPECT_EQ(LENGTH - 4, i);
	EXPECT_EQ(0x17, p[2]);
	EXPECT_EQ(0x17, p[LENGTH - 4]);

	/* From host memory to host memory by device addresses, overlapping. */
	ASSERT_EQ(0, copy(&self->c, self->va + PAGE + 3, self->va + 3,
			  4 * PAGE));
	EXPECT_EQ((__u8)(3 * 11), p[PAGE + 3]);
	EXPECT_EQ((__u8)((3 * PAGE + 9) * 11), p[4 * PAGE + 9]);

	ASSERT_EQ(0, mprotect(w, LENGTH, PROT_READ | PROT_WRITE));
	w[PAGE + 1] = 0x77;
	EXPECT_EQ(0x77, p[PAGE + 1]);
	p[1] = 0x78;
	EXPECT_EQ(0x78, w[1]);
	ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
	EXPECT_EQ(SIGSEGV, touch_read(self->va));
	EXPECT_EQ(0x77, p[PAGE + 1]);
}

/* System calls can pin it, unlike the window. */
TEST_F(hostmem, can_be_pinned)
{
	struct iovec out = { .iov_len = LENGTH }, in = { .iov_len = LENGTH };
	__u8 seen[PAGE];
	int pipe_fd[2];
	__u8 *p;
	__u32 id;

	ASSERT_EQ(0, host_alloc(&self->c, LENGTH, &id));
	p = host_map(&self->c, id, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_NE(MAP_FAILED, (void *)p);
	memset(p, 0x31, LENGTH);
	in.iov_base = anonymous(LENGTH);
	ASSERT_NE(MAP_FAILED, in.iov_base);
	out.iov_base = p;
	EXPECT_EQ(LENGTH, process_vm_readv(getpid(), &in, 1, &out, 1, 0));
	EXPECT_TRUE(is_all(in.iov_base, 0x31, LENGTH));

	/*
	 * The pipe refers to the pages themselves, even after they are freed.
	 */
	ASSERT_EQ(0, pipe(pipe_fd));
	out.iov_len = PAGE;
	EXPECT_EQ(PAGE, vmsplice(pipe_fd[1], &out, 1, 0));
	memset(p, 0x32, PAGE);
	EXPECT_EQ(0, munmap(p, LENGTH));
	EXPECT_EQ(0, mem_free(&self->c, id));
	EXPECT_EQ(PAGE, read(pipe_fd[0], seen, PAGE));
	EXPECT_TRUE(is_all(seen, 0x32, PAGE));

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE,
				  self->va));
	ASSERT_EQ(0, mprotect(ptr(self->va), PAGE, PROT_READ | PROT_WRITE));
	*(volatile __u8 *)ptr(self->va) = 1;
	out.iov_base = ptr(self->va);
	EXPECT_EQ(-1, vmsplice(pipe_fd[1], &out, 1, 0));
	EXPECT_EQ(EFAULT, errno);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
}

/* Read directly from a disk, if there is a file system that supports it. */
TEST_F(hostmem, direct_io)
{
	char path[] = "/tmp/vnpu-hostmem-XXXXXX";
	void *any = anonymous(LENGTH);
	int fd = mkstemp(path);
	__u8 *p;
	__u32 id;

	ASSERT_LE(0, fd);
	ASSERT_NE(MAP_FAILED, any);
	unlink(path);
	ASSERT_EQ(0, host_alloc(&self->c, LENGTH, &id));
	p = host_map(&self->c, id, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_NE(MAP_FAILED, (void *)p);
	memset(p, 0x41, LENGTH);
	ASSERT_EQ(LENGTH, write(fd, p, LENGTH));
	ASSERT_EQ(0, fsync(fd));
	if (fcntl(fd, F_SETFL, O_DIRECT) ||
	    pread(fd, any, LENGTH, 0) != LENGTH) {
		close(fd);
		SKIP(return, "no O_DIRECT in /tmp");
	}
	memset(p, 0, LENGTH);
	EXPECT_EQ(LENGTH, pread(fd, p, LENGTH, 0));
	EXPECT_TRUE(is_all(p, 0x41, LENGTH));
	close(fd);
}

TEST_F(hostmem, no_access_for_a_child)
{
	__u8 *p;
	__u32 id;
	pid_t pid;

	ASSERT_EQ(0, host_alloc(&self->c, LENGTH, &id));
	p = host_map(&self->c, id, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED);
	ASSERT_NE(MAP_FAILED, (void *)p);
	*p = 1;
	pid = fork_bound();
	if (!pid) {
		if (touch_read(addr(p)) != SIGSEGV)
			_exit(1);
		if (host_alloc(&self->c, PAGE, &id) != -EPERM)
			_exit(2);
		if (host_register(&self->c, 0, anonymous(PAGE), PAGE, &id) !=
		    -EPERM)
			_exit(3);
		if (host_map(&self->c, id, PAGE, PROT_READ, MAP_SHARED) !=
		    MAP_FAILED || errno != EPERM)
			_exit(4);
		_exit(0);
	}
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(1, *p);
}

/*
 * A device's access rights also apply if the other end of a copy is host
 * memory.
 */
TEST_F(hostmem, rights)
{
	__u64 dev = self->va + MIB(1);
	__u32 id;

	ASSERT_EQ(0, host_alloc(&self->c, PAGE, &id));
	ASSERT_EQ(0, va_bind(&self->c, id, self->va, PAGE, 0));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, dev));
	ASSERT_EQ(0, va_protect(&self->c, self->va, 0, 0, VNPU_ACCESS_READ));
	EXPECT_EQ(0, copy(&self->c, dev, self->va, PAGE));
	EXPECT_EQ(-EACCES, copy(&self->c, self->va, dev, PAGE));
	EXPECT_EQ(0, fill(&self->c, self->va, PAGE, 1, 1));
	ASSERT_EQ(0, va_protect(&self->c, self->va, 0, VNPU_DEVICE_HOST,
				VNPU_ACCESS_READ));
	EXPECT_EQ(-EACCES, fill(&self->c, self->va, PAGE, 1, 1));
}

TEST_HARNESS_MAIN
