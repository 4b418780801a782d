// SPDX-License-Identifier: GPL-2.0-only
/* Operations of tasks on memory, and the requests that they refuse. */
#include "task_fixture.h"

static struct vnpu_task copy_2d(__u64 dst, __u64 dpitch, __u64 src,
				__u64 spitch, __u64 width, __u64 height)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_COPY_2D, .dst = dst, .src = src,
		.length = width, .arg0 = height, .arg1 = dpitch,
		.arg2 = spitch,
	};
}

static struct vnpu_task fill_2d(__u64 dst, __u64 pitch, __u64 width,
				__u64 height, __u64 value, __u16 bytes)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_FILL_2D, .dst = dst, .length = width,
		.arg0 = value, .arg1 = height, .arg2 = pitch, .mode = bytes,
	};
}

static struct vnpu_task reduce(__u64 dst, __u64 src, __u64 count, int op,
			       int type)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_REDUCE, .dst = dst, .src = src,
		.length = count, .mode = (__u16)VNPU_REDUCE(op, type),
	};
}

/* Floats of other arrays alone. */
static struct vnpu_task reduce_into(__u64 dst, __u64 count, __u64 first,
				    __u64 second, __u64 third)
{
	struct vnpu_task task = reduce(dst, first, count, VNPU_REDUCE_SUM,
				       VNPU_TYPE_FP32);

	task.flags = VNPU_TASK_F_REPLACE;
	task.arg0 = second;
	task.arg1 = third;
	return task;
}

TEST_F(task, copies_of_any_length_and_alignment)
{
	struct rng r = rng_init();
	int i;

	for (i = 0; i < 300; i++) {
		__u64 length = rng_below(&r, 1ULL << rng_below(&r, 22));
		__u64 dst = rng_below(&r, SIZE - length);
		/* Half of them overlap. */
		__u64 src = rng_below(&r, 2) ? rng_below(&r, SIZE - length) :
			    rng_below(&r, dst + 1 < SIZE - length ?
				      dst + 1 : SIZE - length);

		memmove(self->model + dst, self->model + src, length);
		stream_put(&self->s, task_copy(self->va + dst, self->va + src,
					       length));
	}
	ASSERT_EQ(0, stream_submit(&self->s));
	ASSERT_EQ(0, stream_wait(&self->s, 30000));
	EXPECT_EQ(0, self->s.ring->errors);
	EXPECT_EQ(0, memcmp(self->mem, self->model, SIZE));
}

TEST_F(task, fills_of_any_value)
{
	static const __u16 sizes[] = { 1, 2, 4, 8 };
	struct rng r = rng_init();
	int i;

	for (i = 0; i < 200; i++) {
		__u16 bytes = sizes[rng_below(&r, 4)];
		__u64 value = rng_next(&r) >> (64 - 8 * bytes);
		__u64 count = rng_below(&r, KIB(512)) / bytes, k;
		__u64 dst = rng_below(&r, SIZE - KIB(512));

		for (k = 0; k < count; k++)
			memcpy(self->model + dst + k * bytes, &value, bytes);
		stream_put(&self->s, task_fill(self->va + dst, count * bytes,
					       value, bytes));
	}
	ASSERT_EQ(0, stream_submit(&self->s));
	ASSERT_EQ(0, stream_wait(&self->s, 30000));
	EXPECT_EQ(0, self->s.ring->errors);
	EXPECT_EQ(0, memcmp(self->mem, self->model, SIZE));
}

