// SPDX-License-Identifier: GPL-2.0-only
/* Copies, fills and values on streams. */
#include <stdatomic.h>

#include "acl-stream.h"

FIXTURE(async) {
	struct work w;
};

FIXTURE_SETUP(async)
{
	OK(work_init(&self->w));
}

FIXTURE_TEARDOWN(async)
{
	work_fini(&self->w);
}

TEST_F(async, pinned_copies_in_both_directions)
{
	struct work *w = &self->w;

	memset(w->pinned, 0x5a, AREA / 2);
	OK(aclrtMemcpyAsync(w->dev, AREA, w->pinned, AREA / 2,
			    ACL_MEMCPY_HOST_TO_DEVICE, w->a));
	OK(aclrtMemcpyAsync(w->dev + AREA / 2, AREA / 2, w->dev, AREA / 2,
			    ACL_MEMCPY_DEVICE_TO_DEVICE, w->a));
	OK(aclrtMemcpyAsyncWithCondition(w->pinned + AREA / 2, AREA / 2,
					 w->dev + AREA / 2, AREA / 2,
					 ACL_MEMCPY_DEVICE_TO_HOST, w->a));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_TRUE(all_are(w->pinned, 0x5a, AREA));
}

/*
 * The call returns before the copy is done, and the copy reads the later
 * contents.
 */
TEST_F(async, pinned_does_not_wait)
{
	struct work *w = &self->w;
	aclrtStreamStatus status;

	OK(gate_close(w, w->a));
	OK(aclrtMemcpyAsync(w->dev, AREA, w->pinned, 8,
			    ACL_MEMCPY_HOST_TO_DEVICE, w->a));
	OK(aclrtStreamQuery(w->a, &status));
	EXPECT_EQ(ACL_STREAM_STATUS_NOT_READY, status);
	w->pinned[0] = 7;
	OK(gate_open(w));
	OK(aclrtSynchronizeStream(w->a));
	OK(aclrtStreamQuery(w->a, &status));
	EXPECT_EQ(ACL_STREAM_STATUS_COMPLETE, status);
	EXPECT_EQ(7, dev_u64(w->dev));
}

/* The call waits for the stream, and the copy is done when it returns. */
TEST_F(async, pageable_waits)
{
	struct work *w = &self->w;
	uint64_t in = 1, out = 0;

	OK(aclrtMemsetAsync(w->dev, AREA, 9, AREA, w->a));
	OK(aclrtMemcpyAsync(w->dev, AREA, &in, sizeof(in),
			    ACL_MEMCPY_HOST_TO_DEVICE, w->a));
	EXPECT_EQ(1, dev_u64(w->dev));
	EXPECT_EQ(0x0909090909090909, dev_u64(w->dev + 8));
	OK(aclrtMemsetD32Async(w->dev, AREA, 3, 2, w->a));
	OK(aclrtMemcpyAsync(&out, sizeof(out), w->dev, sizeof(out),
			    ACL_MEMCPY_DEVICE_TO_HOST, w->a));
	EXPECT_EQ(0x0000000300000003, out);
}

/* A fill of pageable memory comes after the stream's earlier tasks. */
TEST_F(async, pageable_fill_waits)
{
	struct work *w = &self->w;
	uint8_t out[64];

	memset(out, 1, sizeof(out));
	OK(aclrtMemsetAsync(w->dev, AREA, 9, AREA, w->a));
	OK(aclrtMemsetAsync(out + 8, 48, 0x1ff, 48, w->a));
	EXPECT_EQ(0x0909090909090909, dev_u64(w->dev + AREA - 8));
	EXPECT_TRUE(all_are(out, 1, 8));
	EXPECT_TRUE(all_are(out + 8, 0xff, 48));
	EXPECT_TRUE(all_are(out + 56, 1, 8));
	EXPECT_ACL(BAD_VALUE, aclrtMemsetAsync(out, 7, 0, 8, w->a));
	EXPECT_ACL(BAD_HANDLE, aclrtMemsetAsync(out, 8, 0, 8, w->dev));
	EXPECT_TRUE(all_are(out, 1, 8));
}

