// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host's mappings where memory has large pages: few faults, and else all
 * as with small ones.
 *
 * From 6.12 on a fault enters 2 MiB where all fits; what does not fit, and all
 * on older kernels, is entered by 64 KiB. Only the number of faults tells.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "client.h"
#include "util.h"

#define HUGE	MIB(2)
#define SHIFT	VNPU_PAGE_SHIFT_2M
#define HOST	VNPU_MEM_F_HOST_ACCESS
/* What the program itself may fault meanwhile. */
#define SLACK	16

FIXTURE(huge)
{
	struct client c;
	__u64 va;	/* aligned to a page of 2 MiB, as is the window */
};

FIXTURE_SETUP(huge)
{
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, MIB(512), PROT_READ | PROT_WRITE));
	self->va = (self->c.base + HUGE - 1) / HUGE * HUGE;
}

FIXTURE_TEARDOWN(huge)
{
	client_close(&self->c);
}

static bool kernel_has_huge_faults(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	/* Nor does a kernel with PREEMPT_RT have huge pages. */
	if (sizeof(void *) < 8 || uname(&name) ||
	    access("/sys/kernel/mm/transparent_hugepage", F_OK) ||
	    sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return false;
	return major > 6 || (major == 6 && minor >= 12);
}

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

/* Faults that touching each page of a range takes. */
static long faults_of(enum touch how, __u64 va, __u64 length)
{
	long before = faults();
	__u8 value = 7;
	__u64 at;

	for (at = 0; at < length; at += PAGE)
		if (touch(how, ptr(va + at), &value))
			return -1;
	return faults() - before;
}

static int alloc_huge(const struct client *c, __u64 length, __u64 va)
{
	return mem_alloc_at(c, 0, HOST, SHIFT, length, va);
}

TEST_F(huge, window_is_aligned)
{
	if (sizeof(void *) < 8)
		SKIP(return, "of 64-bit programs only");
	EXPECT_EQ(self->va, self->c.base);
}

TEST_F(huge, few_faults)
{
	const __u64 length = MIB(64);
	long n;

	ASSERT_EQ(0, alloc_huge(&self->c, length, self->va));
	n = faults_of(TOUCH_READ, self->va, length);
	TH_LOG("%ld faults to read 64 MiB", n);
	ASSERT_LE(0, n);
	if (kernel_has_huge_faults()) {
		EXPECT_GE(length / HUGE + SLACK, n);
	} else {
		EXPECT_GE(length / KIB(64) + SLACK, n);
	}
	n = faults_of(TOUCH_WRITE, self->va, length);
	TH_LOG("%ld faults to write it then", n);
	ASSERT_LE(0, n);
	EXPECT_GE(length / HUGE + SLACK, n);
	EXPECT_GE(SLACK, faults_of(TOUCH_READ, self->va, length));
	EXPECT_GE(SLACK, faults_of(TOUCH_WRITE, self->va, length));

	ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
	ASSERT_EQ(0, alloc_huge(&self->c, length, self->va));
	n = faults_of(TOUCH_WRITE, self->va, length);
	ASSERT_LE(0, n);
	if (kernel_has_huge_faults())
		EXPECT_GE(length / HUGE + SLACK, n);
}

TEST_F(huge, few_faults_of_small_pages)
{
	const __u64 length = MIB(16);

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, HOST, 0, length, self->va));
	EXPECT_GE(length / KIB(64) + SLACK,
		  faults_of(TOUCH_WRITE, self->va, length));

	/* A fault reaches no further than what is bound. */
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, HOST, 0, PAGE,
				  self->va + length + 2 * PAGE));
	EXPECT_EQ(SIGSEGV, touch_read(self->va + length));
	EXPECT_EQ(0, touch_write(self->va + length + 2 * PAGE, 1));
	EXPECT_EQ(SIGSEGV, touch_read(self->va + length + PAGE));
	EXPECT_EQ(SIGSEGV, touch_read(self->va + length + 3 * PAGE));
}

