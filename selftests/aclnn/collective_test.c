// SPDX-License-Identifier: GPL-2.0-only
/*
 * Products of which each rank computes a part.  The test stands for libhccl, with two
 * ranks: the other one has twice the same numbers.
 */
#include "aclnn_test.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_all_gather_matmul.h"
#include "aclnnop/aclnn_matmul_all_reduce.h"
#include "aclnnop/aclnn_matmul_reduce_scatter.h"

#define EXPORT	__attribute__((visibility("default")))

static int comm, reductions, fails;

EXPORT int HcclCommGetHandleWithName(const char *name, void **found);
EXPORT int HcclGetRankSize(void *of, uint32_t *ranks);
EXPORT int HcclAllGather(void *from, void *to, uint64_t count, int type, void *of,
			 aclrtStream stream);
EXPORT int HcclReduceScatter(void *from, void *to, uint64_t count, int type,
			     int op, void *of, aclrtStream stream);
EXPORT int HcclAllReduce(void *from, void *to, uint64_t count, int type, int op,
			 void *of, aclrtStream stream);

int HcclCommGetHandleWithName(const char *name, void **found)
{
	if (strcmp(name, "ranks"))
		return 2;
	*found = &comm;
	return 0;
}

int HcclGetRankSize(void *of, uint32_t *ranks)
{
	*ranks = 2;
	return of != &comm;
}

int HcclAllReduce(void *from, void *to, uint64_t count, int type, int op,
		  void *of, aclrtStream stream)
{
	float *x = from;

	(void)stream;
	if (fails || of != &comm || from != to || type != 4 || op)
		return 4;
	for (uint64_t i = 0; i < count; i++)
		x[i] *= 3;
	reductions++;
	return 0;
}

int HcclAllGather(void *from, void *to, uint64_t count, int type, void *of,
		  aclrtStream stream)
{
	const float *x = from;
	float *y = to;

	(void)stream;
	if (fails || of != &comm || type != 4)
		return 4;
	for (uint64_t i = 0; i < count; i++) {
		y[i] = x[i];
		y[count + i] = 2 * x[i];
	}
	return 0;
}

/* This rank is the second one. */
int HcclReduceScatter(void *from, void *to, uint64_t count, int type, int op,
		      void *of, aclrtStream stream)
{
	const float *x = from;
	float *y = to;

	(void)stream;
	if (fails || of != &comm || type != 4 || op)
		return 4;
	for (uint64_t i = 0; i < count; i++)
		y[i] = 3 * x[count + i];
	return 0;
}

static bool all_reduce(void)
{
	int64_t dims[] = { 2, 2 }, strides[] = { 2, 1 };
	float a[6], b[6], bias[] = { 5, 7 }, out[6] = { 0 };

	numbers(a, 6, 1);
	numbers(b, 6, 2);
	/* The output has an offset. */
	EXPECT(!RUN(aclnnMatmulAllReduce, F32(a, 2, 3), F32(b, 3, 2),
		    F32(bias, 2), "ranks", "sum", 0, 1,
		    strided(ACL_FLOAT, out, 2, dims, strides, 2, 6)));
	EXPECT(reductions == 1 && out[0] == 0 && out[1] == 0);
	for (unsigned int i = 0; i < 4; i++) {
		double sum = bias[i % 2];

		for (unsigned int k = 0; k < 3; k++)
			sum += (double)a[i / 2 * 3 + k] * b[k * 2 + i % 2];
		EXPECT(near(out[2 + i], 3 * sum));
	}
	return true;
}

static bool all_reduce_errors(void)
{
	float a[4] = { 1, 2, 3, 4 }, out[4] = { 0 };

	EXPECT(RUN(aclnnMatmulAllReduce, F32(a, 2, 2), F32(a, 2, 2), NULL,
		   "others", "sum", 0, 1, F32(out, 2, 2)) ==
	       ACLNN_ERR_PARAM_INVALID);
	TEXT("HcclGetCommName(), given others");
	EXPECT(RUN(aclnnMatmulAllReduce, F32(a, 2, 2), F32(a, 2, 2), NULL,
		   "ranks", "max", 0, 1, F32(out, 2, 2)) ==
	       ACLNN_ERR_PARAM_INVALID);
	fails = 1;
	EXPECT(RUN(aclnnMatmulAllReduce, F32(a, 2, 2), F32(a, 2, 2), NULL,
		   "ranks", "sum", 0, 1, F32(out, 2, 2)) ==
	       ACLNN_ERR_RUNTIME_ERROR);
	TEXT("HCCL error 4");
	fails = 0;
	return true;
}

/* Compute an element of a product of [ROWS, INNER] and [INNER, WIDTH], with a bias. */
enum { ROWS = 4, INNER = 3, WIDTH = 2 };

static double product(const float *a, const float *b, const float *bias,
		      unsigned int i)
{
	double sum = bias ? bias[i % WIDTH] : 0;

	for (unsigned int k = 0; k < INNER; k++)
		sum += (double)a[i / WIDTH * INNER + k] * b[k * WIDTH + i % WIDTH];
	return sum;
}

