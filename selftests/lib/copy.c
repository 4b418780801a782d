// SPDX-License-Identifier: GPL-2.0-only
/* Copies and fills, compared with memcpy() and memset() on the host. */
#include "acl-test.h"

#include <sys/mman.h>

#define SIZE	(300 * KIB + 123)

FIXTURE(copy) {
	uint8_t *device;	/* SIZE bytes, zeroed */
	uint8_t *host;		/* SIZE bytes for comparison */
	uint8_t *pinned;	/* SIZE bytes of aclrtMallocHost() */
};

FIXTURE_SETUP(copy)
{
	OK(aclrtSetDevice(0));
	OK(aclrtMalloc((void **)&self->device, SIZE,
		       ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMallocHost((void **)&self->pinned, SIZE));
	self->host = calloc(1, SIZE);
	ASSERT_NE(NULL, self->host);
	OK(aclrtMemset(self->device, SIZE, 0, SIZE));
}

FIXTURE_TEARDOWN(copy)
{
	free(self->host);
	aclrtResetDeviceForce(0);
}

static bool same(const void *device, const void *host, size_t size)
{
	void *back = malloc(size);
	bool result;

	result = back && !aclrtMemcpy(back, size, device, size,
				      ACL_MEMCPY_DEVICE_TO_HOST) &&
		 !memcmp(back, host, size);
	free(back);
	return result;
}

TEST_F(copy, round_trip)
{
	struct rng rng = rng_init();

	rng_fill(&rng, self->host, SIZE);
	OK(aclrtMemcpy(self->device, SIZE, self->host, SIZE,
		       ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtMemcpy(self->pinned, SIZE, self->device, SIZE,
		       ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(0, memcmp(self->host, self->pinned, SIZE));
}

/* The addresses determine the direction, whatever the kind is. */
TEST_F(copy, kind_is_a_hint)
{
	int kind;
	uint8_t in, out;

	for (kind = 0; kind <= ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE; kind++) {
		in = (uint8_t)(kind + 1);
		out = 0;
		OK(aclrtMemcpy(self->device, 1, &in, 1, (aclrtMemcpyKind)kind));
		OK(aclrtMemcpy(self->device + 1, 1, self->device, 1,
			       (aclrtMemcpyKind)kind));
		OK(aclrtMemcpy(&out, 1, self->device + 1, 1,
			       (aclrtMemcpyKind)kind));
		EXPECT_EQ(in, out);
		out = 0;
		OK(aclrtMemcpy(&out, 1, &in, 1, (aclrtMemcpyKind)kind));
		EXPECT_EQ(in, out);
	}
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemcpy(self->device, 1, &in, 1,
					     (aclrtMemcpyKind)8));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemcpy(self->device, 1, &in, 1,
					     (aclrtMemcpyKind)-1));
}

TEST_F(copy, every_alignment_and_short_length)
{
	uint8_t in[160], out[160];
	size_t offset, length, i;

	for (i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i + 1);
	for (offset = 0; offset < 66; offset += 3) {
		for (length = 1; length < 90; length += 7) {
			uint8_t *at = self->device + PAGE_SIZE - 33 + offset;

			memset(out, 0, sizeof(out));
			OK(aclrtMemcpy(at, length, in + offset, length,
				       ACL_MEMCPY_HOST_TO_DEVICE));
			OK(aclrtMemcpy(out + 1, length, at, length,
				       ACL_MEMCPY_DEVICE_TO_HOST));
			ASSERT_EQ(0, memcmp(out + 1, in + offset, length));
			ASSERT_EQ(0, out[0]);
			ASSERT_EQ(0, out[length + 1]);
		}
	}
}

struct range {
	size_t to, from, length;
};

/* Short lengths, page-sized ones and large ones, with equal probability. */
static struct range random_range(struct rng *rng)
{
	static const size_t limits[] = { 64, 2 * PAGE_SIZE, SIZE };
	struct range r;

	r.length = rng_below(rng, limits[rng_below(rng, 3)]);
	r.to = rng_below(rng, SIZE - r.length + 1);
	r.from = rng_below(rng, SIZE - r.length + 1);
	return r;
}

TEST_F_TIMEOUT(copy, random_against_a_model, 200)
{
	struct rng rng = rng_init();
	uint64_t steps = env_u64("VNPU_COPY_STEPS", 600), i;
	uint32_t *words, value;
	struct range r;
	size_t n, j;

	rng_fill(&rng, self->pinned, SIZE);
	for (i = 0; i < steps; i++) {
		r = random_range(&rng);
		value = (uint32_t)rng_next(&rng);
		switch (rng_below(&rng, 5)) {
		case 0:
			OK(aclrtMemcpy(self->device + r.to, r.length,
				       self->pinned + r.from, r.length,
				       ACL_MEMCPY_HOST_TO_DEVICE));
			memcpy(self->host + r.to, self->pinned + r.from,
			       r.length);
			break;
		case 1:	/* overlapping in half of the cases */
			OK(aclrtMemcpy(self->device + r.to, r.length,
				       self->device + r.from, r.length,
				       ACL_MEMCPY_DEVICE_TO_DEVICE));
			memmove(self->host + r.to, self->host + r.from,
				r.length);
			break;
		case 2:
			OK(aclrtMemset(self->device + r.to, r.length,
				       (int32_t)value, r.length));
			memset(self->host + r.to, (uint8_t)value, r.length);
			break;
		case 3:
			r.to &= ~(size_t)3;
			n = r.length / 4;
			OK(aclrtMemsetD32(self->device + r.to, 4 * n, value,
					  n));
			words = (uint32_t *)(self->host + r.to);
			for (j = 0; j < n; j++)
				words[j] = value;
			break;
		case 4:
			ASSERT_TRUE(same(self->device + r.from,
					 self->host + r.from, r.length ?: 1));
			break;
		}
	}
	EXPECT_TRUE(same(self->device, self->host, SIZE));
}

/* As large as fits twice, and then some bytes at an odd offset. */
TEST_F_TIMEOUT(copy, large, 120)
{
	size_t size = (free_bytes() / 3 & ~(HUGE_SIZE - 1)) - 12345, i;
	uint64_t *h, *back;
	char *a, *b;

	if (size > 512 * MIB)
		size = 512 * MIB - 12345;
	h = malloc(size + 8);
	back = malloc(size + 8);
	ASSERT_NE(NULL, h);
	ASSERT_NE(NULL, back);
	for (i = 0; i < size / 8 + 1; i++)
		h[i] = i * 0x9e3779b97f4a7c15ULL;
	OK(aclrtMalloc((void **)&a, size + 3, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMalloc((void **)&b, size, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMemcpy(a + 3, size, h, size, ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtMemcpy(b, size, a + 3, size, ACL_MEMCPY_DEVICE_TO_DEVICE));
	OK(aclrtMemcpy(back, size, b, size, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(0, memcmp(h, back, size));
	free(h);
	free(back);
}

TEST_F(copy, nothing_to_do)
{
	OK(aclrtMemcpy(NULL, 0, NULL, 0, ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtMemcpy((void *)8, 0, (void *)8, 0, ACL_MEMCPY_DEFAULT));
	OK(aclrtMemset(NULL, 0, 1, 0));
	OK(aclrtMemset(self->device, 0, 1, 0));
	OK(aclrtMemsetD32(NULL, 0, 1, 0));
	OK(aclrtMemcpy2d(NULL, 0, NULL, 0, 0, 1, ACL_MEMCPY_DEFAULT));
	OK(aclrtMemcpy2d(NULL, 0, NULL, 0, 1, 0, ACL_MEMCPY_DEFAULT));
	EXPECT_TRUE(same(self->device, self->host, SIZE));
}

TEST_F(copy, refuses)
{
	void *d = self->device, *h = self->pinned;

	EXPECT_ACL(NULL_OR_ZERO, aclrtMemcpy(NULL, 8, h, 8,
					     ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemcpy(d, 8, NULL, 8,
					     ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_ACL(BAD_VALUE, aclrtMemcpy(d, 7, h, 8,
					  ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_ACL(BAD_VALUE, aclrtMemcpy(d, 0, h, 8,
					  ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemset(NULL, 8, 1, 8));
	EXPECT_ACL(BAD_VALUE, aclrtMemset(d, 7, 1, 8));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemsetD32(NULL, 8, 1, 2));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemsetD32(d, 7, 1, 2));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemsetD32((char *)d + 1, 8, 1, 2));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemsetD32(d, SIZE_MAX, 1, SIZE_MAX / 2));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemsetD32(self->host, 8, 1, 2));
	EXPECT_TRUE(same(self->device, self->host, SIZE));
}

/* A range that extends beyond its allocation, at either end of the copy. */
TEST_F(copy, out_of_bounds)
{
	size_t size = 8 * MIB;
	char *h = calloc(1, size);
	void *d = self->device;

	ASSERT_NE(NULL, h);
	EXPECT_ACL(BAD_VALUE, aclrtMemcpy(d, size, h, size,
					  ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_ACL(BAD_VALUE, aclrtMemcpy(h, size, d, size,
					  ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_ACL(BAD_VALUE, aclrtMemset(d, size, 1, size));
	EXPECT_ACL(BAD_VALUE, aclrtMemsetD32(d, size, 1, size / 4));
	EXPECT_ACL(BAD_VALUE, aclrtMemcpy2d(d, PAGE_SIZE, h, PAGE_SIZE,
					    PAGE_SIZE, size / PAGE_SIZE,
					    ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtMemcpy(h, SIZE, d, SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_TRUE(is_all(h, 0, size));
	free(h);
}

TEST_F(copy, freed_memory)
{
	void *d;
	char h[8] = "";

	OK(aclrtMalloc(&d, 8, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(d));
	EXPECT_ACL(BAD_VALUE, aclrtMemcpy(d, 8, h, 8, ACL_MEMCPY_DEFAULT));
	EXPECT_ACL(BAD_VALUE, aclrtMemcpy(h, 8, d, 8, ACL_MEMCPY_DEFAULT));
	EXPECT_ACL(BAD_VALUE, aclrtMemset(d, 8, 0, 8));
}

/*
 * Host memory that is not mapped: an error, and the bytes before it are copied.
 */
TEST_F(copy, bad_host_memory)
{
	char *h = mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, h);
	memset(h, 7, 2 * PAGE_SIZE);
	ASSERT_EQ(0, mprotect(h + PAGE_SIZE, PAGE_SIZE, PROT_NONE));
	EXPECT_NE(ACL_SUCCESS, aclrtMemcpy(self->device, 2 * PAGE_SIZE, h,
					   2 * PAGE_SIZE,
					   ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_NE(ACL_SUCCESS, aclrtMemcpy(h, 2 * PAGE_SIZE, self->device,
					   2 * PAGE_SIZE,
					   ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_NE(ACL_SUCCESS, aclrtMemcpy((void *)8, 64, self->device, 64,
					   ACL_MEMCPY_DEVICE_TO_HOST));
	ASSERT_EQ(0, mprotect(h, 2 * PAGE_SIZE, PROT_READ));
	OK(aclrtMemcpy(self->device, 2 * PAGE_SIZE, h, 2 * PAGE_SIZE,
		       ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_NE(ACL_SUCCESS, aclrtMemcpy(h, 2 * PAGE_SIZE, self->device,
					   2 * PAGE_SIZE,
					   ACL_MEMCPY_DEVICE_TO_HOST));
}

TEST(copies_need_a_context)
{
	char a[8] = "", b[8];

	EXPECT_ACL(NO_CONTEXT, aclrtMemcpy(b, 8, a, 8, ACL_MEMCPY_DEFAULT));
	EXPECT_ACL(NO_CONTEXT, aclrtMemset(a, 8, 1, 8));
	EXPECT_ACL(NO_CONTEXT,
		   aclrtMemcpy2d(b, 4, a, 4, 4, 2, ACL_MEMCPY_DEFAULT));
}

TEST_F(copy, set_uses_the_low_byte)
{
	OK(aclrtMemset(self->device, SIZE, 0x12345678, SIZE));
	memset(self->host, 0x78, SIZE);
	EXPECT_TRUE(same(self->device, self->host, SIZE));
	OK(aclrtMemset(self->device, SIZE, -1, SIZE - 1));
	memset(self->host, 0xff, SIZE - 1);
	EXPECT_TRUE(same(self->device, self->host, SIZE));
}

TEST_F(copy, set_host_memory)
{
	OK(aclrtMemset(self->pinned, SIZE, 0x44, SIZE));
	EXPECT_TRUE(is_all(self->pinned, 0x44, SIZE));
	OK(aclrtMemsetD32(self->pinned, SIZE, 0x01020304, SIZE / 4));
	EXPECT_EQ(0x01020304, ((uint32_t *)self->pinned)[SIZE / 4 - 1]);
	EXPECT_EQ(0x44, self->pinned[SIZE - 1]);
}

/* Host memory that the library neither allocated nor registered. */
TEST_F(copy, set_ordinary_host_memory)
{
	uint8_t stack[16] = "";

	OK(aclrtMemset(self->host, SIZE, 0x101, SIZE - 1));
	EXPECT_TRUE(is_all(self->host, 1, SIZE - 1));
	EXPECT_EQ(0, self->host[SIZE - 1]);
	OK(aclrtMemset(stack, sizeof(stack), -1, sizeof(stack)));
	EXPECT_TRUE(is_all(stack, 0xff, sizeof(stack)));
	EXPECT_ACL(BAD_VALUE, aclrtMemset(stack, 15, 0, 16));
	EXPECT_TRUE(is_all(stack, 0xff, sizeof(stack)));
}

/*
 * Both sides of a rectangle have a pitch; the gaps between rows are unchanged.
 */
TEST_F(copy, rectangle)
{
	static const size_t dims[][4] = { /* width, height, dpitch, spitch */
		{ 100, 50, 100, 100 }, { 100, 50, 128, 100 },
		{ 100, 50, 100, 333 }, { 1, 300, 4096, 7 },
		{ 5000, 13, 5001, 5003 }, { 64, 1, 64, 64 },
	};
	struct rng rng = rng_init();
	size_t i, y;

	rng_fill(&rng, self->pinned, SIZE);
	for (i = 0; i < sizeof(dims) / sizeof(dims[0]); i++) {
		size_t w = dims[i][0], h = dims[i][1];
		size_t dp = dims[i][2], sp = dims[i][3];

		if (dp * h > SIZE)
			h = SIZE / dp;
		OK(aclrtMemcpy2d(self->device, dp, self->pinned, sp, w, h,
				 ACL_MEMCPY_HOST_TO_DEVICE));
		for (y = 0; y < h; y++)
			memcpy(self->host + y * dp, self->pinned + y * sp, w);
		ASSERT_TRUE(same(self->device, self->host, SIZE));
		/* And back, into memory whose gaps must be unchanged. */
		memset(self->pinned, 0, SIZE);
		OK(aclrtMemcpy2d(self->pinned, sp, self->device, dp, w, h,
				 ACL_MEMCPY_DEVICE_TO_HOST));
		for (y = 0; y < h; y++) {
			ASSERT_EQ(0, memcmp(self->pinned + y * sp,
					    self->host + y * dp, w));
			ASSERT_TRUE(is_all(self->pinned + y * sp + w, 0,
					   sp - w));
		}
		rng_fill(&rng, self->pinned, SIZE);
	}
}

TEST_F(copy, rectangle_refuses)
{
	void *d = self->device, *h = self->pinned;

	EXPECT_ACL(NULL_OR_ZERO, aclrtMemcpy2d(NULL, 8, h, 8, 8, 2,
					       ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemcpy2d(d, 8, NULL, 8, 8, 2,
					       ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemcpy2d(d, 7, h, 8, 8, 2,
					       ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemcpy2d(d, 8, h, 7, 8, 2,
					       ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemcpy2d(d, 8, h, 8, 8, 2,
					       ACL_MEMCPY_HOST_TO_HOST));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemcpy2d(d, 8, h, 8, 8, 2,
					       (aclrtMemcpyKind)99));
	EXPECT_NE(ACL_SUCCESS, aclrtMemcpy2d(d, SIZE_MAX / 2, h, 8, 8, 5,
					     ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_TRUE(same(self->device, self->host, SIZE));
}

TEST_F(copy, between_devices)
{
	struct rng rng = rng_init();
	void *other;

	if (device_count() < 2)
		SKIP(return, "needs 2 devices");
	rng_fill(&rng, self->host, SIZE);
	OK(aclrtMemcpy(self->device, SIZE, self->host, SIZE,
		       ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtSetDevice(1));
	OK(aclrtMalloc(&other, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMemcpy(other, SIZE, self->device, SIZE,
		       ACL_MEMCPY_DEVICE_TO_DEVICE));
	EXPECT_TRUE(same(other, self->host, SIZE));
	OK(aclrtResetDeviceForce(1));
}

TEST_HARNESS_MAIN