/* What is written to a page is where the device sees it, and the reverse. */
TEST_F(huge, contents)
{
	const __u64 length = 3 * HUGE;
	__u64 at, value;

	ASSERT_EQ(0, alloc_huge(&self->c, length, self->va));
	for (at = 0; at < length; at += PAGE)
		*(volatile __u64 *)ptr(self->va + at + at / PAGE % 512 * 8) =
			at;
	for (at = 0; at < length; at += PAGE) {
		__u64 va = self->va + at + at / PAGE % 512 * 8;

		ASSERT_EQ(0, copy(&self->c, addr(&value), va, 8));
		ASSERT_EQ(at, value);
		ASSERT_EQ(0, fill(&self->c, va, 8, ~at, 8));
		ASSERT_EQ(~at, *(volatile __u64 *)ptr(va));
	}
}

static int grant(FIXTURE_DATA(huge) * self, __u32 access)
{
	return va_protect(&self->c, self->va, 2 * HUGE, VNPU_DEVICE_HOST,
			  access);
}

TEST_F(huge, grants_hold)
{
	void *p = ptr(self->va);

	ASSERT_EQ(0, alloc_huge(&self->c, 2 * HUGE, self->va));
	ASSERT_EQ(0, touch_write(self->va, 1));
	ASSERT_EQ(0, grant(self, VNPU_ACCESS_READ));
	EXPECT_EQ(0, touch_read(self->va + PAGE));
	EXPECT_EQ(SIGSEGV, touch_write(self->va + PAGE, 2));
	EXPECT_EQ(SIGSEGV, touch_write(self->va + HUGE, 2));
	EXPECT_EQ(0, touch_read(self->va + PAGE));

	/* The host cannot grant itself more. */
	ASSERT_EQ(0, mprotect(p, 2 * HUGE, PROT_READ));
	ASSERT_EQ(0, mprotect(p, 2 * HUGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(SIGSEGV, touch_write(self->va + 2 * PAGE, 2));
	ASSERT_EQ(0, mprotect(p, PAGE, PROT_READ));
	ASSERT_EQ(0, mprotect(p, PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(SIGSEGV, touch_write(self->va + 2 * PAGE, 2));
	EXPECT_EQ(1, *(volatile __u8 *)p);

	ASSERT_EQ(0, grant(self, VNPU_ACCESS_READ_WRITE));
	EXPECT_EQ(0, touch_read(self->va));
	EXPECT_EQ(0, touch_write(self->va, 3));
	ASSERT_EQ(0, grant(self, VNPU_ACCESS_NONE));
	EXPECT_EQ(SIGSEGV, touch_read(self->va));
	EXPECT_EQ(SIGSEGV, touch_write(self->va + HUGE, 3));
}

/* And it can have less than was granted. */
TEST_F(huge, mprotect)
{
	void *p = ptr(self->va);

	ASSERT_EQ(0, alloc_huge(&self->c, HUGE, self->va));
	ASSERT_EQ(0, touch_write(self->va, 1));
	ASSERT_EQ(0, mprotect(p, HUGE, PROT_READ));
	EXPECT_EQ(SIGSEGV, touch_write(self->va, 2));
	EXPECT_EQ(1, *(volatile __u8 *)p);
	ASSERT_EQ(0, mprotect(p, HUGE, PROT_NONE));
	EXPECT_EQ(SIGSEGV, touch_read(self->va));
	ASSERT_EQ(0, mprotect(ptr(self->va + PAGE), PAGE,
			      PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, touch_write(self->va + PAGE, 2));
	EXPECT_EQ(SIGSEGV, touch_read(self->va));
	EXPECT_EQ(SIGSEGV, touch_read(self->va + 2 * PAGE));
	ASSERT_EQ(0, mprotect(p, HUGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(1, *(volatile __u8 *)p);
	EXPECT_EQ(2, *(volatile __u8 *)ptr(self->va + PAGE));
}

TEST_F(huge, unbound)
{
	__u64 i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, alloc_huge(&self->c, HUGE, self->va + i * HUGE));
		ASSERT_EQ(0, touch_write(self->va + i * HUGE, 10 + i));
	}
	ASSERT_EQ(0, va_unbind(&self->c, self->va + HUGE, 0));
	EXPECT_EQ(SIGSEGV, touch_read(self->va + HUGE));
	EXPECT_EQ(SIGSEGV, touch_write(self->va + 2 * HUGE - 1, 1));
	EXPECT_EQ(10, *(volatile __u8 *)ptr(self->va));
	EXPECT_EQ(12, *(volatile __u8 *)ptr(self->va + 2 * HUGE));

	/* Small pages in the place of a large one, and the reverse. */
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, HOST, 0, PAGE,
				  self->va + HUGE));
	EXPECT_EQ(0, touch_write(self->va + HUGE, 1));
	EXPECT_EQ(SIGSEGV, touch_read(self->va + HUGE + PAGE));
	ASSERT_EQ(0, va_unbind(&self->c, self->va + HUGE, 0));
	ASSERT_EQ(0, alloc_huge(&self->c, HUGE, self->va + HUGE));
	EXPECT_EQ(0, touch_write(self->va + 2 * HUGE - 1, 1));
}

/* Bindings that begin or end within a page of the memory. */
TEST_F(huge, parts)
{
	const __u64 at[] = { 0, PAGE, HUGE, 3 * HUGE };
	const __u64 length[] = { HUGE + PAGE, 2 * HUGE, 2 * HUGE - PAGE, HUGE };
	unsigned int i, k;
	__u64 va, off;
	__u32 id;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, HOST, SHIFT, 4 * HUGE, &id));
	ASSERT_EQ(0, va_bind(&self->c, id, self->va, 4 * HUGE, 0));
	for (off = 0; off < 4 * HUGE; off += PAGE)
		*(volatile __u64 *)ptr(self->va + off) = off;
	va = self->va + 8 * HUGE;
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		/* In step with the memory's pages, and not. */
		for (k = 0; k < 2; k++, va += 8 * HUGE) {
			__u64 to = va + (k ? at[i] % HUGE : 0);

			ASSERT_EQ(0, va_bind(&self->c, id, to, length[i],
					     at[i]));
			for (off = 0; off < length[i]; off += PAGE)
				ASSERT_EQ(at[i] + off,
					  *(volatile __u64 *)ptr(to + off));
			EXPECT_EQ(SIGSEGV, touch_read(to - 1));
			EXPECT_EQ(SIGSEGV, touch_read(to + length[i]));
		}
	}
}

