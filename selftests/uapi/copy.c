// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies that succeed, and copies that are refused before any byte is copied,
 * in all directions, alignments and lengths, compared with host memory.
 */
#include "kselftest_harness.h"

#include <sys/time.h>

#include "client.h"
#include "util.h"

/*
 * The range consists of bindings of several objects, in odd sizes and out of
 * order, on all devices. So it is contiguous in addresses, and nowhere in
 * memory.
 */
#define PIECES	8
#define RANGE	(KIB(4) * 52)

FIXTURE(copy)
{
	struct client c;
	__u64 dev;	/* RANGE bytes; nothing is bound around them */
	__u8 *model;	/* the expected contents */
	__u8 *host;	/* RANGE bytes */
	__u8 *seen;	/* RANGE bytes */
};

FIXTURE_SETUP(copy)
{
	static const __u32 pages[PIECES] = { 1, 3, 16, 2, 5, 1, 17, 7 };
	static const __u32 order[PIECES] = { 3, 0, 7, 2, 5, 1, 4, 6 };
	__u32 count, id[2], i, n, before;

	ASSERT_EQ(0, client_open(&self->c));
	self->dev = self->c.base + MIB(1);
	count = device_count(&self->c);
	ASSERT_LE(1, count);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, mem_alloc(&self->c, i % count, 0, 0, KIB(256),
				       &id[i]));
	}
	for (i = 0; i < PIECES; i++) {
		before = 0;
		for (n = 0; n < order[i]; n++)
			before += pages[n];
		ASSERT_EQ(0, va_bind(&self->c, id[i % 2],
				     self->dev + before * PAGE,
				     pages[order[i]] * PAGE, before * PAGE));
	}
	self->model = calloc(3, RANGE);
	ASSERT_TRUE(self->model);
	self->host = self->model + RANGE;
	self->seen = self->host + RANGE;
	ASSERT_EQ(0, fill(&self->c, self->dev, RANGE, 0, 1));
}

FIXTURE_TEARDOWN(copy)
{
	free(self->model);
	client_close(&self->c);
}

/* Give the device and the model the same random bytes. */
static void randomize(struct __test_metadata *_metadata,
		      FIXTURE_DATA(copy) * self, struct rng *r, __u64 length)
{
	__u64 done;

	rng_fill(r, self->model, length);
	ASSERT_EQ(0, copy_done(&self->c, self->dev, addr(self->model), length,
			       &done));
	ASSERT_EQ(length, done);
}

/* Check that the first bytes of the device equal those of the model. */
static bool agrees(FIXTURE_DATA(copy) * self, __u64 length)
{
	memset(self->seen, 0xee, length);
	return !copy(&self->c, addr(self->seen), self->dev, length) &&
	       !memcmp(self->seen, self->model, length);
}

TEST_F(copy, to_the_device_and_back)
{
	struct rng r = rng_init();

	randomize(_metadata, self, &r, RANGE);
	EXPECT_TRUE(agrees(self, RANGE));
}

/*
 * Every pair of alignments within a cache line, with lengths that end anywhere.
 */
TEST_F_TIMEOUT(copy, alignments, 120)
{
	static const __u32 lengths[] = { 1, 7, 64, 129 };
	const __u64 far = KIB(64) - 32;	/* across the end of a binding */
	struct rng r = rng_init();
	__u32 to, from, i;
	bool good = true;
	__u64 done;

	randomize(_metadata, self, &r, far + 512);
	rng_fill(&r, self->host, 512);
	for (to = 0; to < 64 && good; to++) {
		for (from = 0; from < 64 && good; from++) {
			__u32 len = lengths[(to + from) % ARRAY_SIZE(lengths)];

			for (i = 0; i < 2; i++) {
				__u64 at = (i ? far : 0) + to;

				memcpy(self->model + at, self->host + from,
				       len);
				good &= !copy_done(&self->c, self->dev + at,
						   addr(self->host) + from,
						   len, &done) && done == len;
			}
			memcpy(self->model + 256 + to, self->model + from,
			       len);
			good &= !copy_done(&self->c, self->dev + 256 + to,
					   self->dev + from, len, &done) &&
				done == len;

			memset(self->seen, 0, 512);
			good &= !copy_done(&self->c, addr(self->seen) + to,
					   self->dev + from, len, &done) &&
				done == len &&
				!memcmp(self->seen + to, self->model + from,
					len) &&
				is_all(self->seen, 0, to) &&
				is_all(self->seen + to + len, 0,
				       512 - to - len);
			if (!good)
				TH_LOG("to %u from %u length %u", to, from,
				       len);
		}
		good &= agrees(self, far + 512);
	}
	EXPECT_TRUE(good);
}

