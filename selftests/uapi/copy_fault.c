// SPDX-License-Identifier: GPL-2.0-only
/* Copies whose host side fails, or is a device mapping. */
#include "kselftest_harness.h"

#include <pthread.h>

#include "client.h"
#include "util.h"

#define LENGTH	(8 * PAGE)

FIXTURE(fault)
{
	struct client c;
	__u64 dev;	/* LENGTH bytes */
	__u8 *host;	/* LENGTH bytes, then an equally long hole */
};

FIXTURE_SETUP(fault)
{
	ASSERT_EQ(0, client_open(&self->c));
	self->dev = self->c.base + MIB(1);
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, LENGTH, self->dev));
	self->host = mmap(NULL, 2 * LENGTH, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->host);
	ASSERT_EQ(0, munmap(self->host + LENGTH, LENGTH));
}

FIXTURE_TEARDOWN(fault)
{
	client_close(&self->c);
}

static void read_back(struct __test_metadata *_metadata,
		      FIXTURE_DATA(fault) * self, __u8 *to)
{
	ASSERT_EQ(0, copy(&self->c, addr(to), self->dev, LENGTH));
}

/* Exactly the bytes that are reported as copied are copied. */
TEST_F(fault, source_ends)
{
	static const __u64 before[] = { 0, 1, 7, 8, 63, 64, 65, 1000, 4095,
					4096, 4097, 3 * PAGE + 13, LENGTH };
	__u8 seen[LENGTH], *src;
	__u64 done, shift;
	unsigned int i;

	memset(self->host, 0xab, LENGTH);
	for (i = 0; i < ARRAY_SIZE(before); i++) {
		for (shift = 0; shift < 3; shift++) {
			__u64 ask = before[i] + 1 + shift * 100;

			if (shift + ask > LENGTH)
				continue;
			src = self->host + LENGTH - before[i];
			ASSERT_EQ(0, fill(&self->c, self->dev, LENGTH, 0x11,
					  1));
			EXPECT_EQ(-EFAULT, copy_done(&self->c,
						     self->dev + shift,
						     addr(src), ask, &done));
			ASSERT_GE(before[i], done);
			/*
			 * Each page is copied up to its end, even if the next
			 * one fails.
			 */
			EXPECT_LT(before[i], done + PAGE);
			read_back(_metadata, self, seen);
			EXPECT_TRUE(is_all(seen, 0x11, shift));
			EXPECT_TRUE(is_all(seen + shift, 0xab, done));
			EXPECT_TRUE(is_all(seen + shift + done, 0x11,
					   LENGTH - shift - done))
				TH_LOG("before %llu done %llu", before[i],
				       done);
		}
	}
}

TEST_F(fault, destination_ends)
{
	static const __u64 before[] = { 0, 1, 7, 8, 63, 64, 65, 1000, 4095,
					4096, 4097, 3 * PAGE + 13 };
	__u64 done, shift;
	unsigned int i;
	__u8 *dst;

	ASSERT_EQ(0, fill(&self->c, self->dev, LENGTH, 0xab, 1));
	for (i = 0; i < ARRAY_SIZE(before); i++) {
		for (shift = 0; shift < 3; shift++) {
			memset(self->host, 0x11, LENGTH);
			dst = self->host + LENGTH - before[i];
			EXPECT_EQ(-EFAULT, copy_done(&self->c, addr(dst),
						     self->dev + shift,
						     before[i] + 1 +
						     shift * 100, &done));
			ASSERT_GE(before[i], done);
			EXPECT_LT(before[i], done + PAGE);
			EXPECT_TRUE(is_all(self->host, 0x11,
					   LENGTH - before[i]));
			EXPECT_TRUE(is_all(dst, 0xab, done));
			EXPECT_TRUE(is_all(dst + done, 0x11,
					   before[i] - done))
				TH_LOG("before %llu done %llu", before[i],
				       done);
		}
	}
}

/* A page in the middle is not accessible, for every position. */
TEST_F(fault, inaccessible_page_in_the_middle)
{
	__u8 seen[LENGTH];
	__u64 done, page;

	for (page = 0; page < LENGTH; page += PAGE) {
		memset(self->host, 0xab, LENGTH);
		ASSERT_EQ(0, fill(&self->c, self->dev, LENGTH, 0x11, 1));
		ASSERT_EQ(0, mprotect(self->host + page, PAGE, PROT_NONE));
		EXPECT_EQ(-EFAULT, copy_done(&self->c, self->dev,
					     addr(self->host), LENGTH, &done));
		EXPECT_GE(page, done);
		ASSERT_EQ(0, mprotect(self->host + page, PAGE,
				      PROT_READ | PROT_WRITE));
		read_back(_metadata, self, seen);
		EXPECT_TRUE(is_all(seen, 0xab, done));
		EXPECT_TRUE(is_all(seen + done, 0x11, LENGTH - done));

		ASSERT_EQ(0, mprotect(self->host + page, PAGE, PROT_READ));
		ASSERT_EQ(0, fill(&self->c, self->dev, LENGTH, 0x22, 1));
		EXPECT_EQ(-EFAULT, copy_done(&self->c, addr(self->host),
					     self->dev, LENGTH, &done));
		EXPECT_GE(page, done);
		ASSERT_EQ(0, mprotect(self->host + page, PAGE,
				      PROT_READ | PROT_WRITE));
		EXPECT_TRUE(is_all(self->host, 0x22, done));
		EXPECT_TRUE(is_all(self->host + done, 0xab, LENGTH - done));
	}
}

