// SPDX-License-Identifier: GPL-2.0-only
/* Products of matrices and vectors as single operators. */
#include "acl/ops/acl_cblas.h"
#include "acl-test.h"

enum { M = 2, N = 3, K = 4, ROOM = 4096 };

FIXTURE(blas) {
	aclrtStream stream;
	char *a, *b, *c, *alpha, *beta;		/* of the device */
};

FIXTURE_SETUP(blas)
{
	OK(aclInit(NULL));
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
	OK(aclrtMalloc((void **)&self->a, ROOM, ACL_MEM_MALLOC_HUGE_FIRST));
	self->b = self->a + ROOM / 8;
	self->c = self->a + 2 * ROOM / 8;
	self->alpha = self->a + 3 * ROOM / 8;
	self->beta = self->a + 4 * ROOM / 8;
}

FIXTURE_TEARDOWN(blas)
{
	OK(aclrtFree(self->a));
	OK(aclrtDestroyStream(self->stream));
	OK(aclrtResetDevice(0));
	OK(aclFinalize());
}

static void put(void *to, const void *from, size_t size)
{
	aclrtMemcpy(to, size, from, size, ACL_MEMCPY_HOST_TO_DEVICE);
}

static void get(aclrtStream stream, void *to, const void *from, size_t size)
{
	aclrtSynchronizeStream(stream);
	aclrtMemcpy(to, size, from, size, ACL_MEMCPY_DEVICE_TO_HOST);
}

TEST_F(blas, floats)
{
	const float alpha = 2, beta = 3;
	float a[M * K], b[N * K], c[M * N], out[M * N];
	aclDataBuffer *inputs[5];
	aclopHandle *handle;

	for (int i = 0; i < M * K; i++)
		a[i] = i - 3;
	for (int i = 0; i < N * K; i++)
		b[i] = 5 - i;
	for (int i = 0; i < M * N; i++)
		c[i] = i;
	put(self->a, a, sizeof(a));
	put(self->b, b, sizeof(b));
	put(self->c, c, sizeof(c));
	put(self->alpha, &alpha, sizeof(alpha));
	put(self->beta, &beta, sizeof(beta));
	/* B is stored as its transpose. */
	OK(aclblasGemmEx(ACL_TRANS_N, ACL_TRANS_T, ACL_TRANS_N, M, N, K,
			 self->alpha, self->a, -1, ACL_FLOAT, self->b, K,
			 ACL_FLOAT, self->beta, self->c, N, ACL_FLOAT,
			 ACL_COMPUTE_HIGH_PRECISION, self->stream));
	get(self->stream, out, self->c, sizeof(out));
	for (int i = 0; i < M * N; i++) {
		float sum = 0;

		for (int k = 0; k < K; k++)
			sum += a[i / N * K + k] * b[i % N * K + k];
		EXPECT_EQ(2 * sum + 3 * c[i], out[i]);
	}
	put(self->c, c, sizeof(c));
	OK(aclblasCreateHandleForGemmEx(ACL_TRANS_N, ACL_TRANS_T, ACL_TRANS_N,
					M, N, K, ACL_FLOAT, ACL_FLOAT,
					ACL_FLOAT, ACL_COMPUTE_HIGH_PRECISION,
					&handle));
	inputs[0] = aclCreateDataBuffer(self->a, sizeof(a));
	inputs[1] = aclCreateDataBuffer(self->b, sizeof(b));
	inputs[2] = aclCreateDataBuffer(self->c, sizeof(c));
	inputs[3] = aclCreateDataBuffer(self->alpha, sizeof(alpha));
	inputs[4] = aclCreateDataBuffer(self->beta, sizeof(beta));
	OK(aclopExecWithHandle(handle, 5,
			       (const aclDataBuffer *const *)inputs, 1,
			       &inputs[2], self->stream));
	get(self->stream, c, self->c, sizeof(c));
	EXPECT_EQ(0, memcmp(c, out, sizeof(c)));
	for (int i = 0; i < 5; i++)
		OK(aclDestroyDataBuffer(inputs[i]));
	aclopDestroyHandle(handle);
}

TEST_F(blas, halves)
{
	const aclFloat16 one = aclFloatToFloat16(1), zero = 0;
	aclFloat16 a[M * K], x[K], y[M];
	aclopHandle *handle;

	for (int i = 0; i < M * K; i++)
		a[i] = aclFloatToFloat16(i);
	for (int i = 0; i < K; i++)
		x[i] = aclFloatToFloat16(i + 1);
	memset(y, 0, sizeof(y));
	put(self->a, a, sizeof(a));
	put(self->b, x, sizeof(x));
	put(self->c, y, sizeof(y));
	put(self->alpha, &one, sizeof(one));
	put(self->beta, &zero, sizeof(zero));
	OK(aclblasHgemv(ACL_TRANS_N, M, K, (void *)self->alpha,
			(void *)self->a, -1, (void *)self->b, -1,
			(void *)self->beta, (void *)self->c, -1,
			ACL_COMPUTE_HIGH_PRECISION, self->stream));
	get(self->stream, y, self->c, sizeof(y));
	EXPECT_EQ(20, aclFloat16ToFloat(y[0]));
	EXPECT_EQ(60, aclFloat16ToFloat(y[1]));
	OK(aclblasHgemm(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, M, 1, K,
			(void *)self->alpha, (void *)self->a, -1,
			(void *)self->b, -1, (void *)self->alpha,
			(void *)self->c, -1, ACL_COMPUTE_HIGH_PRECISION,
			self->stream));
	get(self->stream, y, self->c, sizeof(y));
	EXPECT_EQ(120, aclFloat16ToFloat(y[1]));
	OK(aclblasCreateHandleForHgemm(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, M,
				       N, K, ACL_COMPUTE_HIGH_PRECISION,
				       &handle));
	aclopDestroyHandle(handle);
	OK(aclblasCreateHandleForHgemv(ACL_TRANS_T, M, N,
				       ACL_COMPUTE_HIGH_PRECISION, &handle));
	aclopDestroyHandle(handle);
}