TEST_F_TIMEOUT(copy, random_operations, 120)
{
	const __u64 rounds = env_u64("VNPU_ROUNDS", 1500);
	static const __u32 value_sizes[] = { 1, 2, 4, 8 };
	struct rng r = rng_init();
	__u64 n, i;

	randomize(_metadata, self, &r, RANGE);
	rng_fill(&r, self->host, RANGE);
	for (n = 0; n < rounds; n++) {
		/* Short copies are as likely as long ones. */
		__u64 len = rng_below(&r, 2ULL << rng_below(&r, 17));
		__u64 a, b, value, done = ~0ULL;
		__u32 value_size;
		int how, ret;

		len = len < RANGE ? len : RANGE;
		a = rng_below(&r, RANGE - len + 1);
		b = rng_below(&r, RANGE - len + 1);
		how = rng_below(&r, 4);
		switch (how) {
		case 0:
			memcpy(self->model + a, self->host + b, len);
			ret = copy_done(&self->c, self->dev + a,
					addr(self->host) + b, len, &done);
			break;
		case 1:
			ret = copy_done(&self->c, addr(self->host) + a,
					self->dev + b, len, &done);
			EXPECT_EQ(0, memcmp(self->host + a, self->model + b,
					    len));
			break;
		case 2:
			memmove(self->model + a, self->model + b, len);
			ret = copy_done(&self->c, self->dev + a, self->dev + b,
					len, &done);
			break;
		default:
			value_size = value_sizes[rng_below(&r, 4)];
			len -= len % value_size;
			value = rng_next(&r) >> (64 - 8 * value_size);
			for (i = 0; i < len; i += value_size)
				memcpy(self->model + a + i, &value,
				       value_size);
			ret = fill(&self->c, self->dev + a, len, value,
				   value_size);
			done = len;
		}
		ASSERT_EQ(0, ret)
			TH_LOG("round %llu how %d", n, how);
		ASSERT_EQ(len, done);
		ASSERT_TRUE(agrees(self, RANGE))
			TH_LOG("round %llu how %d a %#llx b %#llx len %#llx",
			       n, how, a, b, len);
	}
}

/* As memmove() copies, over small and large distances, up and down. */
TEST_F(copy, overlap)
{
	static const __u64 shifts[] = { 1, 7, 64, 4095, 4096, 4097, 20000,
					100000 };
	struct rng r = rng_init();
	unsigned int i;
	__u64 len;

	for (i = 0; i < ARRAY_SIZE(shifts); i++) {
		len = RANGE - shifts[i];
		randomize(_metadata, self, &r, RANGE);
		memmove(self->model + shifts[i], self->model, len);
		EXPECT_EQ(0, copy(&self->c, self->dev + shifts[i], self->dev,
				  len));
		EXPECT_TRUE(agrees(self, RANGE));

		randomize(_metadata, self, &r, RANGE);
		memmove(self->model, self->model + shifts[i], len);
		EXPECT_EQ(0, copy(&self->c, self->dev, self->dev + shifts[i],
				  len));
		EXPECT_TRUE(agrees(self, RANGE));
	}
	EXPECT_EQ(0, copy(&self->c, self->dev, self->dev, RANGE));
	EXPECT_TRUE(agrees(self, RANGE));
}

