// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slow host memory: a page that is missing or write-protected until the test
 * resolves it (userfaultfd). Calls wait for it in the middle of their work, without
 * holding memory; nothing else waits, and other changes meanwhile leave a consistent
 * state.
 */
#include "kselftest_harness.h"

#include <pthread.h>

#include "client.h"
#include "uffd.h"
#include "util.h"

#define LENGTH	(8 * PAGE)

FIXTURE(slow)
{
	struct client c;
	__u64 dev;	/* LENGTH bytes of 0x11 */
	__u8 *host;	/* LENGTH bytes that are not present yet */
	int uffd;
};

FIXTURE_SETUP(slow)
{
	self->c.fd = -1;
	self->host = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->host);
	self->uffd = uffd_open(self->host, LENGTH, UFFDIO_REGISTER_MODE_MISSING);
	if (self->uffd < 0)
		SKIP(return, "no userfaultfd");

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

/* Wait for the fault of the copy; it requests that page only. */
static void await_fault(struct __test_metadata *_metadata, int uffd,
			__u8 *host)
{
	struct uffd_msg msg;

	ASSERT_EQ(sizeof(msg), read(uffd, &msg, sizeof(msg)));
	ASSERT_EQ(UFFD_EVENT_PAGEFAULT, msg.event);
	ASSERT_EQ(addr(host), msg.arg.pagefault.address & -PAGE);
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

TEST_F(slow, no_other_client_waits)
{
	struct one_copy k = { &self->c, self->dev, addr(self->host), 0, -1 };
	struct client other;
	pthread_t thread;
	__u32 id;

	ASSERT_EQ(0, pthread_create(&thread, NULL, one_copy_run, &k));
	await_fault(_metadata, self->uffd, self->host);

	/* Neither the same client, */
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

/* The memory can move meanwhile, so that another client gets what is free as one run. */
TEST_F(slow, moved_meanwhile)
{
	struct one_copy k = { &self->c, self->c.base + MIB(1),
			      addr(self->host), 0, -1 };
	struct vnpu_device_query q;
	struct client other;
	pthread_t thread;
	__u32 half, id;

	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(0, device_query(&other, 0, &q));
	ASSERT_EQ(0, mem_alloc(&other, 0, 0, 0, q.out_free / 2 & -PAGE, &half));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, LENGTH, k.dst));
	ASSERT_EQ(0, mem_free(&other, half));
	ASSERT_EQ(0, device_query(&other, 0, &q));
	ASSERT_LT(q.out_largest_free + MIB(2), q.out_free);

	ASSERT_EQ(0, pthread_create(&thread, NULL, one_copy_run, &k));
	await_fault(_metadata, self->uffd, self->host);
	EXPECT_EQ(0, mem_alloc(&other, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       q.out_largest_free + MIB(2), &id));
	bring_all(_metadata, self->uffd, self->host);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, k.ret);
	EXPECT_EQ(LENGTH, k.done);
	client_close(&other);
}

/* Unbind the memory during a copy: it is freed at once, and the copy fails. */
TEST_F(slow, unbound_meanwhile)
{
	struct one_copy k = { &self->c, self->dev, addr(self->host), 0, -1 };
	struct vnpu_device_query q;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, one_copy_run, &k));
	await_fault(_metadata, self->uffd, self->host);
	EXPECT_EQ(0, va_unbind(&self->c, self->dev, 0));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(0, q.out_client_used);

	bring_all(_metadata, self->uffd, self->host);
	pthread_join(thread, NULL);
	EXPECT_EQ(-EFAULT, k.ret);
	EXPECT_EQ(0, k.done);
	EXPECT_EQ(0, q.out_client_objects);
}

