// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injected errors of device memory: which accesses they affect, and how they
 * are reported.
 */
#include "kselftest_harness.h"

#include <pthread.h>

#include "stream.h"
#include "trouble.h"
#include "util.h"

#define CORRECTED	VNPU_INJECT_KIND_ECC_CORRECTED
#define UNCORRECTED	VNPU_INJECT_KIND_ECC_UNCORRECTED

FIXTURE(ecc)
{
	struct client c;
	struct stream s;
	__u64 id;	/* of the client */
	__u64 va;	/* 8 MiB of device memory with host access */
	__u8 *mem;
	__u64 corrected;
	__u64 uncorrected;
	void *buffer;
	int events;
};

FIXTURE_SETUP(ecc)
{
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->id = client_id(&self->c);
	self->va = self->c.base;
	self->mem = ptr(self->va);
	self->buffer = malloc(NL_BUFFER);
	ASSERT_NE(NULL, self->buffer);
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  MIB(8), self->va));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	ASSERT_EQ(0, faults_clear(0));
	self->corrected = device_figure(0, VNPU_A_DEV_ECC_CORRECTED);
	self->uncorrected = device_figure(0, VNPU_A_DEV_ECC_UNCORRECTED);
	ASSERT_NE(~0ULL, self->uncorrected);
	self->events = nl_open_events(self->buffer);
	ASSERT_LE(0, self->events);
}

FIXTURE_TEARDOWN(ecc)
{
	EXPECT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, device_reset(0));
	close(self->events);
	free(self->buffer);
	stream_destroy(&self->s);
	client_close(&self->c);
}

static int error_at(__u32 kind, __u64 client, __u64 addr, __u64 nth)
{
	const struct fault f = {
		.kind = kind,
		.client = client,
		.class = ANY_CLASS,
		.nth = nth,
		.addr = addr,
	};

	return fault_change(&f, false);
}

/* As fill(), and return how far it came. */
static int fill_some(const struct client *c, __u64 dst, __u64 length,
		     __u64 value, __u64 *done)
{
	struct vnpu_fill cmd = {
		.size = sizeof(cmd), .dst = dst, .length = length,
		.value = value,
	};
	int ret = call(c->fd, VNPU_IOCTL_FILL, &cmd);

	*done = cmd.out_done;
	return ret;
}

/* Errors counted since the start of the test. */
#define EXPECT_COUNTS(c, u)						\
	do {								\
		EXPECT_EQ(self->corrected + (c),			\
			  device_figure(0, VNPU_A_DEV_ECC_CORRECTED));	\
		EXPECT_EQ(self->uncorrected + (u),			\
			  device_figure(0, VNPU_A_DEV_ECC_UNCORRECTED)); \
	} while (0)