TEST_F(task, rows)
{
	__u64 half = SIZE / 2, row;

	for (row = 0; row < 300; row++)
		memcpy(self->model + 5 + row * 3000,
		       self->model + half + 1 + row * 2000, 1999);
	EXPECT_EQ(0, stream_do(&self->s, copy_2d(self->va + 5, 3000,
						 self->va + half + 1, 2000,
						 1999, 300)));
	for (row = 0; row < 6; row++)
		memcpy(self->model + row * KIB(300), self->model + half +
		       row * KIB(290), KIB(280));
	EXPECT_EQ(0, stream_do(&self->s, copy_2d(self->va, KIB(300),
						 self->va + half, KIB(290),
						 KIB(280), 6)));
	for (row = 0; row < 1000; row++)
		memset(self->model + 3 + row * 100, 0x5a, 64);
	EXPECT_EQ(0, stream_do(&self->s, fill_2d(self->va + 3, 100, 64, 1000,
						 0x5a5a, 2)));
	EXPECT_EQ(0, memcmp(self->mem, self->model, SIZE));
}

TEST_F(task, zero_bytes_change_nothing)
{
	/* The addresses are not even checked. */
	EXPECT_EQ(0, stream_do(&self->s, task_copy(1, 2, 0)));
	EXPECT_EQ(0, stream_do(&self->s, task_fill(1, 0, 0, 1)));
	EXPECT_EQ(0, stream_do(&self->s, copy_2d(1, 0, 2, 0, 0, 9)));
	EXPECT_EQ(0, stream_do(&self->s, copy_2d(1, 0, 2, 0, 9, 0)));
	EXPECT_EQ(0, stream_do(&self->s, fill_2d(1, 0, 0, 9, 0, 4)));
	EXPECT_EQ(0, stream_do(&self->s, reduce(8, 16, 0, VNPU_REDUCE_SUM,
						VNPU_TYPE_FP32)));
	EXPECT_EQ(0, memcmp(self->mem, self->model, SIZE));
}

TEST_F(task, invalid_values)
{
	struct stream *s = &self->s;
	__u64 va = self->va, max = ~0ULL;

	EXPECT_EQ(-EOVERFLOW, stream_do(s, task_copy(va, max, 2)));
	EXPECT_EQ(-EOVERFLOW, stream_do(s, task_copy(max - 5, va, 100)));
	EXPECT_EQ(-EOVERFLOW, stream_do(s, task_fill(max, 2, 0, 1)));
	EXPECT_EQ(-EINVAL, stream_do(s, task_fill(va, 3, 0, 3)));
	EXPECT_EQ(-EINVAL, stream_do(s, task_fill(va, 3, 0, 2)));
	EXPECT_EQ(-EINVAL, stream_do(s, task_fill(va, 4, 256, 1)));
	EXPECT_EQ(-EINVAL, stream_do(s, task_fill(va, 4, 0, 0)));
	/* Rows that overlap each other, or the other side. */
	EXPECT_EQ(-EINVAL, stream_do(s, copy_2d(va, 9, va + KIB(64), 10, 10,
						2)));
	EXPECT_EQ(-EINVAL, stream_do(s, copy_2d(va, 10, va + KIB(64), 9, 10,
						2)));
	EXPECT_EQ(-EINVAL, stream_do(s, copy_2d(va, 10, va + 19, 10, 10, 2)));
	EXPECT_EQ(0, stream_do(s, copy_2d(va, 10, va + 20, 10, 10, 2)));
	memmove(self->model, self->model + 20, 20);
	EXPECT_EQ(-EINVAL, stream_do(s, fill_2d(va, 7, 8, 2, 0, 8)));
	EXPECT_EQ(-EOVERFLOW, stream_do(s, copy_2d(va, max, va + KIB(64), max,
						   4, 4)));
	EXPECT_EQ(-EOVERFLOW, stream_do(s, fill_2d(va, max / 2, 8, 8, 0, 8)));
	EXPECT_EQ(-EOVERFLOW, stream_do(s, fill_2d(va, max / 2, max / 2, 8, 0,
						   1)));
	EXPECT_EQ(-EINVAL, stream_do(s, reduce(va, va + KIB(4), 4,
					       VNPU_REDUCE_PROD + 1, 0)));
	EXPECT_EQ(-EINVAL, stream_do(s, reduce(va, va + KIB(4), 4, 0, 99)));
	EXPECT_EQ(-EINVAL, stream_do(s, reduce(va + 2, va + KIB(4), 4, 0,
					       VNPU_TYPE_FP32)));
	EXPECT_EQ(-EINVAL, stream_do(s, reduce(va, va + 8, 4, 0,
					       VNPU_TYPE_FP32)));
	EXPECT_EQ(-EOVERFLOW, stream_do(s, reduce(va, va + KIB(4), max / 2, 0,
						  VNPU_TYPE_FP32)));
	/* As for the first array, for each other one. */
	EXPECT_EQ(-EINVAL, stream_do(s, reduce_into(va, 2, va + KIB(4), 0, 0)));
	EXPECT_EQ(-EINVAL, stream_do(s, reduce_into(va, 2, va + KIB(4),
						    va + 4, 0)));
	EXPECT_EQ(-EINVAL, stream_do(s, reduce_into(va, 2, va + KIB(4), 0,
						    va + KIB(8) + 1)));
	EXPECT_EQ(-EOVERFLOW, stream_do(s, reduce_into(va, 2, va + KIB(4), 0,
						       max - 3)));
	EXPECT_EQ(0, memcmp(self->mem, self->model, SIZE));
}