TEST_F(async, registered_memory)
{
	uint8_t *memory = aligned_alloc(PAGE_SIZE, 4 * PAGE_SIZE);
	struct work *w = &self->w;

	ASSERT_NE(NULL, memory);
	memset(memory, 1, 4 * PAGE_SIZE);
	OK(aclrtHostRegisterV2(memory, 4 * PAGE_SIZE, ACL_HOST_REG_PINNED));
	OK(gate_close(w, w->a));
	OK(aclrtMemcpyAsync(w->dev, AREA, memory + 100, 3 * PAGE_SIZE,
			    ACL_MEMCPY_HOST_TO_DEVICE, w->a));
	memset(memory, 2, 4 * PAGE_SIZE);
	OK(gate_open(w));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_EQ(0x0202020202020202, dev_u64(w->dev));
	OK(aclrtHostUnregister(memory));
	/* It is ordinary memory again. */
	memset(memory, 3, 4 * PAGE_SIZE);
	OK(aclrtMemcpyAsync(w->dev, AREA, memory, 8,
			    ACL_MEMCPY_HOST_TO_DEVICE, w->a));
	EXPECT_EQ(0x0303030303030303, dev_u64(w->dev));
	free(memory);
}

TEST_F(async, arguments_of_copies)
{
	const aclrtMemcpyKind h2d = ACL_MEMCPY_HOST_TO_DEVICE;
	struct work *w = &self->w;
	aclrtContext other;

	OK(aclrtMemcpyAsync(NULL, 0, NULL, 0, h2d, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyAsync(NULL, 8, w->pinned, 8, h2d, w->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyAsync(w->dev, 8, NULL, 8, h2d, w->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyAsync(w->dev, 8, w->pinned, 8,
				    (aclrtMemcpyKind)99, w->a));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemcpyAsync(w->dev, 7, w->pinned, 8, h2d, w->a));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtMemcpyAsync(w->pinned + 8, 8, w->pinned, 8, h2d, w->a));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtMemcpyAsync(w->dev, 8, w->pinned, 8,
				    ACL_MEMCPY_HOST_TO_HOST, w->a));
	/* The wrong direction is corrected. */
	OK(aclrtMemcpyAsync(w->dev, 8, w->pinned, 8, ACL_MEMCPY_DEVICE_TO_HOST,
			    w->a));
	EXPECT_ACL(BAD_HANDLE,
		   aclrtMemcpyAsync(w->dev, 8, w->pinned, 8, h2d, w->dev));
	OK(aclrtCreateContext(&other, 0));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CONTEXT,
		   aclrtMemcpyAsync(w->dev, 8, w->pinned, 8, h2d, w->a));
	OK(aclrtDestroyContext(other));
	EXPECT_ACL(NO_CONTEXT,
		   aclrtMemcpyAsync(w->dev, 8, w->pinned, 8, h2d, NULL));
}