TEST_F(ecc, a_task_fails_once)
{
	struct vnpu_stream_query q = { .size = sizeof(q), .id = self->s.id };
	const struct nlmsghdr *event = self->buffer;
	struct stream *s = &self->s;
	__u64 bad = self->va + 4096 + 17;
	__u64 lost = device_lost(&self->c, 0);

	memset(self->mem, 1, MIB(2));
	ASSERT_EQ(0, error_at(UNCORRECTED, self->id, bad, 1));
	/* Accesses next to the address succeed. */
	EXPECT_EQ(0, stream_do(s, task_fill(self->va, 4096 + 17, 2, 1)));
	EXPECT_EQ(0, stream_do(s, task_fill(bad + 1, 64, 2, 1)));
	EXPECT_COUNTS(0, 0);
	EXPECT_EQ(lost, device_lost(&self->c, 0));
	EXPECT_EQ(-EIO, stream_do(s, task_fill(self->va, 8192, 3, 1)));
	EXPECT_EQ(lost + 1, device_lost(&self->c, 0));
	EXPECT_TRUE(is_all(self->mem, 2, 4096 + 17));
	EXPECT_EQ(1, *(__u8 *)ptr(bad));
	EXPECT_COUNTS(0, 1);
	ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_STREAM_QUERY, &q));
	EXPECT_EQ(EIO, q.out_error);
	EXPECT_EQ(bad, q.out_error_addr);
	EXPECT_EQ(0, stream_do(s, task_fill(self->va, 8192, 3, 1)));
	EXPECT_TRUE(is_all(self->mem, 3, 8192));

	ASSERT_EQ(0, event_wait(self->events, VNPU_CMD_HEALTH_NTF,
				self->buffer));
	EXPECT_EQ(VNPU_HEALTH_ALARM, nl_u32(event, VNPU_A_HEALTH_STATE));
	EXPECT_EQ(VNPU_HEALTH_OK, nl_u32(event, VNPU_A_HEALTH_BEFORE));
	EXPECT_EQ(self->corrected,
		  nl_u64(event, VNPU_A_HEALTH_ECC_CORRECTED));
	EXPECT_EQ(self->uncorrected + 1,
		  nl_u64(event, VNPU_A_HEALTH_ECC_UNCORRECTED));
	/*
	 * The watchdog checks at least every second, and does not end the
	 * error.
	 */
	sleep(2);
	EXPECT_EQ(VNPU_HEALTH_ALARM, device_health(0));
	ASSERT_EQ(0, device_reset(0));
	EXPECT_EQ(VNPU_HEALTH_OK, device_health(0));
	ASSERT_EQ(0, event_wait(self->events, VNPU_CMD_HEALTH_NTF,
				self->buffer));
	EXPECT_EQ(VNPU_HEALTH_OK, nl_u32(event, VNPU_A_HEALTH_STATE));
	EXPECT_COUNTS(0, 1);
}

TEST_F(ecc, a_corrected_error_is_counted)
{
	struct stream *s = &self->s;

	memset(self->mem, 7, 4096);
	ASSERT_EQ(0, error_at(CORRECTED, self->id, self->va + 5, 3));
	EXPECT_EQ(0, stream_do(s, task_copy(self->va + MIB(1), self->va, 64)));
	EXPECT_EQ(0, stream_do(s, task_copy(self->va + MIB(1), self->va, 64)));
	EXPECT_COUNTS(0, 0);
	EXPECT_EQ(0, stream_do(s, task_copy(self->va + MIB(1), self->va, 64)));
	EXPECT_COUNTS(1, 0);
	EXPECT_EQ(0, stream_do(s, task_copy(self->va + MIB(1), self->va, 64)));
	EXPECT_COUNTS(1, 0);
	EXPECT_TRUE(is_all(self->mem + MIB(1), 7, 64));
	EXPECT_EQ(VNPU_HEALTH_OK, device_health(0));
}