TEST_F(huge, window_with_a_hole)
{
	ASSERT_EQ(0, alloc_huge(&self->c, 2 * HUGE, self->va));
	ASSERT_EQ(0, touch_write(self->va, 1));
	ASSERT_EQ(0, touch_write(self->va + HUGE, 2));
	ASSERT_EQ(0, munmap(ptr(self->va + 7 * PAGE), PAGE));
	EXPECT_EQ(1, *(volatile __u8 *)ptr(self->va));
	EXPECT_EQ(0, touch_write(self->va + 8 * PAGE, 1));
	EXPECT_EQ(SIGSEGV, touch_read(self->va + 7 * PAGE));
	EXPECT_EQ(2, *(volatile __u8 *)ptr(self->va + HUGE));
}

/* Moved to where its pages do not fit, and to where they do. */
TEST_F(huge, window_moved)
{
	const __u64 size = self->c.size;
	__u64 shift;

	ASSERT_EQ(0, alloc_huge(&self->c, 2 * HUGE, self->va));
	ASSERT_EQ(0, touch_write(self->va, 1));
	for (shift = 0; shift < 2; shift++) {
		__u64 inside = self->va - self->c.base, base;
		void *hole = mmap(NULL, size + 2 * HUGE, PROT_NONE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		ASSERT_NE(MAP_FAILED, hole);
		base = (addr(hole) + HUGE - 1) / HUGE * HUGE + shift * PAGE;
		if (mremap(ptr(self->c.base), size, size,
			   MREMAP_MAYMOVE | MREMAP_FIXED, ptr(base)) ==
		    MAP_FAILED)
			SKIP(return, "the window stays in place");
		self->c.base = base;
		self->va = base + inside;
		EXPECT_EQ(1 + shift, *(volatile __u8 *)ptr(self->va));
		EXPECT_EQ(0, touch_write(self->va, 2 + shift));
		EXPECT_EQ(0, touch_write(self->va + 2 * HUGE - 1, 2));
		EXPECT_EQ(SIGSEGV, touch_read(self->va + 2 * HUGE));
	}
}

TEST_F(huge, not_inherited)
{
	pid_t pid;

	ASSERT_EQ(0, alloc_huge(&self->c, HUGE, self->va));
	ASSERT_EQ(0, touch_write(self->va, 1));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(touch_read(self->va) == SIGSEGV ? 0 : 1);
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(1, *(volatile __u8 *)ptr(self->va));
}

/* Those who look at mappings find no page that they could use. */
TEST_F(huge, looked_at)
{
	unsigned char vec[HUGE / PAGE];
	__u64 entry;
	char line[256];
	FILE *f;
	int fd;

	ASSERT_EQ(0, alloc_huge(&self->c, HUGE, self->va));
	ASSERT_EQ(0, touch_write(self->va, 1));
	fd = open("/proc/self/pagemap", O_RDONLY);
	ASSERT_LE(0, fd);
	EXPECT_EQ(sizeof(entry), pread(fd, &entry, sizeof(entry),
				       self->va / PAGE * sizeof(entry)));
	close(fd);
	mincore(ptr(self->va), HUGE, vec);
	EXPECT_EQ(-1, madvise(ptr(self->va), HUGE, MADV_DONTNEED));
	f = fopen("/proc/self/smaps", "r");
	ASSERT_TRUE(f);
	while (fgets(line, sizeof(line), f))
		;
	fclose(f);
	/* The kernel itself reads and writes there as the process would. */
	fd = open("/proc/self/exe", O_RDONLY);
	ASSERT_LE(0, fd);
	EXPECT_EQ(64, read(fd, ptr(self->va + HUGE / 2), 64));
	close(fd);
	EXPECT_EQ(0, memcmp(ptr(self->va + HUGE / 2), "\177ELF", 4));
}

/* What makes way for another is faulted in where it is then. */
TEST_F(huge, moved_by_compaction)
{
	struct vnpu_device_query q;
	__u64 n = 0, i;
	__u32 id;

	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	if (q.out_free > self->c.size)
		SKIP(return, "too large a device");
	while (!mem_alloc_at(&self->c, 0, HOST | VNPU_MEM_F_NO_COMPACT, SHIFT,
			     HUGE, self->va + n * HUGE)) {
		*(volatile __u64 *)ptr(self->va + n * HUGE) = n;
		*(volatile __u64 *)ptr(self->va + (n + 1) * HUGE - 8) = ~n;
		n++;
	}
	ASSERT_LT(16, n);
	for (i = 0; i < n; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, self->va + i * HUGE, 0));
	for (i = 0; i < n / 8; i++) {
		struct vnpu_mem_alloc a = {
			.size = sizeof(a),
			.flags = VNPU_MEM_F_CONTIGUOUS,
			.length = 4 * HUGE,
			.alignment = HUGE,
		};

		ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_MEM_ALLOC, &a));
	}
	for (i = 1; i < n; i += 2) {
		volatile __u64 *p = ptr(self->va + i * HUGE);

		ASSERT_EQ(i, p[0]);
		ASSERT_EQ(~i, p[HUGE / 8 - 1]);
		p[0] = ~i;
	}
	EXPECT_NE(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, SHIFT,
			       q.out_total, &id));
	for (i = 1; i < n; i += 2) {
		__u64 value;

		ASSERT_EQ(0, copy(&self->c, addr(&value), self->va + i * HUGE,
				  8));
		ASSERT_EQ(~i, value);
	}
}