TEST_F(task, sums_are_right)
{
	float *a = (void *)self->mem, *b = (void *)(self->mem + MIB(1));
	float *m = (void *)self->model;
	__s16 *x = (void *)(self->mem + MIB(2)), *y = x + KIB(64);
	__s16 *n = (void *)(self->model + MIB(2));
	__u64 i, count = MIB(1) / sizeof(float);

	for (i = 0; i < count; i++) {
		a[i] = (float)i / 7;
		b[i] = 1e6F / (float)(i + 1);
		m[i] = a[i] + b[i];
	}
	ASSERT_EQ(0, stream_do(&self->s, reduce(self->va, self->va + MIB(1),
						count, VNPU_REDUCE_SUM,
						VNPU_TYPE_FP32)));
	EXPECT_EQ(0, memcmp(a, m, MIB(1)));
	for (i = 0; i < 1001; i++)
		n[i] = x[i] > y[i] ? x[i] : y[i];
	ASSERT_EQ(0, stream_do(&self->s, reduce(self->va + MIB(2),
						self->va + MIB(2) + KIB(128),
						1001, VNPU_REDUCE_MAX,
						VNPU_TYPE_S16)));
	EXPECT_EQ(0, memcmp(x, n, KIB(64)));
}

/* Five arrays, which are not of the same pages: also parts of an array. */
TEST_F(task, sums_of_many_arrays)
{
	const __u64 bytes = KIB(300) + 60, at = KIB(4) + 4;
	float *arrays[5], *model = (void *)(self->model + at);
	__u64 vas[5], i, k, count = bytes / sizeof(float);
	struct vnpu_task task;

	for (k = 0; k < 5; k++) {
		vas[k] = self->va + at + k * KIB(400);
		arrays[k] = (void *)(self->mem + at + k * KIB(400));
		for (i = 0; i < count; i++)
			arrays[k][i] = 1e6F / (float)(i % 1000 * 7 + k + 1);
	}
	memcpy(self->model, self->mem, SIZE);
	for (i = 0; i < count; i++)
		model[i] = arrays[1][i] + arrays[2][i] + arrays[3][i];
	task = reduce_into(vas[0], count, vas[1], vas[2], vas[3]);
	ASSERT_EQ(0, stream_do(&self->s, task));
	EXPECT_EQ(0, memcmp(self->mem, self->model, SIZE));
	for (i = 0; i < count; i++)
		model[i] = model[i] + arrays[1][i] + arrays[2][i] +
			   arrays[3][i] + arrays[4][i];
	task.flags = 0;
	task.arg2 = vas[4];
	ASSERT_EQ(0, stream_do(&self->s, task));
	EXPECT_EQ(0, memcmp(self->mem, self->model, SIZE));
	/* The first array is not bound; nothing changes. */
	task.src = self->va + SIZE + MIB(64);
	EXPECT_EQ(-EFAULT, stream_do(&self->s, task));
	EXPECT_EQ(0, memcmp(self->mem, self->model, SIZE));
}