TEST_F(copy, no_bytes)
{
	__u64 done;

	EXPECT_EQ(0, copy_done(&self->c, self->dev, self->dev, 0, &done));
	EXPECT_EQ(0, done);
	EXPECT_EQ(0, copy_done(&self->c, self->dev, addr(self->host), 0,
			       &done));
	EXPECT_EQ(0, done);
	EXPECT_EQ(0, copy_done(&self->c, self->dev, 0, 0, &done));
	EXPECT_EQ(0, done);
	EXPECT_EQ(0, copy(&self->c, self->c.base, self->dev, 0));
}

TEST_F(copy, no_device_address)
{
	memset(self->host, 1, 16);
	memset(self->seen, 2, 16);
	EXPECT_EQ(-EINVAL, copy(&self->c, addr(self->host), addr(self->seen),
				16));
	EXPECT_EQ(1, self->host[0]);
	EXPECT_EQ(-EINVAL, copy(&self->c, 0, 0, 16));
}

/* If any part is not bound, nothing is copied. */
TEST_F(copy, unbound)
{
	const __u64 end = self->c.base + self->c.size, dev = self->dev;
	const struct {
		__u64 va, length;
	} holes[] = {
		{ dev - 1, 1 },
		{ dev - 1, RANGE },
		{ dev + RANGE, 1 },
		{ dev, RANGE + 1 },
		{ dev + RANGE - 1, 2 },
		{ self->c.base, MIB(2) },
		{ end - 1, 1 },
		{ end - 1, 2 },
		{ end - PAGE, 2 * PAGE },
	};
	struct rng r = rng_init();
	unsigned int i;
	__u64 done;

	/* A copy from the last page of the window beyond its end. */
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, end - 2 * PAGE));
	randomize(_metadata, self, &r, RANGE);
	memset(self->host, 0x77, RANGE);
	for (i = 0; i < ARRAY_SIZE(holes); i++) {
		__u64 len = holes[i].length;

		if (len <= RANGE) {
			EXPECT_EQ(-EFAULT, copy_done(&self->c, holes[i].va,
						     addr(self->host), len,
						     &done));
			EXPECT_EQ(0, done);
			EXPECT_EQ(-EFAULT, copy_done(&self->c,
						     addr(self->host),
						     holes[i].va, len, &done));
			EXPECT_EQ(0, done);
		}
		EXPECT_EQ(-EFAULT, copy_done(&self->c, dev, holes[i].va, len,
					     &done));
		EXPECT_EQ(0, done);
		EXPECT_EQ(-EFAULT, copy_done(&self->c, holes[i].va, dev, len,
					     &done));
		EXPECT_EQ(0, done);
		EXPECT_TRUE(is_all(self->host, 0x77, RANGE));
		EXPECT_TRUE(agrees(self, RANGE));
	}

	/* A hole in the middle. */
	ASSERT_EQ(0, va_unbind(&self->c, dev + PAGE, 0));
	EXPECT_EQ(-EFAULT, copy(&self->c, addr(self->host), dev, RANGE));
	EXPECT_EQ(-EFAULT, copy(&self->c, dev, addr(self->model), RANGE));
	EXPECT_TRUE(is_all(self->host, 0x77, RANGE));
}

/*
 * A range that extends beyond the end of the window, and is bound up to there.
 */