static bool is_gathered(const float *a, const float *b, const float *bias,
			const float *out)
{
	for (unsigned int i = 0; i < 2 * ROWS * WIDTH; i++) {
		unsigned int part = i / (ROWS * WIDTH);
		double want = product(a, b, NULL, i % (ROWS * WIDTH));

		EXPECT(near(out[i], want * (part + 1) + (bias ? bias[i % WIDTH] :
								 0)));
	}
	return true;
}

static bool all_gather(void)
{
	const int64_t dims[] = { INNER, WIDTH }, strides[] = { 1, INNER };
	float a[ROWS * INNER], b[INNER * WIDTH], turned[INNER * WIDTH];
	float bias[] = { 5, 7 }, out[2 * ROWS * WIDTH], all[2 * ROWS * INNER];

	numbers(a, ROWS * INNER, 1);
	numbers(b, INNER * WIDTH, 2);
	for (unsigned int i = 0; i < INNER * WIDTH; i++)
		turned[i % WIDTH * INNER + i / WIDTH] = b[i];
	EXPECT(!RUN(aclnnAllGatherMatmul, F32(a, ROWS, INNER),
		    strided(ACL_FLOAT, turned, 2, dims, strides, 0, 6),
		    F32(bias, WIDTH), "ranks", 0, 0, 1,
		    F32(out, 2 * ROWS, WIDTH), F32(all, 2 * ROWS, INNER)));
	EXPECT(is_gathered(a, b, bias, out));
	for (unsigned int i = 0; i < 2 * ROWS * INNER; i++)
		EXPECT(all[i] == a[i % (ROWS * INNER)] *
				 (i / (ROWS * INNER) + 1));
	/* Programs that do not want the rows pass an empty tensor. */
	memset(out, 0, sizeof(out));
	EXPECT(!RUN(aclnnAllGatherMatmul, F32(a, ROWS, INNER),
		    F32(b, INNER, WIDTH), NULL, "ranks", 0, 0, 1,
		    F32(out, 2 * ROWS, WIDTH), F32(all, 0)));
	EXPECT(is_gathered(a, b, NULL, out));
	EXPECT(!RUN(aclnnAllGatherMatmul, F32(a, 0, INNER), F32(b, INNER, WIDTH),
		    NULL, "ranks", 0, 0, 1, F32(out, 0, WIDTH), NULL));
	return true;
}

/* An executor that stays, with another address of the rows. */
static bool other_rows(void)
{
	float a[ROWS * INNER], c[ROWS * INNER], b[INNER * WIDTH];
	float out[2 * ROWS * WIDTH];
	aclOpExecutor *executor;
	uint64_t size;
	void *space;
	aclTensor *x1;

	numbers(a, ROWS * INNER, 1);
	numbers(b, INNER * WIDTH, 2);
	numbers(c, ROWS * INNER, 3);
	x1 = F32(a, ROWS, INNER);
	EXPECT(!aclnnAllGatherMatmulGetWorkspaceSize(x1, F32(b, INNER, WIDTH),
		NULL, "ranks", 0, 0, 1, F32(out, 2 * ROWS, WIDTH), NULL, &size,
		&executor));
	EXPECT(!aclSetAclOpExecutorRepeatable(executor));
	space = aligned_alloc(64, size + 64);
	EXPECT(!aclnnAllGatherMatmul(space, size, executor, NULL));
	EXPECT(is_gathered(a, b, NULL, out));
	EXPECT(!aclSetInputTensorAddr(executor, 0, x1, c));
	EXPECT(!aclnnAllGatherMatmul(space, size, executor, NULL));
	EXPECT(is_gathered(c, b, NULL, out));
	EXPECT(!aclDestroyAclOpExecutor(executor));
	free(space);
	return true;
}