/* Products of halves are neither rounded nor infinite before the result is. */
TEST_F(blas, wide_products)
{
	const aclFloat16 quarter = aclFloatToFloat16(0.25f), zero = 0;
	const aclFloat16 large[] = { aclFloatToFloat16(256) };
	const aclFloat16 a[] = { aclFloatToFloat16(2048), aclFloatToFloat16(1) };
	const aclFloat16 x[] = { aclFloatToFloat16(1), aclFloatToFloat16(1) };
	const float one = 1, c = 3;
	aclFloat16 y = 0;
	float sum;

	put(self->a, large, sizeof(large));
	put(self->b, large, sizeof(large));
	put(self->c, &y, sizeof(y));
	put(self->alpha, &quarter, sizeof(quarter));
	put(self->beta, &zero, sizeof(zero));
	OK(aclblasHgemm(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, 1, 1, 1,
			(void *)self->alpha, (void *)self->a, -1,
			(void *)self->b, -1, (void *)self->beta,
			(void *)self->c, -1, ACL_COMPUTE_HIGH_PRECISION,
			self->stream));
	get(self->stream, &y, self->c, sizeof(y));
	EXPECT_EQ(16384, aclFloat16ToFloat(y));

	/* The result is f32. */
	put(self->a, a, sizeof(a));
	put(self->b, x, sizeof(x));
	put(self->c, &c, sizeof(c));
	put(self->alpha, &one, sizeof(one));
	put(self->beta, &one, sizeof(one));
	OK(aclblasGemvEx(ACL_TRANS_N, 1, 2, self->alpha, self->a, -1,
			 ACL_FLOAT16, self->b, -1, ACL_FLOAT16, self->beta,
			 self->c, -1, ACL_FLOAT, ACL_COMPUTE_HIGH_PRECISION,
			 self->stream));
	get(self->stream, &sum, self->c, sizeof(sum));
	EXPECT_EQ(2052, sum);
}

/* Sums of i8 are exact, where f32 would round. */
TEST_F(blas, bytes)
{
	const int32_t one = 1, two = 2;
	int8_t a[M * K], x[M];
	aclopHandle *handle;
	int32_t y[K];

	memset(a, 127, sizeof(a));
	memset(x, -128, sizeof(x));
	for (int i = 0; i < K; i++)
		y[i] = (1 << 24) + i;
	put(self->a, a, sizeof(a));
	put(self->b, x, sizeof(x));
	put(self->c, y, sizeof(y));
	put(self->alpha, &one, sizeof(one));
	put(self->beta, &two, sizeof(two));
	OK(aclblasS8gemv(ACL_TRANS_T, M, K, (void *)self->alpha,
			 (void *)self->a, K, (void *)self->b, 1,
			 (void *)self->beta, (void *)self->c, 1,
			 ACL_COMPUTE_HIGH_PRECISION, self->stream));
	get(self->stream, y, self->c, sizeof(y));
	for (int i = 0; i < K; i++)
		EXPECT_EQ((1 << 25) + 2 * i - 2 * 127 * 128, y[i]);
	OK(aclblasS8gemm(ACL_TRANS_T, ACL_TRANS_N, ACL_TRANS_N, K, 1, M,
			 (void *)self->alpha, (void *)self->a, -1,
			 (void *)self->b, -1, (void *)self->alpha,
			 (void *)self->c, -1, ACL_COMPUTE_HIGH_PRECISION,
			 self->stream));
	get(self->stream, y, self->c, sizeof(y));
	EXPECT_EQ((1 << 25) + 2 - 4 * 127 * 128, y[1]);
	OK(aclblasCreateHandleForS8gemm(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N,
					M, N, K, ACL_COMPUTE_HIGH_PRECISION,
					&handle));
	aclopDestroyHandle(handle);
	OK(aclblasCreateHandleForS8gemv(ACL_TRANS_N, M, N,
					ACL_COMPUTE_HIGH_PRECISION, &handle));
	aclopDestroyHandle(handle);
	OK(aclblasCreateHandleForGemvEx(ACL_TRANS_N, M, N, ACL_FLOAT,
					ACL_FLOAT, ACL_FLOAT,
					ACL_COMPUTE_LOW_PRECISION, &handle));
	aclopDestroyHandle(handle);
}

static aclError product(aclTransType trans, int m, int lead, void *a)
{
	return aclblasGemvEx(trans, m, N, a, a, lead, ACL_FLOAT, a, -1,
			     ACL_FLOAT, a, a, -1, ACL_FLOAT,
			     ACL_COMPUTE_HIGH_PRECISION, NULL);
}

TEST_F(blas, errors)
{
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   product(ACL_TRANS_NZ, M, -1, self->a));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   product(ACL_TRANS_N, 0, -1, self->a));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   product(ACL_TRANS_N, M, N + 1, self->a));
	EXPECT_NE(NULL, strstr(aclGetRecentErrMsg(),
			       "the leading dimension of A is 4; pass -1 or 3"));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   product(ACL_TRANS_N, M, -1, NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclblasCreateHandleForHgemv(ACL_TRANS_N, M, N,
					       ACL_COMPUTE_HIGH_PRECISION,
					       NULL));
}

TEST_HARNESS_MAIN