struct fire {
	struct client *c;
	__u64 va;
	__u32 id[2];
	atomic_bool stop;
	atomic_ulong errors;
	atomic_ulong touched;
};

/* Sees one of the two memories, or nothing. */
static void *fire_touch(void *arg)
{
	struct fire *f = arg;
	struct rng r = { addr(&r) | 1 };

	while (!atomic_load(&f->stop)) {
		__u64 at = rng_below(&r, HUGE / PAGE) * PAGE;
		__u8 v = 0;

		if (touch(TOUCH_READ, ptr(f->va + at), &v))
			continue;
		atomic_fetch_add(&f->touched, 1);
		if (v != 1 && v != 2)
			atomic_fetch_add(&f->errors, 1);
		/* What is written is for one of them, or for nobody. */
		v = 0xee;
		touch(TOUCH_WRITE, ptr(f->va + at + 8), &v);
	}
	return NULL;
}

TEST_F(huge, rebound_under_fire)
{
	const __u64 away = self->va + MIB(64);
	struct fire f = { .c = &self->c, .va = self->va };
	uint64_t end = now_ms() + env_u64("VNPU_FIRE_MS", 2000);
	unsigned int i, round = 0;
	pthread_t threads[3];
	__u64 at;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, mem_alloc(&self->c, 0, HOST, SHIFT, HUGE,
				       &f.id[i]));
		ASSERT_EQ(0, va_bind(&self->c, f.id[i], away + i * HUGE, HUGE,
				     0));
		for (at = 0; at < HUGE; at += PAGE)
			ASSERT_EQ(0, fill(&self->c, away + i * HUGE + at, 8,
					  i + 1, 1));
	}
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, fire_touch, &f));
	for (; now_ms() < end; round++) {
		ASSERT_EQ(0, va_bind(&self->c, f.id[round % 2], self->va, HUGE,
				     0));
		if (round % 3 == 0)
			ASSERT_EQ(0, va_protect(&self->c, self->va, 0,
						VNPU_DEVICE_HOST,
						VNPU_ACCESS_READ));
		if (round % 5 == 0)
			usleep(200);
		if (!touch_read(self->va)) {
			ASSERT_EQ(round % 2 + 1,
				  *(volatile __u8 *)ptr(self->va));
		}
		ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
		ASSERT_EQ(SIGSEGV, touch_read(self->va));
	}
	atomic_store(&f.stop, true);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	TH_LOG("%u rounds, touched %lu times", round, atomic_load(&f.touched));
	EXPECT_EQ(0, atomic_load(&f.errors));
	EXPECT_LT(0, atomic_load(&f.touched));
}

