// SPDX-License-Identifier: GPL-2.0-only
/*
 * Products that are summed over ranks.  The test stands for libhccl, with two ranks:
 * the other one computes twice the same.
 */
#include "aclnn_test.h"
#include "aclnnop/aclnn_matmul_all_reduce.h"

#define EXPORT	__attribute__((visibility("default")))

static int comm, reductions, fails;

EXPORT int HcclCommGetHandleWithName(const char *name, void **found);
EXPORT int HcclGetRankSize(void *of, uint32_t *ranks);
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
	EXPECT(strstr(last_text, "HcclGetCommName(), given others"));
	EXPECT(RUN(aclnnMatmulAllReduce, F32(a, 2, 2), F32(a, 2, 2), NULL,
		   "ranks", "max", 0, 1, F32(out, 2, 2)) ==
	       ACLNN_ERR_PARAM_INVALID);
	fails = 1;
	EXPECT(RUN(aclnnMatmulAllReduce, F32(a, 2, 2), F32(a, 2, 2), NULL,
		   "ranks", "sum", 0, 1, F32(out, 2, 2)) ==
	       ACLNN_ERR_RUNTIME_ERROR);
	EXPECT(strstr(last_text, "HCCL error 4"));
	fails = 0;
	return true;
}

const struct test collective_tests[] = {
	{ "products summed over ranks", all_reduce },
	{ "errors of sums over ranks", all_reduce_errors },
	{ 0 }
};