/* User space cannot pass kernel addresses or non-canonical ones. */
TEST_F(fault, non_canonical_and_kernel_addresses)
{
	static const __u64 nobody[] = {
		0, 8, 0x7ffffffff000ULL, 0x800000000000ULL,
		0xdead000000000000ULL, 0xffff800000000000ULL,
		0xffff888000001000ULL, 0xffffffff81000000ULL,
		0xffffffffffffe000ULL,
		/*
		 * The interrupt descriptors, which are mapped there on every
		 * x86-64.
		 */
		0xfffffe0000000000ULL,
	};
	__u8 seen[LENGTH];
	unsigned int i;
	__u64 done;

	ASSERT_EQ(0, fill(&self->c, self->dev, LENGTH, 0x11, 1));
	for (i = 0; i < ARRAY_SIZE(nobody); i++) {
		EXPECT_EQ(-EFAULT, copy_done(&self->c, self->dev, nobody[i],
					     64, &done));
		EXPECT_EQ(0, done);
		EXPECT_EQ(-EFAULT, copy_done(&self->c, nobody[i], self->dev,
					     64, &done));
		EXPECT_EQ(0, done);
	}
	read_back(_metadata, self, seen);
	EXPECT_TRUE(is_all(seen, 0x11, LENGTH));
}

static __u64 kernel_symbol(const char *wanted)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long long address, found = 0;
	char name[128];

	while (f && !found &&
	       fscanf(f, "%llx %*c %127s%*[^\n]", &address, name) == 2)
		if (!strcmp(name, wanted))
			found = address;
	if (f)
		fclose(f);
	return found;
}

/*
 * Kernel addresses that are mapped, so that no fault would prevent the access:
 * the kernel's version, and a number that would be overwritten with its own
 * value.
 */
TEST_F(fault, mapped_kernel_addresses)
{
	__u64 banner = kernel_symbol("linux_banner");
	__u64 panic = kernel_symbol("panic_timeout");
	int timeout = 0;
	FILE *f;

	if (!banner || !panic)
		SKIP(return, "no symbols of the kernel");
	f = fopen("/proc/sys/kernel/panic", "r");
	ASSERT_TRUE(f);
	ASSERT_EQ(1, fscanf(f, "%d", &timeout));
	fclose(f);
	ASSERT_EQ(0, fill(&self->c, self->dev, LENGTH, 0x11, 1));
	ASSERT_EQ(0, copy(&self->c, self->dev, addr(&timeout),
			  sizeof(timeout)));
	EXPECT_EQ(-EFAULT, copy(&self->c, panic, self->dev, sizeof(timeout)));
	EXPECT_EQ(-EFAULT, copy(&self->c, self->dev, banner, 16));
	EXPECT_EQ(-EFAULT, fill(&self->c, panic, 1, timeout & 0xff, 1));
}

TEST_F(fault, read_only_source)
{
	__u8 seen[LENGTH];

	memset(self->host, 0x33, LENGTH);
	ASSERT_EQ(0, mprotect(self->host, LENGTH, PROT_READ));
	EXPECT_EQ(0, copy(&self->c, self->dev, addr(self->host), LENGTH));
	read_back(_metadata, self, seen);
	EXPECT_TRUE(is_all(seen, 0x33, LENGTH));
}

/*
 * Another client's mapping, or the caller's own memory through a moved mapping,
 * is host memory whose faults are handled by this driver.
 */
FIXTURE(mapped)
{
	struct client a, b;
	__u64 dev;	/* of a, LENGTH bytes */
	__u64 map;	/* of b, LENGTH bytes with host access */
};

FIXTURE_SETUP(mapped)
{
	ASSERT_EQ(0, client_open(&self->a));
	ASSERT_EQ(0, client_open_only(&self->b));
	ASSERT_EQ(0, window_map(&self->b, MIB(64), PROT_READ | PROT_WRITE));
	self->dev = self->a.base;
	self->map = self->b.base;
	ASSERT_EQ(0, mem_alloc_at(&self->a, 0, 0, 0, LENGTH, self->dev));
	ASSERT_EQ(0, mem_alloc_at(&self->b, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  LENGTH, self->map));
}

FIXTURE_TEARDOWN(mapped)
{
	client_close(&self->a);
	client_close(&self->b);
}