static struct vnpu_task random_task(__u64 dst, __u64 counter, __u64 count,
				    int dist, int type, __u64 key, __u64 arg1,
				    __u64 arg2)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_RANDOM, .dst = dst, .src = counter,
		.length = count, .arg0 = key, .arg1 = arg1, .arg2 = arg2,
		.mode = (__u16)VNPU_RANDOM(dist, type),
	};
}

static __u64 float_bits(float value)
{
	__u32 bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

TEST_F(task, random_numbers)
{
	struct stream *s = &self->s;
	__u64 zero = float_bits(0), one = float_bits(1), va = self->va;
	__u64 counter = va + SIZE - 16, i, count = 100003, below = 0;
	float *f = (void *)self->mem;
	double sum = 0;

	memset(ptr(counter), 0, 16);
	ASSERT_EQ(0, stream_do(s, random_task(va, counter, count,
					      VNPU_RANDOM_UNIFORM,
					      VNPU_TYPE_FP32, 42, zero, one)));
	for (i = 0; i < count; i++) {
		ASSERT_TRUE(f[i] >= 0 && f[i] < 1);
		sum += f[i];
	}
	EXPECT_TRUE(sum / (double)count > 0.49 && sum / (double)count < 0.51);
	/*
	 * The same again without a counter; the memory after it is unchanged.
	 */
	ASSERT_EQ(0, stream_do(s, random_task(va + MIB(1), 0, count,
					      VNPU_RANDOM_UNIFORM,
					      VNPU_TYPE_FP32, 42, zero, one)));
	EXPECT_EQ(0, memcmp(self->mem, self->mem + MIB(1), count * 4));
	EXPECT_EQ(0, memcmp(self->mem + MIB(1) + count * 4,
			    self->model + MIB(1) + count * 4, 4096));
	/* A counter that advances by a block advances by four numbers. */
	*(__u64 *)ptr(counter) = 25;
	ASSERT_EQ(0, stream_do(s, random_task(va + MIB(2), counter, 1000,
					      VNPU_RANDOM_UNIFORM,
					      VNPU_TYPE_FP32, 42, zero, one)));
	EXPECT_EQ(0, memcmp(self->mem + 400, self->mem + MIB(2), 4000));

	ASSERT_EQ(0, stream_do(s, random_task(va, 0, 80003,
					      VNPU_RANDOM_DROPOUT,
					      VNPU_TYPE_U8, 7,
					      float_bits(0.25F), 0)));
	for (i = 0; i < 80003; i++)
		below += !(self->mem[i / 8] >> i % 8 & 1);
	EXPECT_TRUE(below > 19000 && below < 21000);
	EXPECT_EQ(0, self->mem[80003 / 8] >> 80003 % 8);

	EXPECT_EQ(-EINVAL, stream_do(s, random_task(va, 0, 8, 9, 0, 0, 0, 0)));
	EXPECT_EQ(-EINVAL, stream_do(s, random_task(va + 2, 0, 8,
						    VNPU_RANDOM_UNIFORM,
						    VNPU_TYPE_FP32, 0, zero,
						    one)));
	EXPECT_EQ(-EINVAL, stream_do(s, random_task(va, counter + 4, 8,
						    VNPU_RANDOM_UNIFORM,
						    VNPU_TYPE_FP32, 0, zero,
						    one)));
	EXPECT_EQ(-EOVERFLOW, stream_do(s, random_task(va, 0, ~0ULL / 2,
						       VNPU_RANDOM_UNIFORM,
						       VNPU_TYPE_FP32, 0, zero,
						       one)));
	/*
	 * With as many bits as there are numbers, the range is still too large.
	 */
	EXPECT_EQ(-EFAULT, stream_do(s, random_task(va + SIZE - KIB(64),
						    0, ~0ULL,
						    VNPU_RANDOM_DROPOUT,
						    VNPU_TYPE_U8, 7, zero, 0)));
	EXPECT_EQ(-EFAULT, stream_do(s, random_task(va, va + GIB(1), 8,
						    VNPU_RANDOM_UNIFORM,
						    VNPU_TYPE_FP32, 0, zero,
						    one)));
}

TEST_F(task, rights_are_respected)
{
	struct stream *s = &self->s;
	struct vnpu_stream_query q;

	ASSERT_EQ(0, va_protect(&self->c, self->va, KIB(64), 0,
				VNPU_ACCESS_READ));
	EXPECT_EQ(-EACCES, stream_do(s, task_fill(self->va, 8, 1, 1)));
	ASSERT_EQ(0, stream_query(s, &q));
	EXPECT_EQ(self->va, q.out_error_addr);
	EXPECT_EQ(-EACCES, stream_do(s, task_copy(self->va + 8,
						  self->va + KIB(64), 8)));
	EXPECT_EQ(0, stream_do(s, task_copy(self->va + KIB(64), self->va, 8)));
	ASSERT_EQ(0, va_protect(&self->c, self->va, KIB(64), 0,
				VNPU_ACCESS_NONE));
	EXPECT_EQ(-EACCES, stream_do(s, task_copy(self->va + KIB(64), self->va,
						  8)));
	EXPECT_EQ(-EACCES, stream_do(s, (struct vnpu_task){
		.op = VNPU_TASK_VALUE_WRITE, .dst = self->va, .mode = 8 }));
	EXPECT_EQ(-EACCES, stream_do(s, (struct vnpu_task){
		.op = VNPU_TASK_VALUE_WAIT, .src = self->va }));
	EXPECT_EQ(-EACCES, stream_do(s, (struct vnpu_task){
		.op = VNPU_TASK_TIMESTAMP, .dst = self->va }));
}

TEST_F(task, host_memory_by_its_device_address)
{
	__u64 va = self->c.base + GIB(1);
	__u8 *host = mmap(NULL, MIB(1), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u32 id;

	ASSERT_NE(MAP_FAILED, (void *)host);
	memset(host, 0x11, MIB(1));
	ASSERT_EQ(0, host_register(&self->c, 0, host, MIB(1), &id));
	ASSERT_EQ(0, va_bind(&self->c, id, va, MIB(1), 0));
	ASSERT_EQ(0, mem_free(&self->c, id));

	EXPECT_EQ(0, stream_do(&self->s, task_copy(self->va, va, MIB(1))));
	EXPECT_TRUE(is_all(self->mem, 0x11, MIB(1)));
	EXPECT_EQ(0, stream_do(&self->s, task_copy(va, self->va + MIB(2),
						   MIB(1))));
	EXPECT_EQ(0, memcmp(host, self->mem + MIB(2), MIB(1)));
	/* It is stale once the process has unmapped it. */
	ASSERT_EQ(0, munmap(host, MIB(1)));
	EXPECT_EQ(-EFAULT, stream_do(&self->s, task_copy(self->va, va, 8)));
}

TEST_F(task, other_devices)
{
	__u64 va = self->c.base + GIB(1);
	struct stream s;

	if (device_count(&self->c) < 2)
		SKIP(return, "one device");
	ASSERT_EQ(0, mem_alloc_at(&self->c, 1, VNPU_MEM_F_HOST_ACCESS, 0,
				  MIB(1), va));
	ASSERT_EQ(0, stream_create(&s, &self->c, 1));
	EXPECT_NE(self->s.id, s.id);
	EXPECT_EQ(0, stream_do(&self->s, task_copy(va, self->va, MIB(1))));
	EXPECT_EQ(0, memcmp(ptr(va), self->mem, MIB(1)));
	EXPECT_EQ(0, stream_do(&s, task_fill(self->va, MIB(1), 7, 1)));
	EXPECT_TRUE(is_all(self->mem, 7, MIB(1)));
	stream_put(&s, task_wait(self->s.id, self->s.last + 1));
	ASSERT_EQ(0, stream_submit(&s));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&s, 20));
	EXPECT_EQ(0, stream_do(&self->s, (struct vnpu_task){}));
	EXPECT_EQ(0, stream_wait(&s, 20000));
	stream_destroy(&s);
}

