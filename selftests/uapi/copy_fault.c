// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies whose host side fails, blocks or is a device mapping itself.
 */
#include "kselftest_harness.h"

#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "client.h"
#include "util.h"

#define LENGTH	(8 * PAGE)

FIXTURE(fault)
{
	struct client c;
	__u64 dev;	/* LENGTH bytes */
	__u8 *host;	/* LENGTH bytes, then a hole of as many */
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

/* What was reported as copied is, and not a byte more. */
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
			/* What a page has is not held back by the next. */
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

/* A page in the middle that may not be accessed, in every place. */
TEST_F(fault, hole_in_the_middle)
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

/* The kernel's addresses and those of nobody are not a user's to name. */
TEST_F(fault, addresses_of_nobody)
{
	static const __u64 nobody[] = {
		0, 8, 0x7ffffffff000ULL, 0x800000000000ULL,
		0xdead000000000000ULL, 0xffff800000000000ULL,
		0xffff888000001000ULL, 0xffffffff81000000ULL,
		0xffffffffffffe000ULL,
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
 * Another client's mapping, or one's own memory through a moved view, is host
 * memory that faults into this very driver.
 */
FIXTURE(mapped)
{
	struct client a, b;
	__u64 dev;	/* of a, LENGTH bytes */
	__u64 map;	/* of b, LENGTH bytes that the host may touch */
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

TEST_F(mapped, both_ways)
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

	/* Where nothing is bound there, it is a bad host address. */
	EXPECT_EQ(-EFAULT, copy_done(&self->a, self->map + PAGE, self->dev,
				     LENGTH, &done));
	EXPECT_EQ(LENGTH - PAGE, done);
	EXPECT_EQ(-EFAULT, copy_done(&self->a, self->dev,
				     self->map + LENGTH, PAGE, &done));
	EXPECT_EQ(0, done);

	/* Memory that the host may not touch cannot be had by this way. */
	ASSERT_EQ(0, mem_alloc_at(&self->b, 0, 0, 0, PAGE,
				  self->map + MIB(1)));
	EXPECT_EQ(-EFAULT, copy(&self->a, self->dev, self->map + MIB(1), 8));
	EXPECT_EQ(-EFAULT, copy(&self->a, self->map + MIB(1), self->dev, 8));
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

/* Each copies through the other's mapping, which comes and goes meanwhile. */
TEST_F(mapped, crosswise_while_it_goes)
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
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, shuttle_run,
					    &s[i]));
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

/*
 * A host page that does not come until we bring it: the copy waits, and
 * nobody and nothing else does.
 */
FIXTURE(slow)
{
	struct client c;
	__u64 dev;
	__u8 *host;
	int uffd;
};

FIXTURE_SETUP(slow)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	self->c.fd = -1;
	self->uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (self->uffd < 0)
		SKIP(return, "no userfaultfd");
	ASSERT_EQ(0, ioctl(self->uffd, UFFDIO_API, &api));
	self->host = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->host);
	reg.range.start = addr(self->host);
	reg.range.len = LENGTH;
	ASSERT_EQ(0, ioctl(self->uffd, UFFDIO_REGISTER, &reg));

	ASSERT_EQ(0, client_open(&self->c));
	self->dev = self->c.base;
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, LENGTH, self->dev));
	ASSERT_EQ(0, fill(&self->c, self->dev, LENGTH, 0x11, 1));
}

FIXTURE_TEARDOWN(slow)
{
	client_close(&self->c);
	close(self->uffd);
}

struct one_copy {
	const struct client *c;
	__u64 dst, src, done;
	int ret;
};

static void *one_copy_run(void *arg)
{
	struct one_copy *k = arg;

	k->ret = copy_done(k->c, k->dst, k->src, LENGTH, &k->done);
	return NULL;
}

/* Wait for the fault of the copy; that page alone is asked for. */
static void await_fault(struct __test_metadata *_metadata, int uffd,
			__u8 *host)
{
	struct uffd_msg msg;

	ASSERT_EQ(sizeof(msg), read(uffd, &msg, sizeof(msg)));
	ASSERT_EQ(UFFD_EVENT_PAGEFAULT, msg.event);
	ASSERT_EQ(addr(host), msg.arg.pagefault.address);
}

