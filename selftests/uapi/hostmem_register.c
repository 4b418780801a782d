// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registration of a process's memory: which memory can be registered, and the
 * effect of unmapping it.
 */
#include "hostmem.h"
#include "stream.h"

#include <pthread.h>
#include <sys/syscall.h>

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

	/* The host has its own mapping of it. */
	ASSERT_EQ(0, mprotect(ptr(self->va), PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(SIGSEGV, touch_read(self->va));

	EXPECT_EQ(self->pinned + LENGTH / 1024, pinned_kib());
	ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
	EXPECT_EQ(self->pinned, pinned_kib());
	EXPECT_EQ(-EFAULT, copy(&self->c, dev, self->va, 1));
}

/* Many pages of all kinds, of which some may be huge. */
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
		/* Copies to and from the caller's memory as well. */
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

/*
 * One look-up finds this much of host memory, and the rest of a page. A copy
 * upwards by less than its length begins at its end.
 */
#define FOUND	KIB(256)
#define COPIED	(FOUND + 3 * PAGE)

/*
 * Copy a range that ends shortly after what the look-up of its addresses found.
 * Return 0, -errno, or 1 if the bytes are not as memmove() leaves them.
 */
static int copy_up(const struct client *c, struct stream *s, struct rng *r,
		   __u64 va, __u64 addresses)
{
	const __u64 from = PAGE, to = from + 64;
	const __u64 length = FOUND + addresses + 16 - from;
	const struct vnpu_task task = {
		.op = VNPU_TASK_COPY_INDIRECT, .dst = va + addresses,
		.src = va + addresses + 8, .length = length,
	};
	const __u64 at[] = { va + to, va + from };
	static __u8 model[COPIED], seen[COPIED];
	int ret;

	rng_fill(r, model, COPIED);
	memcpy(model + addresses, at, sizeof(at));
	ret = copy(c, va, addr(model), COPIED) ?: stream_do(s, task) ?:
	      copy(c, addr(seen), va, COPIED);
	memmove(model + to, model + from, length);
	return ret ?: !!memcmp(seen, model, COPIED);
}

/* Registered memory, driver-allocated memory, and device memory. */
TEST_F(hostmem, overlapping_copies_by_addresses_in_memory)
{
	const __u64 places[] = { 0, 8, 16, 2048, PAGE - 16 };
	__u8 *p = anonymous_huge();
	struct rng r = rng_init();
	struct stream s;
	__u32 ids[3], i;

	ASSERT_NE(MAP_FAILED, (void *)p);
	ASSERT_EQ(0, host_register(&self->c, 0, p, HUGE, &ids[0]));
	ASSERT_EQ(0, host_alloc(&self->c, HUGE, &ids[1]));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, HUGE, &ids[2]));
	ASSERT_EQ(0, stream_create(&s, &self->c, 0));
	for (i = 0; i < 3 * ARRAY_SIZE(places); i++) {
		__u32 kind = i % 3;

		ASSERT_EQ(0, va_bind(&self->c, ids[kind], self->va, HUGE, 0));
		EXPECT_EQ(0, copy_up(&self->c, &s, &r, self->va,
				     places[i / 3])) {
			TH_LOG("kind %u, addresses at %llu", kind,
			       places[i / 3]);
		}
		ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
	}
	EXPECT_EQ(0, stream_destroy(&s));
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

	/* A range with a hole at its end, and a range that is not writable. */
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

	/* A file on a disk; if /tmp is in memory, there is none. */
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
	/* A granted right does not exceed the rights of the mapping. */
	EXPECT_EQ(0, va_protect(&self->c, self->va, 0, VNPU_DEVICE_ALL,
				VNPU_ACCESS_READ_WRITE));
	EXPECT_EQ(-EACCES, copy(&self->c, self->va, dev, PAGE));
	EXPECT_TRUE(is_all(p, 7, 2 * PAGE));
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

	/* Unmapping a part is enough; the neighbouring memory stays valid. */
	ASSERT_EQ(0, munmap(p + PAGE, PAGE));
	EXPECT_EQ(-EFAULT, copy_done(&self->c, dev, self->va, 4, &done));
	EXPECT_EQ(0, done);
	EXPECT_EQ(-EFAULT, copy(&self->c, self->va, dev, 4));
	EXPECT_EQ(-EFAULT, fill(&self->c, self->va, PAGE, 9, 1));
	EXPECT_EQ(-EFAULT, copy(&self->c, self->va + 2 * PAGE, self->va, 4));
	EXPECT_EQ(0, copy(&self->c, dev, self->va + 2 * PAGE, 2 * PAGE));
	EXPECT_EQ(1, p[0]);

	/* New memory at the old address is different memory. */
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

	/* Moving the mapping away makes the registration stale, too. */
	ASSERT_NE(MAP_FAILED, mremap(p + 2 * PAGE, 2 * PAGE, 4 * PAGE,
				     MREMAP_MAYMOVE));
	EXPECT_EQ(-EFAULT, copy(&self->c, dev, self->va + 2 * PAGE, 4));
}

/* Other changes to the pages do not make it stale. */
TEST_F(hostmem, stays_valid)
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

	/* A child gets copies: the parent keeps the pages. */
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

/* Register, use and unregister while the memory is mapped and unmapped. */
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