/* Memory that is unbound while tasks are queued fails these tasks only. */
TEST_F(task, unbind_under_tasks)
{
	__u64 va = self->c.base + GIB(1), used = device_used(&self->c, 0);
	int i, k;

	for (i = 0; i < 30; i++) {
		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, MIB(2), va));
		for (k = 0; k < 20; k++)
			stream_put(&self->s, task_copy(va, va + MIB(1),
						       MIB(1)));
		ASSERT_EQ(0, stream_submit(&self->s));
		usleep((useconds_t)(i * 100));
		ASSERT_EQ(0, va_unbind(&self->c, va, MIB(2)));
		ASSERT_EQ(0, stream_wait(&self->s, 30000));
	}
	EXPECT_LT(0, self->s.ring->errors);
	EXPECT_EQ(EFAULT, self->s.ring->error);
	EXPECT_EQ(used, device_used(&self->c, 0));
	EXPECT_EQ(0, memcmp(self->mem, self->model, SIZE));
}

/*
 * Translations that were cached for small tasks are not used after an unbind.
 */
TEST_F(task, unbind_under_small_copies)
{
	const __u64 bytes = KIB(64), at = self->va + GIB(1), again = at + bytes;
	__u64 i, round;
	__u32 id;

	memset(self->mem, 0xa5, bytes);
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, bytes,
			       &id));
	ASSERT_EQ(0, va_bind(&self->c, id, again, bytes, 0));
	for (round = 0; round < 200; round++) {
		ASSERT_EQ(0, va_bind(&self->c, id, at, bytes, 0));
		for (i = 0; i < bytes / 64; i++)
			stream_put(&self->s, task_copy(at + i * 64,
						       self->va + i * 64, 64));
		ASSERT_EQ(0, stream_submit(&self->s));
		while (stream_completed(&self->s) < self->s.last - 1000 + round)
			;
		ASSERT_EQ(0, va_unbind(&self->c, at, bytes));
		memset(ptr(again), 0, bytes);
		ASSERT_EQ(0, stream_wait(&self->s, 20000));
		ASSERT_TRUE(is_all(ptr(again), 0, bytes));
	}
	EXPECT_TRUE(!self->s.ring->errors || self->s.ring->error == EFAULT);
}

/*
 * When a value in memory is visible, all tasks submitted before it are
 * complete.
 */
TEST_F(task, a_value_is_written_after_earlier_tasks)
{
	__u64 *value = ptr(self->va), i, round;
	struct vnpu_task write = {
		.op = VNPU_TASK_VALUE_WRITE, .mode = 8, .dst = self->va,
	};
	const struct vnpu_task nothing = { .op = VNPU_TASK_NOP };

	for (round = 1; round < 200; round++) {
		for (i = 0; i < 11; i++)
			stream_put(&self->s, nothing);
		write.arg0 = self->s.last + 1;
		stream_put(&self->s, write);
		for (i = 0; i < 200; i++)
			stream_put(&self->s, nothing);
		ASSERT_EQ(0, stream_submit(&self->s));
		while (__atomic_load_n(value, __ATOMIC_ACQUIRE) != write.arg0)
			;
		EXPECT_LE(write.arg0 - 1, stream_completed(&self->s));
		ASSERT_EQ(0, stream_wait(&self->s, 20000));
	}
}

TEST_HARNESS_MAIN
