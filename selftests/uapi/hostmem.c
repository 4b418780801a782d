// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host memory as memory objects: what the driver allocates, and what is a
 * process's own and registered. Who pays, who may, and what becomes of it when
 * the mapping, the process or the right goes.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "client.h"
#include "util.h"

#define LENGTH		(16 * PAGE)
#define QUOTA		"/sys/module/vnpu/parameters/host_quota"
#define NOBODY		65534

static int host_alloc(const struct client *c, __u64 length, __u32 *id)
{
	struct vnpu_host_alloc a = { .size = sizeof(a), .length = length };
	int ret = call(c->fd, VNPU_IOCTL_HOST_ALLOC, &a);

	if (!ret)
		*id = a.out_id;
	return ret;
}

static int host_register(const struct client *c, __u32 flags, const void *p,
			 __u64 length, __u32 *id)
{
	struct vnpu_host_register r = {
		.size = sizeof(r),
		.flags = flags,
		.addr = addr(p),
		.length = length,
	};
	int ret = call(c->fd, VNPU_IOCTL_HOST_REGISTER, &r);

	if (!ret)
		*id = r.out_id;
	return ret;
}

static void *host_map(const struct client *c, __u32 id, __u64 length, int prot,
		      int flags)
{
	return mmap(NULL, length, prot, flags, c->fd,
		    VNPU_MMAP_HOST + id * PAGE);
}

static void *anonymous(__u64 length)
{
	return mmap(NULL, length, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* A line of /proc/self/status, in KiB, or -1. */
static long status_kib(const char *name)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[128];
	long kib = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			kib = atol(line + strlen(name) + 1);
	if (f)
		fclose(f);
	return kib;
}

static long pinned_kib(void)
{
	return status_kib("VmPin:");
}

static __u64 quota_get(void)
{
	FILE *f = fopen(QUOTA, "r");
	unsigned long long bytes = 0;

	if (f && fscanf(f, "%llu", &bytes) != 1)
		bytes = 0;
	if (f)
		fclose(f);
	return bytes;
}

static int quota_write(const char *text)
{
	int fd = open(QUOTA, O_WRONLY);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

static int quota_set(__u64 bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", bytes);
	return quota_write(text);
}

/* Another user, without any right. */
static void become_nobody(void)
{
	if (setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		_exit(120);
}

FIXTURE(hostmem)
{
	struct client c;
	__u64 va;	/* nothing is bound there */
	long pinned;	/* KiB at the start */
};

FIXTURE_SETUP(hostmem)
{
	ASSERT_EQ(0, client_open(&self->c));
	self->va = self->c.base + MIB(4);
	self->pinned = pinned_kib();
}

FIXTURE_TEARDOWN(hostmem)
{
	client_close(&self->c);
}

/* What the driver allocates. */

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

	/* The mapping keeps it, and the pages are the same after a zap. */
	EXPECT_EQ(0, mem_free(&self->c, id));
	EXPECT_EQ(0, madvise(p, LENGTH, MADV_DONTNEED));
	EXPECT_TRUE(is_all(p, 0x5a, LENGTH));
	EXPECT_EQ(MAP_FAILED, host_map(&self->c, id, PAGE, PROT_READ,
				       MAP_SHARED));
	EXPECT_EQ(ENOENT, errno);

	/* It may be cut. */
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

/* Whether a page is on node 0; a kernel that cannot tell has no other. */
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
				   self->c.fd, VNPU_MMAP_HOST - PAGE));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-EOPNOTSUPP, mem_export(&self->c, id));
}

/* By the host's address, by the device's, and by the host at the device's. */
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

/* System calls pin it, which they cannot do with the window. */
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

	/* What is in the pipe are these pages, also after they are freed. */
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

/* Straight from a disk, where there is a file system that can. */
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

TEST_F(hostmem, not_for_a_child)
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

/* What @fn returns in a child, with a quota and a node that all may open. */
static int with_quota(__u64 limit, int (*fn)(void))
{
	__u64 before = quota_get();
	struct stat node;
	pid_t pid;
	int ret;

	if (stat(VNPU_NODE, &node) || chmod(VNPU_NODE, 0666) ||
	    quota_set(limit))
		return -1;
	pid = fork_bound();
	if (!pid)
		_exit(fn());
	ret = child_wait(pid);
	quota_set(before);
	chmod(VNPU_NODE, node.st_mode & 07777);
	return ret;
}

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
	/* A mapping keeps it counted. */
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
	/* The rest is given back by dying, or the next run finds it. */
	return host_alloc(&c, 4 * PAGE, &id) ? 10 : 0;
}