static void bring_all(struct __test_metadata *_metadata, int uffd, __u8 *host)
{
	struct uffdio_copy bring = { .dst = addr(host), .len = LENGTH };
	__u8 *bytes = malloc(LENGTH);

	ASSERT_TRUE(bytes);
	memset(bytes, 0x66, LENGTH);
	bring.src = addr(bytes);
	ASSERT_EQ(0, ioctl(uffd, UFFDIO_COPY, &bring));
	free(bytes);
}

TEST_F(slow, nobody_else_waits)
{
	struct one_copy k = { &self->c, self->dev, addr(self->host), 0, -1 };
	struct client other;
	pthread_t thread;
	__u32 id;

	ASSERT_EQ(0, pthread_create(&thread, NULL, one_copy_run, &k));
	await_fault(_metadata, self->uffd, self->host);

	/* Not the same client, */
	EXPECT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &id));
	EXPECT_EQ(0, va_bind(&self->c, id, self->c.base + MIB(1), PAGE, 0));
	EXPECT_EQ(0, fill(&self->c, self->c.base + MIB(1), PAGE, 1, 1));
	EXPECT_EQ(0, va_unbind(&self->c, self->c.base + MIB(1), 0));
	EXPECT_EQ(0, mem_free(&self->c, id));
	/* nor another one. */
	ASSERT_EQ(0, client_open(&other));
	EXPECT_EQ(0, mem_alloc_at(&other, 0, 0, 0, PAGE, other.base));
	EXPECT_EQ(0, fill(&other, other.base, PAGE, 1, 1));
	client_close(&other);

	bring_all(_metadata, self->uffd, self->host);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, k.ret);
	EXPECT_EQ(LENGTH, k.done);
}

/* Unbound under a copy: the memory is freed when the copy has ended. */
TEST_F(slow, unbound_meanwhile)
{
	struct one_copy k = { &self->c, self->dev, addr(self->host), 0, -1 };
	struct vnpu_device_query q;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, one_copy_run, &k));
	await_fault(_metadata, self->uffd, self->host);
	EXPECT_EQ(0, va_unbind(&self->c, self->dev, 0));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(LENGTH, q.out_client_used);

	bring_all(_metadata, self->uffd, self->host);
	pthread_join(thread, NULL);
	EXPECT_TRUE(!k.ret || k.ret == -EFAULT);
	if (!k.ret)
		EXPECT_EQ(LENGTH, k.done);
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(0, q.out_client_used);
	EXPECT_EQ(0, q.out_client_objects);
}

TEST_F(slow, killed_meanwhile)
{
	__u64 used = device_used(&self->c, 0);
	uint64_t start;
	int go[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct uffdio_api api = { .api = UFFD_API };
		struct uffdio_register reg = {
			.mode = UFFDIO_REGISTER_MODE_MISSING,
			.range = { addr(self->host), LENGTH },
		};
		int uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
		struct one_copy k;
		struct client c;
		pthread_t thread;

		if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api) ||
		    ioctl(uffd, UFFDIO_REGISTER, &reg) || client_open(&c) ||
		    mem_alloc_at(&c, 0, 0, 0, LENGTH, c.base))
			_exit(1);
		k = (struct one_copy){ &c, c.base, addr(self->host), 0, -1 };
		if (pthread_create(&thread, NULL, one_copy_run, &k))
			_exit(2);
		await_fault(_metadata, uffd, self->host);
		baton_pass(go[1]);
		pthread_join(thread, NULL);
		_exit(3);
	}
	baton_take(go[0]);
	start = now_ms();
	kill(pid, SIGKILL);
	EXPECT_EQ(256 + SIGKILL, child_wait(pid));
	EXPECT_GT(2000, now_ms() - start);
	EXPECT_EQ(used, device_used(&self->c, 0));
}

TEST_HARNESS_MAIN
