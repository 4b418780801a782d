// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dma-bufs of other drivers as memory: of vgem, udmabuf and a dma-heap, if the
 * kernel has them. Also, other drivers cannot import this driver's dma-bufs.
 */
#define _GNU_SOURCE

#include <linux/dma-heap.h>
#include <linux/udmabuf.h>

#include "kselftest_harness.h"

#include "host_quota.h"
#include "stream.h"
#include "trouble.h"
#include "util.h"
#include "vgem.h"

#define SIZE	(40 * PAGE)

static int make_vgem(void)
{
	int vgem = vgem_open(), ret = vgem;
	__u32 handle;

	if (vgem < 0)
		return vgem;
	ret = vgem_create(vgem, SIZE, &handle) ?:
	      vgem_export(vgem, handle, DRM_RDWR);
	close(vgem);
	return ret;
}

static int make_udmabuf(void)
{
	struct udmabuf_create u = { .flags = UDMABUF_FLAGS_CLOEXEC };
	int fd, ret;

	if (system("modprobe -q udmabuf") < 0)
		return -errno;
	fd = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	u.memfd = memfd_create("vnpu", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	u.size = SIZE;
	if (ftruncate(u.memfd, SIZE) ||
	    fcntl(u.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		return -errno;
	ret = ioctl(fd, UDMABUF_CREATE, &u);
	ret = ret < 0 ? -errno : ret;
	close(u.memfd);
	close(fd);
	return ret;
}

static int make_heap(void)
{
	struct dma_heap_allocation_data d = {
		.len = SIZE,
		.fd_flags = O_RDWR | O_CLOEXEC,
	};
	int fd = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = call(fd, DMA_HEAP_IOCTL_ALLOC, &d);
	close(fd);
	return ret ?: (int)d.fd;
}

FIXTURE(import)
{
	struct client c;
	int fd;
	__u8 *map;
	struct vnpu_mem_import_dmabuf i;
	__u64 va;	/* device address of the import */
	__u64 other;	/* device memory of the same length */
	__u8 bytes[SIZE];
};

FIXTURE_VARIANT(import)
{
	int (*make)(void);
};

FIXTURE_VARIANT_ADD(import, vgem)
{
	.make = make_vgem,
};

FIXTURE_VARIANT_ADD(import, udmabuf)
{
	.make = make_udmabuf,
};

FIXTURE_VARIANT_ADD(import, heap)
{
	.make = make_heap,
};

FIXTURE_SETUP(import)
{
	self->fd = variant->make();
	if (self->fd == -ENOENT || self->fd == -ENODEV)
		SKIP(return, "the kernel has no such driver");
	ASSERT_LE(0, self->fd);
	self->map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			 self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->map);
	memset(self->map, 0x33, SIZE);
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, mem_import_dmabuf(&self->c, self->fd, &self->i));
	self->va = self->c.base;
	self->other = self->va + MIB(1);
	ASSERT_EQ(0, va_bind(&self->c, self->i.out_id, self->va, SIZE, 0));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, SIZE, self->other));
}

FIXTURE_TEARDOWN(import)
{
	munmap(self->map, SIZE);
	close(self->fd);
	client_close(&self->c);
}

TEST_F(import, properties)
{
	struct vnpu_va_query v;
	struct vnpu_mem_query q;

	EXPECT_EQ(SIZE, self->i.out_length);
	EXPECT_EQ(VNPU_DEVICE_HOST, self->i.out_device);
	EXPECT_EQ(VNPU_PAGE_SHIFT_4K, self->i.out_page_shift);
	EXPECT_EQ(VNPU_MEM_KIND_DMABUF, self->i.out_mem_kind);
	EXPECT_EQ(VNPU_ACCESS_READ_WRITE, self->i.out_access);
	ASSERT_EQ(0, mem_query(&self->c, self->i.out_id, &q));
	EXPECT_EQ(SIZE, q.out_length);
	EXPECT_EQ(VNPU_DEVICE_HOST, q.out_device);
	EXPECT_EQ(VNPU_MEM_KIND_DMABUF, q.out_mem_kind);
	EXPECT_EQ(1, q.out_clients);
	EXPECT_EQ(1, q.out_bindings);
	EXPECT_EQ(0, q.out_extents);
	ASSERT_EQ(0, va_query(&self->c, 0, self->va, &v));
	EXPECT_EQ(VNPU_MEM_KIND_DMABUF, v.out_mem_kind);
	EXPECT_EQ(VNPU_DEVICE_HOST, v.out_device);

	/* The host has its own mapping of it. */
	EXPECT_EQ(SIGSEGV, touch_read(self->va));
	EXPECT_EQ(-EOPNOTSUPP, mem_export(&self->c, self->i.out_id));
	EXPECT_EQ(-EOPNOTSUPP, mem_export_dmabuf(&self->c, 0, self->i.out_id));
}