/* Each kind of task, at the addresses that it reads and writes. */
TEST_F(ecc, every_kind_of_task)
{
	__u64 va = self->va, src = va + MIB(4);
	const struct {
		struct vnpu_task task;
		__u64 bad;
	} tests[] = {
		{ task_copy(va, src, MIB(1)), va + MIB(1) - 1 },
		{ task_copy(va, src, MIB(1)), src },
		{ task_copy(va + 64, va, 4096), va + 4096 + 63 },
		{ { .op = VNPU_TASK_COPY_2D, .dst = va, .src = src,
		    .length = 64, .arg0 = 16, .arg1 = 8192, .arg2 = 8192 },
		  src + 8192 * 15 },
		{ task_fill(va, MIB(1), 1, 1), va + KIB(300) },
		{ { .op = VNPU_TASK_VALUE_WRITE, .dst = va, .arg0 = 1,
		    .mode = 8 }, va + 7 },
		{ { .op = VNPU_TASK_TIMESTAMP, .dst = va, .arg0 = 1 },
		  va + 15 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		ASSERT_EQ(0, error_at(UNCORRECTED, self->id, tests[i].bad, 1));
		EXPECT_EQ(-EIO, stream_do(&self->s, tests[i].task))
			TH_LOG("task %u", i);
		EXPECT_EQ(0, stream_do(&self->s, tests[i].task));
		EXPECT_COUNTS(0, i + 1);
	}
}

/* A task counts each byte that it uses once, however the task is divided. */
TEST_F(ecc, a_use_is_counted_once)
{
	__u64 src = self->va + MIB(4);
	__u64 at;

	for (at = 0; at < MIB(1); at += KIB(160) + 1) {
		ASSERT_EQ(0, error_at(CORRECTED, self->id, src + at, 2));
		EXPECT_EQ(0, stream_do(&self->s, task_copy(self->va + 100, src,
							   MIB(1))));
		EXPECT_COUNTS(at / (KIB(160) + 1), 0);
		EXPECT_EQ(0, stream_do(&self->s, task_copy(self->va + 100, src,
							   MIB(1))));
		EXPECT_COUNTS(at / (KIB(160) + 1) + 1, 0);
	}
}

/* A call counts each byte once, even if it has to wait for host memory. */
TEST_F(ecc, a_use_is_counted_once_by_a_call)
{
	__u8 *host = mmap(NULL, MIB(1), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u64 at;

	ASSERT_NE(MAP_FAILED, (void *)host);
	for (at = 0; at < MIB(1); at += KIB(160) + 1) {
		ASSERT_EQ(0, error_at(CORRECTED, self->id, self->va + at, 3));
		ASSERT_EQ(0, madvise(host, MIB(1), MADV_DONTNEED));
		EXPECT_EQ(0, copy(&self->c, self->va, addr(host), MIB(1)));
		ASSERT_EQ(0, madvise(host, MIB(1), MADV_DONTNEED));
		EXPECT_EQ(0, copy(&self->c, addr(host), self->va, MIB(1)));
		EXPECT_COUNTS(at / (KIB(160) + 1), 0);
		EXPECT_EQ(0, copy(&self->c, self->va, addr(host), MIB(1)));
		EXPECT_COUNTS(at / (KIB(160) + 1) + 1, 0);
	}
	munmap(host, MIB(1));
}

TEST_F(ecc, calls_fail)
{
	__u64 done, bad = self->va + MIB(1) + 3;
	__u8 *host = malloc(MIB(2));

	ASSERT_NE(NULL, host);
	memset(host, 9, MIB(2));
	memset(self->mem, 1, MIB(4));
	ASSERT_EQ(0, error_at(UNCORRECTED, self->id, bad, 1));
	/* Copies to, from and within the device, and fills. */
	EXPECT_EQ(-EIO, copy_done(&self->c, self->va, addr(host), MIB(2),
				 &done));
	EXPECT_LE(done, MIB(1) + 3);
	EXPECT_TRUE(is_all(self->mem, 9, done));
	EXPECT_TRUE(is_all(self->mem + done, 1, MIB(2) - done));
	EXPECT_EQ(0, copy_done(&self->c, self->va, addr(host), MIB(2),
			       &done));
	EXPECT_EQ(MIB(2), done);
	ASSERT_EQ(0, error_at(UNCORRECTED, self->id, bad, 1));
	EXPECT_EQ(-EIO, copy_done(&self->c, addr(host), self->va, MIB(2),
				  &done));
	ASSERT_EQ(0, error_at(UNCORRECTED, self->id, bad, 1));
	EXPECT_EQ(-EIO, copy_done(&self->c, self->va + MIB(4), self->va,
				  MIB(2), &done));
	ASSERT_EQ(0, error_at(UNCORRECTED, self->id, bad, 1));
	EXPECT_EQ(-EIO, copy_done(&self->c, self->va, self->va + MIB(4),
				  MIB(2), &done));
	ASSERT_EQ(0, error_at(UNCORRECTED, self->id, bad, 1));
	EXPECT_EQ(-EIO, fill_some(&self->c, self->va, MIB(2), 5, &done));
	EXPECT_LE(done, MIB(1) + 3);
	EXPECT_TRUE(is_all(self->mem, 5, done));
	EXPECT_COUNTS(0, 5);
	/* Loads and stores of the host are not checked. */
	ASSERT_EQ(0, error_at(UNCORRECTED, self->id, bad, 1));
	memset(self->mem, 6, MIB(2));
	EXPECT_COUNTS(0, 5);
	free(host);
}

/*
 * An address belongs to a client: the same address of another client is not
 * affected.
 */
TEST_F(ecc, it_affects_one_client)
{
	struct vnpu_task wait = {
		.op = VNPU_TASK_VALUE_WAIT,
		.src = self->va,
		.arg0 = 4,
		.mode = VNPU_COND_EQ,
	};
	struct client c;
	__u64 done;

	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, error_at(UNCORRECTED, client_id(&c), self->va, 1));
	EXPECT_EQ(0, fill_some(&self->c, self->va, 64, 1, &done));
	/* A waiting task does not use the memory. */
	ASSERT_EQ(0, error_at(UNCORRECTED, self->id, self->va, 1));
	*(__u64 *)self->mem = 4;
	EXPECT_EQ(0, stream_do(&self->s, wait));
	EXPECT_COUNTS(0, 0);
	EXPECT_EQ(-EIO, fill_some(&self->c, self->va, 64, 1, &done));
	client_close(&c);
}

TEST_F(ecc, values_are_checked)
{
	const struct fault of_all = {
		.kind = UNCORRECTED, .class = ANY_CLASS, .addr = self->va,
	};
	const struct fault other = {
		.kind = VNPU_INJECT_KIND_ALLOC_FAIL, .client = self->id,
		.class = ANY_CLASS, .addr = self->va,
	};
	struct fault one = {
		.kind = UNCORRECTED, .client = self->id, .class = ANY_CLASS,
		.addr = self->va,
	};

	EXPECT_EQ(-EINVAL, fault_change(&of_all, false));
	EXPECT_EQ(-EINVAL, fault_change(&other, false));
	EXPECT_EQ(-EINVAL, fault_set(UNCORRECTED, self->id, ANY_CLASS, 1, 0));
	EXPECT_EQ(-EINVAL, fault_set(CORRECTED, self->id, 0, 1, 0));
	/* Each address has an error of its own. */
	EXPECT_EQ(0, fault_change(&one, false));
	one.addr++;
	EXPECT_EQ(-ENOENT, fault_change(&one, true));
	EXPECT_EQ(0, fault_change(&one, false));
	EXPECT_EQ(0, fault_change(&one, true));
	one.addr--;
	EXPECT_EQ(0, fault_change(&one, true));
	EXPECT_EQ(-ENOENT, fault_change(&one, true));
	/* The highest address is valid. */
	EXPECT_EQ(0, error_at(UNCORRECTED, self->id, ~0ULL, 1));
	EXPECT_EQ(0, stream_do(&self->s, task_fill(self->va, MIB(8), 1, 1)));
}

struct setter {
	volatile bool stop;
	__u64 client;
	__u64 va;
};

static void *set_and_reset(void *arg)
{
	struct setter *w = arg;

	while (!w->stop) {
		error_at(UNCORRECTED, w->client, w->va, 1);
		error_at(CORRECTED, w->client, w->va, 1);
		device_reset(0);
		faults_clear(0);
	}
	return NULL;
}

/* Set errors and reset the device while tasks and calls use the memory. */
TEST_F(ecc, set_and_reset_under_load)
{
	struct setter w = { .client = self->id, .va = self->va + KIB(100) };
	__u64 done, end = now_ms() + 1500;
	struct stream *s = &self->s;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, set_and_reset, &w));
	while (now_ms() < end) {
		int ret;

		stream_put(s, task_copy(self->va, self->va + MIB(4), KIB(512)));
		stream_put(s, task_fill(w.va, 64, 1, 1));
		ASSERT_EQ(0, stream_submit(s));
		ret = fill_some(&self->c, self->va, KIB(512), 1, &done);
		EXPECT_TRUE(!ret || ret == -EIO);
		EXPECT_EQ(0, stream_wait(s, 20000));
	}
	w.stop = true;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_EQ(0, faults_clear(0));
	ASSERT_EQ(0, device_reset(0));
	EXPECT_EQ(0, stream_do(s, task_fill(self->va, 64, 1, 1)));
	EXPECT_EQ(VNPU_HEALTH_OK, device_health(0));
}

TEST_HARNESS_MAIN