TEST_F(slow, killed_meanwhile)
{
	__u64 used = device_used(&self->c, 0);
	int go[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		int uffd = uffd_open(self->host, LENGTH, UFFDIO_REGISTER_MODE_MISSING);
		struct one_copy k;
		struct client c;
		pthread_t thread;

		if (uffd < 0 || client_open(&c) ||
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
	/* The page never comes: the kill does not wait for it. */
	kill(pid, SIGKILL);
	EXPECT_EQ(256 + SIGKILL, child_wait(pid));
	EXPECT_EQ(used, device_used(&self->c, 0));
}

/* A copy writes nothing to memory that its client has freed, and another one has. */
TEST_F(slow, unbound_before_it_is_written)
{
	struct one_copy k = { &self->c, self->dev, addr(self->host), 0, -1 };
	struct vnpu_device_query q;
	struct client spy;
	pthread_t thread;
	__u8 *seen;

	ASSERT_EQ(0, pthread_create(&thread, NULL, one_copy_run, &k));
	await_fault(_metadata, self->uffd, self->host);
	ASSERT_EQ(0, va_unbind(&self->c, self->dev, 0));

	ASSERT_EQ(0, client_open(&spy));
	ASSERT_EQ(0, device_query(&spy, 0, &q));
	ASSERT_EQ(0, mem_alloc_at(&spy, 0, 0, 0, q.out_total, spy.base));
	bring_all(_metadata, self->uffd, self->host);
	pthread_join(thread, NULL);
	EXPECT_EQ(-EFAULT, k.ret);

	seen = malloc(q.out_total);
	ASSERT_TRUE(seen);
	ASSERT_EQ(0, copy(&spy, addr(seen), spy.base, q.out_total));
	EXPECT_TRUE(is_all(seen, 0, q.out_total));
	free(seen);
	client_close(&spy);
}

/* LENGTH bytes in two bindings; the second can be exported by its id. */
static int bind_halves(const struct client *c, __u64 va)
{
	__u32 id;
	int ret;

	ret = mem_alloc_at(c, 0, 0, 0, LENGTH / 2, va);
	if (!ret)
		ret = mem_alloc(c, 0, 0, 0, LENGTH / 2, &id);
	return ret ?: va_bind(c, id, va + LENGTH / 2, LENGTH / 2, 0);
}

/*
 * The second half of the destination becomes read-only memory of another client
 * after the copy has checked it: nothing is written to it.
 */
TEST_F(slow, read_only_meanwhile)
{
	const __u64 va = self->c.base + MIB(1), second = va + LENGTH / 2;
	struct one_copy k = { &self->c, va, addr(self->host), 0, -1 };
	struct vnpu_mem_import_dmabuf i;
	__u8 seen[LENGTH / 2];
	struct client owner;
	pthread_t thread;
	__u32 id;
	int fd;

	ASSERT_EQ(0, client_open(&owner));
	ASSERT_EQ(0, mem_alloc(&owner, 0, 0, 0, LENGTH / 2, &id));
	ASSERT_EQ(0, va_bind(&owner, id, owner.base, LENGTH / 2, 0));
	ASSERT_EQ(0, fill(&owner, owner.base, LENGTH / 2, 0x77, 1));
	fd = mem_export_dmabuf(&owner, VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY, id);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, mem_import_dmabuf(&self->c, fd, &i));
	close(fd);
	ASSERT_EQ(0, bind_halves(&self->c, va));

	ASSERT_EQ(0, pthread_create(&thread, NULL, one_copy_run, &k));
	await_fault(_metadata, self->uffd, self->host);
	EXPECT_EQ(0, va_unbind(&self->c, second, 0));
	EXPECT_EQ(0, va_bind(&self->c, i.out_id, second, LENGTH / 2, 0));
	bring_all(_metadata, self->uffd, self->host);
	pthread_join(thread, NULL);
	EXPECT_EQ(-EACCES, k.ret);
	EXPECT_EQ(LENGTH / 2, k.done);
	ASSERT_EQ(0, copy(&owner, addr(seen), owner.base, LENGTH / 2));
	EXPECT_TRUE(is_all(seen, 0x77, LENGTH / 2));
	client_close(&owner);
}

/* The same for a right that is removed, and for the source. */
TEST_F(slow, right_is_removed_meanwhile)
{
	const __u64 va = self->c.base + MIB(1), second = va + LENGTH / 2;
	struct one_copy k = { &self->c, addr(self->host), va, 0, -1 };
	pthread_t thread;

	ASSERT_EQ(0, bind_halves(&self->c, va));
	ASSERT_EQ(0, fill(&self->c, va, LENGTH, 0x22, 1));
	ASSERT_EQ(0, pthread_create(&thread, NULL, one_copy_run, &k));
	await_fault(_metadata, self->uffd, self->host);
	EXPECT_EQ(0, va_protect(&self->c, second, 0, VNPU_DEVICE_ALL,
				VNPU_ACCESS_NONE));
	bring_all(_metadata, self->uffd, self->host);
	pthread_join(thread, NULL);
	EXPECT_EQ(-EACCES, k.ret);
	EXPECT_EQ(LENGTH / 2, k.done);
	EXPECT_TRUE(is_all(self->host, 0x22, LENGTH / 2));
	EXPECT_TRUE(is_all(self->host + LENGTH / 2, 0x66, LENGTH / 2));
}

struct one_alloc {
	const struct client *c;
	struct vnpu_mem_alloc *a;
	int ret;
};

static void *one_alloc_run(void *arg)
{
	struct one_alloc *k = arg;

	k->ret = call(k->c->fd, VNPU_IOCTL_MEM_ALLOC, k->a);
	return NULL;
}

/*
 * An allocation waits while it returns its id: the id can be guessed meanwhile,
 * but neither freed nor given to another object.
 */
TEST_F(slow, id_is_guessed_before_it_is_returned)
{
	struct uffdio_writeprotect wp = {
		.range = { 0, LENGTH },
		.mode = UFFDIO_WRITEPROTECT_MODE_WP,
	};
	struct vnpu_device_query q;
	struct one_alloc k;
	struct client c;
	pthread_t thread;
	__u32 id, guess;
	__u8 *page;
	int uffd;

	page = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)page);
	uffd = uffd_open(page, LENGTH, UFFDIO_REGISTER_MODE_WP);
	if (uffd < 0)
		SKIP(return, "no write protection by userfaultfd");
	ASSERT_EQ(0, client_open(&c));
	k = (struct one_alloc){ &c, (void *)page, -1 };
	k.a->size = sizeof(*k.a);
	k.a->length = 3 * PAGE;
	wp.range.start = addr(page);
	ASSERT_EQ(0, ioctl(uffd, UFFDIO_WRITEPROTECT, &wp));

	ASSERT_EQ(0, pthread_create(&thread, NULL, one_alloc_run, &k));
	await_fault(_metadata, uffd, page);
	for (guess = 1; guess < 64; guess++) {
		EXPECT_EQ(-ENOENT, mem_free(&c, guess));
	}
	ASSERT_EQ(0, mem_alloc(&c, 0, 0, 0, PAGE, &id));
	wp.mode = 0;
	ASSERT_EQ(0, ioctl(uffd, UFFDIO_WRITEPROTECT, &wp));
	pthread_join(thread, NULL);

	ASSERT_EQ(0, k.ret);
	EXPECT_NE(0, k.a->out_id);
	EXPECT_NE(id, k.a->out_id);
	EXPECT_EQ(0, mem_free(&c, id));
	EXPECT_EQ(0, mem_free(&c, k.a->out_id));
	ASSERT_EQ(0, device_query(&c, 0, &q));
	EXPECT_EQ(0, q.out_client_used);
	EXPECT_EQ(0, q.out_client_objects);
	client_close(&c);
	close(uffd);
}

TEST_HARNESS_MAIN