static bool all_gather_errors(void)
{
	const int64_t turned[] = { 1, 2 };
	float a[16] = { 0 }, out[64] = { 0 };
	unsigned int before = launches;

#define GATHER(x1, x2, group, index, y, all)				\
	RUN(aclnnAllGatherMatmul, x1, x2, NULL, group, index, 0, 1, y, all)
	EXPECT(GATHER(F32(a, 2, 3), F32(a, 3, 2), "ranks", 1, F32(out, 4, 2),
		      NULL));
	TEXT("gatherIndex: expected 0, given 1");
	EXPECT(GATHER(F32(a, 2, 3), F32(a, 3, 2), "others", 0, F32(out, 4, 2),
		      NULL));
	TEXT("group: expected the name of a communicator");
	EXPECT(GATHER(F32(a, 2, 3), F32(a, 3, 2), "ranks", 0, F32(out, 2, 2),
		      NULL));
	TEXT("output: expected shape [4, 2], given [2, 2]");
	EXPECT(GATHER(F32(a, 2, 3), F32(a, 3, 2), "ranks", 0, F32(out, 4, 2),
		      F32(out + 16, 2, 3)));
	TEXT("gatherOut: expected 4 in dimension 0, given 2");
	EXPECT(GATHER(F32(a, 2, 3), F32(a, 3, 2), "ranks", 0, F32(out, 4, 2),
		      F16(out + 16, 4, 3)));
	TEXT("gatherOut: expected type f32, given f16");
	EXPECT(GATHER(F32(a, 6), F32(a, 3, 2), "ranks", 0, F32(out, 4, 2), NULL));
	TEXT("x1: expected 2 dimensions, given 1");
	EXPECT(GATHER(strided(ACL_FLOAT, a, SHAPE(2, 3), turned, 0, 6),
		      F32(a, 3, 2), "ranks", 0, F32(out, 4, 2), NULL));
	TEXT("x1: expected a contiguous tensor of f16, bf16 or f32, given a view of f32");
	EXPECT(GATHER(I32(a, 2, 3), I32(a, 3, 2), "ranks", 0, I32(out, 4, 2),
		      NULL));
	EXPECT(launches == before);
	/* Without the rows of other ranks, there is no product. */
	fails = 1;
	EXPECT(GATHER(F32(a, 2, 3), F32(a, 3, 2), "ranks", 0, F32(out, 4, 2),
		      NULL) == ACLNN_ERR_RUNTIME_ERROR);
	EXPECT(strstr(last_text, "HCCL error 4") && launches == before);
	fails = 0;
	return true;
}

static bool reduce_scatter(void)
{
	const int64_t dims[] = { ROWS / 2, WIDTH }, strides[] = { WIDTH, 1 };
	float a[ROWS * INNER], b[INNER * WIDTH], bias[] = { 5, 7 };
	float out[6] = { 0 };

	numbers(a, ROWS * INNER, 1);
	numbers(b, INNER * WIDTH, 2);
	/* The output has an offset. */
	EXPECT(!RUN(aclnnMatmulReduceScatter, F32(a, ROWS, INNER),
		    F32(b, INNER, WIDTH), F32(bias, WIDTH), "ranks", "sum", 0, 1,
		    strided(ACL_FLOAT, out, 2, dims, strides, 2, 6)));
	EXPECT(out[0] == 0 && out[1] == 0);
	for (unsigned int i = 0; i < ROWS / 2 * WIDTH; i++)
		EXPECT(near(out[2 + i], 3 * product(a, b, bias,
						    ROWS / 2 * WIDTH + i)));
	EXPECT(!RUN(aclnnMatmulReduceScatter, F32(a, 0, INNER),
		    F32(b, INNER, WIDTH), NULL, "ranks", "sum", 0, 1,
		    F32(out, 0, WIDTH)));
	return true;
}

static bool reduce_scatter_errors(void)
{
	float a[16] = { 0 }, out[16] = { 0 };

#define SCATTER(x1, x2, group, reduce, y)				\
	RUN(aclnnMatmulReduceScatter, x1, x2, NULL, group, reduce, 0, 1, y)
	EXPECT(SCATTER(F32(a, 3, 2), F32(a, 2, 2), "ranks", "sum",
		       F32(out, 1, 2)));
	TEXT("x1: expected a multiple of 2 ranks in dimension 0, given 3");
	EXPECT(SCATTER(F32(a, 4, 2), F32(a, 2, 2), "ranks", "sum",
		       F32(out, 4, 2)));
	TEXT("output: expected 2 in dimension 0, given 4");
	EXPECT(SCATTER(F32(a, 4, 2), F32(a, 2, 2), "ranks", "max",
		       F32(out, 2, 2)));
	TEXT("reduceOp: expected sum, given max");
	EXPECT(SCATTER(F32(a, 4, 2), F32(a, 2, 2), "others", "sum",
		       F32(out, 2, 2)));
	EXPECT(SCATTER(F32(a, 4, 2), F32(a, 3, 2), "ranks", "sum",
		       F32(out, 2, 2)));
	TEXT("x2: expected an inner dimension of 2");
	EXPECT(SCATTER(F32(a, 4, 2), F32(a, 4), "ranks", "sum", F32(out, 2, 2)));
	EXPECT(SCATTER(F32(a, 4, 2), F32(a, 2, 2), "ranks", "sum",
		       I32(out, 2, 2)));
	TEXT("output: expected a contiguous tensor of f16, bf16 or f32, given i32");
	fails = 1;
	EXPECT(SCATTER(F32(a, 4, 2), F32(a, 2, 2), "ranks", "sum",
		       F32(out, 2, 2)) == ACLNN_ERR_RUNTIME_ERROR);
	fails = 0;
	return true;
}

const struct test collective_tests[] = {
	{ "products summed over ranks", all_reduce },
	{ "errors of sums over ranks", all_reduce_errors },
	{ "products of the rows of all ranks", all_gather },
	{ "rows of all ranks at another address", other_rows },
	{ "errors of the rows of all ranks", all_gather_errors },
	{ "sums of which each rank gets a part", reduce_scatter },
	{ "errors of parts of sums", reduce_scatter_errors },
	{ 0 }
};