TEST_F(import, copies_and_fills)
{
	struct rng r = rng_init();

	rng_fill(&r, self->map, SIZE);
	ASSERT_EQ(0, copy(&self->c, self->other, self->va, SIZE));
	ASSERT_EQ(0, copy(&self->c, addr(self->bytes), self->other, SIZE));
	EXPECT_EQ(0, memcmp(self->bytes, self->map, SIZE));

	rng_fill(&r, self->bytes, SIZE);
	ASSERT_EQ(0, copy(&self->c, self->va + 13, addr(self->bytes),
			  SIZE - 13));
	EXPECT_EQ(0, memcmp(self->bytes, self->map + 13, SIZE - 13));
	memmove(self->bytes + PAGE + 1, self->bytes, SIZE - 4 * PAGE);
	ASSERT_EQ(0, copy(&self->c, self->va + 13 + PAGE + 1, self->va + 13,
			  SIZE - 4 * PAGE));
	EXPECT_EQ(0, memcmp(self->bytes, self->map + 13, SIZE - 13));

	ASSERT_EQ(0, fill(&self->c, self->va, SIZE, 0x0123456789abcdef, 8));
	EXPECT_EQ(0x0123456789abcdef, ((__u64 *)self->map)[SIZE / 8 - 1]);
	memset(self->map, 0x44, SIZE);
	ASSERT_EQ(0, copy(&self->c, addr(self->bytes), self->va, SIZE));
	EXPECT_TRUE(is_all(self->bytes, 0x44, SIZE));
}

TEST_F(import, tasks_work_on_it)
{
	struct stream s;

	ASSERT_EQ(0, stream_create(&s, &self->c, 0));
	EXPECT_EQ(0, stream_do(&s, task_copy(self->other, self->va, SIZE)));
	EXPECT_EQ(0, stream_do(&s, task_fill(self->va, SIZE - 1, 0x55, 1)));
	EXPECT_TRUE(is_all(self->map, 0x55, SIZE - 1));
	EXPECT_EQ(0x33, self->map[SIZE - 1]);
	EXPECT_EQ(0, stream_do(&s, task_copy(self->va, self->other, SIZE)));
	EXPECT_TRUE(is_all(self->map, 0x33, SIZE));
	EXPECT_EQ(-EFAULT, stream_do(&s, task_fill(self->va, SIZE + 1, 1, 1)));
	EXPECT_EQ(0, stream_destroy(&s));
}

/* Values in memory of the device, which a task reads before it can use the import. */
TEST_F(import, a_repeated_task_uses_memory_once)
{
	const struct vnpu_task tasks[] = {
		{ .op = VNPU_TASK_RANDOM, .dst = self->va, .src = self->other,
		  .length = 64,
		  .mode = VNPU_RANDOM(VNPU_RANDOM_UNIFORM, VNPU_TYPE_U32) },
		{ .op = VNPU_TASK_COPY_INDIRECT, .dst = self->other,
		  .src = self->va, .length = 8 },
	};
	const struct fault error = {
		.kind = VNPU_INJECT_KIND_ECC_CORRECTED, .nth = 2,
		.client = client_id(&self->c), .class = ANY_CLASS,
		.addr = self->other,
	};
	__u64 before = device_figure(0, VNPU_A_DEV_ECC_CORRECTED);
	struct stream s;
	unsigned int i;

	ASSERT_EQ(0, stream_create(&s, &self->c, 0));
	ASSERT_EQ(0, fill(&self->c, self->other, 8, self->other + PAGE, 8));
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		ASSERT_EQ(0, fault_change(&error, false));
		*(__u64 *)self->map = self->other + 2 * PAGE;
		EXPECT_EQ(0, stream_do(&s, tasks[i])) TH_LOG("task %u", i);
		EXPECT_EQ(before + i,
			  device_figure(0, VNPU_A_DEV_ECC_CORRECTED));
		*(__u64 *)self->map = self->other + 2 * PAGE;
		EXPECT_EQ(0, stream_do(&s, tasks[i]));
		EXPECT_EQ(before + i + 1,
			  device_figure(0, VNPU_A_DEV_ECC_CORRECTED));
	}
	EXPECT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, stream_destroy(&s));
}