struct swap {
	struct client *c;
	__u32 id;		/* of 2 MiB in one page */
	atomic_ulong touched;	/* where the host writes, or 0 */
	atomic_ulong wanted;	/* where that page is to be bound, or 0 */
	atomic_bool stop;
};

static void *swap_touch(void *arg)
{
	struct swap *s = arg;
	__u8 v = 1;

	while (!atomic_load(&s->stop)) {
		unsigned long va = atomic_load(&s->touched);

		if (va)
			touch(TOUCH_WRITE, ptr(va), &v);
	}
	return NULL;
}

/* As soon as nothing else is bound there. */
static void *swap_bind(void *arg)
{
	struct swap *s = arg;

	while (!atomic_load(&s->stop)) {
		unsigned long va = atomic_load(&s->wanted);

		if (!va)
			sched_yield();
		else if (!va_bind(s->c, s->id, va, HUGE, 0))
			atomic_store(&s->wanted, 0);
	}
	return NULL;
}

/* Small pages at a place, and then a large one, while both are faulted in. */
static int swap_at(struct swap *s, __u32 small, __u64 va, unsigned int delay)
{
	volatile unsigned int i;
	int ret;

	ret = va_bind(s->c, small, va, HUGE, 0);
	if (ret)
		return ret;
	atomic_store(&s->wanted, va);
	atomic_store(&s->touched, va);
	for (i = 0; i < delay; i++)
		;
	ret = va_unbind(s->c, va, 0);
	while (atomic_load(&s->wanted))
		sched_yield();
	return ret ?: va_unbind(s->c, va, 0);
}

/* A new window has new page tables: where it is, nothing was entered before. */
TEST_F(huge, small_and_large_under_fire)
{
	uint64_t end = now_ms() + env_u64("VNPU_FIRE_MS", 2000);
	struct swap s = { .c = &self->c };
	unsigned int i, round = 0;
	pthread_t threads[4];
	__u32 small;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, HOST, 0, HUGE, &small));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, HOST, SHIFT, HUGE, &s.id));
	ASSERT_EQ(0, pthread_create(&threads[0], NULL, swap_bind, &s));
	for (i = 1; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, swap_touch, &s));
	while (now_ms() < end) {
		__u64 va = (self->c.base + HUGE - 1) / HUGE * HUGE;
		__u64 last = self->c.base + MIB(512) - HUGE;

		for (; va <= last && now_ms() < end; va += HUGE, round++)
			ASSERT_EQ(0, swap_at(&s, small, va, round * 37 % 20000));
		ASSERT_EQ(0, munmap(ptr(self->c.base), MIB(512)));
		ASSERT_EQ(0, window_map(&self->c, MIB(512),
					PROT_READ | PROT_WRITE));
	}
	atomic_store(&s.stop, true);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	TH_LOG("%u rounds", round);
}

TEST_HARNESS_MAIN