TEST_F(hostmem, quota)
{
	if (!quota_get())
		SKIP(return, "no " QUOTA);
	EXPECT_EQ(0, with_quota(8 * PAGE, quota_child));
	EXPECT_EQ(0, with_quota(8 * PAGE, quota_child));
}

static int quota_root_child(void)
{
	struct client c;
	__u32 id;

	return client_open(&c) || host_alloc(&c, 64 * PAGE, &id);
}

TEST_F(hostmem, quota_is_not_for_the_administrator)
{
	EXPECT_EQ(0, with_quota(0, quota_root_child));
}

TEST_F(hostmem, quota_parameter)
{
	__u64 before = quota_get();

	EXPECT_EQ(0, quota_write("3M\n"));
	EXPECT_EQ(MIB(3), quota_get());
	EXPECT_EQ(-EINVAL, quota_write("3 apples"));
	EXPECT_EQ(-EINVAL, quota_write("-1"));
	EXPECT_EQ(-EINVAL, quota_write("M"));
	EXPECT_EQ(MIB(3), quota_get());
	EXPECT_EQ(0, quota_set(before));
}

/* What is registered. */

TEST_F(hostmem, register_and_copy)
{
	__u64 dev = self->va + MIB(1), i;
	struct vnpu_mem_query q;
	__u8 *p = anonymous(LENGTH);
	__u32 id;

	ASSERT_NE(MAP_FAILED, (void *)p);
	ASSERT_EQ(0, host_register(&self->c, 0, p, LENGTH - 1, &id));
	ASSERT_EQ(0, mem_query(&self->c, id, &q));
	EXPECT_EQ(LENGTH, q.out_length);
	EXPECT_EQ(VNPU_DEVICE_HOST, q.out_device);
	EXPECT_EQ(VNPU_MEM_KIND_HOST, q.out_mem_kind);
	EXPECT_EQ(0, q.out_mem_flags);
	EXPECT_EQ(self->pinned + LENGTH / 1024, pinned_kib());
	ASSERT_EQ(0, va_bind(&self->c, id, self->va, LENGTH - PAGE, PAGE));
	ASSERT_EQ(0, mem_free(&self->c, id));

	for (i = 0; i < LENGTH; i++)
		p[i] = i * 13;
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, LENGTH, dev));
	ASSERT_EQ(0, copy(&self->c, dev, self->va + 1, 2 * PAGE));
	memset(p, 0, LENGTH);
	ASSERT_EQ(0, copy(&self->c, self->va + 1, dev, 2 * PAGE));
	for (i = PAGE + 1; i < 3 * PAGE + 1 && p[i] == (__u8)(i * 13); i++)
		;
	EXPECT_EQ(3 * PAGE + 1, i);
	EXPECT_EQ(0, p[PAGE]);
	EXPECT_EQ(0, p[3 * PAGE + 1]);

	/* The host has its own address for it. */
	ASSERT_EQ(0, mprotect(ptr(self->va), PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(SIGSEGV, touch_read(self->va));

	EXPECT_EQ(self->pinned + LENGTH / 1024, pinned_kib());
	ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
	EXPECT_EQ(self->pinned, pinned_kib());
	EXPECT_EQ(-EFAULT, copy(&self->c, dev, self->va, 1));
}

/* Many pages, of which some may be huge ones, and all kinds of it. */
TEST_F(hostmem, register_kinds)
{
	const __u64 length = MIB(6);
	__u64 dev = self->va + MIB(64);
	int fd = syscall(SYS_memfd_create, "hostmem", 0);
	__u8 *maps[3], *seen = malloc(length);
	__u32 id;
	int i;

	ASSERT_LE(0, fd);
	ASSERT_TRUE(seen);
	ASSERT_EQ(0, ftruncate(fd, length));
	maps[0] = anonymous(length);
	ASSERT_NE(MAP_FAILED, (void *)maps[0]);
	madvise(maps[0], length, MADV_HUGEPAGE);
	maps[1] = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)maps[1]);
	ASSERT_EQ(0, host_alloc(&self->c, length, &id));
	maps[2] = host_map(&self->c, id, length, PROT_READ | PROT_WRITE,
			   MAP_SHARED);
	ASSERT_NE(MAP_FAILED, (void *)maps[2]);

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, length, dev));
	for (i = 0; i < 3; i++) {
		struct rng rng = { .state = 4711 + i };

		rng_fill(&rng, maps[i], length);
		ASSERT_EQ(0, host_register(&self->c, 0, maps[i], length, &id))
		{
			TH_LOG("kind %d", i);
		}
		ASSERT_EQ(0, va_bind(&self->c, id, self->va, length, 0));
		ASSERT_EQ(0, copy(&self->c, dev + 5, self->va + 5,
				  length - 5));
		ASSERT_EQ(0, copy(&self->c, addr(seen), dev + 5, length - 5));
		EXPECT_EQ(0, memcmp(seen, maps[i] + 5, length - 5));
		/* To and from the caller's memory as well. */
		ASSERT_EQ(0, copy(&self->c, self->va, addr(seen), length - 5));
		EXPECT_EQ(0, memcmp(seen, maps[i], length - 5));
		ASSERT_EQ(0, copy(&self->c, addr(seen), self->va, length));
		EXPECT_EQ(0, memcmp(seen, maps[i], length));
		ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
		ASSERT_EQ(0, mem_free(&self->c, id));
		EXPECT_EQ(self->pinned, pinned_kib());
	}
	close(fd);
	free(seen);
}