/* Nothing beyond its end is accessible, in any way. */
TEST_F(import, bounds)
{
	const __u64 va = self->va + SIZE;
	__u64 done;

	EXPECT_EQ(-EINVAL, va_bind(&self->c, self->i.out_id, va, SIZE + PAGE,
				   0));
	EXPECT_EQ(-EINVAL, va_bind(&self->c, self->i.out_id, va, PAGE, SIZE));
	EXPECT_EQ(-EINVAL, va_bind(&self->c, self->i.out_id, va, 2 * PAGE,
				   SIZE - PAGE));
	EXPECT_EQ(-EFAULT, fill(&self->c, va - 1, 2, 0, 1));
	EXPECT_EQ(-EFAULT, copy_done(&self->c, addr(self->bytes), va - PAGE,
				     PAGE + 1, &done));
	EXPECT_EQ(0, done);
	ASSERT_EQ(0, va_bind(&self->c, self->i.out_id, va, PAGE, SIZE - PAGE));
	ASSERT_EQ(0, fill(&self->c, va, PAGE, 0x55, 1));
	EXPECT_TRUE(is_all(self->map, 0x33, SIZE - PAGE));
	EXPECT_TRUE(is_all(self->map + SIZE - PAGE, 0x55, PAGE));
}

TEST_F(import, rights)
{
	ASSERT_EQ(0, va_protect(&self->c, self->va, 0, VNPU_DEVICE_HOST,
				VNPU_ACCESS_READ));
	EXPECT_EQ(-EACCES, fill(&self->c, self->va, SIZE, 0, 1));
	EXPECT_EQ(-EACCES, copy(&self->c, self->va, addr(self->bytes), SIZE));
	EXPECT_EQ(0, copy(&self->c, addr(self->bytes), self->va, SIZE));
	EXPECT_TRUE(is_all(self->map, 0x33, SIZE));
}

/* Each import is an object of its own, and outlives the file. */
TEST_F(import, outlives_the_file)
{
	struct vnpu_mem_import_dmabuf again;

	ASSERT_EQ(0, mem_import_dmabuf(&self->c, self->fd, &again));
	munmap(self->map, SIZE);
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, mem_free(&self->c, self->i.out_id));
	ASSERT_EQ(0, copy(&self->c, addr(self->bytes), self->va, SIZE));
	EXPECT_TRUE(is_all(self->bytes, 0x33, SIZE));
	ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
	ASSERT_EQ(0, va_bind(&self->c, again.out_id, self->va, SIZE, 0));
	ASSERT_EQ(0, fill(&self->c, self->va, SIZE, 0x66, 1));
	ASSERT_EQ(0, copy(&self->c, addr(self->bytes), self->va, SIZE));
	EXPECT_TRUE(is_all(self->bytes, 0x66, SIZE));
}

/* A process that is killed with an import leaves the dma-buf as it was. */
TEST_F(import, importer_is_killed)
{
	struct vnpu_mem_import_dmabuf i;
	int pipes[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(pipes));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct client c;

		if (client_open(&c) || mem_import_dmabuf(&c, self->fd, &i) ||
		    va_bind(&c, i.out_id, c.base, SIZE, 0))
			_exit(1);
		baton_pass(pipes[1]);
		for (;;)
			fill(&c, c.base, SIZE, 0x77, 1);
	}
	baton_take(pipes[0]);
	kill(pid, SIGKILL);
	EXPECT_EQ(256 + SIGKILL, child_wait(pid));
	ASSERT_EQ(0, fill(&self->c, self->va, SIZE, 0x22, 1));
	EXPECT_TRUE(is_all(self->map, 0x22, SIZE));
}