TEST_F(async, fills)
{
	struct work *w = &self->w;
	uint32_t stack[4];

	OK(aclrtMemsetAsync(w->dev, AREA, 0x1ff, 64, w->a));
	OK(aclrtMemsetAsync(w->pinned, AREA, 0x33, 64, w->a));
	OK(aclrtMemsetD32Async(w->pinned + 64, 64, 0x01020304, 16, w->a));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_EQ(~0ULL, dev_u64(w->dev + 56));
	EXPECT_EQ(0, dev_u64(w->dev + 64));
	EXPECT_TRUE(all_are(w->pinned, 0x33, 64));
	EXPECT_EQ(4, w->pinned[64]);
	EXPECT_EQ(1, w->pinned[127]);

	OK(aclrtMemsetAsync(NULL, 0, 0, 0, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemsetAsync(NULL, 8, 0, 8, w->a));
	EXPECT_ACL(BAD_VALUE, aclrtMemsetAsync(w->dev, 7, 0, 8, w->a));
	EXPECT_ACL(BAD_HANDLE, aclrtMemsetAsync(w->dev, 8, 0, 8, w->dev));
	OK(aclrtMemsetD32Async(NULL, 0, 0, 0, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemsetD32Async(NULL, 8, 0, 2, w->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemsetD32Async(w->dev + 2, 8, 0, 2, w->a));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemsetD32Async(w->dev, 7, 0, 2, w->a));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemsetD32Async(stack, 16, 0, 4, w->a));
	EXPECT_ACL(BAD_HANDLE, aclrtMemsetD32Async(w->dev, 8, 0, 2, w->dev));
}

TEST_F(async, rectangles)
{
	const aclrtMemcpyKind d2d = ACL_MEMCPY_DEVICE_TO_DEVICE;
	struct work *w = &self->w;
	uint8_t out[64];

	for (int i = 0; i < 64; i++)
		w->pinned[i] = i;
	/* 4 rows of 8 bytes, from 16 apart to 32 apart. */
	OK(aclrtMemcpy2dAsync(w->dev, 32, w->pinned, 16, 8, 4,
			      ACL_MEMCPY_HOST_TO_DEVICE, w->a));
	OK(aclrtMemcpy2dAsync(w->dev + 1024, 8, w->dev, 32, 8, 4, d2d, w->a));
	/* To memory that is not pinned. */
	OK(aclrtMemcpy2dAsync(out, 8, w->dev + 1024, 8, 8, 4,
			      ACL_MEMCPY_DEVICE_TO_HOST, w->a));
	for (int i = 0; i < 32; i++)
		EXPECT_EQ(i / 8 * 16 + i % 8, out[i]);

	OK(aclrtMemcpy2dAsync(NULL, 0, NULL, 0, 0, 1, d2d, w->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpy2dAsync(NULL, 8, w->dev, 8, 8, 1, d2d, w->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpy2dAsync(w->dev, 8, NULL, 8, 8, 1, d2d, w->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpy2dAsync(w->dev, 8, w->dev, 8, 9, 1, d2d, w->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpy2dAsync(w->dev, 8, w->pinned, 8, 8, 1,
				      ACL_MEMCPY_HOST_TO_HOST, w->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpy2dAsync(w->dev, 6000000, w->dev, 6000000,
				      5000001, 1, d2d, w->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpy2dAsync(w->dev, 1, w->dev, 1, 1, 5242881, d2d,
				      w->a));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtMemcpy2dAsync(w->pinned, 8, out, 8, 8, 1,
				      ACL_MEMCPY_DEFAULT, w->a));
	EXPECT_ACL(BAD_HANDLE,
		   aclrtMemcpy2dAsync(w->dev, 8, w->dev + 64, 8, 8, 1, d2d,
				      w->dev));
}

#define BATCH	100

/* One of them from memory that is not pinned, if requested. */
static void batch_of(struct work *w, bool pageable, void **dsts, void **srcs,
		     size_t *sizes)
{
	static uint8_t plain[64];

	memset(plain, 0x77, sizeof(plain));
	memset(w->pinned, 0x77, AREA);
	for (int i = 0; i < BATCH; i++) {
		dsts[i] = w->dev + i * 64;
		srcs[i] = w->pinned + i * 128;
		sizes[i] = i == 5 ? 0 : 64;
	}
	if (pageable)
		srcs[BATCH - 1] = plain;
}

TEST_F(async, batches)
{
	aclrtMemcpyBatchAttr attr = {
		.dstLoc = { 0, ACL_MEM_LOCATION_TYPE_DEVICE },
		.srcLoc = { 0, ACL_MEM_LOCATION_TYPE_HOST },
	};
	void *dsts[BATCH], *srcs[BATCH];
	size_t sizes[BATCH], index = 0, failed = 0;
	struct work *w = &self->w;

	for (int pageable = 0; pageable < 2; pageable++) {
		OK(aclrtMemset(w->dev, AREA, 0, AREA));
		batch_of(w, pageable, dsts, srcs, sizes);
		OK(aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, BATCH,
					 &attr, &index, 1, &failed, w->a));
		OK(aclrtSynchronizeStream(w->a));
		EXPECT_EQ(0x7777777777777777, dev_u64(w->dev));
		EXPECT_EQ(0, dev_u64(w->dev + 5 * 64));
		EXPECT_EQ(0x7777777777777777,
			  dev_u64(w->dev + (BATCH - 1) * 64));
		OK(aclrtMemcpyBatchAsyncV2(dsts, sizes, srcs, sizes, BATCH,
					   &attr, &index, 1, w->a));
		OK(aclrtSynchronizeStream(w->a));
	}

	dsts[3] = srcs[3];
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, BATCH, &attr,
					 &index, 1, &failed, w->a));
	EXPECT_EQ(3, failed);
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemcpyBatchAsyncV2(dsts, sizes, srcs, sizes, BATCH,
					   &attr, &index, 1, w->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, BATCH, &attr,
					 &index, 1, NULL, w->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyBatchAsyncV2(NULL, sizes, srcs, sizes, BATCH,
					   &attr, &index, 1, w->a));
	EXPECT_ACL(BAD_HANDLE,
		   aclrtMemcpyBatchAsyncV2(dsts, sizes, srcs, sizes, 3, &attr,
					   &index, 1, w->dev));
}

TEST_F(async, values)
{
	struct work *w = &self->w;
	uint64_t *value = (uint64_t *)w->dev;
	static const struct {
		uint64_t before, value, found;
		uint32_t flag;
	} cases[] = {
		{ 4, 5, 6, ACL_STREAM_WAIT_VALUE_GEQ },
		/* The difference is signed. */
		{ 1, 2, (uint64_t)INT64_MIN + 1, ACL_STREAM_WAIT_VALUE_GEQ },
		{ 0, 9, 9, ACL_STREAM_WAIT_VALUE_EQ },
		{ 6, 9, 8, ACL_STREAM_WAIT_VALUE_AND },
		{ ~1ULL, 1, 2, ACL_STREAM_WAIT_VALUE_NOR },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		OK(aclrtValueWrite(value, cases[i].before, 0, w->b));
		OK(aclrtSynchronizeStream(w->b));
		OK(aclrtValueWait(value, cases[i].value, cases[i].flag, w->a));
		EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
			   aclrtSynchronizeStreamWithTimeout(w->a, 5));
		OK(aclrtValueWrite(value, cases[i].found, 0, w->b));
		OK(aclrtSynchronizeStreamWithTimeout(w->a, 10000));
	}
	EXPECT_ACL(NULL_OR_ZERO, aclrtValueWrite(NULL, 0, 0, w->a));
	EXPECT_ACL(BAD_VALUE, aclrtValueWrite(w->dev + 4, 0, 0, w->a));
	EXPECT_ACL(BAD_VALUE, aclrtValueWrite(value, 0, 1, w->a));
	EXPECT_ACL(BAD_HANDLE, aclrtValueWrite(value, 0, 0, w->dev));
	EXPECT_ACL(NULL_OR_ZERO, aclrtValueWait(NULL, 0, 0, w->a));
	EXPECT_ACL(BAD_VALUE, aclrtValueWait(w->dev + 4, 0, 0, w->a));
	EXPECT_ACL(BAD_VALUE, aclrtValueWait(value, 0, 4, w->a));
	EXPECT_ACL(BAD_HANDLE, aclrtValueWait(value, 0, 0, w->dev));
}

/* More tasks than a stream holds: the submitter waits, and no task is lost. */
TEST_F(async, full_stream_blocks)
{
	struct work *w = &self->w;
	uint32_t id;

	for (uint64_t i = 1; i <= 10000; i++)
		OK(aclrtValueWrite(w->dev, i, 0, w->a));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_EQ(10000, dev_u64(w->dev));
	OK(aclrtGetThreadLastTaskId(&id));
	EXPECT_EQ(10000, id);
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetThreadLastTaskId(NULL));
}

struct writer {
	struct work *w;
	aclrtContext context;
	unsigned int index;
};

#define WRITES	5000

/* Each task copies the place of the counter before the next one adds to it. */
static void *write_values(void *arg)
{
	struct writer *writer = arg;
	struct work *w = writer->w;

	if (aclrtSetCurrentContext(writer->context))
		return (void *)1;
	for (uint64_t i = 1; i <= WRITES; i++)
		if (aclrtValueWrite(w->dev + writer->index * 8, i, 0, w->a))
			return (void *)2;
	return NULL;
}

TEST_F(async, threads_share_a_stream)
{
	struct writer writers[4];
	pthread_t threads[4];
	aclrtContext context;
	void *result;

	OK(aclrtGetCurrentContext(&context));
	for (unsigned int i = 0; i < 4; i++) {
		writers[i] = (struct writer){ &self->w, context, i };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, write_values,
					    &writers[i]));
	}
	for (unsigned int i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		EXPECT_EQ(NULL, result);
	}
	OK(aclrtSynchronizeStream(self->w.a));
	for (unsigned int i = 0; i < 4; i++)
		EXPECT_EQ(WRITES, dev_u64(self->w.dev + i * 8));
}