TEST_F(mapped, both_directions)
{
	__u8 seen[LENGTH];
	__u64 done;

	ASSERT_EQ(0, fill(&self->a, self->dev, LENGTH, 0x44, 1));
	ASSERT_EQ(0, copy(&self->a, self->map, self->dev, LENGTH));
	ASSERT_EQ(0, copy(&self->b, addr(seen), self->map, LENGTH));
	EXPECT_TRUE(is_all(seen, 0x44, LENGTH));

	ASSERT_EQ(0, fill(&self->b, self->map, LENGTH, 0x55, 1));
	ASSERT_EQ(0, copy(&self->a, self->dev, self->map, LENGTH));
	ASSERT_EQ(0, copy(&self->a, addr(seen), self->dev, LENGTH));
	EXPECT_TRUE(is_all(seen, 0x55, LENGTH));

	/* Where nothing is bound, this is a bad host address. */
	EXPECT_EQ(-EFAULT, copy_done(&self->a, self->map + PAGE, self->dev,
				     LENGTH, &done));
	EXPECT_EQ(LENGTH - PAGE, done);
	EXPECT_EQ(-EFAULT, copy_done(&self->a, self->dev,
				     self->map + LENGTH, PAGE, &done));
	EXPECT_EQ(0, done);

	/* Memory without host access cannot be copied in this way. */
	ASSERT_EQ(0, mem_alloc_at(&self->b, 0, 0, 0, PAGE,
				  self->map + MIB(1)));
	EXPECT_EQ(-EFAULT, copy(&self->a, self->dev, self->map + MIB(1), 8));
	EXPECT_EQ(-EFAULT, copy(&self->a, self->map + MIB(1), self->dev, 8));
}

/*
 * A host range that begins below the window and extends into it is treated as
 * host memory.
 */
TEST_F(mapped, host_range_that_extends_into_the_window)
{
	const __u64 base = self->b.base;
	__u64 done, dev;
	__u8 *below;

	below = mmap(ptr(base - PAGE), PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (below == MAP_FAILED)
		SKIP(return, "no room below the window");
	memset(below, 0x61, PAGE);
	dev = base + MIB(1);
	ASSERT_EQ(0, mem_alloc_at(&self->b, 0, 0, 0, LENGTH, dev));
	ASSERT_EQ(0, fill(&self->b, base, LENGTH, 0x62, 1));

	EXPECT_EQ(0, copy(&self->b, dev, base - PAGE, 2 * PAGE));
	EXPECT_EQ(0, copy(&self->b, base - PAGE, dev + PAGE, 2 * PAGE));
	EXPECT_TRUE(is_all(below, 0x62, PAGE));

	/* Copied up to the first address that is not bound. */
	EXPECT_EQ(-EFAULT, copy_done(&self->b, dev, base - PAGE,
				     LENGTH + PAGE, &done));
	EXPECT_EQ(0, done % PAGE);
	ASSERT_EQ(0, va_unbind(&self->b, base, 0));
	EXPECT_EQ(-EFAULT, copy_done(&self->b, dev, base - PAGE, 2 * PAGE,
				     &done));
	EXPECT_EQ(PAGE, done);
	EXPECT_EQ(0, munmap(below, PAGE));
}

struct shuttle {
	const struct client *c;
	__u64 dst, src;
	volatile bool *stop;
	int unexpected;
};

static void *shuttle_run(void *arg)
{
	struct shuttle *s = arg;
	int ret;

	while (!*s->stop) {
		ret = copy(s->c, s->dst, s->src, LENGTH);
		if (ret && ret != -EFAULT)
			s->unexpected = ret;
	}
	return NULL;
}

/*
 * Each client copies through the other's mapping, which is removed and restored
 * meanwhile.
 */
TEST_F(mapped, each_other_while_unmapped)
{
	volatile bool stop = false;
	struct shuttle s[4];
	pthread_t thread[4];
	__u64 map_a, dev_b;
	uint64_t until;
	unsigned int i;

	map_a = self->a.base + MIB(1);
	dev_b = self->b.base + MIB(1);
	ASSERT_EQ(0, mprotect(ptr(self->a.base), MIB(2),
			      PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, mem_alloc_at(&self->a, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  LENGTH, map_a));
	ASSERT_EQ(0, mem_alloc_at(&self->b, 0, 0, 0, LENGTH, dev_b));

	s[0] = (struct shuttle){ &self->a, self->dev, self->map, &stop, 0 };
	s[1] = (struct shuttle){ &self->a, self->map, self->dev, &stop, 0 };
	s[2] = (struct shuttle){ &self->b, dev_b, map_a, &stop, 0 };
	s[3] = (struct shuttle){ &self->b, map_a, dev_b, &stop, 0 };
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, shuttle_run,
					    &s[i]));
	}
	for (until = now_ms() + 1000; now_ms() < until;) {
		EXPECT_EQ(0, va_unbind(&self->a, map_a, 0));
		EXPECT_EQ(0, va_unbind(&self->b, self->map, 0));
		EXPECT_EQ(0, mem_alloc_at(&self->a, 0, VNPU_MEM_F_HOST_ACCESS,
					  0, LENGTH, map_a));
		EXPECT_EQ(0, mem_alloc_at(&self->b, 0, VNPU_MEM_F_HOST_ACCESS,
					  0, LENGTH, self->map));
	}
	stop = true;
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_EQ(0, s[i].unexpected);
	}
}

TEST_HARNESS_MAIN