TEST_F(hostmem, register_refused)
{
	__u8 *p = anonymous(4 * PAGE);
	char path[] = "/tmp/vnpu-hostmem-XXXXXX";
	int fd = mkstemp(path);
	__u32 id;
	void *f;

	ASSERT_NE(MAP_FAILED, (void *)p);
	EXPECT_EQ(-EINVAL, host_register(&self->c, 0, p, 0, &id));
	EXPECT_EQ(-EINVAL, host_register(&self->c, 0, p + 64, PAGE, &id));
	EXPECT_EQ(-EOPNOTSUPP, host_register(&self->c, 2, p, PAGE, &id));
	EXPECT_EQ(-EOVERFLOW, host_register(&self->c, 0, p, ~0ULL, &id));
	EXPECT_EQ(-EFAULT, host_register(&self->c, 0, ptr(1ULL << 63), PAGE,
					 &id));
	EXPECT_EQ(-EFAULT, host_register(&self->c, 0, NULL, PAGE, &id));

	/* A hole at the end, and what cannot be written. */
	ASSERT_EQ(0, munmap(p + 3 * PAGE, PAGE));
	EXPECT_EQ(-EFAULT, host_register(&self->c, 0, p, 4 * PAGE, &id));
	ASSERT_EQ(0, mprotect(p, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, host_register(&self->c, 0, p, 2 * PAGE, &id));
	EXPECT_EQ(-EFAULT, host_register(&self->c,
					 VNPU_HOST_REGISTER_F_READ_ONLY, p,
					 2 * PAGE, &id));

	/* The window has no pages that could be pinned. */
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE,
				  self->va));
	ASSERT_EQ(0, mprotect(ptr(self->va), PAGE, PROT_READ | PROT_WRITE));
	*(volatile __u8 *)ptr(self->va) = 1;
	EXPECT_EQ(-EFAULT, host_register(&self->c, 0, ptr(self->va), PAGE,
					 &id));

	/* A file on a disk; where /tmp is memory there is none. */
	ASSERT_LE(0, fd);
	unlink(path);
	ASSERT_EQ(0, ftruncate(fd, PAGE));
	f = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, f);
	EXPECT_EQ(0, host_register(&self->c, 0, f, PAGE, &id));
	EXPECT_EQ(0, mem_free(&self->c, id));
	close(fd);

	fd = open("build/lib/libvnpu.so.1.0.0", O_RDWR);
	if (fd >= 0) {
		f = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
		if (f != MAP_FAILED)
			EXPECT_EQ(-EFAULT, host_register(&self->c, 0, f, PAGE,
							 &id));
	}
	EXPECT_EQ(self->pinned, pinned_kib());
}