TEST_F(copy, across_the_end_of_the_window)
{
	const __u64 end = self->c.base + self->c.size;
	__u64 done;

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, end - PAGE));
	ASSERT_EQ(0, fill(&self->c, end - PAGE, PAGE, 0x11, 1));
	memset(self->host, 0x77, 2 * PAGE);
	EXPECT_EQ(-EFAULT, copy_done(&self->c, end - PAGE, addr(self->host),
				     PAGE + 1, &done));
	EXPECT_EQ(0, done);
	EXPECT_EQ(-EFAULT, copy_done(&self->c, addr(self->host), end - PAGE,
				     PAGE + 1, &done));
	EXPECT_EQ(0, done);
	EXPECT_TRUE(is_all(self->host, 0x77, 2 * PAGE));
	EXPECT_EQ(0, copy(&self->c, addr(self->host), end - PAGE, PAGE));
	EXPECT_TRUE(is_all(self->host, 0x11, PAGE));
}

TEST_F(copy, overflow)
{
	EXPECT_EQ(-EOVERFLOW, copy(&self->c, self->dev, addr(self->host),
				   ~0ULL));
	EXPECT_EQ(-EOVERFLOW, copy(&self->c, addr(self->host), self->dev,
				   ~0ULL));
	EXPECT_EQ(-EOVERFLOW, copy(&self->c, self->dev, self->dev,
				   ~0ULL - PAGE));
}

/* A copy continues after signals whose handlers have SA_RESTART. */
static volatile sig_atomic_t alarms;

static void count_alarm(int sig)
{
	(void)sig;
	alarms++;
}

static void copy_under_alarms(struct __test_metadata *_metadata,
			      struct client *c, int sa_flags)
{
	const struct itimerval every = { { 0, 500 }, { 0, 500 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	struct sigaction act = { .sa_handler = count_alarm,
				 .sa_flags = sa_flags };
	const __u64 len = MIB(8), dev = c->base + MIB(64);
	__u8 *buffer = malloc(len);
	int n, ret = 0;
	__u64 done;

	ASSERT_TRUE(buffer);
	ASSERT_EQ(0, mem_alloc_at(c, 0, 0, 0, 2 * len, dev));
	memset(buffer, 0x42, len);
	sigaction(SIGALRM, &act, NULL);
	alarms = 0;
	setitimer(ITIMER_REAL, &every, NULL);
	for (n = 0; n < 100 && !ret && (n < 3 || alarms < 20); n++) {
		ret = copy_done(c, dev, addr(buffer), len, &done);
		if (!ret)
			ret = copy_done(c, dev + len, dev, len, &done);
		if (!ret && done == len)
			ret = copy_done(c, addr(buffer), dev + len, len,
					&done);
		if (!ret)
			ret = fill(c, dev, len, 0x42, 1);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	EXPECT_EQ(0, ret);
	EXPECT_EQ(len, done);
	EXPECT_LT(0, alarms);
	EXPECT_TRUE(is_all(buffer, 0x42, len));
	free(buffer);
}

TEST_F(copy, signal_with_restart)
{
	copy_under_alarms(_metadata, &self->c, SA_RESTART);
}

TEST_F(copy, signal_without_restart)
{
	copy_under_alarms(_metadata, &self->c, 0);
}

/* A fatal signal interrupts a copy. */
TEST_F(copy, sigkill)
{
	const __u64 free_before = device_used(&self->c, 0);
	struct vnpu_device_query q;
	uint64_t start;
	pid_t pid;
	int go[2];

	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	ASSERT_EQ(0, pipe(go));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct client c;
		__u64 len = q.out_free / 4;

		if (client_open(&c) ||
		    mem_alloc_at(&c, 0, 0, 0, 2 * len, c.base))
			_exit(1);
		baton_pass(go[1]);
		for (;;)
			if (copy(&c, c.base, c.base + len, len) ||
			    fill(&c, c.base, 2 * len, 1, 1))
				_exit(2);
	}
	baton_take(go[0]);
	usleep(20000);
	start = now_ms();
	kill(pid, SIGKILL);
	EXPECT_EQ(256 + SIGKILL, child_wait(pid));
	EXPECT_GT(2000, now_ms() - start);
	EXPECT_EQ(free_before, device_used(&self->c, 0));
}

TEST_HARNESS_MAIN