/*
 * Streams are destroyed while they are used: calls return codes, and do not
 * crash. A wait that has begun ends with the code of an aborted stream.
 */
static void *destroy_streams(void *arg)
{
	_Atomic(aclrtStream) *stream = arg;

	if (aclrtSetDevice(0))
		return (void *)1;
	for (int i = 0; i < 500; i++) {
		aclrtStream new = NULL;

		if (aclrtCreateStream(&new))
			return (void *)2;
		if (aclrtDestroyStreamForce(atomic_exchange(stream, new)))
			return (void *)3;
	}
	return NULL;
}

TEST_F(async, destroyed_while_used)
{
	_Atomic(aclrtStream) stream = self->w.b;
	unsigned int done = 0;
	pthread_t thread;
	void *result;

	ASSERT_EQ(0, pthread_create(&thread, NULL, destroy_streams, &stream));
	while (pthread_tryjoin_np(thread, &result)) {
		aclrtStream s = atomic_load(&stream);
		aclError err = aclrtValueWrite(self->w.dev, 1, 0, s);

		ASSERT_TRUE(!err || err == BAD_HANDLE) TH_LOG("%s", recent());
		done += !err;
		err = aclrtSynchronizeStream(s);
		ASSERT_TRUE(!err || err == BAD_HANDLE ||
			    err == ACL_ERROR_RT_STREAM_ABORT) {
			TH_LOG("%s", recent());
		}
	}
	EXPECT_EQ(NULL, result);
	EXPECT_LT(0, done);
}