FIXTURE(vgem)
{
	struct client c;
	int vgem;
};

FIXTURE_SETUP(vgem)
{
	self->vgem = vgem_open();
	if (self->vgem < 0)
		SKIP(return, "the kernel has no vgem");
	ASSERT_EQ(0, client_open(&self->c));
}

FIXTURE_TEARDOWN(vgem)
{
	client_close(&self->c);
	close(self->vgem);
}

TEST_F(vgem, read_only_file)
{
	struct vnpu_mem_import_dmabuf i;
	__u32 handle;
	__u64 value;
	int fd;

	ASSERT_EQ(0, vgem_create(self->vgem, SIZE, &handle));
	fd = vgem_export(self->vgem, handle, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, mem_import_dmabuf(&self->c, fd, &i));
	EXPECT_EQ(VNPU_ACCESS_READ, i.out_access);
	ASSERT_EQ(0, va_bind(&self->c, i.out_id, self->c.base, SIZE, 0));
	EXPECT_EQ(-EACCES, fill(&self->c, self->c.base, SIZE, 0, 1));
	EXPECT_EQ(0, copy(&self->c, addr(&value), self->c.base, 8));
	close(fd);
}

TEST_F(vgem, cannot_attach_to_our_dma_buf)
{
	struct drm_prime_handle p = { };
	__u32 id;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, SIZE, &id));
	p.fd = mem_export_dmabuf(&self->c, 0, id);
	ASSERT_LE(0, p.fd);
	EXPECT_EQ(-EOPNOTSUPP, call(self->vgem, DRM_IOCTL_PRIME_FD_TO_HANDLE,
				    &p));
	close(p.fd);
}

static void interrupted(int sig)
{
	(void)sig;
}

static void waiter(int fd, int pipe)
{
	struct sigaction act = { .sa_handler = interrupted };
	struct vnpu_mem_import_dmabuf i;
	struct client c;
	__u64 done;

	sigaction(SIGALRM, &act, NULL);
	if (client_open(&c) || mem_import_dmabuf(&c, fd, &i) ||
	    va_bind(&c, i.out_id, c.base, SIZE, 0))
		_exit(1);
	ualarm(100000, 100000);
	if (copy_done(&c, addr(&i), c.base, 8, &done) != -EINTR || done)
		_exit(2);
	ualarm(0, 0);
	baton_pass(pipe);
	_exit(fill(&c, c.base, SIZE, 0x10, 1) ? 3 : 0);
}

/* Accesses of other devices complete first, and can be waited for. */
TEST_F(vgem, waits_for_fences)
{
	__u32 handle, fence;
	int fd, pipes[2];
	pid_t pid;

	ASSERT_EQ(0, vgem_create(self->vgem, SIZE, &handle));
	fd = vgem_export(self->vgem, handle, DRM_RDWR);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, vgem_fence_attach(self->vgem, handle, &fence));
	ASSERT_EQ(0, pipe(pipes));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid)
		waiter(fd, pipes[1]);
	baton_take(pipes[0]);
	usleep(100000);
	EXPECT_EQ(0, waitpid(pid, NULL, WNOHANG));
	EXPECT_EQ(0, vgem_fence_signal(self->vgem, fence));
	EXPECT_EQ(0, child_wait(pid));
	close(fd);
}

