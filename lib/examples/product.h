/* SPDX-License-Identifier: MIT */
/* For the examples with operators: products of matrices on a device. */
#ifndef EXAMPLES_PRODUCT_H
#define EXAMPLES_PRODUCT_H

#include "devices.h"

#include "aclnnop/aclnn_matmul.h"

static aclTensor *matrix(float *data, int64_t rows, int64_t columns)
{
	const int64_t dims[] = { rows, columns }, strides[] = { columns, 1 };

	return aclCreateTensor(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND,
			       dims, 2, data);
}

/* Compute out = a * b on a stream, and destroy the three descriptions. */
static void multiply(aclTensor *a, aclTensor *b, aclTensor *out,
		     aclrtStream stream)
{
	aclOpExecutor *executor = NULL;
	void *workspace = NULL;
	uint64_t size = 0;

	CHECK(!a || !b || !out);
	CHECK(aclnnMatmulGetWorkspaceSize(a, b, out, 0, &size, &executor));
	if (size)
		CHECK(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclnnMatmul(workspace, size, executor, stream));
	if (workspace) {
		CHECK(aclrtSynchronizeStream(stream));
		CHECK(aclrtFree(workspace));
	}
	CHECK(aclDestroyTensor(a));
	CHECK(aclDestroyTensor(b));
	CHECK(aclDestroyTensor(out));
}

#endif /* EXAMPLES_PRODUCT_H */
