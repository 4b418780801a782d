// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host mappings of memory with large pages: few faults, and otherwise the same
 * behaviour as with small ones.
 *
 * From 6.12 on, a fault maps 2 MiB if all of it fits. If it does not, and on
 * older kernels, a fault maps 64 KiB. Only the number of faults shows the
 * difference.
 */
#include "huge.h"

#include <sys/resource.h>
#include <sys/utsname.h>

/* Faults of the program itself in the meantime. */
#define SLACK	16

/* Kernels with PREEMPT_RT have no huge pages. */
static bool kernel_has_huge_pages(void)
{
	return sizeof(void *) == 8 &&
	       !access("/sys/kernel/mm/transparent_hugepage", F_OK);
}

static bool kernel_has_huge_faults(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	if (!kernel_has_huge_pages() || uname(&name) ||
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

/* Return the faults that touching each page of a range causes. */
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
	if (!kernel_has_huge_pages())
		SKIP(return, "no huge pages to be aligned to");
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

	/* A fault maps only the bound range. */
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, HOST, 0, PAGE,
				  self->va + length + 2 * PAGE));
	EXPECT_EQ(SIGSEGV, touch_read(self->va + length));
	EXPECT_EQ(0, touch_write(self->va + length + 2 * PAGE, 1));
	EXPECT_EQ(SIGSEGV, touch_read(self->va + length + PAGE));
	EXPECT_EQ(SIGSEGV, touch_read(self->va + length + 3 * PAGE));
}

/* The device sees data that the host writes, and the reverse. */
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

TEST_F(huge, rights_are_enforced)
{
	void *p = ptr(self->va);

	ASSERT_EQ(0, alloc_huge(&self->c, 2 * HUGE, self->va));
	ASSERT_EQ(0, touch_write(self->va, 1));
	ASSERT_EQ(0, grant(self, VNPU_ACCESS_READ));
	EXPECT_EQ(0, touch_read(self->va + PAGE));
	EXPECT_EQ(SIGSEGV, touch_write(self->va + PAGE, 2));
	EXPECT_EQ(SIGSEGV, touch_write(self->va + HUGE, 2));
	EXPECT_EQ(0, touch_read(self->va + PAGE));

	/* The host cannot add rights. */
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

/* The host can drop rights that it was granted. */
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

	/* Small pages replace a large one, and the reverse. */
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, HOST, 0, PAGE,
				  self->va + HUGE));
	EXPECT_EQ(0, touch_write(self->va + HUGE, 1));
	EXPECT_EQ(SIGSEGV, touch_read(self->va + HUGE + PAGE));
	ASSERT_EQ(0, va_unbind(&self->c, self->va + HUGE, 0));
	ASSERT_EQ(0, alloc_huge(&self->c, HUGE, self->va + HUGE));
	EXPECT_EQ(0, touch_write(self->va + 2 * HUGE - 1, 1));
}

/* Bindings that begin or end within a page of the memory. */
TEST_F(huge, partial_bindings)
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
		/* Aligned with the pages of the memory, and not aligned. */
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

/*
 * Move the window to a place where pages do not align, and to one where they
 * do.
 */
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

/* Code that walks page tables finds no page that it could use. */
TEST_F(huge, page_table_walkers)
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
	/* The kernel itself can read and write there like the process. */
	fd = open("/proc/self/exe", O_RDONLY);
	ASSERT_LE(0, fd);
	EXPECT_EQ(64, read(fd, ptr(self->va + HUGE / 2), 64));
	close(fd);
	EXPECT_EQ(0, memcmp(ptr(self->va + HUGE / 2), "\177ELF", 4));
}

TEST_HARNESS_MAIN