/* A task waits for them as well, without occupying an engine. */
TEST_F(vgem, a_task_waits_for_fences)
{
	struct vnpu_mem_import_dmabuf i;
	struct stream s, other;
	__u64 end, completed;
	__u32 handle, fence;
	struct client c;
	int fd, ret;

	ASSERT_EQ(0, vgem_create(self->vgem, SIZE, &handle));
	fd = vgem_export(self->vgem, handle, DRM_RDWR);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, mem_import_dmabuf(&c, fd, &i));
	ASSERT_EQ(0, va_bind(&c, i.out_id, c.base, SIZE, 0));
	ASSERT_EQ(0, mem_alloc_at(&c, 0, 0, 0, PAGE, c.base + MIB(1)));
	ASSERT_EQ(0, stream_create(&s, &c, 0));
	ASSERT_EQ(0, stream_create(&other, &c, 0));

	/* Let the fence expire, after ten seconds. */
	end = now_ms() + 9000;
	ASSERT_EQ(0, vgem_fence_attach(self->vgem, handle, &fence));
	stream_put(&s, task_fill(c.base, SIZE, 0x77, 1));
	ASSERT_EQ(0, stream_submit(&s));
	EXPECT_EQ(0, stream_do(&other, task_fill(c.base + MIB(1), PAGE, 1, 1)));
	completed = stream_completed(&s);
	ret = vgem_fence_signal(self->vgem, fence);
	if (now_ms() < end) {
		EXPECT_EQ(0, completed);
		EXPECT_EQ(0, ret);
	}
	EXPECT_EQ(0, stream_wait(&s, 20000));
	EXPECT_EQ(1, stream_completed(&s));
	EXPECT_EQ(0, s.ring->errors);

	EXPECT_EQ(0, stream_destroy(&other));
	EXPECT_EQ(0, stream_destroy(&s));
	client_close(&c);
	close(fd);
}

static int quota_fd;

static int quota_child(void)
{
	struct vnpu_mem_import_dmabuf i, more;
	struct client c;

	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) ||
	    client_open(&c))
		return 1;
	if (mem_import_dmabuf(&c, quota_fd, &i))
		return 2;
	if (mem_import_dmabuf(&c, quota_fd, &more) != -EDQUOT)
		return 3;
	/* A binding keeps the memory charged. */
	if (va_bind(&c, i.out_id, c.base, SIZE, 0) || mem_free(&c, i.out_id) ||
	    mem_import_dmabuf(&c, quota_fd, &more) != -EDQUOT)
		return 4;
	if (va_unbind(&c, c.base, SIZE))
		return 5;
	/*
	 * The rest is freed when the process ends; otherwise the next run
	 * fails.
	 */
	return mem_import_dmabuf(&c, quota_fd, &more) ? 6 : 0;
}

/*
 * Such memory does not move: no client can have more of it than of the driver's
 * host memory.
 */
TEST_F(vgem, counts_as_host_memory)
{
	__u32 handle;

	if (!host_quota_get())
		SKIP(return, "no " HOST_QUOTA);
	ASSERT_EQ(0, vgem_create(self->vgem, SIZE, &handle));
	quota_fd = vgem_export(self->vgem, handle, DRM_RDWR);
	ASSERT_LE(0, quota_fd);
	EXPECT_EQ(0, with_host_quota(SIZE + PAGE, quota_child));
	EXPECT_EQ(0, with_host_quota(SIZE + PAGE, quota_child));
	close(quota_fd);
}

/* The module of the exporter stays loaded while the memory is imported. */
TEST_F(vgem, many)
{
	struct vnpu_mem_import_dmabuf i;
	unsigned int n;
	__u32 handle;
	__u64 value;
	int fd;

	ASSERT_EQ(0, vgem_create(self->vgem, SIZE, &handle));
	fd = vgem_export(self->vgem, handle, DRM_RDWR);
	ASSERT_LE(0, fd);
	for (n = 0; n < 1000; n++) {
		ASSERT_EQ(0, mem_import_dmabuf(&self->c, fd, &i));
		ASSERT_EQ(0, va_bind(&self->c, i.out_id,
				     self->c.base + n * SIZE, SIZE, 0));
	}
	ASSERT_EQ(0, fill(&self->c, self->c.base, SIZE, 0x5a, 1));
	ASSERT_EQ(0, copy(&self->c, addr(&value), self->c.base + 999 * SIZE,
			  8));
	EXPECT_EQ(0x5a5a5a5a5a5a5a5a, value);
	close(fd);
}

TEST_HARNESS_MAIN