TEST_F(async, free_waits_for_the_device)
{
	struct work *w = &self->w;
	uint8_t *dev, *host;

	OK(aclrtMalloc((void **)&dev, AREA, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMallocHost((void **)&host, AREA));
	OK(aclrtMemsetAsync(dev, AREA, 1, AREA, w->a));
	OK(aclrtMemcpyAsync(host, AREA, dev, AREA, ACL_MEMCPY_DEVICE_TO_HOST,
			    w->a));
	OK(aclrtFreeWithDevSync(dev));
	EXPECT_TRUE(all_are(host, 1, AREA));
	OK(aclrtMemcpyAsync(w->dev, AREA, host, AREA,
			    ACL_MEMCPY_HOST_TO_DEVICE, w->b));
	OK(aclrtFreeHostWithDevSync(host));
	EXPECT_EQ(0x0101010101010101, dev_u64(w->dev + AREA - 8));
	EXPECT_ACL(NULL_OR_ZERO, aclrtFreeWithDevSync(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtFreeHostWithDevSync(NULL));
	EXPECT_ACL(BAD_VALUE, aclrtFreeWithDevSync(dev));
	EXPECT_ACL(BAD_VALUE, aclrtFreeHostWithDevSync(host));
}

/* The reset of the device waits for the task, the forced one does not. */
TEST_F(async, reset_waits)
{
	struct work *w = &self->w;

	memset(w->pinned, 0, AREA);
	OK(aclrtMemsetAsync(w->dev, AREA, 8, AREA, w->a));
	OK(aclrtMemcpyAsync(w->pinned, AREA, w->dev, AREA,
			    ACL_MEMCPY_DEVICE_TO_HOST, w->a));
	OK(aclrtResetDevice(0));
	EXPECT_TRUE(all_are(w->pinned, 8, AREA));
	EXPECT_ACL(NO_CONTEXT, aclrtSynchronizeStream(w->a));
	OK(aclrtSetDevice(0));
	EXPECT_ACL(BAD_HANDLE, aclrtSynchronizeStream(w->a));
}

/* Pinned memory belongs to the process, not to the device. */
TEST_F(async, pinned_outlives_a_reset)
{
	struct work *w = &self->w;
	uint8_t *dev;

	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	OK(aclrtMalloc((void **)&dev, AREA, ACL_MEM_MALLOC_NORMAL_ONLY));
	memset(w->pinned, 0x44, AREA);
	OK(aclrtMemcpyAsync(dev, AREA, w->pinned, AREA,
			    ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	OK(aclrtSynchronizeStream(NULL));
	EXPECT_EQ(0x4444444444444444, dev_u64(dev + AREA - 8));
}

TEST_F(async, forced_reset_does_not)
{
	OK(gate_close(&self->w, self->w.a));
	OK(aclrtResetDeviceForce(0));
}

TEST_HARNESS_MAIN