TEST_F(hostmem, read_only)
{
	__u64 dev = self->va + MIB(1);
	__u8 *p = anonymous(2 * PAGE), seen[8];
	__u32 id;

	ASSERT_NE(MAP_FAILED, (void *)p);
	memset(p, 7, 2 * PAGE);
	ASSERT_EQ(0, host_register(&self->c, VNPU_HOST_REGISTER_F_READ_ONLY, p,
				   2 * PAGE, &id));
	ASSERT_EQ(0, va_bind(&self->c, id, self->va, 2 * PAGE, 0));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, dev));
	EXPECT_EQ(0, copy(&self->c, dev, self->va, PAGE));
	EXPECT_EQ(0, copy(&self->c, addr(seen), self->va, 8));
	EXPECT_TRUE(is_all(seen, 7, 8));
	memset(seen, 8, 8);
	EXPECT_EQ(-EACCES, copy(&self->c, self->va, dev, PAGE));
	EXPECT_EQ(-EACCES, copy(&self->c, self->va, addr(seen), 8));
	EXPECT_EQ(-EACCES, copy(&self->c, self->va, self->va + PAGE, 8));
	EXPECT_EQ(-EACCES, fill(&self->c, self->va, PAGE, 1, 1));
	/* A right that is granted does not reach beyond it. */
	EXPECT_EQ(0, va_protect(&self->c, self->va, 0, VNPU_DEVICE_ALL,
				VNPU_ACCESS_READ_WRITE));
	EXPECT_EQ(-EACCES, copy(&self->c, self->va, dev, PAGE));
	EXPECT_TRUE(is_all(p, 7, 2 * PAGE));
}

/* The rights of a device are asked for where the host's memory is one end. */
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

TEST_F(hostmem, stale_after_munmap)
{
	__u64 dev = self->va + MIB(1), done;
	__u8 *p = anonymous(4 * PAGE), *again;
	__u32 id, other;

	ASSERT_NE(MAP_FAILED, (void *)p);
	memset(p, 1, 4 * PAGE);
	ASSERT_EQ(0, host_register(&self->c, 0, p, 2 * PAGE, &id));
	ASSERT_EQ(0, host_register(&self->c, 0, p + 2 * PAGE, 2 * PAGE,
				   &other));
	ASSERT_EQ(0, va_bind(&self->c, id, self->va, 2 * PAGE, 0));
	ASSERT_EQ(0, va_bind(&self->c, other, self->va + 2 * PAGE, 2 * PAGE,
			     0));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, 4 * PAGE, dev));
	ASSERT_EQ(0, copy(&self->c, dev, self->va, 4 * PAGE));

	/* Part of it is enough; the neighbour is as it was. */
	ASSERT_EQ(0, munmap(p + PAGE, PAGE));
	EXPECT_EQ(-EFAULT, copy_done(&self->c, dev, self->va, 4, &done));
	EXPECT_EQ(0, done);
	EXPECT_EQ(-EFAULT, copy(&self->c, self->va, dev, 4));
	EXPECT_EQ(-EFAULT, fill(&self->c, self->va, PAGE, 9, 1));
	EXPECT_EQ(-EFAULT, copy(&self->c, self->va + 2 * PAGE, self->va, 4));
	EXPECT_EQ(0, copy(&self->c, dev, self->va + 2 * PAGE, 2 * PAGE));
	EXPECT_EQ(1, p[0]);

	/* New memory at the old place is other memory. */
	again = mmap(p, 2 * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	ASSERT_EQ(p, again);
	EXPECT_EQ(-EFAULT, copy(&self->c, self->va, dev, 4));
	EXPECT_EQ(self->pinned + 4 * PAGE / 1024, pinned_kib());
	ASSERT_EQ(0, va_unbind(&self->c, self->va, 2 * PAGE));
	ASSERT_EQ(0, mem_free(&self->c, id));
	EXPECT_EQ(self->pinned + 2 * PAGE / 1024, pinned_kib());
	ASSERT_EQ(0, host_register(&self->c, 0, p, 2 * PAGE, &id));
	ASSERT_EQ(0, va_bind(&self->c, id, self->va, 2 * PAGE, 0));
	EXPECT_EQ(0, copy(&self->c, self->va, dev, 4));
	EXPECT_EQ(1, p[0]);

	/* Moving it away is taking it away. */
	ASSERT_NE(MAP_FAILED, mremap(p + 2 * PAGE, 2 * PAGE, 4 * PAGE,
				     MREMAP_MAYMOVE));
	EXPECT_EQ(-EFAULT, copy(&self->c, dev, self->va + 2 * PAGE, 4));
}

