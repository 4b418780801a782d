// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injected faults: when they occur, at counted or random passes of the injection
 * point; and the two kinds that affect neither engines nor device memory.
 */
#include "inject.h"

#define MILLION		1000000

/* Request memory with a fault set; return a bit for each failed request. */
#define ASKED		64

static __u64 refusals(const struct client *c)
{
	__u64 bits = 0;
	int i;

	for (i = 0; i < ASKED; i++) {
		__u32 id;
		int ret = mem_alloc(c, 0, 0, 0, PAGE, &id);

		if (ret == -ENOSPC)
			bits |= 1ULL << i;
		else if (ret)
			return ~0ULL;
	}
	return bits;
}

static __u64 refusals_by(const struct client *c, __u32 ppm, __u64 seed)
{
	const struct fault f = {
		.kind = NO_MEMORY, .client = client_id(c), .class = ANY_CLASS,
		.ppm = ppm, .seed = seed,
	};

	return fault_change(&f, false) ? ~0ULL : refusals(c);
}

TEST_F(inject, every_third)
{
	const struct fault f = {
		.kind = NO_MEMORY, .client = self->id, .class = ANY_CLASS,
		.every = 3,
	};
	__u64 expected = 0;
	struct listed l;
	int i;

	for (i = 2; i < ASKED; i += 3)
		expected |= 1ULL << i;
	ASSERT_EQ(0, fault_change(&f, false));
	EXPECT_EQ(expected, refusals(&self->c));
	l = list();
	EXPECT_EQ(1, l.count);
	EXPECT_EQ(3 - ASKED % 3, l.last.nth);
	EXPECT_EQ(3, l.last.every);
	EXPECT_EQ(~0U, l.last.ppm);
	EXPECT_EQ(ASKED / 3, l.hits);
}

TEST_F(inject, every_second_from_the_fifth_on)
{
	const struct fault f = {
		.kind = NO_MEMORY, .client = self->id, .class = ANY_CLASS,
		.nth = 5, .every = 2,
	};

	ASSERT_EQ(0, fault_change(&f, false));
	EXPECT_EQ(0x5555555555555555 & ~0xfULL, refusals(&self->c));
}

TEST_F(inject, at_random)
{
	const struct client *c = &self->c;
	__u64 drawn = refusals_by(c, MILLION / 4, 42);
	struct listed l = list();

	EXPECT_EQ(1, l.count);
	EXPECT_EQ(MILLION / 4, l.last.ppm);
	EXPECT_EQ(42, l.last.seed);
	EXPECT_EQ(~0ULL, l.last.nth);
	EXPECT_EQ(__builtin_popcountll(drawn), l.hits);
	/* About 16 of 64; the same seed always selects the same ones. */
	EXPECT_LE(8, l.hits);
	EXPECT_GE(24, l.hits);
	EXPECT_EQ(drawn, refusals_by(c, MILLION / 4, 42));
	EXPECT_NE(drawn, refusals_by(c, MILLION / 4, 43));
	EXPECT_EQ(refusals_by(c, MILLION / 4, 0),
		  refusals_by(c, MILLION / 4, 0));
	/*
	 * The passes at which a rare fault happens are a subset of those of a
	 * frequent one.
	 */
	EXPECT_EQ(0, refusals_by(c, MILLION / 16, 42) & ~drawn);
	EXPECT_EQ(0, refusals_by(c, 1, 42));
	EXPECT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, refusals(c));
	l = list();
	EXPECT_EQ(0, l.count);
}

TEST_F(inject, always)
{
	const struct fault f = {
		.kind = NO_MEMORY, .client = self->id, .class = ANY_CLASS,
		.ppm = MILLION,
	};
	__u32 id;
	int i;

	ASSERT_EQ(0, fault_change(&f, false));
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, PAGE, &id));
	EXPECT_EQ(1000, list().hits);
}

TEST_F(inject, no_memory_of_the_host)
{
	struct client c;
	__u32 id;

	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, fault_set(NO_HOST_MEMORY, self->id, ANY_CLASS, 2, 0));
	EXPECT_EQ(0, host_alloc(&c, PAGE, &id));
	EXPECT_EQ(0, host_alloc(&self->c, PAGE, &id));
	EXPECT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &id));
	EXPECT_EQ(0, host_alloc(&c, PAGE, &id));
	EXPECT_EQ(-ENOMEM, host_alloc(&self->c, PAGE, &id));
	EXPECT_EQ(0, host_alloc(&self->c, PAGE, &id));
	/* For any client. */
	ASSERT_EQ(0, fault_set(NO_HOST_MEMORY, ANY_CLIENT, ANY_CLASS, 0, 0));
	EXPECT_EQ(-ENOMEM, host_alloc(&c, PAGE, &id));
	EXPECT_EQ(0, host_alloc(&self->c, PAGE, &id));
	client_close(&c);
}