/* What becomes of the pages otherwise does not make it stale. */
TEST_F(hostmem, stays_where_it_is)
{
	__u64 dev = self->va + MIB(1);
	__u8 *p = anonymous(2 * PAGE);
	__u32 id;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, (void *)p);
	memset(p, 1, 2 * PAGE);
	ASSERT_EQ(0, host_register(&self->c, 0, p, 2 * PAGE, &id));
	ASSERT_EQ(0, va_bind(&self->c, id, self->va, 2 * PAGE, 0));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, dev));

	/* A child gets copies: the pages stay those of the parent. */
	pid = fork_bound();
	if (!pid) {
		memset(p, 3, 2 * PAGE);
		_exit(0);
	}
	memset(p, 2, PAGE);
	ASSERT_EQ(0, copy(&self->c, dev, self->va, PAGE));
	ASSERT_EQ(0, fill(&self->c, self->va + PAGE, PAGE, 4, 1));
	EXPECT_EQ(0, child_wait(pid));
	ASSERT_EQ(0, copy(&self->c, addr(p), dev, PAGE));
	EXPECT_TRUE(is_all(p, 2, PAGE));
	EXPECT_TRUE(is_all(p + PAGE, 4, PAGE));

	ASSERT_EQ(0, mprotect(p, PAGE, PROT_READ));
	EXPECT_EQ(0, copy(&self->c, dev, self->va, PAGE));
	ASSERT_EQ(0, madvise(p + PAGE, PAGE, MADV_DONTNEED));
	EXPECT_EQ(0, copy(&self->c, dev, self->va + PAGE, PAGE));
	EXPECT_EQ(0, p[PAGE]);
	ASSERT_EQ(0, copy(&self->c, addr(p + PAGE), dev, PAGE));
	EXPECT_EQ(4, p[PAGE]);
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
	/* With the right it is no limit. */
	if (host_register(&c, 0, p, 16 * PAGE, &a) || mem_free(&c, a))
		return 2;
	/* The owner's mm stays the same, its rights do not. */
	become_nobody();
	if (host_register(&c, 0, p, 9 * PAGE, &a) != -EDQUOT)
		return 3;
	if (host_register(&c, 0, p, 8 * PAGE, &a))
		return 4;
	if (host_register(&c, 0, p, 1, &b) != -EDQUOT)
		return 5;
	/* What failed is not counted, and what is gone neither. */
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

/* Holds a little of everything until it is killed. */
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
	/* In the middle of a copy, most likely. */
	for (;;)
		copy(&c, c.base, c.base + MIB(2), MIB(1));
}

/* Whatever it had is back, or the module's end and kmemleak will tell. */
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

/* The child keeps the file, but not what the owner had. */
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
			/* Until the test closes its end. */
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

/* exec() ends the address space, and with it all that was pinned in it. */
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

struct racer {
	struct client *c;
	__u8 *p;
	volatile bool stop;
};

static void *race_munmap(void *arg)
{
	struct racer *r = arg;

	while (!r->stop) {
		munmap(r->p, LENGTH);
		mmap(r->p, LENGTH, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
	return NULL;
}

/* Registering, using and giving back while the mapping comes and goes. */
TEST_F(hostmem, race_with_munmap)
{
	struct racer r = { .c = &self->c, .p = anonymous(LENGTH) };
	__u64 dev = self->va + MIB(1);
	pthread_t thread;
	int i;

	ASSERT_NE(MAP_FAILED, (void *)r.p);
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, LENGTH, dev));
	ASSERT_EQ(0, pthread_create(&thread, NULL, race_munmap, &r));
	for (i = 0; i < 300; i++) {
		__u32 id;
		int ret = host_register(&self->c, 0, r.p, LENGTH, &id);

		if (ret) {
			EXPECT_EQ(-EFAULT, ret);
			continue;
		}
		ASSERT_EQ(0, va_bind(&self->c, id, self->va, LENGTH, 0));
		ASSERT_EQ(0, mem_free(&self->c, id));
		ret = copy(&self->c, self->va, dev, LENGTH);
		EXPECT_TRUE(!ret || ret == -EFAULT);
		ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
	}
	r.stop = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(self->pinned, pinned_kib());
}

TEST_HARNESS_MAIN