TEST_F(inject, no_access)
{
	struct vnpu_stream_query q = { .size = sizeof(q), .id = self->s.id };
	const __u64 bad = self->va + MIB(2) + 5;
	const struct fault f = {
		.kind = NO_ACCESS, .client = self->id, .class = ANY_CLASS,
		.addr = bad, .every = 1,
	};
	__u64 errors = device_figure(0, VNPU_A_DEV_ECC_UNCORRECTED);
	struct stream *s = &self->s;

	memset(self->mem, 1, MIB(8));
	ASSERT_EQ(0, fault_change(&f, false));
	EXPECT_EQ(0, stream_do(s, task_copy(self->va, self->va + MIB(4),
					    MIB(2))));
	EXPECT_EQ(-EFAULT, stream_do(s, task_fill(bad, 1, 2, 1)));
	EXPECT_EQ(-EFAULT, stream_do(s, task_copy(self->va, bad, 64)));
	EXPECT_EQ(2, s->ring->errors);
	ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_STREAM_QUERY, &q));
	EXPECT_EQ(EFAULT, q.out_error);
	EXPECT_EQ(bad, q.out_error_addr);
	EXPECT_EQ(-EFAULT, copy(&self->c, self->va, bad - 5, 64));
	EXPECT_EQ(-EFAULT, fill(&self->c, bad, 1, 2, 1));
	EXPECT_TRUE(is_all(self->mem, 1, MIB(8)));
	/* The memory itself has no error. */
	EXPECT_EQ(4, list().hits);
	EXPECT_EQ(errors, device_figure(0, VNPU_A_DEV_ECC_UNCORRECTED));
	EXPECT_EQ(VNPU_HEALTH_OK, device_health(0));
	ASSERT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, stream_do(s, task_fill(bad, 1, 2, 1)));
	EXPECT_EQ(2, self->mem[MIB(2) + 5]);
}

/* If both affect an access, the device's fault is reported. */
TEST_F(inject, no_access_to_bad_memory)
{
	struct vnpu_stream_query q = { .size = sizeof(q), .id = self->s.id };
	struct fault f = {
		.kind = VNPU_INJECT_KIND_ECC_UNCORRECTED, .client = self->id,
		.class = ANY_CLASS, .addr = self->va,
	};

	ASSERT_EQ(0, fault_change(&f, false));
	f.kind = NO_ACCESS;
	f.addr = self->va + 8;
	ASSERT_EQ(0, fault_change(&f, false));
	EXPECT_EQ(-EIO, stream_do(&self->s, task_fill(self->va, 16, 1, 1)));
	ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_STREAM_QUERY, &q));
	EXPECT_EQ(EIO, q.out_error);
	EXPECT_EQ(self->va, q.out_error_addr);
	/* A worker reports it. */
	while (device_health(0) == VNPU_HEALTH_OK)
		usleep(1000);
	EXPECT_EQ(VNPU_HEALTH_ALARM, device_health(0));
	EXPECT_EQ(0, device_reset(0));
	EXPECT_EQ(VNPU_HEALTH_OK, device_health(0));
}

TEST_F(inject, schedules_are_checked)
{
	struct fault f = { .kind = NO_MEMORY, .class = ANY_CLASS };

	f.ppm = MILLION + 1;
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	f.ppm = ~0U;
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	f.ppm = 1;
	f.nth = 1;
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	f.nth = 0;
	f.every = 1;
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	f.ppm = 0;
	f.seed = 1;
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	f = (struct fault){ .kind = SLOW, .class = ANY_CLASS, .delay_us = 1 };
	f.every = 1;
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	f.every = 0;
	f.ppm = 1;
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	f.ppm = 0;
	f.seed = 1;
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	f = (struct fault){ .kind = NO_ACCESS, .class = ANY_CLASS };
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	f.addr = self->va;
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	f = (struct fault){ .kind = NO_HOST_MEMORY, .class = COPY };
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	EXPECT_EQ(0, list().count);
}

TEST_HARNESS_MAIN
